"""langchain-core's count_tokens_approximately(messages, **options).

`in` is `{messages, options}`; messages are an index of the pool or a list.
A float in a block or in arguments is never a whole one: JSON's readers in
other languages cannot tell 1.0 from 1, and Python writes them differently.
"""

from __future__ import annotations

from random import Random
from typing import Any, Iterator
from unicodedata import category

from langchain_core.messages.utils import count_tokens_approximately

from .conversations import PROVIDERS, arguments, usage
from .messages import Pool, ask, real
from .text import odd_text, text

KEYS = ("a", "type", "it's", 'say "x"', "é", "日本", "10", "2", "\n", "", "__proto__", "\U000e0001")


def value(rng: Random, depth: int = 2) -> Any:
    """Any JSON value: what repr and json.dumps write differently most of all."""
    if depth and rng.random() < 0.35:
        if rng.random() < 0.5:
            return [value(rng, depth - 1) for _ in range(rng.randrange(4))]
        return {rng.choice(KEYS): value(rng, depth - 1) for _ in range(rng.randrange(4))}
    return rng.choice([
        None, True, False, 0, -7, 2**53 - 1, rng.randrange(10**9), 0.5, 1e-07, 1.5e-10, 1e-05, 0.0001, -0.00012345,
        123456.789, 1 / 3, 5e-324, 2.5e15 + 0.5, rng.uniform(-9, 9), odd_text(rng), odd_text(rng), text(rng, 1), "",
    ])


def block(rng: Random) -> Any:
    """A content block, of the kinds that count apart or of another."""
    roll = rng.randrange(9)
    if roll == 0:
        return odd_text(rng)
    if roll == 1:
        return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * rng.randrange(99)}}
    if roll == 2:
        return {"type": "image", "source_type": "url", "url": "https://example.org/a.png"}
    if roll == 3:
        return {"type": "text", "text": text(rng)}
    if roll == 4:
        return rng.choice([{"type": "text"}, {"type": "text", "text": "", "index": 0}, {"text": "no type"}, {}])
    if roll == 5:
        return {"type": "tool_use", "id": "t1", "name": "find", "input": value(rng)}
    if roll == 6:
        return {"type": rng.choice([None, 5, "thinking"]), "thinking": odd_text(rng), "signature": "x"}
    made = {rng.choice(KEYS): value(rng) for _ in range(rng.randrange(4))}
    # A type that Python cannot hash is not worth an answer.
    return {**made, "type": 5} if isinstance(made.get("type"), (dict, list)) else made


def content(rng: Random) -> Any:
    """A string or a list of blocks."""
    if rng.random() < 0.4:
        return rng.choice([text(rng), odd_text(rng)])
    return [block(rng) for _ in range(rng.choice([0, 1, 1, 2, 3]))]


def message(rng: Random) -> dict[str, Any]:
    """A message of any kind with all that counts, and some that does not."""
    kind = rng.choice(["human", "ai", "ai", "ai", "tool", "system", "function", "chat", "AIMessageChunk",
                       "HumanMessageChunk", "SystemMessageChunk", "ToolMessageChunk"])
    made: dict[str, Any] = {"type": kind, "content": content(rng)}
    if rng.random() < 0.3:
        made["name"] = rng.choice(["bob", "", None, "Zoë 😀", "x" * 30])
    if kind in ("ai", "AIMessageChunk") and rng.random() < 0.6:
        made["tool_calls"] = [call(rng) for _ in range(rng.randrange(3))]
    if kind == "ai" and rng.random() < 0.2:
        made["invalid_tool_calls"] = [{"name": "find", "args": odd_text(rng), "id": "x", "error": "bad"}]
    if kind in ("tool", "ToolMessageChunk"):
        made["tool_call_id"] = rng.choice(["", "call_1", "toolu_01" + "A" * 20, "日"])
        made |= rng.choice([{}, {}, {"status": "error"}, {"artifact": {"a": [1]}}])
    if kind == "function":
        made["name"] = rng.choice(["f", "look_up"])
    if kind == "chat":
        made["role"] = rng.choice(["", "critic", "a role of some length"])
    if kind == "system" and rng.random() < 0.5:
        made["additional_kwargs"] = {"__openai_role__": rng.choice(["developer", "developer", "", 5])}
    if rng.random() < 0.1:
        made["additional_kwargs"] = {"big": "x" * 50}
    if rng.random() < 0.3:
        made["id"] = "m1"
    return made


def call(rng: Random) -> dict[str, Any]:
    """A tool call, its keys in any order."""
    name = rng.choice(["find", "add", "write_file", "it's"])
    args = arguments(rng, name) if rng.random() < 0.4 else {rng.choice(KEYS): value(rng) for _ in range(rng.randrange(4))}
    made = [("name", name), ("args", args), ("id", rng.choice(["c1", None, "", "call_é"])), ("type", "tool_call")]
    rng.shuffle(made)
    return dict(made)


def openai_message(rng: Random) -> dict[str, Any]:
    """A message as OpenAI's clients write it; LangChain converts it first."""
    role = rng.choice(["user", "assistant", "system", "developer", "tool"])
    made: dict[str, Any] = {"role": role, "content": text(rng)}
    if role == "tool":
        made["tool_call_id"] = "c1"
    if role == "assistant" and rng.random() < 0.6:
        function = {"name": "find", "arguments": rng.choice(['{"n":1}', "{}", ' {"n": [0.5, "é"]} '])}
        made["content"] = rng.choice([None, "x"])
        made["tool_calls"] = [{"id": "c1", "type": "function", "function": function}]
    if rng.random() < 0.2:
        made["name"] = "bob"
    return made


def tool(rng: Random) -> dict[str, Any]:
    """A tool's schema, bare or in OpenAI's envelope."""
    properties = {rng.choice(KEYS): {"type": "integer", "default": value(rng)} for _ in range(rng.randrange(3))}
    made = {"name": rng.choice(["f", "find"]), "description": odd_text(rng) + text(rng, 1),
            "parameters": {"type": "object", "properties": properties, "required": list(properties)}}
    return rng.choice([made, {"type": "function", "function": made}, {"type": "web_search", "max_uses": 3}])


def characters(rng: Random) -> Iterator[str]:
    """Strings of code points from everywhere, all assigned long ago."""
    known = [chr(n) for n in range(0x110000) if category(chr(n)) not in ("Cn", "Cs", "Co")]
    basic = [c for c in known if ord(c) < 0x10000 and not "\u3400" <= c <= "\ud7ff"]
    odd = [c for c in known if category(c)[0] in "CZ"]
    for _ in range(30):
        yield "".join(rng.choice(rng.choice([known, basic, basic, odd])) for _ in range(12))


def options(rng: Random, most: int = 3) -> dict[str, Any]:
    """Up to `most` options, odd values among them."""
    choices: dict[str, list[Any]] = {
        "chars_per_token": [3.3, 2.5, 1, 7, 0.3, 1e9],
        "extra_tokens_per_message": [0, 3.5, 0.1, 10, 2.7],
        "count_name": [False, True],
        "tokens_per_image": [0, 85, 1000, 0.5],
        "use_usage_metadata_scaling": [True],
        "tools": [None, [], [tool(rng)], [tool(rng), tool(rng)]],
    }
    names = rng.sample(sorted(choices), rng.randrange(most + 1))
    return {name: rng.choice(choices[name]) for name in names}


def scaled(rng: Random) -> dict[str, Any]:
    """A conversation with providers and totals in every relation."""
    provider = rng.choice([*PROVIDERS, ""])
    messages: list[dict[str, Any]] = []
    for _ in range(rng.choice([1, 2, 3, 4, 6, 9])):
        made: dict[str, Any] = {"type": rng.choice(["ai", "ai", "human"]), "content": "x" * rng.choice([0, 9, 150])}
        if made["type"] == "ai":
            roll = rng.random()
            if roll < 0.85:
                other = rng.choice([*PROVIDERS, None]) if rng.random() < 0.1 else provider
                made["response_metadata"] = {"model_provider": other}
            if rng.random() < 0.7:
                made["usage_metadata"] = usage(rng.choice([0, 1, 20, 40, 60, 100, rng.randrange(400)]))
        messages.append(made)
    chosen = {**options(rng, 2), "use_usage_metadata_scaling": rng.random() < 0.95}
    return {"messages": messages, "options": chosen}


def cases(rng: Random, pool: Pool) -> Iterator[dict[str, Any]]:
    """Lists of the pool, messages one at a time, tools, scaling, other forms, refusals."""
    for index in range(len(pool)):
        yield {"messages": index, "options": options(rng) if rng.random() < 0.6 else {}}
    for _ in range(420):
        # At one character a token no rounding hides a wrong length.
        chosen = rng.choice([{}, {"chars_per_token": 1}, {"chars_per_token": 1}, options(rng)])
        yield {"messages": [message(rng) for _ in range(rng.choice([1, 1, 1, 2]))], "options": chosen}
    for some in characters(rng):
        yield {"messages": [{"type": "human", "content": [{"t": some}]}], "options": {"chars_per_token": 1}}
    for _ in range(70):
        yield {"messages": rng.choice([[], [{"type": "human", "content": "hi"}]]),
               "options": {**options(rng, 2), "tools": [tool(rng) for _ in range(rng.randrange(1, 4))]}}
    for _ in range(160):
        yield scaled(rng)
    for _ in range(40):
        yield {"messages": [openai_message(rng) for _ in range(rng.randrange(1, 3))], "options": {}}
    for odd in (None, 5, [1], {"a": 1}):
        yield {"messages": [{"type": "human", "content": [{"type": "text", "text": odd}]}], "options": {}}
    for kind in ("human", "ai", "tool", "system"):
        yield {"messages": [{"type": kind, "content": None, "tool_call_id": "c1"}], "options": {}}
    yield {"messages": [{"type": "human", "content": "a"}], "options": {"chars_per_token": 0}}


def record(rng: Random, pool: Pool) -> Iterator[dict[str, Any]]:
    """The answer is the count."""
    for given in cases(rng, pool):
        yield ask(
            given, pool, lambda messages: count_tokens_approximately([real(m) for m in messages], **given["options"])
        )
