"""Code that every subject shares: JSON in, real messages through, JSON out."""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Iterable

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    FunctionMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    SystemMessageChunk,
    ToolMessage,
    ToolMessageChunk,
)

UUID = re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

CLASSES = {
    "ai": AIMessage,
    "human": HumanMessage,
    "system": SystemMessage,
    "tool": ToolMessage,
    "function": FunctionMessage,
    "AIMessageChunk": AIMessageChunk,
    "HumanMessageChunk": HumanMessageChunk,
    "SystemMessageChunk": SystemMessageChunk,
    "ToolMessageChunk": ToolMessageChunk,
}


def to_message(data: dict[str, Any]) -> BaseMessage:
    """The message object that a LangChain dict stands for.

    A graph holds tool calls whose args are still a string (CopilotKit writes
    them so), yet the constructor refuses them: they are put in afterwards.
    """
    kind = data["type"]
    if kind == "remove":
        return RemoveMessage(id=data["id"])
    fields = {k: v for k, v in data.items() if k not in ("type", "tool_calls")}
    message = CLASSES[kind](**fields)
    if data.get("tool_calls"):
        message.tool_calls = [dict(call) for call in data["tool_calls"]]
    return message


def to_argument(data: Any) -> Any:
    """The Python value for a JSON caller's `data`.

    Only the two shapes that have no dict form in Python become objects:
    RemoveMessage and the chunk classes. All else goes through the packages'
    own coercion, which is part of what is recorded.
    """
    if isinstance(data, list):
        return [to_argument(item) for item in data]
    if isinstance(data, dict):
        kind = data.get("type")
        bare_removal = kind == "remove" and "content" not in data
        if "role" not in data and (bare_removal or str(kind).endswith("Chunk")):
            return to_message(data)
    return data


def plain_message(message: Any) -> Any:
    """A message reduced to the fields that the reducers look at."""
    if not isinstance(message, BaseMessage):
        return message
    id_ = message.id
    out = {
        "type": message.type,
        "content": message.content,
        "id": "<uuid>" if id_ and UUID.match(id_) else id_,
    }
    if message.name is not None:
        out["name"] = message.name
    if isinstance(message, ToolMessage):
        out["tool_call_id"] = message.tool_call_id
    if getattr(message, "tool_calls", None):
        out["tool_calls"] = [
            {"name": call["name"], "args": call["args"], "id": call["id"]}
            for call in message.tool_calls
        ]
    return out


def plain(value: Any) -> Any:
    """`value` as JSON, messages and pydantic models inside it included."""
    if isinstance(value, BaseMessage):
        return plain_message(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "model_dump"):
        return plain(value.model_dump())
    return value


def answer(given: Any, call: Callable[[], Any]) -> dict[str, Any]:
    """One record: what the reference returned, or the first line of its error.

    The lines after the first are links to help pages, or pydantic's own.
    """
    try:
        return {"in": given, "out": plain(call())}
    except Exception as error:  # noqa: BLE001 - any failure is an answer
        text = str(error).split("\n", 1)[0]
        return {"in": given, "error": text, "raised": type(error).__name__}


def to_text(records: Iterable[dict[str, Any]]) -> str:
    """A JSON array with one element per line, so that a diff shows the case."""
    lines = [
        json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        for record in records
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"
