"""langchain's HumanInTheLoopMiddleware: what it asks, and what becomes of each decision."""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from subjects.agent.scripted import Scripted, call, human, json_for_repr, outcome, run_async, shown

CASES = 150
KINDS = ("approve", "edit", "reject", "respond")


def decision(rng: Random, name: str) -> dict[str, Any]:
    """What a human says to a call of this tool."""
    kind = rng.choice(KINDS)
    if kind == "edit":
        to = rng.choice([name, name, name, "safe", "nope"])
        return {"type": kind, "edited_action": {"name": to, "args": {"x": "EDIT"}}}
    if kind == "reject":
        return {"type": kind, "message": "no"} if rng.random() < 0.5 else {"type": kind}
    if kind == "respond":
        return {"type": kind, "message": "by hand"}
    return {"type": kind}


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """One or two turns, each with its decisions."""
    for _ in range(CASES):
        gates: dict[str, Any] = {}
        for name in ("echo", "ping"):
            roll = rng.random()
            if roll < 0.45:
                gates[name] = True
            elif roll < 0.9:
                gates[name] = {"allowed_decisions": rng.sample(KINDS, rng.randrange(2, 5))}
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
            gated = [one for one in names if gates.get(one)]
            decisions = [decision(rng, one) for one in gated]
            if rng.random() < 0.04:
                decisions.append({"type": "approve"})
            if gated:
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
            middleware=[HumanInTheLoopMiddleware(interrupt_on=gates, edit_notice="NOTE")],
            checkpointer=InMemorySaver(),
        )
        config: Any = {"configurable": {"thread_id": "1"}, "max_concurrency": 1}
        asked: list[Any] = []

        def plainly(value: Any, calls: list[Any]) -> Any:
            requests = []
            for request in value["action_requests"]:
                requests.append({**request, "description": json_for_repr(request["description"], request["args"])})
            return {"action_requests": requests, "review_configs": value["review_configs"]}

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human()}, config)
            for decisions in turns:
                if "__interrupt__" not in result:
                    break
                asked.append(plainly(result["__interrupt__"][0].value, replies))
                result = await agent.ainvoke(Command(resume={"decisions": decisions}), config)
            return [shown(message) for message in result["messages"]]

        came = outcome(lambda: run_async(run()))
        yield {"in": {"gates": gates, "replies": replies, "turns": turns}, "asked": asked, "log": log, **came}
