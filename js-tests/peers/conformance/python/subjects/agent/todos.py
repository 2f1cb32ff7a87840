"""An agent with langchain's TodoListMiddleware: what write_todos does, and more than one of them."""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from langchain.agents import create_agent
from langchain.agents.middleware import TodoListMiddleware
from langchain_core.tools import StructuredTool

from subjects.agent.scripted import Scripted, call, human, json_for_repr, outcome, run_async, shown
from subjects.todos import arguments

CASES = 110


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """Scripts with write_todos calls, some of them with broken arguments, and others."""
    for _ in range(CASES):
        number = iter(range(100))
        replies: list[dict[str, Any]] = []
        for _ in range(rng.randrange(1, 4)):
            calls = []
            for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
                if rng.random() < 0.75:
                    calls.append(call("write_todos", arguments(rng), next(number)))
                else:
                    calls.append(call("echo", {"x": "x"}, next(number)))
            replies.append({"content": "", "tool_calls": calls})
        given = {"replies": replies}
        model = Scripted(replies=replies)

        async def echo(x: str) -> str:
            return x

        tool = StructuredTool.from_function(coroutine=echo, name="echo", description="echo")
        agent = create_agent(model, [tool], middleware=[TodoListMiddleware()])

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human(), "todos": "dropped"}, {"max_concurrency": 1})
            messages = [shown(message) for message in result["messages"]]
            asked = {c["id"]: c["args"] for r in replies for c in r["tool_calls"]}
            for message in messages:
                if message["type"] == "tool":
                    args = asked[message["tool_call_id"]]
                    if message["content"].startswith("Updated"):
                        todos = [{"content": t["content"], "status": t["status"]} for t in args["todos"]]
                        message["content"] = json_for_repr(message["content"], todos)
                    else:
                        message["content"] = json_for_repr(message["content"], args)
            return {"messages": messages, "todos": result.get("todos")}

        yield {"in": given, **outcome(lambda: run_async(run()))}
