"""langchain's TodoListMiddleware: the tool's argument and the parallel rule."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any, Iterator

from langchain.agents.middleware import TodoListMiddleware
from pydantic import ValidationError

from common import answer, plain, to_message

CASES = 300
STATUSES = ("pending", "in_progress", "completed")


def todo(rng: Random, bad: float) -> Any:
    """A todo, now and then broken in one place."""
    item: Any = {"content": rng.choice(["a", "b", "", "hé"]), "status": rng.choice(STATUSES)}
    if rng.random() < 0.1:
        item["id"] = rng.choice([1, "1", None])
    if rng.random() >= bad:
        return item
    fault = rng.randrange(6)
    if fault == 0:
        item["status"] = rng.choice(["done", "", "Pending", None, 1, True, ["pending"]])
    elif fault == 1:
        item["content"] = rng.choice([None, 1, 1.5, True, ["a"], {"a": 1}])
    elif fault == 2:
        del item["status"]
    elif fault == 3:
        del item["content"]
    elif fault == 4:
        return {}
    else:
        return rng.choice([None, "a", 5, [], True])
    return item


def arguments(rng: Random) -> dict[str, Any]:
    """The tool call's args: a list, something else, or nothing."""
    roll = rng.random()
    if roll < 0.04:
        return {}
    if roll < 0.1:
        return {"todos": rng.choice([None, "a", 1, {}, {"0": {}}, True, "[]"])}
    bad = rng.choice([0.0, 0.0, 0.4])
    args: dict[str, Any] = {"todos": [todo(rng, bad) for _ in range(rng.randrange(5))]}
    if rng.random() < 0.05:
        args["note"] = "x"
    return args


def write_todos(args: dict[str, Any]) -> dict[str, Any]:
    """Validate as the tool does and run it; every error in one record."""
    tool = TodoListMiddleware().tools[0]
    given = {"kind": "args", "args": args}
    try:
        checked = tool.args_schema.model_validate(args)
    except ValidationError as error:
        sentences = [
            ".".join(map(str, e["loc"])) + ": " + e["msg"] for e in error.errors()
        ]
        return {"in": given, "error": sentences[0], "errors": sentences}
    command = tool.func(SimpleNamespace(tool_call_id="c1"), checked.todos)
    return {"in": given, "out": plain(command.update["todos"])}


def ai(rng: Random, calls: int) -> dict[str, Any]:
    """An AI message with `calls` tool calls, not all of them write_todos."""
    made = [
        {"name": rng.choice(["write_todos", "write_todos", "find"]),
         "args": {"todos": []}, "id": f"c{n}", "type": "tool_call"}
        for n in range(calls)
    ]
    return {"type": "ai", "content": "", "id": "2", "tool_calls": made}


def parallel(rng: Random) -> dict[str, Any]:
    """The middleware's after_model over a conversation."""
    messages = [{"type": "human", "content": "a", "id": "1"}]
    if rng.random() < 0.9:
        messages.append(ai(rng, rng.randrange(4)))
    if rng.random() < 0.3:
        messages.append({"type": "tool", "content": "r", "tool_call_id": "c0", "id": "3"})
    if rng.random() < 0.1:
        messages.append({"type": "ai", "content": "done", "id": "4"})
    if rng.random() < 0.05:
        messages = []

    def after_model() -> Any:
        state = {"messages": [to_message(m) for m in messages]}
        update = TodoListMiddleware().after_model(state, None)
        return None if update is None else [
            {"tool_call_id": m.tool_call_id, "content": m.content, "status": m.status}
            for m in update["messages"]
        ]

    return answer({"kind": "parallel", "messages": messages}, after_model)


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """Four in five are the tool's argument."""
    for n in range(CASES):
        yield parallel(rng) if n % 5 == 4 else write_todos(arguments(rng))
