"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The development data beside the repository (CROUPIER_SHARED names another place); read-only.

    Skips the test where they are absent, as on a user's machine.
    """
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("CROUPIER_SHARED", beside))
    if not (folder / "data").is_dir():
        pytest.skip(f"the development data are not on this machine (looked in {folder})")
    return folder


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache of worked-out odds for the tests alone: they neither see nor change that of the user."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CROUPIER_CACHE", str(folder))
        yield folder
