"""Reckoned numbers: their values, how they are printed, and that the audit reckons them again."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from scenes.stage.audit import texts
from scenes.stage.audit.picture import Outlines, take
from scenes.stage.reckoning import Entry, Exponential, Length, Logarithm, Product, Result, Root, Sum, row_of

TRACE = {"x": np.array([[0.5, -0.25], [2.0, 3.0]]), "one": np.array(7.0)}
A, B = Entry("x", (0, 0)), Entry("x", (0, 1))


@pytest.mark.parametrize(
    ("expression", "value", "name"),
    [
        (Entry("one"), 7.0, "one[]"),
        (Product((A, B)), -0.125, "x[0, 0] · x[0, 1]"),
        (Sum((A, B, A)), 0.75, "(x[0, 0] + x[0, 1] + x[0, 0])"),
        (Sum((Product((A, A)), B)), 0.0, "(x[0, 0] · x[0, 0] + x[0, 1])"),
        (Exponential(B), math.exp(-0.25), "exp x[0, 1]"),
        (Root(Length("x")), math.sqrt(2), "√ length of axis -1 of x"),
        (Logarithm(Length("x")), math.log(2), "ln length of axis -1 of x"),
        (Length("x", 0), 2.0, "length of axis 0 of x"),
    ],
)
def test_an_expression_has_its_value_and_says_what_it_is(expression, value, name):
    assert expression.value(TRACE) == pytest.approx(value, abs=1e-15)
    assert str(expression) == name


@pytest.mark.parametrize("entry", [Entry("x", (0,)), Entry("x"), Entry("x", (5, 0))])
def test_an_entry_is_one_value(entry):
    with pytest.raises(IndexError):
        entry.value(TRACE)


def test_a_row_is_its_entries():
    assert row_of(TRACE, "x", (1,)) == [Entry("x", (1, 0)), Entry("x", (1, 1))]


def test_a_result_prints_what_it_was_reckoned_to():
    result = Result(TRACE, Product((A, B)), 2)
    assert (result.string, result.value) == ("−0.12", -0.125)
    assert result.provenance is not None
    assert result.provenance.value(TRACE) == -0.125
    assert Result(TRACE, Sum((B, B, A)), 1).string == "0.0"


def test_the_audit_reckons_again():
    result = Result(TRACE, Product((A, B)), 2)
    scene = SimpleNamespace(
        mobjects=[result], foreground_mobjects=[], chrome=SimpleNamespace(dots=SimpleNamespace(get_family=list))
    )
    picture = take(scene, Outlines())
    assert list(texts.numbers(picture, TRACE)) == []
    other = {**TRACE, "x": TRACE["x"] * 2}
    (fault,) = texts.numbers(picture, other)
    assert (fault.audit, fault.measured) == ("numbers", "printed '−0.12'")
    assert fault.allowed == "'−0.50' = x[0, 0] · x[0, 1]"
