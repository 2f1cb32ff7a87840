"""deepagents' FilesystemMiddleware: long results of tools that go to files.

`in` is `{limit, files, replies}`: `give` returns its `content`, in a `Command` with a message of the user's
if it is to `update`, with a file of its own if it is to `write`; `ls` is not moved.
"""

from __future__ import annotations

from random import Random
from typing import Annotated, Any, Iterator

from deepagents.backends import StateBackend
from deepagents.middleware.filesystem import FilesystemMiddleware
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.types import Command

from subjects.agent.scripted import Scripted, human, outcome, run_async, shown
from subjects.context.offload import IDS, lines

CASES = 120
FILES = {f"/{'long' * 5}{n}": {"content": "x", "encoding": "utf-8", "modified_at": "2026-01-01"} for n in range(4)}
IMAGE = {"type": "image", "url": "https://example.com/a.png"}


@tool
def give(content: Any, update: bool, write: bool, tool_call_id: Annotated[str, InjectedToolCallId]) -> Any:
    """Gives it back."""
    if not update:
        return content
    more = {"files": {"/mine": {"content": "mine", "encoding": "utf-8"}}} if write else {}
    return Command(update={"messages": [ToolMessage(content, tool_call_id=tool_call_id, name="give"), HumanMessage("x" * 99)], **more})


def content(rng: Random) -> Any:
    """A text, or blocks of text, now and then with an image."""
    if rng.random() < 0.7:
        return lines(rng)
    blocks: list[Any] = [{"type": "text", "text": lines(rng)} for _ in range(rng.randrange(1, 4))]
    return [*blocks, IMAGE] if rng.random() < 0.5 else blocks


def call(rng: Random, id: str) -> dict[str, Any]:
    """A call of a turn."""
    if rng.random() < 0.1:
        return {"name": "ls", "args": {"path": "/"}, "id": id, "type": "tool_call"}
    args = {"content": content(rng), "update": rng.random() < 0.3, "write": rng.random() < 0.5}
    return {"name": "give", "args": args, "id": id, "type": "tool_call"}


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """A turn or two."""
    for _ in range(CASES):
        ids = iter(rng.sample([one for one in IDS if one], 4))
        replies = [
            {"content": "", "tool_calls": [call(rng, next(ids)) for _ in range(rng.choice([1, 1, 2]))]} for _ in range(rng.choice([1, 2]))
        ]
        limit = rng.choice([0, 1, 3, 5, 20, 300, None])
        middleware = FilesystemMiddleware(backend=StateBackend(), tool_token_limit_before_evict=limit)
        agent = create_agent(Scripted(replies=replies), [give], middleware=[middleware])

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human(), "files": FILES}, {"max_concurrency": 1})
            return {
                "messages": [shown(m) for m in result["messages"] if m.type != "ai"],
                "files": {p: f["content"] for p, f in result.get("files", {}).items()},
            }

        yield {"in": {"limit": limit, "files": FILES, "replies": replies}, **outcome(lambda: run_async(run()))}
