"""One Tenzi match at the table: looks, claims and Go become events, and the rules say what they come to.

Every event is on disk before it is shown. A claim gets its verdict only when all that happened in that lane
before the claim has been looked at; a round is decided only when nobody can still change it. What cannot be
decided is said, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from device.displays.view import Display, PlayerLine, ScoreView
from device.errors import DeviceError
from device.photo_finish import Finish, jpeg, photo_finish, proof_clip
from device.store import GameStore, Record
from scorer.tenzi import (
    Claimed,
    Declared,
    Go,
    Match,
    Noted,
    Round,
    Seen,
    TenziEvent,
    apply,
    match_board,
    progress,
    rounds,
    tenzi_event_to_json,
    winners,
    wins,
)
from vision.race_watch import LaneLook

if TYPE_CHECKING:
    from vision.frame import Image

GRACE_NS = 700_000_000
"""So long after a deciding claim other lanes may still turn out to have been earlier: their dice are read."""
VERDICT_NS = 1_500_000_000
"""After so long a claim gets a verdict although a hand still hides the lane."""
_FACES = ("", "ones", "twos", "threes", "fours", "fives", "sixes")
_PROOFS = "proofs"


class TenziSession:
    """A match from Go to the last round."""

    def __init__(
        self,
        match: Match,
        *,
        store: GameStore,
        game: int,
        display: Display,
        emit: Callable[[Mapping[str, object]], None] | None = None,
        steps: int = 0,
        most_rounds: int | None = None,
        rounds_done: int = 0,
        certain: bool = True,
    ) -> None:
        """Take up a match; `steps` and `rounds_done` are those of the events already on disk."""
        self.match = match
        """The match so far."""
        self._store, self._game, self._display, self._emit = store, game, display, emit
        self._step = steps
        self._most_rounds = most_rounds
        self._rounds_done = rounds_done
        self._running = bool(match.current) and not _decided(match)
        self._waiting: list[Claimed] = []
        self._told: dict[str, int] = {}
        self._finishes: dict[str, Finish] = {}
        self._open: set[str] = set()
        self._clear: dict[str, int] = {}
        self._dice: dict[str, LaneLook] = {}
        self._message = "Ready: Go starts the round."
        self._moment = ""
        self._picture = b""
        self._question = ""
        self.certain = certain
        """Whether nothing stayed open that could change who won."""
        self.decided_ns: int | None = None
        """When the last round was decided; None while one is open and before the first."""
        self.display_fault = ""
        """Why a display failed, or empty."""
        self._show()

    # ---- what happens ------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether a round is open."""
        return self._running

    @property
    def finished(self) -> bool:
        """Whether the match is over: won, or as many rounds as were wanted."""
        # A round with a winner so far is open until nobody can still have been as early.
        if self._running:
            return False
        most = self._most_rounds
        return bool(winners(self.match)) or (most is not None and self._rounds_done >= most)

    @property
    def players(self) -> tuple[str, ...]:
        """Names in seat order."""
        return self.match.players

    def go(self, t_ns: int) -> None:
        """A round starts; one that is open is abandoned."""
        if self.finished:
            return
        self._running, self.decided_ns = True, None
        self._waiting, self._told, self._finishes, self._open = [], {}, {}, set()
        self._moment, self._picture, self._question = "", b"", ""
        self._message = "Go!"
        self._dice = {}
        self._add(Go(t_ns), by="key")
        self._tell({"event": "go", "t_s": _s(t_ns)})

    def countdown(self, number: int) -> None:
        """Show how many seconds are left before Go."""
        self._message = f"{number} ..." if number else "Go!"
        self._show()

    def looked(self, player: str, look: LaneLook, picture: Image | None, clip: Sequence[object] = ()) -> None:
        """A throw has come to lie in a lane; `picture` is the frame of `look.frame`."""
        if not self._running:
            return
        self._dice[player] = look
        # What was already said about a claim is not taken back by a look that is found later.
        t_ns = max(look.t_ns, self._told.get(player, look.t_ns))
        event = Seen(t_ns, player, look.faces)
        evidence: tuple[str | None, str | None] = (None, None)
        goal = self.match.rules.shows_goal(look.faces)
        if picture is not None and goal:
            from vision.frame import Frame

            frames = tuple(each for each in clip if isinstance(each, Frame))
            finish = Finish(player, look, picture, frames)
            self._finishes.setdefault(player, finish)
            go_ns = self.match.current[0].t_ns
            shot = photo_finish([finish], {}, go_ns, f"All {len(look.dice)} dice lie flat with one face.")
            name = f"round-{len(rounds(self.match))}-{_plain(player)}-{look.frame}.jpg"
            evidence = self._store.keep_evidence(self._game, name, jpeg(shot))
        self._add(event, evidence=evidence)
        self._tell(
            {
                "event": "seen",
                "player": player,
                "values": list(look.faces),
                "t_s": _s(t_ns),
                "uncertainty_s": _s(look.uncertainty_ns),
                "frame": look.frame,
            }
        )
        unread = [
            number
            for number, die in enumerate(look.dice, 1)
            if die.face is None and die.detection.state.value == "flat"
        ]
        cocked = [n for n, die in enumerate(look.dice, 1) if die.detection.state.value == "cocked"]
        if cocked:
            self._say(f"{player}: die {cocked[0]} leans and does not count; throw it again.")
        faces = set(look.faces)
        if unread and len(look.dice) == self.match.rules.dice and len(faces) <= 1:
            self._open.add(player)
            self._unsure(player, f"die {unread[0]} in the lane of {player} cannot be read", t_ns)
        else:
            self._open.discard(player)
        self._progress()

    def noted(self, kind: str, player: str, t_ns: int) -> None:
        """A die lies in the wrong lane (`stray`), or somebody's hand is in the lane of `player` (`hand`)."""
        if not self._running:
            return
        self._add(Noted(t_ns, "stray" if kind == "stray" else "hand", player))
        what = "a stray die" if kind == "stray" else "somebody else's hand"
        self._say(f"{what} in the lane of {player}")
        self._tell({"event": kind, "player": player, "t_s": _s(t_ns)})

    def declared(self, player: str, faces: tuple[int, ...], t_ns: int) -> None:
        """A player names the face that he collects."""
        if not self._running:
            return
        self._add(Declared(t_ns, player, faces), by="key")
        self._tell({"event": "declared", "player": player, "values": list(faces), "t_s": _s(t_ns)})

    def claimed(self, player: str, t_ns: int, *, by: str = "key") -> None:
        """A player says that he has it."""
        if not self.match.current or self.finished:
            return
        claim = Claimed(t_ns, player)
        first = not any(
            isinstance(each, Claimed) and each.player == player and each.t_ns <= t_ns < each.t_ns + 10**8
            for each in self.match.current
        )
        if not first:
            return
        self._add(claim, by=by)
        if self._running:
            self._waiting.append(claim)
            self._say(f"{player} claims: checking")
        self._tell({"event": "claimed", "player": player, "t_s": _s(t_ns)})

    def shouted(self, t_ns: int, *, by: str = "sound") -> None:
        """Somebody shouted: it is the claim of the one player whose lane shows the goal, if just one."""
        if not self._running:
            return
        ready = [
            player
            for player, look in self._dice.items()
            if self.match.rules.shows_goal(look.faces) and look.t_ns <= t_ns
        ]
        if len(ready) == 1:
            self.claimed(ready[0], t_ns, by=by)
            return
        why = "no lane shows the goal" if not ready else f"{' and '.join(ready)} both show the goal"
        self._say(f"A shout, but {why}: press the button of whoever it was.")
        self._tell({"event": "unsure", "reason": f"a shout, but {why}", "t_s": _s(t_ns)})

    def answered(self, *, yes: bool, t_ns: int) -> None:
        """The table says whether the doubtful lane shows the goal."""
        for player in sorted(self._open):
            look = self._dice.get(player)
            claims = [each.t_ns for each in self._waiting if each.player == player]
            if look is None:
                continue
            if yes:
                face = (*look.faces, 1)[0]
                at = min([look.t_ns, *claims])
                self._add(Seen(at, player, (face,) * self.match.rules.dice), by="key")
            self._open.discard(player)
        self._question = ""
        self._show()

    # ---- what it comes to --------------------------------------------------------------------------

    def tick(self, t_ns: int, clear_until: Mapping[str, int]) -> None:
        """Time goes on; `clear_until` says up to when each lane has been looked at."""
        if not self._running:
            return
        self._clear = dict(clear_until)
        for claim in tuple(self._waiting):
            seen = self._clear.get(claim.player, t_ns) > claim.t_ns
            late = t_ns - claim.t_ns >= VERDICT_NS
            if claim.player in self._open or not (seen or late):
                continue
            verdict = self._verdict(claim)
            if verdict == "false" and not seen:
                self._unsure(claim.player, f"a hand hid the lane of {claim.player} at the claim", t_ns)
            self._waiting.remove(claim)
            self._told[claim.player] = claim.t_ns + 1
            self._tell(
                {"event": "verdict", "player": claim.player, "verdict": verdict, "t_s": _s(claim.t_ns)}
            )
            if verdict == "false":
                self._say(f"False claim by {claim.player}: {self._missing(claim.player)}. Play on.")
        self._decide(t_ns)

    def ended(self, t_ns: int) -> None:
        """The recording is over: what could still be decided is."""
        if self._running:
            self.tick(t_ns + 10 * VERDICT_NS, dict.fromkeys(self.players, t_ns + 10 * VERDICT_NS))
        if self._running and (self._open or self._waiting):
            self.certain = False

    def final(self) -> dict[str, object]:
        """Return the final state, as `croupier replay` gives it, and whether anything stayed open."""
        return {**match_board(self.match), "certain": self.certain}

    def _decide(self, t_ns: int) -> None:
        now = rounds(self.match)[-1]
        if now.winner is None and not now.replay:
            return
        window = self.match.rules.window_ns
        deciding = self._deciding_ns(now)
        if t_ns < deciding + window + GRACE_NS:
            return
        # Nobody else may still turn out to have been as early.
        for player in self.players:
            behind = self._clear.get(player, t_ns) <= deciding + window
            claimed = any(each.player == player and each.t_ns < deciding + window for each in self._waiting)
            if (
                claimed or (self.match.rules.claim == "auto" and behind)
            ) and t_ns < deciding + 5 * VERDICT_NS:
                return
        if self._open and any(claim.player in self._open for claim in self._waiting):
            if not self._question:
                self._question = f"Does the lane of {sorted(self._open)[0]} show the goal? a: yes, d: no"
                self._show()
            return
        self._running, self.decided_ns = False, t_ns
        self._rounds_done += 1
        self._announce(now, t_ns)

    def _deciding_ns(self, now: Round) -> int:
        if self.match.rules.claim == "auto":
            return min(t for _, t in now.finish_ns)
        return min(claim.t_ns for claim in now.claims if claim.verdict == "valid")

    def _announce(self, now: Round, t_ns: int) -> None:
        """Say who won, or that it was too close, with the finishing pictures."""
        window_ms = self.match.rules.window_ns / 1e6
        claims = {claim.player: claim.t_ns for claim in now.claims if claim.verdict == "valid"}
        finishes = dict(now.finish_ns)
        if now.winner is not None:
            shown = [now.winner]
            rule = self._rule_of_a_win(now, claims)
            self._message, self._moment = rule, "won"
            self._message = f"{now.winner} wins the round"
            if winners(self.match):
                self._message = f"{now.winner} wins the match"
        else:
            first = sorted(claims, key=lambda name: claims[name]) if claims else list(finishes)
            shown = first[:2]
            rule = (
                f"Too close to call: {' and '.join(shown)} are less than {window_ms:.0f} ms apart, "
                "which is what camera and claim can tell. The round is played again."
            )
            self._message = "Too close to call: replay"
        path = self._photo(shown, claims, now, rule)
        self._tell(
            {
                "event": "won" if now.winner else "replay",
                "player": now.winner,
                "t_s": _s(t_ns),
                "rule": rule,
                "photo_finish": path,
                "wins": wins(self.match),
            }
        )
        self._show()

    def _rule_of_a_win(self, now: Round, claims: Mapping[str, int]) -> str:
        winner = str(now.winner)
        if self.match.rules.claim == "auto":
            return f"{winner} was the first lane with the goal."
        others = sorted((t, name) for name, t in claims.items() if name != winner)
        text = f"First valid claim: {winner}."
        if others:
            gap = (others[0][0] - claims[winner]) / 1e6
            text += f" {others[0][1]} claimed {gap:.0f} ms later."
        silent = [name for name, _ in now.finish_ns if name not in claims and name != winner]
        if silent:
            text += f" {' and '.join(silent)} had finished, but did not claim."
        return text

    def _photo(self, players: Sequence[str], claims: dict[str, int], now: Round, rule: str) -> str | None:
        """Keep the photo finish and its clip with the game; return where, relative to the store."""
        finishes = [self._finishes[name] for name in players if name in self._finishes]
        if not finishes:
            return None
        self._picture = jpeg(photo_finish(finishes, claims, now.go_ns, rule))
        number = len(rounds(self.match))
        path, _ = self._store.keep_evidence(self._game, f"round-{number}-photo-finish.jpg", self._picture)
        clip = proof_clip(finishes[0].clip)
        if clip:
            self._store.keep_evidence(self._game, f"round-{number}-proof.mp4", clip)
        return path

    def _verdict(self, claim: Claimed) -> str:
        return next(
            each.verdict
            for each in rounds(self.match)[-1].claims
            if each.player == claim.player and each.t_ns == claim.t_ns
        )

    def _missing(self, player: str) -> str:
        line = next(each for each in progress(self.match) if each.player == player)
        wanted = line.have + line.missing
        return f"{line.have} of {wanted} {_FACES[line.target[0]] if line.target else 'dice'}"

    # ---- disk first, then eyes ---------------------------------------------------------------------

    def _add(
        self, event: TenziEvent, *, by: str = "camera", evidence: tuple[str | None, str | None] = (None, None)
    ) -> None:
        after = apply(self.match, event)
        self._step += 1
        record = Record(
            tenzi_event_to_json(event),
            event.t_ns,
            by,
            self._step,
            evidence=evidence[0],
            evidence_sha256=evidence[1],
        )
        self._store.append(self._game, (record,))
        self.match = after
        self._show()

    def _unsure(self, player: str, reason: str, t_ns: int) -> None:
        self._tell({"event": "unsure", "player": player, "reason": reason, "t_s": _s(t_ns)})

    def _progress(self) -> None:
        self._message = "  ·  ".join(
            f"{each.player} {each.have}/{each.have + each.missing} "
            f"{_FACES[each.target[0]] if each.target else '-'} ({each.rolls})"
            for each in progress(self.match)
        )
        self._show()

    def _say(self, text: str) -> None:
        self._message = text
        self._show()

    def _tell(self, data: dict[str, object]) -> None:
        if self._emit is not None:
            self._emit(data)

    def _show(self) -> None:
        won = wins(self.match)
        champions = winners(self.match)
        lines = tuple(
            PlayerLine(
                name=name,
                total=won[name],
                rank=1 + sum(other > won[name] for other in won.values()),
                winner=name in champions,
            )
            for name in self.players
        )
        view = ScoreView(
            title="Tenzi",
            players=lines,
            target=self.match.rules.rounds_to_win,
            message=self._message,
            question=self._question,
            moment="won" if champions else "",
            die_picture=self._picture,
            phase="finished" if champions else "turn",
        )
        try:
            self._display.show(view)
        except DeviceError as error:
            self.display_fault = self.display_fault or str(error)


def _decided(match: Match) -> bool:
    last = rounds(match)[-1]
    return last.replay or last.winner is not None


def _s(t_ns: int) -> float:
    return round(t_ns / 1e9, 4)


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name)[:20]
