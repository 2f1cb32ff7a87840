"""langchain's limits, retries and fallback."""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from langchain.agents import create_agent
from langchain.agents.middleware import (
    ModelCallLimitMiddleware,
    ModelFallbackMiddleware,
    ModelRetryMiddleware,
    ToolCallLimitMiddleware,
    ToolRetryMiddleware,
)
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver

from subjects.agent.scripted import Scripted, call, human, outcome, run_async, shown

CASES = 200


def limits(rng: Random) -> dict[str, Any]:
    """A limit of a thread, of a run, or both."""
    thread, run = rng.randrange(1, 6), rng.randrange(1, 4)
    return rng.choice([{"thread_limit": thread}, {"run_limit": run}, {"thread_limit": thread, "run_limit": min(run, thread)}])


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """Two runs of one thread."""
    for _ in range(CASES):
        kinds = rng.sample(["model_limit", "tool_limit", "tool_limit_echo", "model_retry", "tool_retry", "fallback"], rng.randrange(1, 3))
        specs: list[dict[str, Any]] = []
        for kind in kinds:
            options: dict[str, Any] = {}
            if kind == "model_limit":
                options = {**limits(rng), "exit_behavior": rng.choice(["end", "end", "error"])}
            elif kind.startswith("tool_limit"):
                options = {**limits(rng), "exit_behavior": rng.choice(["continue", "continue", "end", "error"])}
                if kind == "tool_limit_echo":
                    options["tool_name"] = "echo"
            elif kind.endswith("retry"):
                options = {"max_retries": rng.randrange(3), "on_failure": rng.choice(["continue", "error"])}
                if kind == "tool_retry" and rng.random() < 0.3:
                    options["tools"] = ["echo"]
            specs.append({"kind": kind, "options": options})
        number = iter(range(100))

        def script() -> list[dict[str, Any]]:
            made = []
            for _ in range(rng.randrange(1, 5)):
                if rng.random() < 0.2:
                    made.append({"raise": "boom"})
                    continue
                names = [rng.choice(["echo", "ping", "fail"]) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
                if "fail" in names and "tool_retry" not in kinds:
                    names = [one if one != "fail" else "echo" for one in names]
                calls = [call(one, {"x": "x"}, next(number)) for one in names]
                made.append({"content": "", "tool_calls": calls})
            return made

        replies, second = script(), [{"content": "fell back", "tool_calls": []}]
        fails = rng.randrange(4)
        log: list[str] = []
        left = [fails]

        def tool(name: str) -> Any:
            async def run(x: str) -> str:
                log.append(name)
                if name == "fail" and left[0] > 0:
                    left[0] -= 1
                    raise ValueError("broken")
                return name

            return StructuredTool.from_function(coroutine=run, name=name, description=name)

        made = {
            "model_limit": ModelCallLimitMiddleware,
            "tool_limit": ToolCallLimitMiddleware,
            "tool_limit_echo": ToolCallLimitMiddleware,
            "model_retry": lambda **o: ModelRetryMiddleware(initial_delay=0, **o),
            "tool_retry": lambda **o: ToolRetryMiddleware(initial_delay=0, **o),
            "fallback": lambda: ModelFallbackMiddleware(Scripted(replies=second)),
        }
        agent = create_agent(
            Scripted(replies=replies),
            [tool("echo"), tool("ping"), tool("fail")],
            middleware=[made[spec["kind"]](**spec["options"]) for spec in specs],
            checkpointer=InMemorySaver(),
        )
        config: Any = {"configurable": {"thread_id": "1"}, "max_concurrency": 1}

        async def run() -> Any:
            await agent.ainvoke({"messages": human("one")}, config)
            result = await agent.ainvoke({"messages": human("two")}, config)
            return [shown(message) for message in result["messages"]]

        came = outcome(lambda: run_async(run()))
        yield {"in": {"stack": specs, "replies": replies, "fails": fails}, "log": log, **came}
