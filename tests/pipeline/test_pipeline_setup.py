"""Makefile and set-up script, in a folder of their own with stand-ins for the programs they call."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from small_studio import REPO

TOOLS = ["bash", "cat", "cksum", "dirname", "rm", "mv", "grep", "id", "env", "mkdir", "printf", "chmod"]


class House:
    """A project folder, and a path on which only what the test puts there is found."""

    def __init__(self, root: Path) -> None:
        self.root = root / "project"
        self.bin = root / "bin"
        self.log = root / "calls"
        self.bin.mkdir(parents=True)
        (self.root / "pipeline").mkdir(parents=True)
        (self.root / "requirements").mkdir()
        for name in ("pyproject.toml", "Makefile", "pipeline/setup.sh", "requirements/dev.lock"):
            shutil.copyfile(REPO / name, self.root / name)
        for name in TOOLS:
            if found := shutil.which(name):
                (self.bin / name).symlink_to(found)
        self.program("uname", "echo Plan9")

    def program(self, name: str, script: str) -> None:
        path = self.bin / name
        path.unlink(missing_ok=True)  # it may be a link to the machine's own program, which must not be written to
        path.write_text(f'#!/bin/bash\necho "{name} $*" >> "{self.log}"\n{script}\n')
        path.chmod(0o755)

    def python(self, name: str = "python3", version: str = "3.12", *, complete: bool = True) -> None:
        """A Python that answers the script's questions, makes environments, and installs nothing."""
        missing = "" if complete else "*ensurepip*) exit 1;;"
        self.program(
            name,
            f"""case "$*" in
            *version_info*) [ "{version}" != "3.9" ];;
            {missing}
            *ensurepip*) exit 0;;
            --version) echo Python {version};;
            "-m venv"*) mkdir -p .venv/bin; cat "$0" > .venv/bin/python; chmod +x .venv/bin/python;;
            *) exit 0;;
            esac""",
        )

    def libraries(self) -> None:
        self.program("cc", "exit 0")
        self.program("pkg-config", "exit 0")

    def setup(self) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        return subprocess.run(
            ["bash", "pipeline/setup.sh"],
            cwd=self.root, env={"PATH": str(self.bin)}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def calls(self) -> str:
        return self.log.read_text()


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_set_up_says_what_it_does_and_does_nothing_twice(house: House) -> None:
    house.python()
    house.libraries()
    first = house.setup()
    assert first.returncode == 0, first.stderr
    assert first.stdout.splitlines() == [
        "setup: making .venv with Python 3.12",
        "setup: installing the Python packages of requirements/dev.lock",
        "setup: ready",
    ]
    assert "pip install" in house.calls()
    assert "--require-hashes --requirement requirements/dev.lock" in house.calls()
    second = house.setup()
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert "pip install" not in house.calls()


@pytest.mark.parametrize("changed", ["pyproject.toml", "requirements/dev.lock"])
def test_a_change_is_installed_again_into_the_same_environment(house: House, changed: str) -> None:
    house.python()
    house.libraries()
    house.setup()
    with (house.root / changed).open("a") as file:
        file.write("# changed\n")
    again = house.setup()
    assert again.stdout.splitlines() == [
        "setup: installing the Python packages of requirements/dev.lock",
        "setup: ready",
    ]


def test_a_failed_installation_is_tried_again(house: House) -> None:
    house.python()
    house.libraries()
    house.setup()
    (house.root / ".venv" / ".installed").unlink()
    python = house.root / ".venv" / "bin" / "python"
    sound = python.read_text()
    python.write_text(sound.replace(" *) exit 0", ' *"pip install"*) echo no network >&2; exit 1;;\n *) exit 0'))
    failed = house.setup()
    assert failed.returncode != 0
    assert "no network" in failed.stderr
    assert "ready" not in failed.stdout
    python.write_text(sound)
    assert house.setup().stdout.splitlines()[-1] == "setup: ready"


@pytest.mark.parametrize("what", ["python", "old python", "venv", "libraries"])
def test_without_a_known_package_manager_it_says_exactly_what_to_install(house: House, what: str) -> None:
    if what != "python":
        house.python(version="3.9" if what == "old python" else "3.12", complete=what != "venv")
    if what != "libraries":
        house.libraries()
    done = house.setup()
    assert done.returncode == 1
    assert {
        "python": "there is no Python 3.11 or newer",
        "old python": "there is no Python 3.11 or newer",
        "venv": "python3 lacks venv, pip or its C headers",
        "libraries": "the headers of Cairo and Pango are missing",
    }[what] in done.stderr
    for words in ("install these, then run make again", "libcairo2-dev", "Fedora: ", "Arch: ", "macOS: "):
        assert words in done.stderr
    assert not (house.root / ".venv").exists()


def test_debian_gets_what_is_missing_and_only_that(house: House) -> None:
    house.python(complete=False)
    house.program("id", "echo 0")
    house.program(
        "dpkg-query", 'case "$*" in *build-essential|*pkg-config) echo "install ok installed";; *) exit 1;; esac'
    )
    house.program("apt-get", "exit 0")
    house.program("apt-cache", "exit 1")
    done = house.setup()
    assert (
        "setup: installing libcairo2-dev libpango1.0-dev python3 python3-venv python3-dev with apt-get" in done.stdout
    )
    installs = [line for line in house.calls().splitlines() if line.startswith("apt-get") and " install " in line]
    assert len(installs) == 1
    assert "build-essential" not in installs[0]
    assert "sudo" not in house.calls()
    # The stand-in installed nothing, so the script must not go on as if it had.
    assert done.returncode == 1


def test_debian_without_root_uses_sudo_or_says_what_root_has_to_do(house: House) -> None:
    house.python(complete=False)
    house.program("id", "echo 1000")
    house.program("dpkg-query", "exit 1")
    house.program("apt-get", "exit 0")
    house.program("apt-cache", "exit 1")
    done = house.setup()
    assert done.returncode == 1
    assert "as root run: apt-get install build-essential" in done.stderr
    assert "apt-get" not in house.calls()
    house.program("sudo", '"$@"')
    house.setup()
    assert re.search(r"sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install", house.calls())


def test_macos_uses_brew(house: House) -> None:
    house.program("uname", "echo Darwin")
    house.program("brew", '[ "$1" != list ] || [ "$3" = cairo ]')
    done = house.setup()
    assert "setup: installing pkg-config pango python@3.12 with brew" in done.stdout
    assert "brew install --quiet pkg-config pango python@3.12" in house.calls()


# --- the Makefile -------------------------------------------------------------------------------------------------


def test_the_browser_tests_are_set_up_with_the_projects_own_python(house: House) -> None:
    """The Makefile names it from the project's root, and the script works in a folder of its own."""
    for name in ("tests/browser/setup.sh", "tests/browser/package-lock.json", "requirements/browser-test.lock"):
        (house.root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPO / name, house.root / name)
    house.program("chromium", "exit 0")
    house.program("npm", 'mkdir -p node_modules; [ "$1" = ci ] || { : > node_modules/a.tgz; echo a.tgz; }')
    house.program("tar", "exit 0")
    own = house.root / ".venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.write_text(f'#!/bin/bash\necho "own $*" >> "{house.log}"\n')
    own.chmod(0o755)

    def setup() -> tuple[str, str]:
        house.log.write_text("")
        done = subprocess.run(
            ["bash", "tests/browser/setup.sh", ".venv/bin/python"],
            cwd=house.root, env={"PATH": str(house.bin)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout, house.log.read_text()

    said, calls = setup()
    assert said.endswith("setup: ready\n")
    assert "own -m pip install" in calls
    assert "npm ci" in calls
    assert setup() == ("", "")


def make(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        ["make", *arguments], cwd=REPO, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_alone_lists_every_target() -> None:
    said = make()
    text = (REPO / "Makefile").read_text(encoding="utf-8")
    [targets] = re.findall(r"(?m)^\.PHONY: (.*)$", text)
    assert {"setup", "render", "preview", "test", "check", "trace", "clean", "help"} <= set(targets.split())
    for target in targets.split():
        assert re.search(rf"(?m)^make {target}\s+\S", said), target
    assert make("help") == said


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_options_are_passed_on_and_the_shells_language_is_not() -> None:
    assert "pipeline.cli render --language all --quality draft --scenes a,b --jobs 2 --force" in make(
        "-n", "render", "LANGUAGE=all", "QUALITY=draft", "SCENES=a,b", "JOBS=2", "FORCE=1"
    )
    assert "--language" not in make("-n", "render", LANGUAGE="en_US:en")
    assert "pipeline.cli preview embedding --language en" in make("-n", "preview", "SCENE=embedding", "LANGUAGE=en")
    assert "say which scene" in make("-n", "preview")


def test_scripts_are_sound() -> None:
    for script in ("pipeline/setup.sh", ".ci/run"):
        subprocess.run(["bash", "-n", str(REPO / script)], check=True)
        assert os.access(REPO / script, os.X_OK)
