"""langchain's HumanInTheLoopMiddleware with `interrupt_mode="per_call"`: each call asks for itself."""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from subjects.agent.approval import KINDS, decision
from subjects.agent.scripted import Scripted, call, human, json_for_repr, outcome, run_async, shown

CASES = 120


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """One or two turns; `turns` has the decisions of each, by the ids of the calls."""
    for _ in range(CASES):
        gates: dict[str, Any] = {}
        for name in ("echo", "ping"):
            roll = rng.random()
            if roll < 0.5:
                gates[name] = True
            elif roll < 0.9:
                gates[name] = {"allowed_decisions": rng.sample(KINDS, rng.randrange(3, 5))}
                if rng.random() < 0.3:
                    gates[name]["description"] = "Please look"
            else:
                gates[name] = False
        number = iter(range(100))
        replies = []
        turns = []
        for _ in range(rng.randrange(1, 3)):
            names = [rng.choice(["echo", "echo", "ping", "safe"]) for _ in range(rng.randrange(1, 4))]
            calls = [call(one, {"x": str(n)}, next(number)) for n, one in enumerate(names)]
            replies.append({"content": "", "tool_calls": calls})
            decisions = {one["id"]: decision(rng, one["name"]) for one in calls if gates.get(one["name"])}
            if decisions:
                turns.append(decisions)
        log: list[str] = []

        def tool(name: str) -> Any:
            async def run(x: str) -> str:
                log.append(f"{name}({x})")
                return f"{name}:{x}"

            return StructuredTool.from_function(coroutine=run, name=name, description=name)

        agent = create_agent(
            Scripted(replies=replies),
            [tool("echo"), tool("ping"), tool("safe")],
            middleware=[HumanInTheLoopMiddleware(gates, interrupt_mode="per_call", edit_notice="NOTE")],
            checkpointer=InMemorySaver(),
        )
        config: Any = {"configurable": {"thread_id": "1"}, "max_concurrency": 1}
        asked: list[Any] = []

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human()}, config)
            for decisions in turns:
                if "__interrupt__" not in result:
                    break
                answers = {}
                for one in result["__interrupt__"]:
                    value = one.value
                    answers[one.id] = decisions[value["tool_call_id"]]
                    asked.append({**value, "description": json_for_repr(value["description"], value["args"])})
                result = await agent.ainvoke(Command(resume=answers), config)
            return [shown(message) for message in result["messages"]]

        came = outcome(lambda: run_async(run()))
        yield {"in": {"gates": gates, "replies": replies, "turns": turns}, "asked": asked, "log": log, **came}
