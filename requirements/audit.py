"""`make audit`: whether any locked package has a known vulnerability, by pip-audit. Needs the network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from locked import HERE, locks

UNREACHABLE = 2


def audited(lock: Path) -> tuple[int, list[str]]:
    """Exit status and lines to print for one lock: 0 sound, 1 vulnerable, 2 nothing could be learned."""
    command = [sys.executable, "-m", "pip_audit", "--require-hashes", "--disable-pip", "--requirement", str(lock)]
    done = subprocess.run(
        [*command, "--format", "json", "--progress-spinner", "off", "--timeout", "30"],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = (done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1]
        return UNREACHABLE, [
            f"{lock.name}: not checked, the advisory data could not be read:",
            f"    {last}",
            "    next: make audit, with a network that reaches the package index",
        ]
    skipped = [f"{one['name']}: {one['skip_reason']}" for one in packages if "skip_reason" in one]
    found = [
        f"{one['name']} {one['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'none yet'}"
        for one in packages
        for fault in one.get("vulns", ())
    ]
    if skipped:
        next_step = "    next: make audit, with a package index that serves advisories (PyPI does, many mirrors do not)"
        return UNREACHABLE, [f"{lock.name}: not all was checked:", *(f"    {line}" for line in skipped), next_step]
    if found:
        next_step = "    next: raise the version in pyproject.toml, then make lock UPGRADE=1"
        return 1, [f"{lock.name}: vulnerable", *(f"    {line}" for line in found), next_step]
    return 0, [f"{lock.name}: {len(packages)} packages, no known vulnerability"]


def main(arguments: list[str]) -> int:
    """Audit the locks named, or all. The exit status is the worst of theirs."""
    worst = 0
    for lock in [Path(name) for name in arguments] or [HERE / f"{extra}.lock" for extra in locks()]:
        status, lines = audited(lock)
        worst = max(worst, status)
        print("\n".join(lines), file=sys.stderr if status else sys.stdout, flush=True)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
