"""What displays and the caller say, in the language of the table: English, or Swedish made from it.

Sentences are made in English where they arise (referee, session); here they are told again, phrase by phrase.
A phrase that nobody has translated stays as it is: better an English sentence than none. A test plays games
and looks for such phrases.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from device.errors import BadInput

LANGUAGES = ("en", "sv")
"""Languages by their ISO 639-1 code."""

_WORDS: Mapping[str, Mapping[str, str]] = {
    "sv": {
        "this turn": "den här turen",
        "turn": "tur",
        "on the table {0}": "på bordet {0}",
        "no points on the table": "inga poäng på bordet",
        "no dice on the table": "inga tärningar på bordet",
        "last {0}": "senast {0}",
        "first to {0}": "först till {0}",
        "last round": "sista omgången",
        "tie break": "skiljeomgång",
        "game over": "spelet är slut",
        "player": "spelare",
        "total": "summa",
        "last": "senast",
        "leaning": "lutar",
        "Farkle!": "Farkle!",
        "lost {0}": "förlorar {0}",
        "Hot dice!": "Heta tärningar!",
        "throw all": "kasta alla",
        "banked": "sparat",
        "wins": "vinner",
        "wins!": "vinner!",
        "winner": "vinnare",
        "which face?": "vilken sida?",
    }
}

_PLACES = {
    "n": r"[\d −-]+",  # numbers and faces
    "d": r"[Oo]ne die|\d+ dice|[Nn]o die",  # how many dice
    "w": r"[Dd]ie \d+|[Dd]ice [\d, ]+",  # which dice
    "p": r".+?",  # a player's name
    "x": r".+?",  # anything, translated by itself
}

_PHRASES: tuple[tuple[str, str], ...] = (
    # What next
    ("{p}: throw {d}, or bank", "{p}: kasta {d}, eller spara"),
    ("{p}: throw {d}", "{p}: kasta {d}"),
    (
        "{p}: keep what scores and throw on, or pass the dice",
        "{p}: behåll det som ger poäng och kasta vidare, eller skicka vidare tärningarna",
    ),
    ("{p}: keep what scores and throw on", "{p}: behåll det som ger poäng och kasta vidare"),
    ("{p} wins with {n} points", "{p} vinner med {n} poäng"),
    ("{p} share the win with {n} points", "{p} delar segern med {n} poäng"),
    ("The game is over", "Spelet är slut"),
    # What happened
    ("Farkle", "Farkle"),
    ("{p} loses {n}", "{p} förlorar {n}"),
    ("{p} gets nothing", "{p} får ingenting"),
    ("Hot dice for {p}", "Heta tärningar för {p}"),
    ("{p} banks {n}", "{p} sparar {n}"),
    ("{p} takes over {n}", "{p} tar över {n}"),
    ("{p}: {n} written", "{p}: {n} skrivet"),
    ("Taken back", "Ångrat"),
    ("The throw does not count", "Kastet räknas inte"),
    ("In the tray: this {n} does not score in {n}", "I brickan: {n} ger inga poäng i {n}"),
    ("In the tray: {n} do not score in {n}", "I brickan: {n} ger inga poäng i {n}"),
    # Questions: what is seen; what was expected
    ("{w} cannot be read", "{w} kan inte läsas"),
    ("every die needs a certain face", "varje tärning måste ha en säker sida"),
    ("{w} leans?", "{w} lutar"),
    ("a die counts only when it lies flat", "en tärning räknas bara när den ligger plant"),
    ("Only {d} (?:lies|lie) on the table", "Bara {d} ligger på bordet"),
    ("{d} lie on the table", "{d} ligger på bordet"),
    ("the game has {d}", "spelet har {d}"),
    ("the game has {n}", "spelet har {n}"),
    ("{w} shows {n}", "{w} visar {n}"),
    ("it showed {n} and was not thrown", "den visade {n} och kastades inte"),
    ("All dice were thrown", "Alla tärningar kastades"),
    ("All {n} dice were thrown", "Alla {n} tärningar kastades"),
    ("{n} points may be taken over with as many dice", "{n} poäng kan tas över med lika många tärningar"),
    ("{d} thrown, {d} left lying", "{d} kastade, {d} låg kvar"),
    ("{p} begins a turn by throwing {d}", "{p} börjar turen med att kasta {d}"),
    ("{p} begins a turn by throwing {n}", "{p} börjar turen med att kasta {n}"),
    (
        "all of {n} score: {p} may throw on or bank",
        "alla i {n} ger poäng: {p} får kasta vidare eller spara",
    ),
    ("{d} thrown again: {n}", "{d} kastade igen: {n}"),
    (
        "{p} had {n} and must set a scoring die aside first",
        "{p} hade {n} och måste först lägga undan en tärning som ger poäng",
    ),
    ("{p} has not banked", "{p} har inte sparat"),
    ("{p} has banked", "{p} har sparat"),
    ("{n} stayed on the table", "{n} låg kvar på bordet"),
    ("{d} stayed on the table", "{d} låg kvar på bordet"),
    ("{n} is no selection of {n} that scores", "{n} är inget urval ur {n} som ger poäng"),
    ("{n} (?:is|are) set aside and must stay", "{n} är undanlagda och måste ligga kvar"),
    ("{p} has {n} and cannot bank: {x}", "{p} har {n} och kan inte spara: {x}"),
    ("{n} points are below the opening of {n}", "{n} poäng är under öppningen {n}"),
    ("{n} points are below the {n} that a bank needs", "{n} poäng är under de {n} som krävs"),
    ("nothing was set aside yet", "inget är undanlagt än"),
    ("the throw waits for its set-aside", "kastet väntar på att något läggs undan"),
    ("hot dice must be rolled", "heta tärningar måste kastas"),
    ("{d} lay elsewhere before the others were thrown", "{d} låg någon annanstans före kastet"),
    ("dice that are set aside stay where they lie", "undanlagda tärningar ligger kvar där de ligger"),
    (
        "{w} shows? the same again beside the old place",
        "{w} visar samma sak igen bredvid den gamla platsen",
    ),
    ("dice that are pushed are no throw", "tärningar som knuffas är inget kast"),
    ("The table shows {n}", "Bordet visar {n}"),
    ("it showed {n} when it was last in sight", "det visade {n} när det senast syntes"),
    ("Dice were thrown in {p}'s lane: {n}", "Tärningar kastades i {p}s bana: {n}"),
    (
        "Dice were thrown in lane {n}, where nobody plays: {n}",
        "Tärningar kastades i bana {n}, där ingen spelar: {n}",
    ),
    ("{p} is to act", "det är {p}s tur"),
    ("Dice have been thrown since", "Tärningar har kastats sedan dess"),
    # Answers
    ("f: say what it shows", "f: säg vad den visar"),
    ("u: undo", "u: ångra"),
    ("throw it again \\(f: say what it shows\\)", "kasta om den (f: säg vad den visar)"),
    ("put it on the table \\(f 0: say what it shows\\)", "lägg den på bordet (f 0: säg vad den visar)"),
    ("take it away \\(f: say which is no die\\)", "ta bort den (f: säg vilken som inte är en tärning)"),
    ("r: the throw does not count", "r: kastet räknas inte"),
    ("n: the turn is given up", "n: turen ges upp"),
    ("(?P<k>\\d): hot dice", "{k}: heta tärningar"),
    ("(?P<k>\\d): {p} has banked", "{k}: {p} har sparat"),
    ("(?P<k>\\d): thrown", "{k}: kastad"),
    ("(?P<k>\\d): only pushed", "{k}: bara knuffad"),
    ("(?P<k>\\d): it does not count", "{k}: det räknas inte"),
    ("(?P<k>\\d): it is {p}'s throw", "{k}: det är {p}s kast"),
    ("(?P<k>\\d): they were set aside", "{k}: de lades undan"),
    ("(?P<k>\\d): they were thrown with the others", "{k}: de kastades med de andra"),
    ("(?P<k>\\d): {n} set aside", "{k}: {n} undanlagda"),
    ("the others thrown", "de andra kastade"),
    ("(?P<k>\\d): all dice were thrown", "{k}: alla tärningar kastades"),
    ("(?P<k>\\d): the points are taken over", "{k}: poängen tas över"),
    ("(?P<k>\\d): they are declined", "{k}: de avstås"),
    # Presses that were refused
    ("The game is finished", "Spelet är slut"),
    ("press undo to go back", "tryck ångra för att gå tillbaka"),
    (
        "{p} has not thrown yet, so there is nothing to bank",
        "{p} har inte kastat än, så det finns inget att spara",
    ),
    ("{p} cannot bank yet: the turn is below what a bank needs", "{p} kan inte spara än: turen räcker inte"),
    ("throw the dice that are left", "kasta de tärningar som är kvar"),
    ("There is no throw in question", "Inget kast är ifrågasatt"),
    ("press undo to take back the last one", "tryck ångra för att ta tillbaka det senaste"),
    (
        "Answer the question first, or say that the throw does not count",
        "Svara på frågan först, eller säg att kastet inte räknas",
    ),
    ("There is nothing to take over now", "Det finns inget att ta över nu"),
    ("There is nothing to take back", "Det finns inget att ta tillbaka"),
    ("A die shows 1 to 6", "En tärning visar 1 till 6"),
    (
        "Fix a die: which one, 1 to {n} \\(0: one that is not seen\\)",
        "Rätta en tärning: vilken, 1 till {n} (0: en som inte syns)",
    ),
    ("What does it show, 1 to 6 \\(0: it is no die\\)", "Vad visar den, 1 till 6 (0: det är ingen tärning)"),
    ("What does it show, 1 to 6", "Vad visar den, 1 till 6"),
    # The table and the camera
    ("The camera was moved", "Kameran har flyttats"),
    ("the camera was moved", "kameran har flyttats"),
    ("The camera is being restarted", "Kameran startas om"),
    ("the game goes on when it is back", "spelet fortsätter när den är tillbaka"),
)


def check_language(language: str) -> str:
    """Return `language` if there is one of that code.

    Raises:
        BadInput: with those that there are.
    """
    if language not in LANGUAGES:
        raise BadInput(f"there is no language {language!r}; use {' or '.join(LANGUAGES)}")
    return language


def word(english: str, language: str, *values: object) -> str:
    """Return a fixed word of a display in `language`, with its values filled in.

    >>> word("last {0}", "sv", "+450")
    'senast +450'
    """
    return _WORDS.get(language, {}).get(english, english).format(*values)


def told(text: str, language: str) -> str:
    """Return sentences of the game in `language`; a phrase that is not known stays English.

    >>> told("Anna banks 350. Ben: throw 6 dice.", "sv")
    'Anna sparar 350. Ben: kasta 6 tärningar.'
    """
    if language == "en" or not text:
        return text
    return "".join(_phrase(part) for part in re.split(r"((?<=[.;!?]) )", text))


def untold(text: str) -> tuple[str, ...]:
    """Return the phrases of `text` that no language but English has."""
    parts = re.split(r"(?<=[.;!?]) ", text)
    return tuple(part for part in parts if part and _match(part) is None and _answers(part) is None)


@lru_cache(maxsize=512)
def _phrase(part: str) -> str:
    if part == " ":
        return part
    return _answers(part) or _match(part) or part


def _answers(part: str) -> str | None:
    """Return a list of answers, such as "f: say what it shows, u: undo", or None where it is none."""
    pieces = re.split(r", (?=[a-z\d]: |the others)", part)
    told_pieces = [_match(piece) for piece in pieces]
    if len(pieces) < 2 or any(piece is None for piece in told_pieces):
        return None
    return ", ".join(piece or "" for piece in told_pieces)


def _match(part: str) -> str | None:
    body = part.rstrip(".;!?")
    end = part[len(body) :]
    for pattern, template in _compiled():
        found = pattern.fullmatch(body)
        if found is not None:
            return _capital(_filled(template, found), like=part) + end
    return None


@lru_cache(maxsize=1)
def _compiled() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the phrases as patterns; the places of a kind are numbered in the order of both languages."""
    made = []
    for english, swedish in _PHRASES:
        counts: dict[str, int] = {}

        def place(found: re.Match[str], counts: dict[str, int] = counts) -> str:
            kind = found.group(1)
            counts[kind] = counts.get(kind, 0) + 1
            return f"(?P<{kind}{counts[kind]}>{_PLACES[kind]})"

        pattern = re.sub(r"\{([a-z])\}", place, english)
        made.append((re.compile(pattern, re.IGNORECASE), swedish))
    return tuple(made)


def _filled(template: str, found: re.Match[str]) -> str:
    values = found.groupdict()
    counts: dict[str, int] = {}

    def value(place: re.Match[str]) -> str:
        kind = place.group(1)
        if kind in values:
            return str(values[kind])
        counts[kind] = counts.get(kind, 0) + 1
        return _value(kind, str(values[f"{kind}{counts[kind]}"]))

    return re.sub(r"\{([a-z])\}", value, template)


def _value(kind: str, text: str) -> str:
    if kind == "d":
        number, _, _ = text.partition(" ")
        few = {"one": "en tärning", "no": "ingen tärning"}
        return few.get(number.lower(), f"{number} tärning{'' if number == '1' else 'ar'}")
    if kind == "w":
        name, _, rest = text.partition(" ")
        return ("tärning " if name.lower() == "die" else "tärningarna ") + rest
    if kind == "x":
        return _phrase(text)
    return re.sub(r" and (?=\S+$)", " och ", text) if kind == "p" else text


def _capital(text: str, *, like: str) -> str:
    return text[:1].upper() + text[1:] if like[:1].isupper() else text
