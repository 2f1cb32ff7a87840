"""deepagents' FilesystemMiddleware over the state: its tools, one a turn and several in parallel."""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from deepagents.backends import StateBackend
from deepagents.middleware.filesystem import FilesystemMiddleware
from langchain.agents import create_agent

from subjects.agent.scripted import Scripted, call, human, outcome, run_async, shown

CASES = 250
PATHS = ["/a.txt", "/b.py", "/src/a.py", "/src/lib/c.md", "src/x.py", "/src//a.py", "/src/./b.ts", "/src", "/", "/nope"]
ODD = ["../a", "~/a", "C:\\a", "/a/../b", "", "."]
TEXTS = ["", " ", "one", "one two one", "one\ntwo\nthree", "one\ntwo\n", "a\r\nb\r\n", "\n\n", "x = 1\n\ny = 2\n", "hé 你\n"]
GLOBS = ["*.py", "**/*.py", "*", "**", "/*.txt", "src/*.py", "*.{py,md}", "?.txt", "[ab].*", "../*", "src/**", "*.nope", "**/lib/*"]


def path(rng: Random) -> str:
    """A path, now and then one that is refused."""
    return rng.choice(ODD) if rng.random() < 0.06 else rng.choice(PATHS)


def args_of(rng: Random, name: str) -> dict[str, Any]:
    """The arguments of a tool call."""
    if name == "ls":
        return {"path": path(rng)}
    if name == "read_file":
        more: dict[str, Any] = {}
        if rng.random() < 0.4:
            more["offset"] = rng.choice([0, 1, 2, 5, -1])
        if rng.random() < 0.4:
            more["limit"] = rng.choice([1, 2, 100, 0])
        return {"file_path": path(rng), **more}
    if name == "write_file":
        return {"file_path": path(rng), "content": rng.choice(TEXTS)}
    if name == "edit_file":
        more = {"replace_all": rng.random() < 0.5} if rng.random() < 0.5 else {}
        old = rng.choice(["one", "two", "o", "three\n", "", "zz", "one\n", "x = 1"])
        return {"file_path": path(rng), "old_string": old, "new_string": rng.choice(["1", "", "one more"]), **more}
    if name == "delete":
        return {"file_path": path(rng)}
    if name == "glob":
        more = {"path": path(rng)} if rng.random() < 0.4 else {}
        return {"pattern": rng.choice(GLOBS), **more}
    more = {}
    if rng.random() < 0.4:
        more["path"] = path(rng)
    if rng.random() < 0.3:
        more["glob"] = rng.choice(GLOBS)
    if rng.random() < 0.6:
        more["output_mode"] = rng.choice(["files_with_matches", "content", "count"])
    return {"pattern": rng.choice(["one", "o", "=", "zz", "two"]), **more}


TOOLS = ["ls", "read_file", "read_file", "write_file", "write_file", "edit_file", "edit_file", "delete", "glob", "grep"]


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """The initial files, and the calls."""
    for _ in range(CASES):
        files = {
            p: {"content": rng.choice(TEXTS), "encoding": "utf-8", "modified_at": f"2026-01-0{n + 1}"}
            for n, p in enumerate(["/a.txt", "/b.py", "/src/a.py", "/src/lib/c.md", "/.hid/d.py"])
            if rng.random() < 0.7
        }
        number = iter(range(100))
        replies = []
        for _ in range(rng.randrange(1, 4)):
            names = [rng.choice(TOOLS) for _ in range(rng.choice([1, 1, 2, 3]))]
            replies.append({"content": "", "tool_calls": [call(n, args_of(rng, n), next(number)) for n in names]})
        agent = create_agent(Scripted(replies=replies), [], middleware=[FilesystemMiddleware(backend=StateBackend())])

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human(), "files": files}, {"max_concurrency": 1})
            return {
                "messages": [shown(m) for m in result["messages"] if m.type == "tool"],
                "files": {p: f["content"] for p, f in result.get("files", {}).items()},
            }

        yield {"in": {"files": files, "replies": replies}, **outcome(lambda: run_async(run()))}
