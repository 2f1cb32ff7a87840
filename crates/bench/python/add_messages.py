"""Time langgraph's add_messages, the figure that the native reducer is held against.

    python crates/bench/python/add_messages.py

Needs js-tests/peers/conformance/python/requirements.txt. One JSON object per line:
name, n, and the median time of a call in microseconds.
"""

from __future__ import annotations

import json
from statistics import median
from timeit import Timer

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph.message import add_messages

SIZES = (100, 1_000, 10_000)
REPEATS = 15
SECONDS_PER_REPEAT = 0.1


def conversation(count: int, prefix: str = "m") -> list[AnyMessage]:
    """Messages with ids, in the form in which a graph holds them: objects."""
    kinds = (HumanMessage, AIMessage)
    return [
        kinds[n % 2](content=f"message number {n}", id=f"{prefix}{n}") for n in range(count)
    ]


def as_dicts(messages: list[AnyMessage]) -> list[dict[str, str]]:
    """The same as JSON brings them: every call then has to coerce the lot."""
    return [{"type": m.type, "content": m.content, "id": m.id} for m in messages]


def microseconds(left: list, right: list) -> float:
    """The median over several runs, each long enough for the clock."""
    timer = Timer(lambda: add_messages(left, right))
    once = max(timer.timeit(1), 1e-7)
    number = max(1, int(SECONDS_PER_REPEAT / once))
    return median(timer.repeat(REPEATS, number)) / number * 1e6


def report(name: str, n: int, left: list, right: list) -> None:
    """Print one line."""
    us = round(microseconds(left, right), 2)
    print(json.dumps({"name": name, "n": n, "us": us}), flush=True)


def main() -> None:
    """One more message, a replaced one, and two long lists."""
    for n in SIZES:
        left = conversation(n)
        report("add_messages n + 1", n, left, conversation(1, "new"))
        report("add_messages n, last replaced", n, left, [HumanMessage("edited", id=f"m{n - 1}")])
    for n in SIZES:
        report("add_messages n dicts + 1", n, as_dicts(conversation(n)), conversation(1, "new"))
    report("add_messages 1000 + 1000", 1_000, conversation(1_000), conversation(1_000, "new"))


if __name__ == "__main__":
    main()
