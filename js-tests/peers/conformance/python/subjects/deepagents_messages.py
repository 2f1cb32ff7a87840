"""deepagents' batch reducer: one state, all the writes of a step at once."""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from deepagents._messages_reducer import _messages_delta_reducer

from common import answer, to_argument
from messages_gen import REMOVE_ALL, any_message, langchain_dict, message_list

CASES = 600


def write(rng: Random) -> Any:
    """A list of message-likes, or a single one that is not a list."""
    if rng.random() < 0.12:
        one = any_message(rng, "123", 0.3)
        if not isinstance(one, list):
            return one
    items = message_list(rng, "123", 3, rng.choice([0.0, 0.3, 0.5]))
    if rng.random() < 0.06:
        items.insert(rng.randrange(len(items) + 1), {"type": "remove", "id": REMOVE_ALL})
    return items


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """`left` may be null: a thread whose first checkpoint had no messages."""
    for _ in range(CASES):
        left = [langchain_dict(rng, "123") for _ in range(rng.randrange(4))]
        if any(str(m["type"]).endswith("Chunk") for m in left):
            left = [m for m in left if not str(m["type"]).endswith("Chunk")]
        given = {
            "left": None if rng.random() < 0.03 else left,
            "writes": [write(rng) for _ in range(rng.choice([0, 1, 1, 1, 2]))],
        }
        yield answer(
            given,
            lambda: _messages_delta_reducer(
                to_argument(given["left"]), [to_argument(w) for w in given["writes"]]
            ),
        )
