"""Pages of docs/ that are computed: written whole or not at all, and checked against what would be written."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; a bar inside a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def write_whole(path: Path, text: str) -> None:
    """Replace `path` by `text`, through a temporary file in the same folder, so that no half page is ever seen."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)  # mkstemp keeps the file to its owner, but a page is for everybody
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def publish(module: str, path: Path, render: Callable[[], str], arguments: Sequence[str] | None = None) -> int:
    """The command line of a page: write it, or with --check say whether it is up to date. Returns the exit status."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=f"Write {path.name} from the trace.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is not up to date")
    check = parser.parse_args(arguments).check
    text = render()
    try:
        if not check:
            write_whole(path, text)
            print(f"wrote {path}")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path}: is not what the trace says; run `python -m {module}` to write it anew", file=sys.stderr)
            return 1
    except OSError as error:
        print(f"{path}: {error.strerror}; a folder that can be written to is needed", file=sys.stderr)
        return 1
    return 0
