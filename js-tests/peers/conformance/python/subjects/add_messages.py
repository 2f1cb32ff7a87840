"""langgraph's add_messages(left, right)."""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from langgraph.graph.message import add_messages

from common import answer, to_argument
from messages_gen import REMOVE_ALL, any_message, message_list

CASES = 1200


def side(rng: Random, removals: float) -> Any:
    """One argument: a list most of the time, else one message, else null."""
    bad = 0.02
    roll = rng.random()
    if roll < 0.015:
        return None
    if roll < 0.06:
        # A pair that stands alone is a list of two strings once it is JSON.
        return any_message(rng, "123", removals)
    return message_list(rng, "123", 3, removals, bad)


def case(rng: Random) -> dict[str, Any]:
    """A left without removals (bar a rare one) and a right with some."""
    left = side(rng, 0.004)
    right = side(rng, rng.choice([0.0, 0.0, 0.2, 0.5]))
    if isinstance(right, list) and rng.random() < 0.08:
        for _ in range(rng.choice([1, 1, 2])):
            at = rng.randrange(len(right) + 1)
            right.insert(at, {"type": "remove", "id": REMOVE_ALL})
    return {"left": left, "right": right}


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """Null on both sides is left out: Python then returns a partial function."""
    made = 0
    while made < CASES:
        given = case(rng)
        if given["left"] is None and given["right"] is None:
            continue
        made += 1
        yield answer(
            given,
            lambda: add_messages(to_argument(given["left"]), to_argument(given["right"])),
        )
