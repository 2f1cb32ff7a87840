"""langchain's response_format by a tool: one answer, several, a wrong one."""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.tools import StructuredTool

from subjects.agent.scripted import Scripted, arrows, call, human, outcome, run_async, shown

CASES = 120
SCHEMA = {
    "title": "Answer",
    "description": "The answer.",
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
}


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """Scripts with calls of the answer's tool among others."""
    for _ in range(CASES):
        number = iter(range(100))
        replies = []
        for _ in range(rng.randrange(1, 4)):
            names = [rng.choice(["Answer", "echo"]) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
            replies.append({
                "content": "",
                "tool_calls": [call(n, {"n": 1} if n == "Answer" else {"x": "x"}, next(number)) for n in names],
            })
        with_tools = rng.random() < 0.7
        handle = rng.random() < 0.8

        async def echo(x: str) -> str:
            return x

        tool = StructuredTool.from_function(coroutine=echo, name="echo", description="echo")
        agent = create_agent(
            Scripted(replies=replies),
            [tool] if with_tools else [],
            response_format=ToolStrategy(SCHEMA, handle_errors=handle),
        )

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human()}, {"recursion_limit": 30, "max_concurrency": 1})
            messages = [shown(message) for message in result["messages"]]
            for message in messages:
                message["content"] = message["content"].replace("{'n': 1}", '{"n":1}')
            return {"messages": messages, "structured": result.get("structured_response")}

        came = outcome(lambda: run_async(run()))
        yield {"in": {"replies": replies, "tools": with_tools, "handle": handle}, "edges": arrows(agent), **came}
