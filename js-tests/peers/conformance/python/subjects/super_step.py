"""LangGraph's channels: what several writers in one super-step do to a field.

A compiled graph with parallel writers answers; a reader node after them tells
what is there, since `invoke` shows neither a field that was just cleared nor
anything at all when no writer wrote.
"""

from __future__ import annotations

import operator
from random import Random
from typing import Annotated, Any, Iterator

from langgraph.channels import EphemeralValue, UntrackedValue
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from common import answer, to_argument, to_message
from messages_gen import REMOVE_ALL

CASES = 800
KINDS = ("replace", "ephemeral", "untracked", "append", "messages", "merge")


def merge_dicts(left: dict, right: dict) -> dict:
    """The reducer of kind "merge": shallow, null is a value like any other."""
    return {**left, **right}


def annotation(field: dict[str, Any]) -> Any:
    """The schema annotation that LangGraph turns into the field's channel."""
    guard = field.get("guard", True)
    return {
        "replace": Any,
        "ephemeral": Annotated[Any, EphemeralValue(Any, guard)],
        "untracked": Annotated[Any, UntrackedValue(Any, guard)],
        "append": Annotated[list, operator.add],
        "messages": Annotated[list, add_messages],
        "merge": Annotated[dict, merge_dicts],
    }[field["kind"]]


def human(rng: Random) -> dict[str, Any]:
    """A short message; ids are few so that writers meet."""
    data = {"type": "human", "content": rng.choice("ab")}
    if rng.random() < 0.9:
        data["id"] = rng.choice("123")
    return data


def stored(rng: Random, kind: str) -> Any:
    """A value that the field may hold before the step."""
    if kind == "append":
        return [rng.randrange(3) for _ in range(rng.randrange(3))]
    if kind == "messages":
        return [{"type": "human", "content": "o", "id": i} for i in rng.sample("12", rng.randrange(3))]
    if kind == "merge":
        return {rng.choice("pq"): rng.randrange(3) for _ in range(rng.randrange(3))}
    return rng.choice([0, 1, "s", None, {"x": 1}, [1]])


def overwrite(rng: Random, value: Any) -> dict[str, Any]:
    """Either JSON form of Overwrite; the second tolerates other keys."""
    if rng.random() < 0.5:
        return {"__overwrite__": value}
    made = {"type": "__overwrite__", "value": value}
    if rng.random() < 0.1:
        made["note"] = 1
    return made


def written(rng: Random, kind: str, overwrites: float) -> Any:
    """One writer's value for a field of `kind`."""
    if rng.random() < overwrites:
        return overwrite(rng, stored(rng, kind))
    if kind == "messages":
        roll = rng.random()
        if roll < 0.08:
            return [{"type": "remove", "id": rng.choice("12z")}]
        if roll < 0.13:
            return [{"type": "remove", "id": REMOVE_ALL}, human(rng)]
        if roll < 0.2:
            return human(rng)
        return [human(rng) for _ in range(rng.randrange(1, 3))]
    if kind == "merge" and rng.random() < 0.06:
        # Looks like Overwrite and is not: a second key, or no value.
        return rng.choice([{"__overwrite__": 1, "p": 2}, {"type": "__overwrite__"}])
    if kind == "merge" and rng.random() < 0.1:
        return {"p": None}
    return stored(rng, kind)


def field(rng: Random) -> dict[str, Any]:
    """A kind, and for the guarded kinds sometimes the guard spelled out."""
    made: dict[str, Any] = {"kind": rng.choice(KINDS)}
    if made["kind"] in ("ephemeral", "untracked") and rng.random() < 0.7:
        made["guard"] = rng.random() < 0.3
    return made


def case(rng: Random) -> dict[str, Any]:
    """One to four fields and one to three writers."""
    fields = {name: field(rng) for name in "abcd"[: rng.randrange(1, 5)]}
    before = {
        name: stored(rng, f["kind"]) for name, f in fields.items() if rng.random() < 0.6
    }
    many = rng.choice([0.2, 0.35, 0.6])
    overwrites = rng.choice([0.0, 0.1, 0.1, 0.4])
    updates: list[dict[str, Any]] = [{} for _ in range(rng.choice([1, 1, 2, 2, 3]))]
    for name, f in fields.items():
        for update in updates:
            if rng.random() < many:
                update[name] = written(rng, f["kind"], overwrites)
    if rng.random() < 0.04:
        updates[0]["unknown"] = 1
    return {"fields": fields, "state": before, "updates": updates}


def revived(kind: str, value: Any, held: bool = False) -> Any:
    """A field's value with message objects in it, where a graph holds objects."""
    if kind != "messages":
        return value
    if isinstance(value, dict) and "__overwrite__" in value:
        return {"__overwrite__": revived(kind, value["__overwrite__"], held=True)}
    if isinstance(value, dict) and value.get("type") == "__overwrite__":
        return {**value, "value": revived(kind, value["value"], held=True)}
    if held:
        return [to_message(item) for item in value]
    return to_argument(value)


def step(given: dict[str, Any]) -> dict[str, Any]:
    """The fields that a node of the next super-step can read."""
    fields = given["fields"]
    builder = StateGraph(TypedDict("Schema", {n: annotation(f) for n, f in fields.items()}))
    seen: dict[str, Any] = {}
    builder.add_node("reader", lambda state: seen.update(state) or {})
    for n, update in enumerate(given["updates"]):
        # An unknown key has no kind; the graph is to drop it by itself.
        writes = {k: revived(fields.get(k, {}).get("kind"), v) for k, v in update.items()}
        builder.add_node(f"writer{n}", lambda _state, writes=writes: writes)
        builder.add_edge(START, f"writer{n}")
        builder.add_edge(f"writer{n}", "reader")
    builder.compile().invoke(
        {n: revived(fields[n]["kind"], v, held=True) for n, v in given["state"].items()}
    )
    return {name: seen[name] for name in fields if name in seen}


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """Every case ends in a state or in the first error of the step."""
    for _ in range(CASES):
        given = case(rng)
        yield answer(given, lambda: step(given))
