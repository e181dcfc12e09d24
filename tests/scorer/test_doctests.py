"""The examples in the scorer's docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import scorer

MODULES = [each.name for each in pkgutil.iter_modules(scorer.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"scorer.{name}")).failed == 0


def test_the_modules_with_rules_in_them_have_examples() -> None:
    for name in ("rules", "scoring", "events", "farkle", "replay", "tenzi"):
        assert doctest.testmod(importlib.import_module(f"scorer.{name}")).attempted > 0
