"""The store when the world is not kind: full and read-only disks, torn logs, clocks, old files, kill -9."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from benchmarks import pull_the_plug
from device.atomic import write_bytes
from device.errors import BadInput, DeviceError, DeviceFailed
from device.evidence import Evidence
from device.store import FILE_NAME, Record, open_reader, open_writer
from device.store_schema import APPLICATION_ID, SCHEMA_VERSION, copy_before
from tests.device.test_store import HEADER, RECORDS, filled


def evidence_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in (folder / "evidence").glob("*/*"))


def thrown(evidence: tuple[str | None, str | None], step: int = 1) -> Record:
    return Record(("rolled", [1, 1, 2, 3, 4, 6]), step, "camera", step, *evidence)


def test_kill_9_at_random_moments_loses_nothing_that_was_shown(tmp_path: Path) -> None:
    # Twelve here; `python -m benchmarks.pull_the_plug` does three hundred.
    random = Random(7)
    for number in range(12):
        shown, first_s = pull_the_plug._round(tmp_path, number, random.random() * 0.1)
        if number % 2:
            pull_the_plug._tear(tmp_path, random)
        assert shown
        assert first_s < pull_the_plug.RESUME_WITHIN_S
        assert pull_the_plug._check(tmp_path, shown) == []


def test_what_is_missing_would_be_noticed_by_that_check(tmp_path: Path) -> None:
    filled(tmp_path)
    whole = {"game": 1, "rows": 4, "totals": {"Anna": 700, "Ben": 0}}
    assert pull_the_plug._check(tmp_path, [whole]) == []
    assert "4 are there" in pull_the_plug._check(tmp_path, [whole | {"rows": 5}])[0]
    assert "comes out" in pull_the_plug._check(tmp_path, [whole | {"rows": 2}])[0]
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    with connection:
        connection.execute("DELETE FROM events WHERE seq = 3")
    connection.close()
    assert pull_the_plug._check(tmp_path, []) != []


@pytest.mark.parametrize("cut", [1, 24, 2000, 4119])
def test_a_torn_last_page_takes_at_most_its_own_transaction(tmp_path: Path, cut: int) -> None:
    with open_writer(tmp_path / "a") as store:
        game = store.begin(HEADER)
        store.append(game, RECORDS[:1])
        before = (tmp_path / "a" / f"{FILE_NAME}-wal").stat().st_size
        store.append(game, RECORDS[1:])
        torn = tmp_path / "b"
        shutil.copytree(tmp_path / "a", torn)  # as the disk is when the power goes
    log = torn / f"{FILE_NAME}-wal"
    os.truncate(log, log.stat().st_size - cut)
    assert log.stat().st_size > before - 5000
    with open_writer(torn) as store:
        assert len(store.records(game)) in (1, 4)  # all of the last one or nothing of it
        assert store.verify() == ()
        store.append(game, RECORDS[len(store.records(game)) :])
        assert store.verify() == ()


def test_a_full_disk_is_one_sentence_and_what_was_written_stays(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        game = store.begin(HEADER)
        store.append(game, RECORDS[:1])
        (pages,) = store._read("PRAGMA page_count")[0]
        store._read(f"PRAGMA max_page_count={pages}")
        with pytest.raises(DeviceFailed, match="full") as caught:
            store.append(game, RECORDS * 100)
        assert "\n" not in str(caught.value)
        assert store.verify() == ()
    with open_reader(tmp_path) as reader:
        assert reader.records(game)[0] == RECORDS[0]
        assert reader.verify() == ()


def test_old_pictures_make_room_for_events_on_a_full_disk(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        old = store.begin(HEADER)
        for step in range(5):
            store.append(old, [thrown(store.keep_evidence(old, f"{step:05d}.jpg", b"x" * 900), step)])
        game = store.begin(HEADER)
        (pages,) = store._read("PRAGMA page_count")[0]
        store._read(f"PRAGMA max_page_count={pages}")
        freed = False
        while not freed:  # a picture has gone, and the database has got its page
            try:
                store.append(game, RECORDS)
            except DeviceFailed:
                store._read("PRAGMA max_page_count=1000000")
                freed = True
        assert len(evidence_of(tmp_path)) < 5
        store.append(game, RECORDS)
        assert store.verify() == ()  # what is missing was let go, and that is written down
        assert len(store.let_go()) == 5 - len(evidence_of(tmp_path))


def test_pictures_stay_within_their_budget_and_the_oldest_go(tmp_path: Path) -> None:
    with open_writer(tmp_path, budget_mb=0.01) as store:
        for game in (store.begin(HEADER), store.begin(HEADER)):
            for step in range(8):
                proof = store.keep_evidence(game, f"{step:05d}.jpg", bytes([step]) * 1000)
                store.append(game, [thrown(proof, step)])
        kept = evidence_of(tmp_path)
        assert 8_000 <= 1000 * len(kept) <= 10_000
        assert kept[-8:] == [f"evidence/000002/{step:05d}.jpg" for step in range(8)]
        assert "evidence/000001/00000.jpg" in store.let_go()
        assert store.verify() == ()
        (tmp_path / kept[0]).unlink()
        assert "is missing" in store.verify()[0].reason  # one that was not let go


def test_a_throw_counts_without_its_picture(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        game = store.begin(HEADER)
        (tmp_path / "evidence").write_text("in the way")
        proof = store.keep_evidence(game, "00001.jpg", b"picture")
        assert proof == (None, None)
        assert "no picture of this throw" in store.evidence_fault
        store.append(game, [thrown(proof)])
        assert store.verify() == ()


def test_the_emergency_takes_the_oldest_pictures(tmp_path: Path) -> None:
    gone: list[str] = []
    evidence = Evidence(tmp_path, lambda paths, reason: gone.extend(paths))
    for game in range(1, 11):
        evidence.keep(game, "00001.jpg", b"x" * 100)
    assert evidence.make_room() == ("evidence/000001/00001.jpg", "evidence/000002/00001.jpg")
    assert gone == []
    assert Evidence(tmp_path / "none", lambda paths, reason: None).make_room() == ()


def test_a_clock_set_back_changes_no_order(tmp_path: Path) -> None:
    late = replace(HEADER, started="2026-06-01T20:00:00+02:00")
    early = replace(HEADER, started="1970-01-01T00:00:07+00:00")
    with open_writer(tmp_path) as store:
        for header in (late, early):
            store.append(store.begin(header), RECORDS)
        store.append(2, [Record(("banked",), -5, "key", 3)])
        assert [game.header.started for game in store.games()] == [late.started, early.started]
        assert [record.t_ns for record in store.records(2)] == [1_000, 2_000, 2_000, 2_000, -5]
        assert store.verify() == ()


def as_nobody(folder: Path, mode: int) -> int:
    """Make `folder` one that may only be read, and become somebody whom that concerns."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(mode if path.is_dir() else mode & 0o666)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    return user


def test_a_read_only_disk_can_be_read_with_all_that_was_committed() -> None:
    # Not in pytest's own folder: that is closed to everybody else.
    folder = Path(tempfile.mkdtemp(prefix="croupier-test-"))
    try:
        with open_writer(folder / "a") as store:
            game = store.begin(HEADER)
            store.append(game, RECORDS)
            shutil.copytree(folder / "a", folder / "b")  # with its log: the plug was pulled
        (folder / "b" / f"{FILE_NAME}-shm").unlink()
        folder.chmod(0o755)
        user = as_nobody(folder / "b", 0o555)
        try:
            with open_reader(folder / "b") as store:
                assert len(store.records(game)) == 4
                assert store.verify() == ()
            with pytest.raises(DeviceError) as caught:
                open_writer(folder / "b")
            assert "\n" not in str(caught.value)
        finally:
            os.seteuid(user)
    finally:
        shutil.rmtree(folder)


def as_version_1(folder: Path) -> None:
    connection = sqlite3.connect(folder / FILE_NAME)
    connection.execute("DROP TABLE let_go")
    connection.execute("PRAGMA user_version=1")
    connection.commit()
    connection.close()


def test_a_store_of_the_first_version_is_read_and_brought_up(tmp_path: Path) -> None:
    filled(tmp_path, games=2)
    as_version_1(tmp_path)
    with open_reader(tmp_path) as store:  # reading changes nothing
        assert store.verify() == ()
        assert store._read("PRAGMA user_version") == [(1,)]
    with open_writer(tmp_path, budget_mb=0.001) as store:
        assert store._read("PRAGMA user_version") == [(SCHEMA_VERSION,)]
        assert [game.events for game in store.games()] == [4, 4]
        for step in range(3):
            store.keep_evidence(2, f"{step:05d}.jpg", b"x" * 600)
        assert store.let_go()
    copy = sqlite3.connect(copy_before(tmp_path / FILE_NAME, 1))
    assert copy.execute("PRAGMA user_version").fetchone() == (1,)
    assert copy.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert copy.execute("SELECT count(*) FROM events").fetchone() == (8,)
    copy.close()


def test_writing_a_picture_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadInput, match="No space left"):
        write_bytes(tmp_path / "a.jpg", b"picture")
    assert list(tmp_path.iterdir()) == []
