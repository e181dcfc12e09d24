"""The event store: durable, chained, refusing with one sentence."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest

from device.errors import BadInput, DeviceError
from device.gamelog import document_of, farkle_game, standing_game
from device.store import (
    ENVIRONMENT,
    FILE_NAME,
    GameHeader,
    Record,
    StoredGame,
    open_reader,
    open_writer,
    store_folder,
)
from scorer.events import Banked, Rolled, SetAside

HEADER = GameHeader(
    game="farkle",
    preset="farkle",
    settings={"opening": 500},
    players=("Anna", "Ben"),
    source="evening.mp4",
    started="2026-01-02T20:00:00+01:00",
)
RECORDS = (
    Record(("rolled", [6, 6, 6, 1, 2, 3]), 1_000, step=1),
    Record(("set_aside", [6, 6, 6, 1]), 2_000, step=2),
    Record(("banked",), 2_000, step=2),
    Record(("rolled", [1, 1, 2, 3, 4, 6]), 2_000, step=2),
)


def filled(folder: Path, games: int = 1) -> Path:
    with open_writer(folder) as store:
        for _ in range(games):
            store.append(store.begin(HEADER), RECORDS)
    return folder


def change(folder: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(folder / FILE_NAME)
    with connection:
        connection.execute(statement, values)
    connection.close()


def test_what_was_appended_is_read_back(tmp_path: Path) -> None:
    filled(tmp_path)
    with open_reader(tmp_path) as store:
        (game,) = store.games()
        assert game.header == HEADER
        assert game.events == 4
        assert [list(record.event) for record in store.records(game.id)] == [
            ["rolled", [6, 6, 6, 1, 2, 3]],
            ["set_aside", [6, 6, 6, 1]],
            ["banked"],
            ["rolled", [1, 1, 2, 3, 4, 6]],
        ]
        assert store.verify() == ()


def test_the_file_is_durable_and_write_ahead(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        assert store._read("PRAGMA journal_mode") == [("wal",)]
        assert store._read("PRAGMA synchronous") == [(2,)]  # 2 is FULL


def test_a_committed_event_is_seen_by_another_reader_at_once(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        game = store.begin(HEADER)
        store.append(game, RECORDS[:1])
        with open_reader(tmp_path) as reader:
            assert len(reader.records(game)) == 1


def test_undone_events_are_left_out_of_the_game(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        number = store.begin(HEADER)
        store.append(number, RECORDS)
        store.append(number, [Record(("undone", 3), 3_000, "key", 3)])
        game = store.game(number)
        records = store.records(number)
    assert len(records) == 5
    assert document_of(game, records)["events"] == [["rolled", [6, 6, 6, 1, 2, 3]]]
    assert farkle_game(game, records).steps == ((Rolled((6, 6, 6, 1, 2, 3)),),)


def test_events_are_grouped_by_step() -> None:
    assert farkle_game(StoredGame(1, HEADER, 4), RECORDS).steps == (
        (Rolled((6, 6, 6, 1, 2, 3)),),
        (SetAside((6, 6, 6, 1)), Banked(), Rolled((1, 1, 2, 3, 4, 6))),
    )


def test_a_log_that_takes_back_too_much_is_refused() -> None:
    with pytest.raises(BadInput, match="takes back 2 events where 1 stand"):
        standing_game(StoredGame(1, HEADER, 2), [RECORDS[0], Record(("undone", 2), 0)])


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("UPDATE events SET body = replace(body, '6,6,6', '1,1,1') WHERE game = 2 AND seq = 0", ()),
        ("UPDATE events SET hash = ? WHERE game = 2 AND seq = 3", ("0" * 64,)),
        ("DELETE FROM events WHERE game = 2 AND seq = 1", ()),
        ("DELETE FROM events WHERE game = 2 AND seq = 3", ()),
        ("DELETE FROM events WHERE game = 2", ()),
        ("INSERT INTO events SELECT 2, 4, body, hash FROM events WHERE game = 2 AND seq = 0", ()),
        ("UPDATE events SET seq = 9 WHERE game = 2 AND seq = 3", ()),
        ("UPDATE games SET header = replace(header, 'Anna', 'Eve') WHERE id = 1", ()),
        ("UPDATE games SET events = 3 WHERE id = 2", ()),
        ("DELETE FROM games WHERE id = 3", ()),
        ("DELETE FROM games WHERE id = 1", ()),
        ("UPDATE chain SET games = 2", ()),
    ],
)
def test_any_change_is_found(tmp_path: Path, statement: str, values: tuple[object, ...]) -> None:
    filled(tmp_path, games=3)
    with open_reader(tmp_path) as store:
        assert store.verify() == ()
    change(tmp_path, statement, *values)
    with open_reader(tmp_path) as store:
        assert store.verify() != ()


def test_swapped_events_are_found(tmp_path: Path) -> None:
    filled(tmp_path)
    for old, new in ((1, 99), (2, 1), (99, 2)):
        change(tmp_path, "UPDATE events SET seq = ? WHERE game = 1 AND seq = ?", new, old)
    with open_reader(tmp_path) as store:
        assert store.verify() != ()


def test_evidence_is_kept_and_checked(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        game = store.begin(HEADER)
        place, digest = store.keep_evidence(game, "00001.jpg", b"picture")
        assert place is not None
        store.append(game, [Record(("rolled", [1] * 6), 0, evidence=place, evidence_sha256=digest)])
        assert (tmp_path / place).read_bytes() == b"picture"
        assert store.verify() == ()
        (tmp_path / place).write_bytes(b"another")
        assert "was changed" in store.verify()[0].reason
        (tmp_path / place).unlink()
        assert "is missing" in store.verify()[0].reason


def test_a_failing_append_writes_nothing(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        game = store.begin(HEADER)
        with pytest.raises(ValueError, match="JSON"):
            store.append(game, [RECORDS[0], Record(("rolled", [float("nan")]), 0)])
        assert store.records(game) == ()
        store.append(game, RECORDS)
        assert store.verify() == ()


def test_appending_to_no_game_is_refused(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store, pytest.raises(BadInput, match="no game 7"):
        store.append(7, RECORDS)


def test_two_writers_are_one_too_many(tmp_path: Path) -> None:
    with open_writer(tmp_path), pytest.raises(BadInput, match="another game is being written"):
        open_writer(tmp_path)
    open_writer(tmp_path).close()


def test_closing_twice_does_nothing(tmp_path: Path) -> None:
    store = open_writer(tmp_path)
    store.close()
    store.close()


def test_the_folder_is_made(tmp_path: Path) -> None:
    filled(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b" / FILE_NAME).is_file()


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DeviceError) as caught:
        open_writer(tmp_path / "file" / "store")
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


def test_a_folder_without_permission_is_one_sentence_and_nothing_is_made() -> None:
    # Not in pytest's own folder: that is closed to everybody else, and root becomes somebody else here.
    folder = Path(tempfile.mkdtemp(prefix="croupier-test-"))
    folder.chmod(0o555)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)  # root may write everywhere, nobody may not
    try:
        with pytest.raises(DeviceError) as caught:
            open_writer(folder)
    finally:
        os.seteuid(user)
        left = list(folder.iterdir())
        folder.chmod(0o700)
        shutil.rmtree(folder)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    assert left == []


def test_no_store_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there are no games"):
        open_reader(tmp_path)


@pytest.mark.parametrize("content", [b"this is no database", b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_file_is_one_sentence_and_is_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    for opened in (open_reader, open_writer):
        with pytest.raises(DeviceError, match=r"damaged|cannot be used"):
            opened(tmp_path).games()
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_damage_in_the_middle_is_found(tmp_path: Path) -> None:
    with open_writer(tmp_path) as store:
        game = store.begin(HEADER)
        for _ in range(200):
            store.append(game, RECORDS)
    data = bytearray((tmp_path / FILE_NAME).read_bytes())
    data[len(data) // 2 : len(data) // 2 + 512] = bytes(512)
    (tmp_path / FILE_NAME).write_bytes(data)
    with open_reader(tmp_path) as store:
        assert any("damaged" in fault.reason or fault.seq is not None for fault in store.verify())


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    change(tmp_path, "CREATE TABLE notes (text TEXT)")
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(BadInput, match="not a game store"):
        open_writer(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_a_store_of_a_later_program_is_refused(tmp_path: Path) -> None:
    filled(tmp_path)
    change(tmp_path, "PRAGMA user_version = 99")
    with pytest.raises(BadInput, match="version 99"):
        open_writer(tmp_path)


def test_the_folder_is_the_option_then_the_variable_then_the_users(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "named"))
    assert store_folder(tmp_path) == tmp_path
    assert store_folder(None) == tmp_path / "named"
    monkeypatch.delenv(ENVIRONMENT)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert store_folder(None) == tmp_path / "data" / "croupier"
