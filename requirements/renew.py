"""`make lock`: the lock files of pyproject.toml, one for the set-up and one for each extra that is installed later.

`dev.lock` holds what the set-up installs: the project's dependencies and the extra `dev`. Each other lock holds what
its extra adds to that. Versions are the same in all of them, and every archive has its digest.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent / "pyproject.toml"
SET_UP = "dev"
# `cluster` is part of `dev`.
LATER = ("ocr", "voice", "voice-test", "browser-test", "maintain")
OLDEST_PYTHON = "3.11"
# The OCR model asks for the OpenCV that opens windows, for which a system needs graphics libraries; the extra names the
# one without, which is the same module otherwise.
LEFT_OUT = "opencv-python ; python_version < '3'\n"


def compiled(extra: str, folder: Path, *more: str) -> list[str]:
    """The lock of `extra` for every system and Python from the oldest on: one entry a package, its digests with it."""
    out = folder / f"{extra}.txt"
    known = HERE / f"{extra}.lock"
    if known.is_file() and "--upgrade" not in more:
        out.write_text(known.read_text(encoding="utf-8"), encoding="utf-8")
    left_out = folder / "left_out.txt"
    left_out.write_text(LEFT_OUT, encoding="utf-8")
    # Neither comments nor addresses: where packages come from is each machine's own affair.
    form = ["--universal", "--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url"]
    plain = ["--no-emit-find-links", "--quiet", "--python-version", OLDEST_PYTHON]
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "compile", *form, *plain, "--extra", extra,
         "--override", str(left_out), *more, str(PROJECT), "--output-file", str(out)],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return entries(out.read_text(encoding="utf-8"))


def entries(lock: str) -> list[str]:
    """The entries of a lock file: a line `name==version`, and lines with digests."""
    return [entry for entry in re.split(r"(?m)^(?=\S)", lock) if entry.strip()]


def main(arguments: list[str]) -> int:
    """Write the locks; `--upgrade` takes the newest versions instead of keeping those locked. Exit status of uv."""
    with tempfile.TemporaryDirectory(prefix="lock-") as name:
        folder = Path(name)
        try:
            locks = {SET_UP: compiled(SET_UP, folder, *arguments)}
            bound = ["--constraint", str(folder / f"{SET_UP}.txt")]
            for extra in LATER:
                there = set(locks[SET_UP])
                locks[extra] = [entry for entry in compiled(extra, folder, *bound, *arguments) if entry not in there]
        except subprocess.CalledProcessError as error:
            print("The lock files were left as they were.\n    next: mend what uv says above", file=sys.stderr)
            return int(error.returncode)
        for extra, found in locks.items():
            partial = HERE / f".{extra}.partial"
            partial.write_text("".join(found), encoding="utf-8")
            partial.replace(HERE / f"{extra}.lock")
            print(f"requirements/{extra}.lock: {len(found)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
