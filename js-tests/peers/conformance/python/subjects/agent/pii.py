"""An agent with langchain's PIIMiddleware: texts of the user, the model and a tool, by each type and strategy."""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from langchain.agents import create_agent
from langchain.agents.middleware import PIIMiddleware
from langchain.agents.middleware.pii import detect_url
from langchain_core.tools import StructuredTool

from subjects.agent.scripted import Scripted, call, human, outcome, run_async, shown

CASES = 200

TYPES = ["email", "credit_card", "ip", "mac_address", "url"]
STRATEGIES = ["redact", "redact", "mask", "mask", "hash", "block"]
PIECES = {
    "email": [
        "ada@example.com", "a.b+c@sub.example.co.uk", "-x@y.zz", ".b@c.de", "%a@b.cd", "a@b", "a@b.c", "@b.cd",
        "a@@b.cd", "éa@b.cd", "a@b.cdé", "a@b.cd_", "a@b.c|d", "a@b.cd.", "a@b-c.ef", "aa.bb.cc@dd.ee@ff.gg", "a_@b.cd",
    ],
    "credit_card": [
        "4242424242424242", "4242-4242-4242-4242", "4242 4242 4242 4242", "4242 4242-42424242", "4242424242424243",
        "5555555555554444", "x4242424242424242", "é4242424242424242", "4242424242424242_", "42424242424242424",
        "4242\u00a04242 4242 4242", "0000-0000-0000-0000",
    ],
    "ip": ["127.0.0.1", "1.2.3.4", "256.1.1.1", "01.2.3.4", "1.2.3", "1.2.3.4.5", "0.0.0.0", "é1.2.3.4", "1.2.3.4x", "999.9.9.9", "1.2.3.255"],
    "mac_address": [
        "aa:bb:cc:dd:ee:ff", "AA-BB-CC-DD-EE-FF", "aa:bb-cc:dd-ee:ff", "aa:bb:cc:dd:ee", "gg:bb:cc:dd:ee:ff",
        "aa:bb:cc:dd:ee:ff:00", "xaa:bb:cc:dd:ee:ff", "00:11:22:33:44:55",
    ],
    "url": [
        "https://example.com", "http://a.b/c?d=e#f", "https:///path", "http://?q", "HTTP://a.b", "www.example.com",
        "example.com", "example.com/path", "a.b/https://c.d<https://e.f", "ftp://a.b/c", "a-.b/c", "x.y/(z)", "https://a]b",
        "https://a.b,c", "www.a", "http://http://a.b/c", "-a.b/c", "é.a.b/c", "https://é.fr/ü", "a.b/c\x1cd", "1.2.3/4",
    ],
}
GLUE = [" ", " ", " ", "\n", ", ", ". ", "", "(", ")", "<", ">", "é", "_", "😀 ", "\t", " and ", '"', "/", ":"]


def overlap(text: str) -> bool:
    """Whether a URL is part of another match: Python then replaces by the places that they had before."""
    found = sorted((one["start"], one["end"]) for one in detect_url(text))
    return any(end > start for (_, end), (start, _) in zip(found, found[1:]))


def text(rng: Random, wanted: str) -> str:
    """A text without matches that overlap."""
    while overlap(out := pieces(rng, wanted)):
        pass
    return out


def pieces(rng: Random, wanted: str) -> str:
    """Pieces of the wanted type and of others, with something between them."""
    out = ""
    for _ in range(rng.randrange(0, 5)):
        kind = wanted if rng.random() < 0.7 else rng.choice(TYPES)
        out += rng.choice(GLUE) + rng.choice(PIECES[kind])
    return out + rng.choice(GLUE)


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """Runs whose user, tool and model say such texts. `types` have a middleware each."""
    for _ in range(CASES):
        own = rng.random() < 0.1
        types = ["token"] if own else rng.sample(TYPES, rng.choice([1, 1, 1, 2]))
        strategy = rng.choice(STRATEGIES)
        applied = {
            "input": rng.random() < 0.8,
            "output": rng.random() < 0.5,
            "tool_results": rng.random() < 0.5,
        }
        texts = [text(rng, rng.choice(types if not own else TYPES)) + (" tok-12345 tok-é" if own else "") for _ in range(3)]
        replies = [
            {"content": texts[1], "tool_calls": [call("echo", {}, 0)]},
            {"content": texts[2]},
        ]
        given = {"types": types, "strategy": strategy, "applied": applied, "texts": texts}
        model = Scripted(replies=replies)

        async def echo() -> str:
            return texts[0]

        tool = StructuredTool.from_function(coroutine=echo, name="echo", description="echo")
        middleware = [
            PIIMiddleware(
                one,
                strategy=strategy,
                detector=r"tok-\w+" if own else None,
                apply_to_input=applied["input"],
                apply_to_output=applied["output"],
                apply_to_tool_results=applied["tool_results"],
            )
            for one in types
        ]
        agent = create_agent(model, [tool], middleware=middleware)

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human(texts[0])})
            return [shown(message) for message in result["messages"]]

        yield {"in": given, **outcome(lambda: run_async(run()))}
