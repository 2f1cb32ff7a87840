"""Graphs in Python: the cases of `../../records/graphs-js.jsonl`, which langgraph.js answered.

`js-tests/unit/graph/recorded/cases.mjs` says what a case is, `record.mjs` beside it what an answer is. Differences of the two
languages are in how they are asked: what fails or interrupts does so behind what runs beside it.
"""

from __future__ import annotations

import json
import operator
import time
from pathlib import Path
from random import Random
from typing import Annotated, Any, Iterator, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

CASES = 640
JS = Path(__file__).resolve().parents[2] / "records" / "graphs-js.jsonl"
LARGE = 30


class State(TypedDict):
    """The state of every case."""

    log: Annotated[list, operator.add]


def compiled(graph: dict[str, Any], saver: InMemorySaver) -> Any:
    """The graph of a case."""

    def name(node: int) -> str:
        return {-1: START, -2: END}.get(node) or graph["n"][node]

    def targets(options: list[Any], size: int) -> list[Any]:
        if size >= LARGE:
            return []
        return [
            Send(name(to[0]), {"k": 2 * size + 1}) if isinstance(to, list) else name(to)
            for to in options[size % len(options)]
        ]

    starts = [0] * len(graph["n"])

    def node(at: int) -> Any:
        own, does = graph["n"][at], graph["x"][at]

        def run(state: dict[str, Any]) -> Any:
            size = state["k"] if "k" in state else len(state["log"])
            # Tasks of Sends do not: several of one node start at once.
            fails = "k" not in state and starts[at] < does.get("f", 0)
            starts[at] += "k" not in state
            interrupts = does.get("i", 0)
            if fails or interrupts:
                time.sleep(0.06 if fails else 0.03)
            if fails:
                raise ZeroDivisionError("failed")
            said = f"{own}({state['k']})" if "k" in state else own
            for count in range(interrupts):
                said += f":{interrupt(count)}"
            update = {"log": [said]} if does.get("u", 1) else {}
            return Command(update=update, goto=targets(does["g"], size)) if "g" in does else update

        return run

    builder = StateGraph(State)
    for at, own in enumerate(graph["n"]):
        builder.add_node(own, node(at), defer=at in graph["d"])
    for source, to in graph["e"]:
        builder.add_edge(name(source), name(to))
    for sources, to in graph["j"]:
        builder.add_edge([name(source) for source in sources], name(to))
    for source, options in graph["b"]:

        def path(state: State, options: Any = options) -> Any:
            return targets(options, len(state["log"]))

        builder.add_conditional_edges(name(source), path, [*graph["n"], END])

    def points(nodes: Any) -> Any:
        return nodes if nodes == "*" else [name(node) for node in nodes]

    return builder.compile(
        checkpointer=saver,
        interrupt_before=points(graph.get("B", [])),
        interrupt_after=points(graph.get("A", [])),
    )


def act(graph: dict[str, Any], runner: Any, config: dict[str, Any], action: list[Any], at: int) -> Any:
    """Does one action of a case."""
    what, *how = action
    if what == "update":
        return runner.update_state(config, {"log": [f"u{at}"]}, as_node=graph["n"][how[0]])
    limited = {**config, "recursion_limit": how[0]}
    if what == "in":
        return runner.invoke({"log": [f"in{at}"]}, limited)
    if what == "goto":
        goto = [Send(graph["n"][to[0]], {"k": 1}) if isinstance(to, list) else graph["n"][to] for to in how[1]]
        return runner.invoke(Command(goto=goto), limited)
    asked = [pending.id for task in runner.get_state(config).tasks for pending in task.interrupts]
    if not asked:
        return runner.invoke(None, limited)
    return runner.invoke(Command(resume={id: f"r{at}" for id in asked[:: how[1]]}), limited)


def channel_names(graph: dict[str, Any]) -> list[str]:
    """The names of the channels, in the planner's order."""
    names = graph["n"]
    return [
        "log",
        "__start__",
        "__pregel_tasks",
        *(f"branch:to:{name}" for name in names),
        *(f"join:{'+'.join(names[at] for at in sources)}:{names[to]}" for sources, to in graph["j"]),
    ]


def changes(before: list[int], now: list[int]) -> list[list[int]]:
    """The numbers of `now` that are others than in `before`: each with the places where it is."""
    places: dict[int, list[int]] = {}
    for at, number in enumerate(now):
        if number != before[at]:
            places.setdefault(number, [number]).append(at)
    return [places[number] for number in sorted(places)]


def whole(version: Any) -> int:
    """The number of a version, without its random digits."""
    return int(str(version or 0).split(".", 1)[0])


def answers(graph: dict[str, Any]) -> list[Any]:
    """Runs a case on langgraph."""
    saver = InMemorySaver()
    runner = compiled(graph, saver)
    config: dict[str, Any] = {"configurable": {"thread_id": "1"}}
    names = channel_names(graph)
    versions, seen, length = [0] * len(names), [0] * len(names), 0
    known: set[str] = set()
    given = []
    for at, action in enumerate(graph["o"]):
        result = "done"
        try:
            output = act(graph, runner, config, action, at)
            if action[0] != "update":
                if "__interrupt__" in output:
                    result = "interrupt"
                elif ("A" in graph or "B" in graph) and runner.get_state(config).next:
                    result = "break"
        except GraphRecursionError:
            result = "limit"
        except ZeroDivisionError:
            result = "error"
        except Exception as error:
            return [*given, ["refused", f"{type(error).__name__}: {error}".split("\n", 1)[0], []]]
        fresh = [one for one in saver.list(config) if one.checkpoint["id"] not in known][::-1]
        known.update(one.checkpoint["id"] for one in fresh)
        rows = []
        for one in fresh:
            checkpoint = one.checkpoint
            now = [whole(checkpoint["channel_versions"].get(name)) for name in names]
            now_seen = []
            for name in names:
                node = name if name == START else name.split(":")[2] if ":" in name else name
                now_seen.append(whole(checkpoint["versions_seen"].get(node, {}).get(name)))
            row: list[Any] = [one.metadata["step"], changes(versions, now), changes(seen, now_seen)]
            if one.metadata["source"] != "loop":
                row.append(one.metadata["source"])
            versions, seen = now, now_seen
            rows.append(row)
        log = fresh[-1].checkpoint["channel_values"].get("log", []) if fresh else []
        given.append([result, log[length:] if fresh else [], rows])
        length = len(log) if fresh else length
    return given


def record(_: Random) -> Iterator[Any]:
    """One case a line: only the answers; the case is in the same line of langgraph.js's."""
    for line in JS.read_text().splitlines()[:CASES]:
        yield answers(json.loads(line)[0])
