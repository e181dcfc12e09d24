"""All games in one file and back: checked before anything is replaced, and nothing is thrown away."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from device.backup import back_up, restore
from device.cli import main
from device.errors import BadInput
from device.gamelog import standing_game
from device.store import FILE_NAME, Record, open_reader, open_writer
from tests.device.test_store import HEADER, RECORDS, filled


def with_evidence(folder: Path) -> Path:
    with open_writer(folder) as store:
        game = store.begin(HEADER)
        place, digest = store.keep_evidence(game, "00001.jpg", b"picture")
        store.append(
            game, [Record(("rolled", [6, 6, 6, 1, 2, 3]), 0, "camera", 1, place, digest), *RECORDS[1:]]
        )
    return folder


def test_there_and_back(tmp_path: Path) -> None:
    folder = with_evidence(tmp_path / "a")
    assert back_up(folder, tmp_path / "c.zip") == 1
    assert restore(tmp_path / "c.zip", tmp_path / "b") == (1, None)
    with open_reader(folder) as one, open_reader(tmp_path / "b") as other:
        assert one.records(1) == other.records(1)
        assert other.verify() == ()
    assert (tmp_path / "b" / "evidence" / "000001" / "00001.jpg").read_bytes() == b"picture"
    assert sorted(path.name for path in (tmp_path / "b").iterdir()) == [
        *("evidence", "games.sqlite3", "writer.lock")
    ]
    with open_writer(tmp_path / "b") as store:
        store.append(1, [Record(("banked",), 9, "key", 9)])
        assert store.verify() == ()


def test_a_game_may_be_played_meanwhile(tmp_path: Path) -> None:
    with open_writer(tmp_path / "a") as store:
        store.append(store.begin(HEADER), RECORDS)
        assert back_up(tmp_path / "a", tmp_path / "c.zip") == 1
        with pytest.raises(BadInput, match="being written"):
            restore(tmp_path / "c.zip", tmp_path / "a", replace=True)


def test_games_that_are_there_are_put_aside_only_when_asked(tmp_path: Path) -> None:
    back_up(filled(tmp_path / "a", games=2), tmp_path / "c.zip")
    filled(tmp_path / "b", games=3)
    with pytest.raises(BadInput, match="there are 3 games"):
        restore(tmp_path / "c.zip", tmp_path / "b")
    with open_reader(tmp_path / "b") as store:
        assert len(store.games()) == 3
    games, before = restore(tmp_path / "c.zip", tmp_path / "b", replace=True)
    assert games == 2
    assert before == tmp_path / "b" / "replaced-1"
    with open_reader(before) as store:
        assert len(store.games()) == 3
    assert restore(tmp_path / "c.zip", tmp_path / "b", replace=True)[1] == tmp_path / "b" / "replaced-2"


def test_a_damaged_store_is_replaced_and_kept_beside(tmp_path: Path) -> None:
    back_up(filled(tmp_path / "a"), tmp_path / "c.zip")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / FILE_NAME).write_bytes(b"no database")
    with pytest.raises(BadInput, match="already"):
        restore(tmp_path / "c.zip", tmp_path / "b")
    restore(tmp_path / "c.zip", tmp_path / "b", replace=True)
    assert (tmp_path / "b" / "replaced-1" / FILE_NAME).read_bytes() == b"no database"


def archive_with(tmp_path: Path, **files: bytes) -> Path:
    path = tmp_path / "made.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), data)
    return path


@pytest.mark.parametrize("kind", ["missing", "text", "cut", "other", "sneaky", "later", "changed", "lost"])
def test_what_is_no_copy_is_one_sentence_and_changes_nothing(tmp_path: Path, kind: str) -> None:
    about = json.dumps({"croupier_games": 1}).encode()
    path = tmp_path / "made.zip"
    if kind == "text":
        path.write_text("no archive")
    elif kind == "cut":
        back_up(with_evidence(tmp_path / "a"), path)
        path.write_bytes(path.read_bytes()[:-30])
    elif kind == "other":
        archive_with(tmp_path, notes=b"")
    elif kind == "sneaky":
        archive_with(tmp_path, **{"about.json": about, "..__..__outside": b"x"})
    elif kind == "later":
        archive_with(tmp_path, **{"about.json": b'{"croupier_games": 9}'})
    elif kind in ("changed", "lost"):
        folder = with_evidence(tmp_path / "a")
        picture = folder / "evidence" / "000001" / "00001.jpg"
        picture.write_bytes(b"another") if kind == "changed" else picture.unlink()
        back_up(folder, path)
    filled(tmp_path / "b")
    with pytest.raises(BadInput) as caught:
        restore(path, tmp_path / "b", replace=True)
    assert "\n" not in str(caught.value)
    with open_reader(tmp_path / "b") as store:
        assert len(store.games()) == 1
    assert not (tmp_path / "b" / ".restoring").exists()
    assert not (tmp_path / "outside").exists()


def test_a_copy_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    folder = filled(tmp_path / "a")
    for place in (tmp_path, tmp_path / "none" / "c.zip"):
        with pytest.raises(BadInput):
            back_up(folder, place)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, other, archive = str(with_evidence(tmp_path / "a")), str(tmp_path / "b"), str(tmp_path / "c.zip")
    assert main(["games", "backup", archive, "--store", store]) == 0
    assert "1 game written" in capsys.readouterr().out
    assert main(["games", "restore", archive, "--store", other, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 1
    assert main(["games", "restore", archive, "--store", other]) == 2
    assert "already" in capsys.readouterr().err
    assert main(["games", "verify", "--store", other]) == 0


def test_a_game_as_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(tmp_path)
    assert main(["games", "export", "1", "--csv", "--store", str(tmp_path)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["event"] for row in rows] == ["rolled", "set_aside", "banked", "rolled"]
    assert [row["player"] for row in rows] == ["Anna", "Anna", "Anna", "Ben"]
    assert [row["points"] for row in rows] == ["700", "700", "700", "200"]
    assert [row["total"] for row in rows] == ["0", "0", "700", "0"]
    with open_reader(tmp_path) as store:
        assert len(rows) == len(standing_game(store.game(1), store.records(1)).document()["events"])  # type: ignore[arg-type]
