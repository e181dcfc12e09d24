"""A second opinion on the flow of a game: one object that changes, no shared code with `scorer.farkle`.

It plays legal events only and answers what `replay` answers. Dice are scored by the slow oracle.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from scorer.rules import Rules
from tests.scorer import oracle


@cache
def offered(rules: Rules, roll: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    return oracle.selections(rules, roll)


class SlowGame:
    """One game in progress."""

    def __init__(self, rules: Rules, players: tuple[str, ...]) -> None:
        self.rules = rules
        self.names = players
        self.total = dict.fromkeys(players, 0)
        self.sheet: dict[str, list[int]] = {name: [] for name in players}
        self.open = dict.fromkeys(players, rules.opening == 0)
        self.row = dict.fromkeys(players, 0)
        self.phase = "turn"
        self.now: str | None = players[0]
        self.queue: list[str] = []
        self.rivals: list[str] = []
        self.winners: list[str] = []
        self.offer: dict[str, Any] | None = None
        self.new_turn()

    def new_turn(self) -> None:
        self.made = self.gained = self.bait = 0
        self.next_dice = self.rules.dice
        self.all_scored = False
        self.roll: tuple[int, ...] = ()
        self.first = True

    def play(self, event: list[Any]) -> None:
        name, *rest = event
        getattr(self, name)(*rest)

    def rolled(self, faces: list[int]) -> None:
        rules = self.rules
        same = len(faces) == rules.dice and len(set(faces)) == 1
        if same and (
            rules.instant_win == "six_of_a_kind" or (rules.instant_win == "five_first" and self.first)
        ):
            self.finish([self.now or ""])
            return
        self.offer = None
        self.first = False
        if not offered(rules, tuple(faces)):
            self.bust(len(faces))
            return
        self.gained += self.bait
        self.bait = 0
        self.roll = tuple(faces)
        self.next_dice = len(faces)
        self.all_scored = False

    def set_aside(self, faces: list[int]) -> None:
        self.made += offered(self.rules, self.roll)[tuple(sorted(faces))]
        self.next_dice = len(self.roll) - len(faces)
        self.roll = ()
        if self.next_dice == 0:
            self.all_scored = True
            if self.rules.hot_dice != "off":
                self.next_dice = self.rules.dice

    def took_over(self) -> None:
        assert self.offer is not None
        self.bait, self.next_dice = self.offer["points"], self.offer["dice"]
        self.offer = None
        self.first = False

    def entered(self, name: str, points: int) -> None:
        assert name == self.now
        if points >= self.rules.opening:
            self.open[name] = True
        if points > 0:
            self.row[name] = 0
        self.write(points, None, may_cross=points > 0)

    def banked(self) -> None:
        rules, name = self.rules, self.now or ""
        points = self.made + self.gained
        playing_off = self.phase == "tie_break"
        if not self.open[name] and not playing_off and points < rules.opening:
            if rules.count_unopened_zero:
                self.write(self.one_more_miss(), None, may_cross=True)
            else:
                self.row[name] = 0
                self.write(0, None, may_cross=True)
        elif (self.open[name] or playing_off) and points < rules.min_bank:
            self.row[name] = 0
            self.write(0, None, may_cross=True)
        elif (
            rules.overshoot != "allow"
            and not playing_off
            and self.total[name] < rules.target < self.total[name] + points
        ):
            if rules.overshoot == "welfare":
                others = self.after(name)[:-1]
                lowest = min(self.total[other] for other in others)
                self.total[next(other for other in others if self.total[other] == lowest)] += points
            self.write(0, None, may_cross=False)
        else:
            self.open[name] = True
            self.row[name] = 0
            left = self.rules.dice if self.all_scored else self.next_dice
            offer = {"points": points, "dice": left, "kind": "piggyback"} if rules.piggyback else None
            self.write(points, offer, may_cross=True)

    def bust(self, dice: int) -> None:
        offer = None
        if self.made > 0 and self.phase != "tie_break":
            if self.rules.steal == "transfer":
                self.total[self.after(self.now or "")[0]] += self.made
            if self.rules.steal == "roll":
                offer = {"points": self.made, "dice": dice, "kind": "steal"}
        self.write(self.one_more_miss(), offer, may_cross=False)

    def one_more_miss(self) -> int:
        name = self.now or ""
        self.row[name] += 1
        if self.phase != "tie_break" and self.rules.bust_penalty and self.row[name] >= self.rules.bust_streak:
            self.row[name] = 0
            return -self.rules.bust_penalty
        return 0

    def write(self, points: int, offer: dict[str, Any] | None, *, may_cross: bool) -> None:
        name = self.now or ""
        self.sheet[name].append(points)
        self.total[name] += points
        self.offer = None
        self.new_turn()
        if self.phase == "turn":
            if may_cross and self.total[name] >= self.rules.target:
                if not self.rules.final_round:
                    self.finish([name])
                    return
                self.phase = "final_round"
                self.queue = self.after(name)[:-1]
            else:
                self.now = self.after(name)[0]
                self.offer = offer
                return
        if self.queue:
            self.now = self.queue.pop(0)
            self.offer = offer if self.phase == "final_round" else None
            return
        field = self.rivals or list(self.names)
        best = max(self.total[each] for each in field)
        leaders = [each for each in field if self.total[each] == best]
        if len(leaders) > 1 and self.rules.ties == "extra_turn":
            self.phase, self.rivals = "tie_break", leaders
            self.queue = [each for each in self.after(name) if each in leaders]
            self.now = self.queue.pop(0)
        else:
            self.finish(leaders)

    def finish(self, winners: list[str]) -> None:
        self.new_turn()
        self.phase, self.now, self.offer = "finished", None, None
        self.winners = [name for name in self.names if name in winners]

    def after(self, name: str) -> list[str]:
        place = self.names.index(name) + 1
        return list(self.names[place:] + self.names[:place])

    def board(self) -> dict[str, Any]:
        by_total = sorted(self.names, key=lambda name: -self.total[name])
        ordered = [self.total[name] for name in by_total]
        return {
            "totals": self.total,
            "turns": self.sheet,
            "to_act": self.now,
            "turn": {
                "points": self.made + self.gained,
                "dice_left": self.next_dice,
                "must_roll": self.all_scored and self.rules.hot_dice == "must",
                "offer": self.offer,
            },
            "phase": self.phase,
            "finished": self.now is None,
            "winners": self.winners,
            "standings": [[name, self.total[name], ordered.index(self.total[name]) + 1] for name in by_total],
        }
