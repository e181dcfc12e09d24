"""Who is let in: PINs, limits, the list of phones, the organiser's lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.errors import BadInput
from device.web.pairing import MOST_PHONES, MOST_WRONG, WINDOW_S, Pairing, Refused, TooMany

PIN = "123456"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def pairing(folder: Path | None = None, clock: Clock | None = None) -> Pairing:
    return Pairing(folder, clock=clock or Clock(), pin=PIN, today=lambda: "2026-12-01")


def test_the_pin_lets_a_phone_in_and_its_secret_names_it() -> None:
    table = pairing()
    phone, secret = table.pair(f" {PIN} ", "  Anna's   phone ", "10.0.0.2")
    assert phone.name == "Anna's phone"
    assert table.who(secret) == phone
    assert table.who(secret + "x") is None
    assert table.who(None) is None


def test_the_secret_itself_is_kept_nowhere(tmp_path: Path) -> None:
    _, secret = pairing(tmp_path).pair(PIN, "Anna", "10.0.0.2")
    kept = (tmp_path / "phones.json").read_text(encoding="utf-8")
    assert secret not in kept
    assert (tmp_path / "phones.json").stat().st_mode & 0o077 == 0


def test_a_phone_stays_paired_when_the_program_starts_again(tmp_path: Path) -> None:
    phone, secret = pairing(tmp_path).pair(PIN, "Anna", "10.0.0.2")
    assert pairing(tmp_path).who(secret) == phone


def test_two_phones_of_one_name_are_told_apart() -> None:
    table = pairing()
    names = [table.pair(PIN, "Anna", "10.0.0.2")[0].name for _ in range(3)]
    assert names == ["Anna", "Anna 2", "Anna 3"]


def test_guessing_is_stopped_and_may_go_on_later() -> None:
    clock = Clock()
    table = pairing(clock=clock)
    for _ in range(MOST_WRONG):
        with pytest.raises(Refused, match="not the PIN"):
            table.pair("000000", "Eve", "10.0.0.66")
    with pytest.raises(TooMany):
        table.pair(PIN, "Eve", "10.0.0.66")
    assert table.pair(PIN, "Anna", "10.0.0.2")[0].name == "Anna"
    clock.now = WINDOW_S + 1
    assert table.pair(PIN, "Eve", "10.0.0.66")[0].name == "Eve"


def test_guessing_from_many_addresses_changes_the_pin() -> None:
    table = pairing()
    for number in range(15):
        with pytest.raises(Refused):
            table.pair("000000", "Eve", f"10.0.1.{number}")
    assert table.pin != PIN
    with pytest.raises(TooMany):
        table.ask("10.0.2.1")


@pytest.mark.parametrize("name", ["", "   ", "x" * 41])
def test_a_phone_needs_a_name(name: str) -> None:
    with pytest.raises(BadInput, match="name"):
        pairing().pair(PIN, name, "10.0.0.2")


def test_a_phone_can_be_unpaired() -> None:
    table = pairing()
    phone, secret = table.pair(PIN, "Anna", "10.0.0.2")
    table.revoke(phone.ident)
    assert table.who(secret) is None
    with pytest.raises(BadInput):
        table.revoke(phone.ident)


def test_the_list_does_not_grow_for_ever() -> None:
    table = pairing()
    first, _ = table.pair(PIN, "first", "10.0.0.2")
    for number in range(MOST_PHONES):
        table.pair(PIN, f"phone {number}", "10.0.0.2")
    assert len(table.phones) == MOST_PHONES
    assert first not in table.phones


def test_the_pin_is_wanted_on_the_display_for_a_while() -> None:
    clock = Clock()
    table = pairing(clock=clock)
    changes: list[bool] = []
    table.changed = lambda: changes.append(table.pin_wanted)
    assert not table.pin_wanted
    table.ask("10.0.0.2")
    assert table.pin_wanted
    clock.now = 91.0
    assert not table.pin_wanted
    clock.now = 0.0
    table.pair(PIN, "Anna", "10.0.0.2")
    assert changes == [True, False]


def test_the_organiser_locks_corrections(tmp_path: Path) -> None:
    table = pairing(tmp_path)
    phone, secret = table.pair(PIN, "Anna", "10.0.0.2")
    table.lock("4711")
    assert not table.may_correct(phone)
    with pytest.raises(Refused, match="not the organiser's PIN"):
        table.organise(phone.ident, "4712", "10.0.0.2")
    table.organise(phone.ident, "4711", "10.0.0.2")
    organiser = table.who(secret)
    assert organiser is not None
    assert table.may_correct(organiser)
    again = pairing(tmp_path)
    assert again.locked  # also after a restart, and nobody is the organiser then
    assert "4711" not in (tmp_path / "phones.json").read_text(encoding="utf-8")
    again.unlock("4711", "10.0.0.2")
    assert not again.locked


@pytest.mark.parametrize("pin", ["", "123", "abcd", "1" * 13, "12 34"])
def test_the_organisers_pin_is_a_pin(pin: str) -> None:
    with pytest.raises(BadInput, match="4 to 12 digits"):
        pairing().lock(pin)


def test_a_lock_is_not_locked_twice() -> None:
    table = pairing()
    table.lock("4711")
    with pytest.raises(BadInput, match="locked already"):
        table.lock("4712")


def test_guessing_the_organisers_pin_is_stopped() -> None:
    table = pairing()
    phone, _ = table.pair(PIN, "Anna", "10.0.0.2")
    table.lock("4711")
    for _ in range(MOST_WRONG):
        with pytest.raises(Refused):
            table.organise(phone.ident, "0000", "10.0.0.2")
    with pytest.raises(TooMany):
        table.organise(phone.ident, "4711", "10.0.0.2")


def test_nothing_is_locked_to_begin_with() -> None:
    with pytest.raises(Refused, match="not locked"):
        pairing().unlock("4711", "10.0.0.2")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"phones": [{"id": 1}]}', '{"phones": 3}'])
def test_a_damaged_list_is_told_in_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "phones.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"cannot be read .* remove it"):
        pairing(tmp_path)
