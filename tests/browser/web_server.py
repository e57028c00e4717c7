"""A small web server for the tests: folders under names, with or without byte ranges."""

from __future__ import annotations

import mimetypes
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Server:
    """Serves mounted folders. Requests for files are kept in `log` as (path, status)."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log: list[tuple[str, int]] = []
        self._folders: dict[str, tuple[Path, bool]] = {}
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                name, _, rest = unquote(urlsplit(self.path).path).lstrip("/").partition("/")
                folder, ranges = server._folders.get(name, (root, True))
                path = (folder / rest).resolve()
                if self.path == "/favicon.ico":  # which browsers ask for on their own
                    self._answer(204, b"", "image/x-icon", {})
                    return
                if not path.is_file() or folder.resolve() not in path.parents:
                    self._answer(404, b"", "text/plain", {})
                    return
                data = path.read_bytes()
                kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
                asked = self.headers.get("Range")
                if ranges and asked and asked.startswith("bytes="):
                    first, _, last = asked.removeprefix("bytes=").partition("-")
                    start, end = int(first), min(int(last or len(data) - 1), len(data) - 1)
                    head = {"Content-Range": f"bytes {start}-{end}/{len(data)}", "Accept-Ranges": "bytes"}
                    self._answer(206, data[start : end + 1], kind, head)
                else:
                    self._answer(200, data, kind, {"Accept-Ranges": "bytes"} if ranges else {})

            def _answer(self, status: int, data: bytes, kind: str, head: dict[str, str]) -> None:
                server.log.append((self.path, status))
                self.send_response(status)
                for key, value in (head | {"Content-Type": kind, "Content-Length": str(len(data))}).items():
                    self.send_header(key, value)
                self.end_headers()
                with suppress(BrokenPipeError, ConnectionResetError):  # a player that has seen enough
                    self.wfile.write(data)

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                """A player that leaves closes its connections in the middle."""
                if not isinstance(sys.exception(), ConnectionError):
                    super().handle_error(request, client_address)  # type: ignore[arg-type]

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def mount(self, name: str, folder: Path, *, ranges: bool = True) -> str:
        """Serve `folder` under `name`; its address. Without `ranges` only whole files are sent."""
        self._folders[name] = (folder, ranges)
        return f"{self.address}/{name}"

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
