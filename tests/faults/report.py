"""What the suites of faults tried and found, as rows; and the page docs/reliability.md made of them.

A test that has ended well says so with `record(...)`. Rows are kept only where EXPLAINER_FAULT_ROWS names a folder, as
`make test-faults` does; elsewhere nothing is written. `python tests/faults/report.py FOLDER PAGE` writes the page.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

ROWS_VARIABLE = "EXPLAINER_FAULT_ROWS"
# The groups of the page, in its order: name, heading, what holds for each of its rows.
GROUPS = {
    "killed": ("Killed", "No process is left, and no file under a final name is incomplete."),
    "files": ("Disk, files and clock", "The render says what is wrong, or mends it and says so."),
    "scenes": ("Scenes that fail", "The other scenes are rendered; the report names the one that failed."),
    "together": ("Several at once", "Nobody reads what another one has half written."),
    "reproducible": ("Reproducible", "The digests of all frames are the same."),
    "storyboards": ("Hostile storyboards", "One message with file and line, no traceback, no file outside the folder."),
}


@dataclass(frozen=True)
class Row:
    """One line of the page: the fault or input, how often it was tried, what came of it."""

    group: str
    what: str
    count: int
    result: str


def record(group: str, what: str, count: int, result: str) -> None:
    """Keep a row, in place of one with the same group and `what`. To be called after the assertions that it reports.

    Raises ValueError for a group that the page does not have, or a count below one.
    """
    if group not in GROUPS or count < 1:
        raise ValueError(f"a row needs a group ({', '.join(GROUPS)}) and a count of at least 1, not {group}, {count}")
    folder = os.environ.get(ROWS_VARIABLE)
    if not folder:
        return
    name = hashlib.sha256(f"{group} {what}".encode()).hexdigest()[:16]
    path = Path(folder, f"{name}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(Row(group, what, count, result)), ensure_ascii=False), encoding="utf-8")


def rows_in(folder: Path) -> list[Row]:
    """The rows kept in `folder`, in the order of the page."""
    rows = [Row(**json.loads(path.read_text(encoding="utf-8"))) for path in folder.glob("*.json")]
    return sorted(rows, key=lambda row: (list(GROUPS).index(row.group), row.what))


def page(rows: Sequence[Row], when: str, where: str) -> str:
    """The page of `rows` as Markdown. `when` and `where` they were found stands below the heading."""
    lines = [
        "# Reliability",
        "",
        "What was done to the renderer and what it was given, how often, and what came of it. `make test-faults` does",
        "all of it and writes this page. After every fault the next run, undisturbed, must finish with a film whose",
        "frames have the same digests as those of a film that nothing disturbed.",
        "",
        f"Found on {when}, {where}: {sum(row.count for row in rows):,} faults and inputs, all as they should be.",
    ]
    for group, (heading, law) in GROUPS.items():
        found = [row for row in rows if row.group == group]
        if found:
            lines += ["", f"## {heading}", "", law, "", "| tried | times | result |", "|---|--:|---|"]
            lines += [f"| {_cell(row.what)} | {row.count:,} | {_cell(row.result)} |" for row in found]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main(arguments: Sequence[str]) -> int:
    """Write the page; exit status 1 where there are no rows."""
    folder, target = map(Path, arguments)
    rows = rows_in(folder)
    if not rows:
        print(f"{folder} holds no rows.\n    next: make test-faults", file=sys.stderr)
        return 1
    where = f"{platform.system()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    temporary = target.with_name(f".{target.name}.partial")
    temporary.write_text(page(rows, f"{datetime.now(UTC):%Y-%m-%d}", where), encoding="utf-8")
    temporary.replace(target)
    print(f"{target}: {len(rows)} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
