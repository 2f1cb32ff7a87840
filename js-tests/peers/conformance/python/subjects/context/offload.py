"""deepagents' moving of long results and of a long last message of the user to files.

`in` is `{messages, tool_tokens, human_tokens}`; `out` is `{files, messages, tagged}`:
the files written, the messages of the request, those of the state's update. In the
path of a file whose name deepagents makes up, that name is `<uuid>`.
"""

from __future__ import annotations

import re
from random import Random
from types import SimpleNamespace
from typing import Any, Iterator

from deepagents.middleware.filesystem import TOOLS_EXCLUDED_FROM_EVICTION, FilesystemMiddleware
from langchain_core.messages import ToolMessage

from .deep import Backend
from .conversations import Message
from .messages import Pool, ask, real_list, told
from .text import ODD, text

CASES = 120
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|unknown-[0-9a-f]{8}")
ENDS = ("\n", "\n", "\n", "\r\n", "\r", "\n\n", "\v", "\f", "\x1c", "\x85", "\u2028")
IDS = ("c1", "a.b/c\\d", "call_" + "x" * 27, "call_" + "x" * 28, "y" * 128, "y" * 129, "é" * 65, "日.本", "")
TOOLS = ("find", "find", "find", None, "", "read_file", "grep", "delete")
LONG = "z" * 999


def lines(rng: Random) -> str:
    """A text of up to fifteen lines, some of them about as long as a preview shows."""
    made = ""
    for _ in range(rng.choice([0, 1, 4, 9, 10, 11, 12, 15])):
        line = rng.choice([text(rng, 1), "", "x", rng.choice(ODD)])
        if rng.random() < 0.02:
            line = LONG + rng.choice(["", "1", "12", "😀", "😀1"])
        made += line + rng.choice(ENDS)
    return made if rng.random() < 0.5 else made + text(rng, 1)


def content(rng: Random) -> Any:
    """A text, or blocks of text."""
    if rng.random() < 0.75:
        return lines(rng)
    return [rng.choice([part, {"type": "text", "text": part}]) for part in (lines(rng) for _ in range(rng.randrange(4)))]


def case(rng: Random) -> dict[str, Any]:
    """A few calls with results, and mostly a message of the user at the end."""
    messages: list[Message] = []
    for n in range(rng.randrange(1, 4)):
        call = rng.choice(IDS)
        name = rng.choice(TOOLS)
        messages.append({"type": "ai", "content": "", "id": f"a{n}", "tool_calls": [{"name": name or "find", "args": {}, "id": call}]})
        result: Message = {"type": "tool", "content": content(rng), "tool_call_id": call, "id": f"t{n}"}
        if name is not None:
            result["name"] = name
        if rng.random() < 0.2:
            result |= {"status": "error", "artifact": {"rows": 1}}
        messages.append(result)
        if rng.random() < 0.2:
            tag = rng.choice(["/conversation_history/old.md", ""])
            messages.append({"type": "human", "content": content(rng), "id": f"h{n}", "additional_kwargs": {"lc_evicted_to": tag}})
    if rng.random() < 0.7:
        extra = {"additional_kwargs": {"a": 1}} if rng.random() < 0.3 else {}
        messages.append({"type": "human", "content": content(rng), "id": "last", **extra})
    return {
        "messages": messages,
        "tool_tokens": rng.choice([0, 1, 1, 3, 5, 20, 300, None]),
        "human_tokens": rng.choice([0, 1, 1, 3, 5, 20, 300, None]),
    }


def offload(given: dict[str, Any], messages: list[Message]) -> dict[str, Any]:
    """A result is moved where it arrives, the user's message before the model is called."""
    backend = Backend()
    middleware = FilesystemMiddleware(
        backend=backend,
        tool_token_limit_before_evict=given["tool_tokens"],
        human_message_token_limit_before_evict=given["human_tokens"],
    )
    conversation = real_list(messages)
    calls: dict[Any, str] = {}
    for at, message in enumerate(conversation):
        calls |= {call["id"]: call["name"] for call in getattr(message, "tool_calls", [])}
        if not isinstance(message, ToolMessage) or calls[message.tool_call_id] in TOOLS_EXCLUDED_FROM_EVICTION:
            continue
        moved, evicted = middleware._process_large_message(message, backend)
        if evicted:
            moved.__dict__["_at"] = at
            conversation[at] = moved
    evicted = middleware._evict_and_truncate_messages(SimpleNamespace(messages=conversation))
    request, command = evicted or (conversation, None)
    tagged = command.update["messages"] if command else []
    return masked({"files": backend.files, "messages": told(request, messages), "tagged": told(tagged, messages)})


def masked(value: Any) -> Any:
    """Without the names that are made up."""
    if isinstance(value, str):
        return UUID.sub("<uuid>", value)
    if isinstance(value, list):
        return [masked(item) for item in value]
    return {masked(key): masked(item) for key, item in value.items()} if isinstance(value, dict) else value


def record(rng: Random, pool: Pool) -> Iterator[dict[str, Any]]:
    """Each case has its own messages."""
    for _ in range(CASES):
        given = case(rng)
        yield ask(given, pool, lambda messages: offload(given, messages))
