"""`make licences`: docs/licences.md, the licences of all locked packages as the packages themselves state them."""

from __future__ import annotations

import sys
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path

from locked import locked, locks

PAGE = Path(__file__).resolve().parents[1] / "docs" / "licences.md"
USES = {
    "dev": "Installed by `make setup`",
    "ocr": "Added by `make ocr`",
    "voice": "Added by `make voice`",
    "voice-test": "Added by `make test-voice`",
    "browser-test": "Added by `make test-browser`",
    "maintain": "Added by `make lock` and `make audit`",
}
LONGEST = 60  # characters; what is longer in the field is the licence's text, not its name


def licence(about: PackageMetadata) -> str:
    """The licence that a package states: its SPDX expression, else its classifiers, else its free text."""
    if expression := about.get("License-Expression"):
        return expression
    names = [
        name.rpartition(" :: ")[2]
        for name in about.get_all("Classifier") or []
        if name.startswith("License :: ") and name != "License :: OSI Approved"
    ]
    text = (about.get("License") or "").strip()
    first = text.splitlines()[0].strip() if text else ""
    if names or (first and len(first) <= LONGEST):
        return ", ".join(names) or first
    files = about.get_all("License-File")
    return f"only in its {files[0]}" if files else "not stated"


def page() -> tuple[str, list[str]]:
    """The page as Markdown, and the packages that should be installed here and are not."""
    lines = ["# Licences of the dependencies", ""]
    lines += [
        "As the packages state them, written by `make licences`; the versions are those of `requirements/*.lock`."
    ]
    missing = []
    for extra in locks():
        rows, elsewhere = [], []
        for entry in locked(extra):
            name = entry.requirement.name
            if not entry.here:
                elsewhere.append(f"{name} {entry.version}")
                continue
            try:
                about = metadata(name)
            except PackageNotFoundError:
                missing.append(f"{name} ({extra})")
                continue
            if about["Version"] != entry.version:
                missing.append(f"{name} {entry.version} ({extra}; {about['Version']} is there)")
            rows.append(f"| {name} | {entry.version} | {licence(about)} |")
        lines += ["", f"## {USES[extra]}", "", "| package | version | licence |", "|---|---|---|", *rows]
        if elsewhere:
            lines += ["", f"For other systems or Pythons than the one this was written on: {', '.join(elsewhere)}."]
    return "\n".join(lines) + "\n", missing


def main() -> int:
    """Write the page; exit status 1 where a package's licence cannot be looked up."""
    text, missing = page()
    if missing:
        print(f"Not installed as locked: {', '.join(missing)}\n    next: make licences", file=sys.stderr)
        return 1
    partial = PAGE.with_name(f".{PAGE.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
