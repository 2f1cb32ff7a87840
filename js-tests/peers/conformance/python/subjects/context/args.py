"""deepagents' truncation of long tool call arguments in a request.

`in` is `{messages, truncate_args, model}`: the middleware's settings and
`messages.model`'s. `out` is `{tokens, cutoff, messages}`: the count that the trigger
is held against, where the kept ones begin, triggered or not, and the messages.
"""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from .conversations import Builder, Message
from .cutoff import size
from .deep import middleware
from .messages import Pool, ask, budget, real_list, told, total
from .text import odd_text, text

CASES = 260
NAMES = ("write_file", "edit_file", "write_file", "write_file", "find")


def written(rng: Random) -> list[Message]:
    """A few calls whose strings are around 20 and around the limits."""
    at = Builder(rng)
    for _ in range(rng.randrange(1, 5)):
        calls = []
        for _ in range(at.some()):
            args = {key: rng.choice(["0123456789", "x" * 21, "😀é日" * 8, text(rng, 2), odd_text(rng), 5, None,
                                     ["x" * 30]]) for key in rng.sample("abcd", rng.randrange(1, 4))}
            calls.append({**at.call(), "name": rng.choice(NAMES), "args": args})
        fields = {"name": "bob", "usage_metadata": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}
        at.add("ai", "", tool_calls=calls, **(fields if rng.random() < 0.3 else {}))
        if rng.random() < 0.7:
            at.add("tool", "ok", tool_call_id=calls[0]["id"])
    return at.messages


def settings(rng: Random, messages: list[Message], limit: int | None) -> dict[str, Any]:
    """Mostly triggered, with something before the kept ones, and a limit that bites."""
    made: dict[str, Any] = {"trigger": rng.choice([["messages", 1], exactly(rng, messages), size(rng, messages, limit)])}
    roll = rng.random()
    if roll < 0.5:
        made["keep"] = ["messages", rng.choice([0, 1, 1, 1, 2, 2, 3, len(messages), max(0, len(messages) - 1)])]
    elif roll < 0.95:
        made["keep"] = rng.choice([size(rng, messages, limit), ["tokens", budget(rng, total(messages))]])
    if rng.random() < 0.9:
        made["max_length"] = rng.choice([0, 5, 9, 9, 10, 20, 20, 21, 40])
    if rng.random() < 0.25:
        made["truncation_text"] = rng.choice(["", "…", "[cut]"])
    if rng.random() < 0.04:
        made["trigger"] = None
    return made


def exactly(rng: Random, messages: list[Message]) -> list[Any]:
    """A trigger that is just met, or just not."""
    counts = {"messages": len(messages), "tokens": total(messages)}
    kind = rng.choice(sorted(counts))
    return [kind, counts[kind] + rng.choice([0, 0, 0, 1])]


def case(rng: Random, pool: Pool, writing: list[int]) -> dict[str, Any]:
    """A conversation that writes files, or a short one in place."""
    messages: Any = rng.choice(writing) if rng.random() < 0.65 else written(rng)
    given = pool[messages] if isinstance(messages, int) else messages
    limit = rng.choice([None, 1, total(given), rng.randrange(1, 1500)])
    about = {} if limit is None else {"max_input_tokens": limit}
    if rng.random() < 0.1:
        about["llm_type"] = "anthropic-chat"
    return {"messages": messages, "truncate_args": settings(rng, given, limit), "model": about}


def truncate(given: dict[str, Any], messages: list[Message]) -> dict[str, Any]:
    """The step of the model call that truncates."""
    deep = middleware(given)
    conversation = real_list(messages)
    tokens = deep._count_tokens(conversation, None, None)
    truncated, modified = deep._truncate_args(conversation, tokens)
    # It says so exactly when it made another message.
    assert modified == any(after is not before for after, before in zip(truncated, conversation))
    return {
        "tokens": tokens,
        "cutoff": deep._determine_truncate_cutoff_index(conversation),
        "messages": told(truncated, messages),
    }


def record(rng: Random, pool: Pool) -> Iterator[dict[str, Any]]:
    """The pool's writing conversations are those that call write_file or edit_file."""
    def writes(message: Message) -> bool:
        return any(call["name"] in ("write_file", "edit_file") for call in message.get("tool_calls", []))

    writing = [at for at, messages in enumerate(pool) if any(map(writes, messages))]
    for _ in range(CASES):
        given = case(rng, pool, writing)
        yield ask(given, pool, lambda messages: truncate(given, messages))
