"""Code that the agents' subjects share: a model that plays a script, and messages as they are compared."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, Callable

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

Reply = dict[str, Any]


class Scripted(BaseChatModel):
    """Answers with the replies of a script, one a call; then with `done`. A reply `{"raise": text}` is raised."""

    replies: list[Reply]
    calls: int = 0
    seen: list[Any] = []

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        at, self.calls = self.calls, self.calls + 1
        self.seen.append([shown(message) for message in messages])
        reply = self.replies[at] if at < len(self.replies) else {"content": "done"}
        if "raise" in reply:
            raise ValueError(reply["raise"])
        message = AIMessage(content=reply["content"], tool_calls=reply.get("tool_calls", []))
        return ChatResult(generations=[ChatGeneration(message=message)])


def shown(message: BaseMessage) -> dict[str, Any]:
    """A message without its id, which is made up, and without empty fields."""
    out: dict[str, Any] = {"type": message.type, "content": message.content}
    if isinstance(message, ToolMessage):
        out["tool_call_id"] = message.tool_call_id
        out["status"] = message.status
    if message.name:
        out["name"] = message.name
    if isinstance(message, AIMessage) and message.tool_calls:
        out["tool_calls"] = [{"name": c["name"], "args": c["args"], "id": c["id"]} for c in message.tool_calls]
    return out


def call(name: str, args: dict[str, Any], number: int) -> dict[str, Any]:
    """A tool call."""
    return {"name": name, "args": args, "id": f"c{number}", "type": "tool_call"}


def json_for_repr(text: str, value: Any) -> str:
    """`text` with Python's repr of `value` as the JSON that JavaScript writes: a difference that the docs name."""
    return text.replace(repr(value), json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def arrows(graph: Any) -> list[list[Any]]:
    """The edges of a graph: from, to, whether conditional; sorted."""
    drawn = graph.get_graph()
    return sorted([edge.source, edge.target, bool(edge.conditional)] for edge in drawn.edges)


def outcome(run: Callable[[], Any]) -> dict[str, Any]:
    """The outcome of a run: its answer, or the class and the first line of its exception."""
    try:
        return {"out": run()}
    except Exception as error:  # noqa: BLE001 - any failure is an answer
        return {"error": str(error).split("\n", 1)[0], "raised": type(error).__name__}


def human(text: str = "go") -> list[Any]:
    """The input of a run."""
    return [HumanMessage(text)]


TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.+]+")


def run_async(coroutine: Any) -> Any:
    """Parallel tools run in threads otherwise, in no order."""
    return asyncio.run(coroutine)
