"""langchain-core's trim_messages(messages, **options).

`in` is `{messages, options}`. In the options a function has a name, see COUNTERS
and SPLITTERS; any other `token_counter` is given as it is. The answer tells
the messages as `told` does.
"""

from __future__ import annotations

from random import Random
from typing import Any, Callable, Iterator

from langchain_core.messages import BaseMessage
from langchain_core.messages.utils import trim_messages

from .messages import Pool, ask, budget, real_list, told, total
from .text import text

CASES = 640


def characters(messages: list[BaseMessage]) -> int:
    """The code points of all text: strings, string blocks and text blocks."""
    count = 0
    for message in messages:
        blocks = [message.content] if isinstance(message.content, str) else message.content
        count += sum(len(text_of(block)) for block in blocks)
    return count


def text_of(block: Any) -> str:
    """A string or a block's text."""
    return block if isinstance(block, str) else block.get("text", "")


def squares(messages: list[BaseMessage]) -> int:
    """A count of a list that is not the sum of its messages' counts."""
    return len(messages) ** 2


COUNTERS: dict[str, Callable[[list[BaseMessage]], int]] = {"len": len, "characters": characters, "squares": squares}
SPLITTERS: dict[str, Callable[[str], list[str]]] = {"characters": list, "spaces": lambda given: given.split(" ")}
KINDS = ("human", "ai", "tool", "system", ["human", "ai"], ["human", "tool"], ["ai"], "AIMessageChunk",
         ["human", "HumanMessageChunk"], "user", [], "")


def blocks(rng: Random) -> list[dict[str, Any]]:
    """Two or three messages whose lists of blocks and lines can be cut."""
    made = []
    for n in range(rng.randrange(1, 4)):
        parts: list[Any] = []
        for _ in range(rng.randrange(1, 6)):
            line = rng.choice(["aaaa", "bb", "", "A\nBB\nCCC", "x\n", "\n\n", "日本\n語", text(rng, 1)])
            parts.append(rng.choice([
                line, {"type": "text", "text": line}, {"type": "text", "text": line, "index": 1},
                {"type": "image_url", "image_url": {"url": "u"}}, {"type": "text"}, {"type": "thinking", "text": line},
            ]))
        content: Any = parts if rng.random() < 0.6 else "\n".join(text_of(part) for part in parts)
        kind = rng.choice(["human", "ai", "system"] if n == 0 else ["human", "ai"])
        if rng.random() < 0.2:
            kind = {"human": "HumanMessageChunk", "ai": "AIMessageChunk", "system": "SystemMessageChunk"}[kind]
        message: dict[str, Any] = {"type": kind, "content": content, "id": f"b{n}"}
        if kind == "ai" and rng.random() < 0.3:
            message["tool_calls"] = [{"name": "find", "args": {}, "id": "c1"}]
        made.append(message)
    return made


def size(rng: Random, counter: Any, messages: list[dict[str, Any]]) -> int:
    """A budget that suits the counter."""
    if counter == "approximate":
        return budget(rng, total(messages))
    if counter == "characters":
        return budget(rng, characters(real_list(messages)))
    count = min(rng.randrange(len(messages) + 2), rng.randrange(len(messages) + 2) + 2)
    return count * count + rng.randrange(count + 3) if counter == "squares" else count


def case(rng: Random, pool: Pool) -> dict[str, Any]:
    """Most of them trim a conversation; some cut a few messages' content."""
    messages: Any = blocks(rng) if rng.random() < 0.4 else rng.randrange(len(pool))
    counter = rng.choice(["len", "len", *["approximate"] * 3, "characters", "characters", "squares"])
    if isinstance(messages, list):
        counter = rng.choice(["characters", "characters", "approximate"])
    given = messages if isinstance(messages, list) else pool[messages]
    options: dict[str, Any] = {"max_tokens": size(rng, counter, given), "token_counter": counter}
    last = rng.random() < 0.75
    if not last:
        options["strategy"] = "first"
    elif rng.random() < 0.3:
        options["strategy"] = "last"
    if rng.random() < (0.9 if isinstance(messages, list) else 0.7 if counter == "squares" else 0.3):
        options["allow_partial"] = True
        if rng.random() < 0.2:
            options["text_splitter"] = rng.choice(sorted(SPLITTERS))
    if rng.random() < 0.25:
        options["end_on"] = rng.choice(KINDS)
    if last and rng.random() < 0.4:
        options["start_on"] = rng.choice(["human", *KINDS])
    if last and rng.random() < 0.4:
        options["include_system"] = True
    if rng.random() < 0.04:
        options |= rng.choice([
            {"strategy": "first", "start_on": "human"}, {"strategy": "first", "include_system": True},
            {"strategy": "middle"}, {"token_counter": "exact"}, {"token_counter": 5}, {"max_tokens": -1},
        ])
    return {"messages": messages, "options": options}


def trim(options: dict[str, Any], messages: list[dict[str, Any]]) -> list[Any]:
    """Call it with the functions that the names stand for."""
    counter = options["token_counter"]
    named = {**options, "token_counter": COUNTERS.get(counter, counter)}
    if "text_splitter" in options:
        named["text_splitter"] = SPLITTERS[options["text_splitter"]]
    return told(trim_messages(real_list(messages), **named), messages)


def record(rng: Random, pool: Pool) -> Iterator[dict[str, Any]]:
    """Systems first are rare enough in the pool to be asked for apart."""
    systems = [at for at, messages in enumerate(pool) if messages and messages[0]["type"] == "system"]
    made = 0
    while made < CASES:
        given = case(rng, pool)
        if isinstance(given["messages"], int) and given["options"].get("include_system") and rng.random() < 0.7:
            given["messages"] = rng.choice(systems)
        one = ask(given, pool, lambda messages: trim(given["options"], messages))
        # Nothing left says little, and would be a third of the answers.
        if one.get("out") != [] or rng.random() < 0.3:
            made += 1
            yield one
