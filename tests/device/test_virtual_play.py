"""`croupier play --dice virtual`: keys, computer players, sealed dice, and what `games verify` finds."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from device.cli import main
from device.store import open_reader, open_writer
from device.virtual_dice import dice_faults, reveal_finished
from device.virtual_keys import named

Play = Callable[..., tuple[int, list[dict[str, object]], str]]
SMALL = ("--set", "target=1000", "--set", "opening=0", "--set", "min_bank=0")


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Play:
    """The command with keys from a pipe; returns exit code, JSON lines and standard error."""

    def command(keys: str, *arguments: str) -> tuple[int, list[dict[str, object]], str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(keys))
        store = ("--store", str(tmp_path))
        code = main(["play", "farkle", "--dice", "virtual", "--json", *store, *arguments])
        out, err = capfd.readouterr()
        return code, [json.loads(line) for line in out.splitlines()], err

    return command


@pytest.fixture
def verify(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[[], tuple[int, list[str]]]:
    def command() -> tuple[int, list[str]]:
        code = main(["games", "verify", "--json", "--store", str(tmp_path)])
        answer = json.loads(capfd.readouterr().out)
        return code, [fault["reason"] for fault in answer["faults"]]

    return command


def computers(play: Play, **how: str) -> dict[str, object]:
    code, lines, err = play("", "--players", "A:hard,B:expert", *SMALL, *sum(how.items(), ()))
    assert (code, err) == (0, "")
    return lines[-1]


def test_computers_play_a_whole_game_that_can_be_verified(
    play: Play, verify: Callable[[], tuple[int, list[str]]], tmp_path: Path
) -> None:
    final = computers(play)
    assert final["phase"] == "finished"
    assert len(str(final["seed"])) == 64
    assert verify() == (0, [])
    assert not list((tmp_path / "seeds").iterdir())  # it is in the store now


def test_the_seed_is_sealed_before_the_first_throw_and_shown_only_at_the_end(play: Play) -> None:
    code, lines, _ = play("rq", "--players", "Anna,Ben", "--seed-text", "our own words")
    assert code == 0
    assert (lines[0]["event"], lines[0]["text"]) == ("sealed", "our own words")
    assert lines[-1]["seed_sha256"] == lines[0]["sha256"]
    assert "seed" not in lines[-1]


def test_a_game_goes_on_with_the_same_dice_after_a_stop(
    play: Play, verify: Callable[[], tuple[int, list[str]]]
) -> None:
    _, first, _ = play("rabq", "--players", "A,B", *SMALL)
    code, second, err = play("rab" * 40, "--resume")
    assert second[0]["sha256"] == first[0]["sha256"]
    assert code in (0, 2)  # 2: the keys have ended before the game
    assert err.count("\n") <= 1
    assert verify() == (0, [])


def test_keys_that_end_in_the_middle_lose_nothing(play: Play, tmp_path: Path) -> None:
    code, _, err = play("ra", "--players", "Anna,Ben")
    assert code == 2
    assert "Anna is to act" in err
    assert "--resume" in err
    with open_reader(tmp_path) as store:
        assert store.games()[0].header.source == "virtual"
        assert any(record.event[0] == "rolled" for record in store.records(1))


def test_a_throw_that_was_seen_is_not_taken_back(play: Play, tmp_path: Path) -> None:
    play("ruuq", "--players", "Anna,Ben")
    with open_reader(tmp_path) as store:
        kinds = [record.event[0] for record in store.records(1)]
    assert kinds.count("rolled") == 1
    assert "undone" not in kinds


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--players", "Anna,Robo:hrad"), "did you mean 'hard'"),
        (("--players", "Anna,Ben", "--source", "usb:0"), "leave out --source or --dice"),
        (("--players", "Anna,Ben", "--web"), "leave out --web"),
        (("--players", "Anna,Ben", "--record", "folder"), "leave out --record"),
        (("--resume", "--seed-text", "x"), "--seed-text is chosen before the first throw"),
        (("--resume",), "no unfinished game"),
    ],
)
def test_wrong_input_is_one_sentence(play: Play, arguments: tuple[str, ...], words: str) -> None:
    code, lines, err = play("q", *arguments)
    assert (code, lines) == (2, [])
    assert words in err
    assert err.count("\n") == 1


def test_seed_text_without_virtual_dice_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "farkle", "--players", "A,B", "--seed-text", "x", "--source", "usb:0"]) == 2
    assert "add --dice virtual" in capfd.readouterr().err


def rewrite(folder: Path, game: int, change: Callable[[list[dict[str, object]]], None]) -> None:
    """Forge a store whose chain of hashes holds: every row of a game written anew, after `change`."""
    with open_reader(folder) as store:
        header = store.game(game).header
        rows = list(store.records(game))
    kept = [{"record": row} for row in rows]
    change(kept)  # type: ignore[arg-type]
    forged = folder / "forged"
    with open_writer(forged) as store:
        number = store.begin(header)
        assert number == game
        for each in kept:
            store.append(number, [each["record"]])


def faults_of(folder: Path) -> list[str]:
    from device.gamelog import standing_game

    with open_reader(folder) as store:
        assert store.verify() == ()
        stored, records = store.game(1), store.records(1)
        return [fault.reason for fault in dice_faults(stored, records, standing_game(stored, records))]


def test_a_forged_throw_is_found_although_the_chain_holds(play: Play, tmp_path: Path) -> None:
    from dataclasses import replace

    computers(play)
    lines: list[str] = []

    def forge(rows: list[dict[str, object]]) -> None:
        for row in reversed(rows):
            record = row["record"]
            if record.event[0] == "rolled":  # type: ignore[attr-defined]
                faces = list(record.event[1])  # type: ignore[attr-defined]
                lines.append(" ".join(map(str, faces)))
                other = sorted(faces)
                other[0] = other[0] % 6 + 1
                row["record"] = replace(record, event=("rolled", tuple(other)))  # type: ignore[type-var]
                return

    rewrite(tmp_path, 1, forge)
    found = faults_of(tmp_path / "forged")
    assert any(f"but the seed gives {lines[0]}" in reason for reason in found)


def test_a_forged_seed_is_found(play: Play, tmp_path: Path) -> None:
    from dataclasses import replace

    computers(play)

    def forge(rows: list[dict[str, object]]) -> None:
        record = rows[-1]["record"]
        assert record.event[0] == "revealed"  # type: ignore[attr-defined]
        rows[-1]["record"] = replace(record, event=("revealed", "00" * 32))  # type: ignore[type-var]

    rewrite(tmp_path, 1, forge)
    assert faults_of(tmp_path / "forged") == ["the seed that was shown is not the one that was sealed"]


def test_a_seed_that_is_kept_back_after_the_game_is_a_fault(play: Play, tmp_path: Path) -> None:
    computers(play)
    rewrite(tmp_path, 1, lambda rows: rows.__delitem__(-1))
    (found,) = faults_of(tmp_path / "forged")
    assert "its seed was not shown" in found


def test_a_throw_by_hand_among_virtual_ones_is_a_fault(play: Play, tmp_path: Path) -> None:
    from dataclasses import replace

    computers(play)

    def forge(rows: list[dict[str, object]]) -> None:
        for row in rows:
            record = row["record"]
            if record.event[0] == "rolled":  # type: ignore[attr-defined]
                row["record"] = replace(record, by="key")  # type: ignore[type-var]
                return

    rewrite(tmp_path, 1, forge)
    assert "this throw was not made by the dice of the program" in faults_of(tmp_path / "forged")


def test_any_changed_byte_of_a_stored_event_is_found_and_named(
    play: Play, verify: Callable[[], tuple[int, list[str]]], tmp_path: Path
) -> None:
    computers(play)
    base = sqlite3.connect(tmp_path / "games.sqlite3")
    (rows,) = base.execute("SELECT count(*) FROM events").fetchone()
    places = [("games", "header", "id = 1"), ("games", "hash", "id = 1"), ("chain", "head", "id = 1")]
    places += [
        ("events", column, f"seq = {seq}")
        for seq in range(0, rows, max(1, rows // 8))
        for column in ("body", "hash")
    ]
    for table, column, where in places:
        (text,) = base.execute(f"SELECT {column} FROM {table} WHERE {where}").fetchone()
        at = len(text) // 2
        other = text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1 :]
        with base:
            base.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (other,))
        code, found = verify()
        assert (code, bool(found)) == (1, True), (table, column, where)
        with base:
            base.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (text,))
    base.close()
    assert verify() == (0, [])


def test_a_plug_pulled_between_the_last_throw_and_the_seed_costs_nothing(play: Play, tmp_path: Path) -> None:
    final = computers(play)
    seed = str(final["seed"])
    rewrite(tmp_path, 1, lambda rows: rows.__delitem__(-1))
    forged = tmp_path / "forged"
    (forged / "seeds").mkdir()
    (forged / "seeds" / "000001.seed").write_text(seed, encoding="ascii")
    with open_writer(forged) as store:
        reveal_finished(store)
    assert faults_of(forged) == []
    assert not list((forged / "seeds").iterdir())


@pytest.mark.parametrize("damage", ["gone", "changed"])
def test_a_game_whose_seed_is_lost_does_not_go_on(play: Play, tmp_path: Path, damage: str) -> None:
    play("rabq", "--players", "A,B")
    (seed,) = (tmp_path / "seeds").iterdir()
    if damage == "gone":
        seed.unlink()
    else:
        seed.write_text("00" * 32, encoding="ascii")
    code, _, err = play("rab", "--resume")
    assert code == 2
    assert "cannot go on fairly" in err


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("\x1b[A\x1b[B\x1b[C\x1b[D", ["left", "right", "right", "left"]),
        ("\x1bOC\x1bOD", ["right", "left"]),
        ("\t\x1b[Z \r\n\x7f", ["right", "left", "pick", "pick", "pick", "undo"]),
        ("RaB7", ["r", "a", "b", "7"]),
        ("\x1b[15~\x1b[1;5Cx\x1b", ["x"]),
    ],
)
def test_keys_of_a_terminal_have_names(typed: str, keys: list[str]) -> None:
    assert named(typed) == keys


def test_the_review_adds_up_and_names_what_was_best(
    play: Play, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    final = computers(play)
    assert main(["games", "review", "1", "--json", "--store", str(tmp_path)]) == 0
    told = json.loads(capfd.readouterr().out)
    totals: dict[str, int] = final["totals"]  # type: ignore[assignment]
    for name, each in told["players"].items():
        assert each["written"] == pytest.approx(totals[name], abs=0.05)
        assert each["expected"] + each["luck"] - each["cost"] == pytest.approx(each["written"], abs=0.05)
    assert main(["games", "review", "1", "--store", str(tmp_path)]) == 0
    text = capfd.readouterr().out
    assert "Best moves" in text
    assert "-0 " not in text
