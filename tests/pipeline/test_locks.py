"""The lock files: what the set-up installs is what pyproject.toml asks for, pinned, with digests, and nothing more."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from small_studio import REPO

sys.path.insert(0, str(REPO / "requirements"))
from locked import locked, locks

PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def asked(extra: str) -> list[Requirement]:
    return [Requirement(text) for text in [*PROJECT["dependencies"], *EXTRAS[extra]]]


def test_every_extra_has_a_lock() -> None:
    # distributed is all that `cluster` asks for, and `dev` has it.
    assert {*locks(), "cluster"} == set(EXTRAS)
    assert set(EXTRAS["cluster"]) <= set(EXTRAS["dev"])


@pytest.mark.parametrize("extra", locks())
def test_a_lock_fits_what_is_asked_for(extra: str) -> None:
    """Each requirement is locked, on every system, in a version that it allows; so `make lock` was not forgotten."""
    entries: dict[str, list[str]] = {}
    for one in [*locked("dev"), *(locked(extra) if extra != "dev" else ())]:
        entries.setdefault(canonicalize_name(one.requirement.name), []).append(one.version)
    for wanted in asked(extra):
        versions = entries.get(canonicalize_name(wanted.name))
        assert versions, f"{wanted.name} is not locked; next: make lock"
        for found in versions:
            assert wanted.specifier.contains(found), f"{wanted} is locked as {found}; next: make lock"


@pytest.mark.parametrize("extra", locks())
def test_every_entry_is_pinned_with_digests_and_names_no_place(extra: str) -> None:
    text = (REPO / "requirements" / f"{extra}.lock").read_text(encoding="utf-8")
    assert not re.search(r"://|^-|@ |#", text, re.MULTILINE)
    for one in locked(extra):
        assert [part.operator for part in one.requirement.specifier] == ["=="]
        assert one.digests
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in one.digests), one


def test_nothing_needs_a_systems_graphics_libraries() -> None:
    """The OpenCV that opens windows cannot be imported on a machine without a screen."""
    names = {canonicalize_name(one.requirement.name) for extra in locks() for one in locked(extra)}
    assert "opencv-python-headless" in names
    assert "opencv-python" not in names


def test_the_lock_holds_what_is_needed_and_nothing_else() -> None:
    """The packages reached from pyproject.toml through what is installed here are those of dev.lock."""
    here = {canonicalize_name(one.requirement.name) for one in locked("dev") if one.here}
    reached: set[str] = set()
    waiting = [(requirement, frozenset(requirement.extras)) for requirement in asked("dev")]
    seen = set()
    while waiting:
        requirement, extras = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        reached.add(name)
        try:
            inner = [Requirement(text) for text in requires(name) or []]
        except PackageNotFoundError:
            pytest.fail(f"{name} is asked for and not installed; next: make setup")
        for one in inner:
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in {"", *extras}):
                waiting.append((one, frozenset(one.extras)))
    assert reached == here


def test_what_is_installed_is_what_is_locked() -> None:
    different = {
        one.requirement.name: (one.version, version(one.requirement.name))
        for one in locked("dev")
        if one.here and version(one.requirement.name) != one.version
    }
    assert different == {}, "next: make setup"


def test_the_page_of_licences_has_every_locked_package() -> None:
    text = (REPO / "docs" / "licences.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (.+) \|$", text, re.MULTILINE)
    elsewhere = re.findall(r"^For other systems .*?: (.*)\.$", text, re.MULTILINE)
    named = {(name, found) for name, found, _ in rows if name != "package"}
    named |= {tuple(entry.split()) for line in elsewhere for entry in line.split(", ")}
    assert named == {(one.requirement.name, one.version) for extra in locks() for one in locked(extra)}
    assert [name for name, _, licence in rows if licence == "not stated"] == []


def test_an_audit_that_learns_nothing_fails_and_says_so(tmp_path, monkeypatch, capsys) -> None:
    import audit  # noqa: PLC0415

    def silent(*_: object, **__: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, stdout="", stderr="…\nERROR: no route to host")

    monkeypatch.setattr(audit.subprocess, "run", silent)
    assert audit.main([str(tmp_path / "some.lock")]) == audit.UNREACHABLE
    said = capsys.readouterr().err
    assert "not checked, the advisory data could not be read" in said
    assert "no route to host" in said
    assert "next: make audit" in said


@pytest.mark.parametrize(("vulns", "status", "phrase"), [
    ([], 0, "no known vulnerability"),
    ([{"id": "CVE-1", "fix_versions": ["2.1"]}], 1, "paint 2.0: CVE-1, mended in 2.1"),
])  # fmt: skip
def test_an_audit_tells_what_it_found(monkeypatch, capsys, vulns, status, phrase) -> None:
    import json  # noqa: PLC0415

    import audit  # noqa: PLC0415

    told = json.dumps({"dependencies": [{"name": "paint", "version": "2.0", "vulns": vulns}]})
    monkeypatch.setattr(
        audit.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], status, stdout=told, stderr="")
    )
    assert audit.main(["some.lock"]) == status
    captured = capsys.readouterr()
    assert phrase in captured.out + captured.err
