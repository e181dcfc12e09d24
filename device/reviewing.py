"""A game gone over again, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.advice import Decision, Review


def review_json(review: Review, *, every: bool) -> dict[str, object]:
    """Return a review as plain JSON values; without `every`, only decisions that cost something."""
    return {
        "players": {
            each.player: {
                "turns": each.turns,
                "expected": round(each.expected, 2),
                "luck": round(each.luck, 2),
                "cost": round(each.cost, 2),
                "written": round(each.written, 2),
                "decisions": each.decisions,
                "best": each.best,
            }
            for each in review.players
        },
        "decisions": [
            {
                "event": each.event,
                "player": each.player,
                "turn": each.turn,
                "did": each.did.itself,
                "best": str(each.best),
                "cost": round(each.cost, 2),
            }
            for each in _told(review.decisions, every=every)
        ],
    }


def show_review(review: Review, *, every: bool) -> None:
    """Write a review for people to standard output."""
    from device.tables import print_table

    rows = [
        (
            each.player,
            str(each.turn),
            each.did.itself,
            str(each.best) if each.cost else "",
            f"{each.cost:.0f}",
        )
        for each in _told(review.decisions, every=every)
    ]
    sentence = "Points that a decision cost, on average." if rows else "No decision has cost anything."
    print_table(("Player", "Turn", "Did", "Best was", "Cost"), rows, sentence)
    totals = [
        (
            each.player,
            str(each.turns),
            f"{each.expected:.0f}",
            f"{each.luck:+.0f}",
            f"{-each.cost:.0f}" if each.cost else "0",
            f"{round(each.written)}",
            f"{each.best} of {each.decisions}",
        )
        for each in review.players
    ]
    titles = ("Player", "Turns", "Were worth", "Luck", "Decisions", "Written", "Best moves")
    print_table(titles, totals, "Worth and luck, less what the decisions cost, are what was written.")


def _told(decisions: Sequence[Decision], *, every: bool) -> list[Decision]:
    return [each for each in decisions if every or each.cost >= 0.5]
