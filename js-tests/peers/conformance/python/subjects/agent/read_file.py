"""deepagents' `read_file`: which lines of which texts are shown, and where a long text is cut.

Without the note that names `execute`, a tool that there is not: it is taken out before anything is measured.
"""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from deepagents.backends import StateBackend
from deepagents.middleware import filesystem
from langchain.agents import create_agent

from subjects.agent.scripted import Scripted, call, human, outcome, run_async

CASES = 180
ENDS = ["\n", "\n", "\n", "\n", "\n\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", ""]
WORDS = ["", " ", "one", "  two", "é你", "x" * 30, "y" * 200, "\t"]

assemble = filesystem._assemble_read
filesystem.READ_FILE_TRUNCATION_MSG = ""
filesystem._assemble_read = lambda body, fields, notices: assemble(body, fields, [note for note in notices if note])


def text(rng: Random) -> str:
    """Lines with ends of all kinds."""
    ends = ["\n"] if rng.random() < 0.4 else ENDS
    return "".join(rng.choice(WORDS) + rng.choice(ends) for _ in range(rng.choice([0, 1, 2, 3, 5, 8, 13, 130])))


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """One file, read once."""
    for _ in range(CASES):
        args: dict[str, Any] = {"file_path": "/a"}
        if rng.random() < 0.5:
            args["offset"] = rng.choice([-1, 0, 1, 2, 3, 7, 100])
        if rng.random() < 0.5:
            args["limit"] = rng.choice([-1, 0, 1, 2, 3, 5, 1000])
        limit = rng.choice([None, 0, 10, 20, 30, 60, 100, 20000])
        content = text(rng)
        replies = [{"content": "", "tool_calls": [call("read_file", args, 1)]}]
        middleware = filesystem.FilesystemMiddleware(backend=StateBackend(), tool_token_limit_before_evict=limit)
        agent = create_agent(Scripted(replies=replies), [], middleware=[middleware])
        files = {"/a": {"content": content, "encoding": "utf-8"}}

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human(), "files": files})
            return [result["messages"][2].status, result["messages"][2].content]

        yield {"in": {"content": content, "args": args, "limit": limit}, **outcome(lambda: run_async(run()))}
