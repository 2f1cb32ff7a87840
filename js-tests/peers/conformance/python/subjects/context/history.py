"""deepagents' history file: the section that a summarization appends.

`in` is `{messages, before}`: the messages that are summarized, and the file so far
(absent: none). `out` is the file, its times written `<now>`.
"""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from .deep import STAMP, Backend, middleware
from .messages import Pool, ask, real_list
from .conversations import Message
from .text import text

POOLED = 70
ODD = 60
PATH = "/conversation_history/session_1.md"
BLOCKS: list[Any] = [
    "a < b & c > 'd' \"e\"", "", {"type": "text", "text": "<b>é</b>"}, {"type": "text", "text": ""}, {"type": "text"},
    {"type": "reasoning", "reasoning": "a & b"}, {"type": "reasoning"}, {"type": "thinking", "thinking": "hm"},
    {"type": "image", "url": "https://example.org/a?b=1&c=\"2\""}, {"type": "image", "file_id": "f'1"},
    {"type": "image", "base64": "AAAA", "mime_type": "image/png"}, {"type": "image"},
    {"type": "image_url", "image_url": {"url": "https://example.org/<a>"}},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, {"type": "image_url", "image_url": "u"},
    {"type": "audio", "url": "https://example.org/a.mp3"}, {"type": "audio", "file_id": "f2"},
    {"type": "video", "url": "https://example.org/\n"}, {"type": "video"}, {"type": "text-plain", "text": "<" * 501},
    {"type": "text-plain", "text": "é" * 500},
    {"type": "server_tool_call", "id": "s1", "name": "find", "args": {"query": "a < b", "n": [0.5, None]}},
    {"type": "server_tool_call", "args": {"query": "日" * 500}},
    {"type": "server_tool_result", "tool_call_id": "s1", "status": "success", "output": {"a": "<é>"}},
    {"type": "server_tool_result", "output": []}, {"type": "web_search"}, {},
]


def odd(rng: Random) -> list[Message]:
    """Messages with what XML escapes, blocks of every kind, and odd calls."""
    made: list[Message] = []
    for _ in range(rng.randrange(1, 4)):
        kind = rng.choice(["human", "ai", "ai", "tool", "system", "chat", "function", "summary"])
        content = rng.choice([text(rng), [rng.choice(BLOCKS) for _ in range(rng.randrange(4))], "<&>\"'"])
        message: Message = {"type": "human" if kind == "summary" else kind, "content": content}
        if kind == "ai" and rng.random() < 0.6:
            id_ = rng.choice(["c1", "", None, "c" * 64, "c" * 65, "a\"b'<&>\n"])
            args = rng.choice([{}, {"q": "é < 1", "n": [0.5, True, None]}])
            message["tool_calls"] = [{"name": rng.choice(["find", "a'b", "a\"b'c"]), "args": args, "id": id_}]
        elif kind == "ai" and rng.random() < 0.3:
            message["additional_kwargs"] = {"function_call": {"name": "f", "arguments": rng.choice(["", "{\"a\": 1}"])}}
        elif kind == "tool":
            message["tool_call_id"] = "c1"
        elif kind == "chat":
            message["role"] = "critic <x>"
        elif kind == "function":
            message["name"] = "f"
        elif kind == "summary":
            message["additional_kwargs"] = {"lc_source": "summarization"}
        made.append(message)
    return made


def offload(before: str | None, messages: list[Message]) -> str:
    """The file afterwards."""
    backend = Backend({} if before is None else {PATH: before})
    path = middleware({}, backend)._offload_to_backend(backend, real_list(messages), "session_1")
    return STAMP.sub("<now>", backend.files[path])


def record(rng: Random, pool: Pool) -> Iterator[dict[str, Any]]:
    """The pool's shorter conversations, then odd messages."""
    short = sorted(range(len(pool)), key=lambda at: len(str(pool[at])))[: POOLED * 2]
    chosen = rng.sample(short, POOLED)
    for n in range(POOLED + ODD):
        given: dict[str, Any] = {"messages": chosen[n] if n < POOLED else odd(rng)}
        if rng.random() < 0.15:
            given["before"] = rng.choice(["", "## Summarized at <then>\n\nold\n\n"])
        yield ask(given, pool, lambda messages: offload(given.get("before"), messages))
