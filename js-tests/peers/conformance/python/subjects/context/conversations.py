"""The conversations that the other subjects refer to by index."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any, Callable, Iterator

from .text import odd_text, text

Message = dict[str, Any]
TOOLS = ("find", "add", "read_file", "write_file", "edit_file")
PROVIDERS = ("openai", "anthropic", "bedrock_converse", "google_genai")


class Builder:
    """One conversation in the making, and what its next message needs."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.messages: list[Message] = []
        self.calls = 0

    def add(self, kind: str, content: Any = None, **fields: Any) -> Message:
        """Append a message with an id of its own."""
        if content is None:
            content = text(self.rng, self.rng.choice([1, 1, 1, 2]))
        message = {"type": kind, "content": content, "id": f"m{len(self.messages)}", **fields}
        self.messages.append(message)
        return message

    def call(self, name: str | None = None) -> dict[str, Any]:
        """A tool call with an id of its own."""
        self.calls += 1
        name = name or self.rng.choice(TOOLS)
        made = {"name": name, "args": arguments(self.rng, name), "id": f"c{self.calls}"}
        if self.rng.random() < 0.5:
            made["type"] = "tool_call"
        return made

    def ask(self, count: int) -> list[dict[str, Any]]:
        """An AI message that calls `count` tools; returns the calls."""
        calls = [self.call() for _ in range(count)]
        self.add("ai", self.rng.choice(["", None, [{"type": "text", "text": "I look."}]]), tool_calls=calls)
        return list(calls)

    def answer(self, call: dict[str, Any]) -> Message:
        """The result of a call."""
        fields: dict[str, Any] = {"tool_call_id": call["id"]}
        if self.rng.random() < 0.5:
            fields["name"] = call["name"]
        if self.rng.random() < 0.1:
            fields["status"] = "error"
        if self.rng.random() < 0.1:
            fields["artifact"] = {"rows": [1, 2]}
        content = [{"type": "text", "text": text(self.rng)}] if self.rng.random() < 0.1 else None
        return self.add("tool", content, **fields)

    def some(self) -> int:
        """How many calls an AI message makes: mostly one."""
        return self.rng.choice([1, 1, 1, 2, 2, 3])


def arguments(rng: Random, name: str) -> dict[str, Any]:
    """Arguments as the tool of that name takes them."""
    if name == "write_file":
        return {"file_path": "/a.md", "content": text(rng, 4)}
    if name == "edit_file":
        made = {"file_path": "/a.md", "old_string": text(rng, 2), "new_string": text(rng, 3)}
        return {**made, "replace_all": True} if rng.random() < 0.3 else made
    if name == "read_file":
        return {"file_path": "/a.md", "limit": rng.randrange(1000)}
    if name == "add":
        return {"a": rng.randrange(10), "b": rng.choice([0.5, 1e-07, -2.25, None, False])}
    return rng.choice([{}, {"query": text(rng, 1)}, {"query": odd_text(rng), "in": ["a", {"b": None}]}])


def plain(at: Builder) -> None:
    """Each call answered at once, parallel ones in any order."""
    for _ in range(at.rng.randrange(1, 5)):
        at.add("human")
        for _ in range(at.rng.randrange(3)):
            calls = at.ask(at.some())
            at.rng.shuffle(calls)
            for call in calls:
                at.answer(call)
        if at.rng.random() < 0.8:
            at.add("ai")


def mixed(at: Builder) -> None:
    """Runs of results that belong to several AI messages before them."""
    for _ in range(at.rng.randrange(1, 4)):
        at.add("human")
        calls = [call for _ in range(at.rng.randrange(2, 4)) for call in at.ask(at.some())]
        at.rng.shuffle(calls)
        for call in calls:
            at.answer(call)
        if at.rng.random() < 0.6:
            at.add("ai")


def late(at: Builder) -> None:
    """Results after messages that came in between."""
    for _ in range(at.rng.randrange(1, 4)):
        at.add("human")
        for call in at.ask(at.some()):
            for _ in range(at.rng.choice([0, 1, 1, 2])):
                at.add(at.rng.choice(["human", "ai", "system"]))
            at.answer(call)
        if at.rng.random() < 0.3:
            at.ask(1)


def orphans(at: Builder) -> None:
    """A plain one without some of its messages, and with results nobody asked for."""
    plain(at)
    at.messages[:] = [m for m in at.messages if at.rng.random() < 0.75]
    for n in range(at.rng.randrange(1, 3)):
        orphan = {"type": "tool", "content": "?", "id": f"o{n}", "tool_call_id": f"gone{n}"}
        at.messages.insert(at.rng.randrange(len(at.messages) + 1), orphan)


def duplicates(at: Builder) -> None:
    """Few ids, of calls and of messages, used again and again."""
    at.rng.choice([plain, mixed, late])(at)
    for message in at.messages:
        for call in message.get("tool_calls", []):
            call["id"] = at.rng.choice(["c1", "c2", "c3"])
        if "tool_call_id" in message:
            message["tool_call_id"] = at.rng.choice(["c1", "c2", "c3"])
        message["id"] = at.rng.choice(["m1", "m2", "m3", "m4"])
    asking = [n for n, message in enumerate(at.messages) if message.get("tool_calls")]
    if asking and at.rng.random() < 0.5:
        # An AI message and its equal.
        n = at.rng.choice(asking)
        at.messages.insert(n, deepcopy(at.messages[n]))


def edited(at: Builder) -> None:
    """Results and arguments, some of them cleared by an earlier edit."""
    at.rng.choice([plain, plain, mixed])(at)
    for message in at.messages:
        if message["type"] == "tool" and at.rng.random() < 0.5:
            cleared = at.rng.random() < 0.8
            message["content"] = "[gone]" if cleared else message["content"]
            message["response_metadata"] = {"context_editing": {"cleared": cleared}, "a": 1}
        if message["type"] == "tool" and at.rng.random() < 0.4:
            # Not always the name in the call.
            message["name"] = at.rng.choice(TOOLS)
        if message["type"] == "ai" and "tool_calls" in message and at.rng.random() < 0.3:
            inputs = {"cleared_tool_inputs": ["z", message["tool_calls"][0]["id"]]}
            message["response_metadata"] = {"context_editing": inputs}


def writes(at: Builder) -> None:
    """An agent that writes files."""
    at.add("human")
    for _ in range(at.rng.randrange(3, 9)):
        calls = [at.call(at.rng.choice(TOOLS[2:])) for _ in range(at.some())]
        at.add("ai", at.rng.choice(["", None]), tool_calls=calls)
        for call in calls:
            at.answer(call)
    at.add("ai")


def reported(at: Builder) -> None:
    """AI messages with the provider's own count."""
    plain(at)
    provider = at.rng.choice(PROVIDERS)
    for message in at.messages:
        if message["type"] != "ai" or at.rng.random() < 0.1:
            continue
        message["response_metadata"] = {"model_provider": provider}
        if at.rng.random() < 0.8:
            message["usage_metadata"] = usage(at.rng.randrange(800))


def usage(total: int) -> dict[str, int]:
    """Usage metadata; Python's model of it has three required fields."""
    return {"input_tokens": total - total // 4, "output_tokens": total // 4, "total_tokens": total}


def reasoning(at: Builder) -> None:
    """AI messages with blocks of reasoning, of several providers."""
    plain(at)
    kinds = ("thinking", "redacted_thinking", "reasoning_content", "reasoning", "text", "text")
    for message in at.messages:
        if message["type"] != "ai" or at.rng.random() < 0.2:
            continue
        message["content"] = [block(at.rng, at.rng.choice(kinds)) for _ in range(at.rng.randrange(4))]
        metadata: dict[str, Any] = {}
        if at.rng.random() < 0.7:
            metadata["model_provider"] = at.rng.choice((*PROVIDERS, "bedrock", "", None))
        if at.rng.random() < 0.6:
            metadata["model_name"] = at.rng.choice(["Claude-5", "eu.anthropic.x", "gpt-6", "nova"])
        if metadata:
            message["response_metadata"] = metadata


def block(rng: Random, kind: str) -> Any:
    """A content block of that kind."""
    if kind == "text":
        return rng.choice(["plain", {"type": "text", "text": text(rng)}])
    if kind == "redacted_thinking":
        return {"type": kind, "data": "Eo8="}
    if kind == "reasoning_content":
        return {"type": kind, "reasoning_content": {"text": "hm", "signature": "s"}}
    return {"type": kind, kind: "Let me see"}


def wild(at: Builder) -> None:
    """Any message after any other."""
    rng = at.rng
    for n in range(rng.randrange(1, 16)):
        kind = rng.choice(["human", "human", "ai", "ai", "ai", "tool", "tool", "tool", "system", "other"])
        message: Message = {"type": kind, "content": rng.choice([text(rng, 2), odd_text(rng)])}
        if kind == "other":
            message["type"] = rng.choice(
                ["function", "chat", "AIMessageChunk", "HumanMessageChunk", "ToolMessageChunk", "SystemMessageChunk"]
            )
        if rng.random() < 0.85:
            message["id"] = rng.choice([f"m{n}", f"m{n}", "m1", ""])
        if rng.random() < 0.15:
            message["name"] = rng.choice(["bob", "Zoë", ""])
        wild_fields(rng, message)
        at.messages.append(message)


def wild_fields(rng: Random, message: Message) -> None:
    """The fields that the message's type needs, and some optional ones."""
    kind = message["type"]
    ids: list[Any] = ["c1", "c2", "c3", "", None]
    if kind in ("ai", "AIMessageChunk") and rng.random() < 0.7:
        names = [rng.choice(TOOLS) for _ in range(rng.randrange(1, 4))]
        message["tool_calls"] = [
            {"name": name, "args": arguments(rng, name), "id": rng.choice(ids)} for name in names
        ]
    if kind == "ai" and rng.random() < 0.3:
        bad = {"name": rng.choice(["find", None]), "args": '{"a', "id": rng.choice(ids), "error": None}
        message["invalid_tool_calls"] = [{**bad, "type": "invalid_tool_call"}]
    if kind in ("tool", "ToolMessageChunk"):
        message["tool_call_id"] = rng.choice(["c1", "c2", "c3", "c4", ""])
        if rng.random() < 0.15:
            message["response_metadata"] = {"context_editing": {"cleared": rng.random() < 0.7}, "a": 1}
    if kind == "function":
        message["name"] = "f"
    if kind == "chat":
        message["role"] = rng.choice(["critic", "user"])
    if kind == "system" and rng.random() < 0.3:
        message["additional_kwargs"] = {"__openai_role__": "developer"}
    if kind == "human" and rng.random() < 0.1:
        message["additional_kwargs"] = {"lc_source": "summarization"}


KINDS: dict[Callable[[Builder], None], int] = {
    plain: 24, mixed: 26, late: 20, orphans: 18, duplicates: 16, edited: 10, writes: 13, reported: 18, reasoning: 16,
    wild: 32,
}


def record(rng: Random) -> Iterator[list[Message]]:
    """The pool. One in four begins with a system message; one in ten has lost ids."""
    yield []
    for kind, count in KINDS.items():
        for _ in range(count):
            at = Builder(rng)
            kind(at)
            if kind is not wild and rng.random() < 0.25:
                at.messages.insert(0, {"type": "system", "content": text(rng), "id": "s"})
            if rng.random() < 0.1:
                for message in at.messages:
                    if rng.random() < 0.5:
                        message.pop("id", None)
            yield at.messages
