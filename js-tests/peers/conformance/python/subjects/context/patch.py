"""deepagents' PatchToolCallsMiddleware: results for the calls that have none.

`in` is `{messages}`; `out` tells the messages of its update, null when it has none.
"""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from deepagents.middleware.patch_tool_calls import PatchToolCallsMiddleware

from .conversations import Builder, Message, wild_fields
from .messages import Pool, ask, real_list, told

CASES = 120


def dangling(rng: Random) -> list[Message]:
    """A few messages, calls of all kinds, results for some of them in any place."""
    at = Builder(rng)
    for _ in range(rng.randrange(1, 6)):
        message = at.add(rng.choice(["human", "ai", "ai", "ai", "tool", "ToolMessageChunk", "AIMessageChunk"]), "x")
        wild_fields(rng, message)
        for call in message.get("tool_calls", []):
            call["args"] = {"n": 1}
        if message["type"] == "ai" and rng.random() < 0.3:
            bad = {"name": "find", "args": '{"a', "id": f"i{rng.randrange(3)}", "error": "bad"}
            message["invalid_tool_calls"] = [bad, {**bad, "id": None}]
        if message["type"] == "ai" and rng.random() < 0.15:
            message["tool_calls"] = [{"name": "", "args": {}, "id": "c9"}]
    return at.messages


def patch(messages: list[Message]) -> Any:
    """The hook before the agent runs."""
    update = PatchToolCallsMiddleware().before_agent({"messages": real_list(messages)}, None)
    return update and told(update["messages"], messages)


def record(rng: Random, pool: Pool) -> Iterator[dict[str, Any]]:
    """All of the pool, then short ones."""
    for index in range(len(pool)):
        yield ask({"messages": index}, pool, patch)
    for _ in range(CASES):
        yield ask({"messages": dangling(rng)}, pool, patch)
