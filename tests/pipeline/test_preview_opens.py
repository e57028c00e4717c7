"""A preview on a machine without a program for videos says so and makes the file all the same."""

from __future__ import annotations

import shutil
import sys

import pytest

from pipeline import cli
from pipeline.preview import _can_open


def test_a_machine_without_an_opener_is_noticed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert not _can_open()
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/xdg-open")
    assert _can_open()


@pytest.mark.parametrize("empty", ["", " ", ","])
def test_an_empty_list_of_scenes_is_refused(empty, capsys):
    assert cli.main(["render", "--scenes", empty]) != 0
    said = capsys.readouterr()
    assert "empty" in said.err + said.out
    assert "next:" in said.err + said.out
