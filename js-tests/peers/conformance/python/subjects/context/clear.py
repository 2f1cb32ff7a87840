"""langchain's ClearToolUsesEdit, applied to a conversation with Python's count.

`in` is `{messages, options}`, options as the edit's fields; `out` tells the messages.
"""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from langchain.agents.middleware import ClearToolUsesEdit
from langchain_core.messages import BaseMessage
from langchain_core.messages.utils import count_tokens_approximately

from .conversations import TOOLS
from .messages import Pool, ask, budget, real_list, told, total

CASES = 320


def case(rng: Random, pool: Pool, useful: list[int]) -> dict[str, Any]:
    """Mostly triggered; an excluded tool is one that is called."""
    at = rng.choice(useful) if rng.random() < 0.95 else rng.randrange(len(pool))
    whole = total(pool[at])
    options: dict[str, Any] = {"trigger": rng.choice([0, 0, 0, whole, max(0, whole - 1), budget(rng, whole)])}
    if rng.random() < 0.85:
        options["keep"] = rng.choice([0, 0, 1, 1, 2, 3, 5, 99])
    if rng.random() < 0.5:
        options["clear_tool_inputs"] = True
    if rng.random() < 0.3:
        options["exclude_tools"] = rng.sample(TOOLS, rng.randrange(1, 3))
    if rng.random() < 0.4:
        conversation = cleared({**options, "clear_at_least": 1}, pool[at])
        enough = whole - count_tokens_approximately(conversation)
        options["clear_at_least"] = rng.choice([1, 30, 10**6, max(1, enough), max(1, enough), enough + 1])
    if rng.random() < 0.2:
        options["placeholder"] = rng.choice(["", "(gone)", "[已清除]"])
    if rng.random() < 0.02:
        options = {}
    return {"messages": at, "options": options}


def cleared(options: dict[str, Any], messages: list[dict[str, Any]]) -> list[BaseMessage]:
    """It edits the list in place."""
    conversation = real_list(messages)
    ClearToolUsesEdit(**options).apply(conversation, count_tokens=count_tokens_approximately)
    return conversation


def record(rng: Random, pool: Pool) -> Iterator[dict[str, Any]]:
    """Conversations with at least two results are the useful ones."""
    useful = [at for at, messages in enumerate(pool) if sum("tool_call_id" in m for m in messages) > 1]
    for _ in range(CASES):
        given = case(rng, pool, useful)
        yield ask(given, pool, lambda messages: told(cleared(given["options"], messages), messages))
