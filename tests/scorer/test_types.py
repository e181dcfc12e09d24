"""Values of the scorer cannot be changed in place."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil

import pytest

import scorer

TYPES = [
    value
    for module in pkgutil.iter_modules(scorer.__path__)
    for value in vars(importlib.import_module(f"scorer.{module.name}")).values()
    if isinstance(value, type)
    and dataclasses.is_dataclass(value)
    and value.__module__ == f"scorer.{module.name}"
]


def test_there_are_values() -> None:
    assert len(TYPES) > 30


@pytest.mark.parametrize("value", TYPES, ids=lambda value: f"{value.__module__}.{value.__name__}")
def test_a_value_is_frozen_and_has_slots(value: type) -> None:
    assert value.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(value)
