"""ag_ui_langgraph's langgraph_default_merge_state, whichever release is installed.

The current release and 0.0.25 need two environments, so this module imports
nothing that only one of them has.
"""

from __future__ import annotations

import logging
from random import Random
from types import SimpleNamespace
from typing import Any, Iterator

from ag_ui_langgraph import LangGraphAgent

from common import answer, to_message

CASES = {"current": 520, "0.0.x": 400}
A2UI_SCHEMA = (
    "A2UI Component Schema — available components for generating UI surfaces. "
    "Use these component names and properties when creating A2UI operations."
)
STRING_ARGS = ('{"n":1}', "{}", "[1]", "5", "null", '"s"', "", "{bad", ' {"n": 2}\n', "{'n':1}")
INTERRUPTED = "Tool call '%s' with id '%s' was interrupted before completion."


def interrupted(rng: Random, call: str) -> str:
    """The placeholder text, now and then one that must not match or nearly so."""
    text = INTERRUPTED % (rng.choice(["add", "a b", "it's"]), call)
    roll = rng.random()
    if roll < 0.06:
        return text + "\n"
    if roll < 0.16:
        return rng.choice(["x" + text, text + " ", text[:-1], INTERRUPTED % ("", call),
                           INTERRUPTED % ("a\nb", call)])
    return text


def stored_message(rng: Random, n: int) -> dict[str, Any]:
    """A message of the checkpoint: repairs wait among these."""
    kind = rng.choice(["human", "ai", "ai", "tool", "tool", "tool", "system"])
    call = rng.choice(["t", "u"])
    data: dict[str, Any] = {"type": kind, "content": rng.choice("abc")}
    if kind == "ai" and rng.random() < 0.7:
        args: Any = {"n": 1} if rng.random() < 0.4 else rng.choice(STRING_ARGS)
        data["tool_calls"] = [{"name": "add", "args": args, "id": call}]
        if rng.random() < 0.2:
            args = {} if rng.random() < 0.3 else rng.choice(STRING_ARGS)
            data["tool_calls"].append({"name": "find", "args": args, "id": "v"})
    if kind == "tool":
        data["tool_call_id"] = call
        if rng.random() < 0.6:
            data["content"] = interrupted(rng, call)
    if rng.random() < 0.95:
        data["id"] = str(n)
    return data


def incoming_message(rng: Random) -> dict[str, Any]:
    """A message of the client: some ids are known to the checkpoint."""
    kind = rng.choice(["human", "ai", "tool", "tool", "tool", "system"])
    data: dict[str, Any] = {"type": kind, "content": rng.choice("xyz")}
    if kind == "tool":
        data["tool_call_id"] = rng.choice(["t", "u"])
        if rng.random() < 0.1:
            data["content"] = [{"type": "text", "text": "blocks"}]
    if rng.random() < 0.93:
        data["id"] = rng.choice("0123789")
    return data


def tool(rng: Random, origin: str) -> dict[str, Any]:
    """A tool whose description names its origin."""
    data: dict[str, Any] = {"name": rng.choice(["p", "q", "r"]), "description": origin}
    roll = rng.random()
    if roll < 0.05:
        data["name"] = ""
    elif roll < 0.08:
        data["name"] = None
    elif roll < 0.11:
        del data["name"]
    elif roll < 0.2:
        data["parameters"] = {"type": "object"}
    return data


def tools(rng: Random, origin: str) -> list[Any]:
    """Up to three tools with few names."""
    return [tool(rng, origin) for _ in range(rng.choice([0, 0, 1, 1, 2, 3]))]


def context(rng: Random) -> list[Any] | None:
    """AG-UI context entries, the A2UI schema's among them."""
    if rng.random() < 0.1:
        return None
    entries = []
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        about = A2UI_SCHEMA if rng.random() < 0.2 else rng.choice(["page", "user"])
        entries.append({"description": about, "value": rng.choice(["v1", "v2", ""])})
    return entries


def run_input(rng: Random) -> dict[str, Any]:
    """The fields of RunAgentInput that the merge reads; forwarded props already snake-cased or not."""
    given: dict[str, Any] = {
        "tools": None if rng.random() < 0.05 else tools(rng, "i"),
        "context": context(rng),
    }
    if rng.random() < 0.3:
        props: dict[str, Any] = {"other": 1} if rng.random() < 0.2 else {}
        for key in ("inject_a2_u_i_tool", "injectA2UITool"):
            if rng.random() < 0.5:
                props[key] = rng.choice([True, False, None, "form"])
        given["forwarded_props"] = None if rng.random() < 0.1 else props
    return given


def state(rng: Random) -> dict[str, Any]:
    """Graph state; keys the merge does not know must pass through untouched."""
    made: dict[str, Any] = {}
    if rng.random() < 0.93:
        count = rng.choice([0, 1, 2, 2, 3, 3, 4])
        made["messages"] = [stored_message(rng, n) for n in range(count)]
        # Interrupted tool results are looked for after a human message only.
        if count > 1 and rng.random() < 0.5:
            made["messages"][0] = {"type": "human", "content": "h", "id": "0"}
    if rng.random() < 0.5:
        made["tools"] = tools(rng, "s")
    if rng.random() < 0.3:
        made["copilotkit"] = rng.choice([{}, {"actions": [{"name": "old"}], "x": 1}, {"x": 2}])
    if rng.random() < 0.2:
        made["ag-ui"] = {"tools": [], "context": [], "a2ui_schema": "old"}
    if rng.random() < 0.3:
        made["other"] = rng.choice([None, [1], {"k": {"messages": []}}])
    for key in ("messages", "tools", "copilotkit"):
        if rng.random() < 0.01:
            made[key] = None
    return made


def incoming(rng: Random) -> list[dict[str, Any]]:
    """The client's messages: often a system one first, sometimes two."""
    made = [incoming_message(rng) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))]
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        made.insert(0, {"type": "system", "content": "s", "id": rng.choice("s0")})
    return made


def merge(given: dict[str, Any]) -> Any:
    """Call the real method; it reads nothing of the agent but a class constant."""
    agent = object.__new__(LangGraphAgent)
    before = dict(given["state"])
    if before.get("messages"):
        before["messages"] = [to_message(m) for m in before["messages"]]
    fields = {"forwarded_props": None, **given["input"]}
    return agent.langgraph_default_merge_state(
        before, [to_message(m) for m in given["messages"]], SimpleNamespace(**fields)
    )


def record(rng: Random, compat: str = "current") -> Iterator[dict[str, Any]]:
    """The two releases get cases of one kind, each with its own sequence."""
    logging.getLogger("ag_ui_langgraph").setLevel(logging.CRITICAL)
    for _ in range(CASES[compat]):
        given = {"state": state(rng), "messages": incoming(rng), "input": run_input(rng)}
        yield answer(given, lambda: merge(given))
