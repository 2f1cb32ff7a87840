"""deepagents' file merge, folded over a sequence of updates."""

from __future__ import annotations

from functools import reduce
from random import Random
from typing import Any, Iterator

from deepagents.middleware.filesystem import _file_data_delta_reducer, _file_data_reducer

from common import answer

CASES = 300
PATHS = ("/a", "/b", "/c", "/d/e.md")


def file_data(rng: Random) -> dict[str, Any]:
    """A file, now and then in the older form: content as a list of lines."""
    if rng.random() < 0.1:
        return {"content": ["l1", rng.choice(["l2", ""])]}
    data = {"content": rng.choice(["A", "B", "", "é\n"]), "encoding": "utf-8"}
    if rng.random() < 0.1:
        data = {"content": "AAA=", "encoding": "base64"}
    if rng.random() < 0.2:
        data["modified_at"] = "2026-01-01T00:00:00+00:00"
    return data


def files(rng: Random, nulls: float) -> dict[str, Any]:
    """Some paths in a random order."""
    paths = rng.sample(PATHS, rng.randrange(len(PATHS)))
    return {p: None if rng.random() < nulls else file_data(rng) for p in paths}


def merge(left: Any, updates: list[Any]) -> list[Any]:
    """The merged files as pairs: the order of keys is part of the answer.

    deepagents has two reducers for this; they must agree to be one reference.
    """
    one_by_one = reduce(_file_data_reducer, updates, left) or {}
    at_once = _file_data_delta_reducer(left, updates)
    if list(one_by_one.items()) != list(at_once.items()):
        raise AssertionError("deepagents' two file reducers disagree")
    return [[path, data] for path, data in one_by_one.items()]


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """A left, possibly null, and up to four updates."""
    for _ in range(CASES):
        left = None if rng.random() < 0.15 else files(rng, 0.0)
        updates = [files(rng, 0.4) for _ in range(rng.randrange(5))]
        given = {"left": left, "updates": updates}
        yield answer(given, lambda: merge(left, updates))
