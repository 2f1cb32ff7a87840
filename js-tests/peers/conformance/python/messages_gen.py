"""Generated messages in every form that the packages accept."""

from __future__ import annotations

from random import Random
from typing import Any

REMOVE_ALL = "__remove_all__"
WORDS = ("a", "b", "c", "hé", "", "x\ny")
TOOLS = ("add", "find")


def content(rng: Random) -> Any:
    """Mostly a short string, sometimes a list of blocks."""
    if rng.random() < 0.06:
        return [{"type": "text", "text": rng.choice(WORDS)}]
    return rng.choice(WORDS)


def identified(rng: Random, data: dict[str, Any], ids: str) -> dict[str, Any]:
    """Give `data` one of few ids, so that they meet; or none; or an odd one."""
    roll = rng.random()
    if roll < 0.78:
        data["id"] = rng.choice(ids)
    elif roll < 0.81:
        data["id"] = rng.choice(["", None, 7])
    return data


def tool_call(rng: Random) -> dict[str, Any]:
    """A tool call as LangChain spells it."""
    call_id = rng.choice(["t1", "t2"])
    return {"name": rng.choice(TOOLS), "args": {"n": rng.randrange(3)}, "id": call_id}


def langchain_dict(rng: Random, ids: str) -> dict[str, Any]:
    """`{type, content, ...}`, chunk classes among them."""
    kind = rng.choice(["human"] * 4 + ["ai"] * 4 + ["system", "tool", "tool"])
    data: dict[str, Any] = {"type": kind, "content": content(rng)}
    if rng.random() < 0.08:
        chunk = {"ai": "AIMessageChunk", "human": "HumanMessageChunk",
                 "system": "SystemMessageChunk", "tool": "ToolMessageChunk"}
        data["type"] = chunk[kind]
    if kind == "tool":
        data["tool_call_id"] = rng.choice(["t1", "t2"])
    if kind == "ai" and rng.random() < 0.35:
        data["tool_calls"] = [tool_call(rng) for _ in range(rng.choice([1, 1, 2]))]
    if rng.random() < 0.06:
        data["name"] = "bob"
    return identified(rng, data, ids)


def role_dict(rng: Random, ids: str) -> dict[str, Any]:
    """`{role, content, ...}` as OpenAI's clients send it."""
    role = rng.choice(["user", "assistant", "system", "developer", "tool", "human", "ai"])
    data: dict[str, Any] = {"role": role, "content": content(rng)}
    if role == "tool":
        data["tool_call_id"] = "t1"
    if role == "assistant" and rng.random() < 0.4:
        data["content"] = None
        function = {"name": "add", "arguments": rng.choice(['{"n":1}', "{}", ' {"n": [1]} '])}
        data["tool_calls"] = [{"id": "t1", "type": "function", "function": function}]
    return identified(rng, data, ids)


def removal(rng: Random, ids: str) -> dict[str, Any]:
    """A RemoveMessage; its dict form needs a content, the object has none."""
    data = {"type": "remove", "id": rng.choice(ids + ids + "z")}
    if rng.random() < 0.1:
        data["content"] = ""
    return data


def envelope(rng: Random, ids: str) -> dict[str, Any]:
    """The `Serializable` constructor form that a JS client may send."""
    name = rng.choice(["HumanMessage", "AIMessage", "AIMessageChunk", "RemoveMessage"])
    kwargs = {"content": content(rng), "id": rng.choice(ids)}
    return {"lc": 1, "type": "constructor",
            "id": ["langchain_core", "messages", name], "kwargs": kwargs}


def malformed(rng: Random) -> Any:
    """Things that are not a message."""
    return rng.choice([
        {"type": "human"}, {"content": "a"}, {"type": "alien", "content": "a"},
        {"role": "alien", "content": "a", "id": "1"}, None, 5, ["user"], ["alien", "a"],
        {"type": "tool", "content": "a", "id": "1"}, [], ["user", "a", "b"],
    ])


def any_message(rng: Random, ids: str, removals: float = 0.0, bad: float = 0.0) -> Any:
    """One message-like value in any accepted form."""
    roll = rng.random()
    if roll < bad:
        return malformed(rng)
    if roll < bad + removals:
        return removal(rng, ids)
    form = rng.random()
    if form < 0.72:
        return langchain_dict(rng, ids)
    if form < 0.88:
        return role_dict(rng, ids)
    if form < 0.93:
        return rng.choice(WORDS)
    if form < 0.97:
        return [rng.choice(["user", "ai", "system", "developer"]), rng.choice(WORDS)]
    return envelope(rng, ids)


def message_list(
    rng: Random, ids: str, most: int, removals: float = 0.0, bad: float = 0.0
) -> list[Any]:
    """Up to `most` message-likes."""
    return [any_message(rng, ids, removals, bad) for _ in range(rng.randrange(most + 1))]
