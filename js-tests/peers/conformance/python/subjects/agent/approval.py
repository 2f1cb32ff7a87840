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
    """A human's decision about a call of this tool."""
    kind = rng.choice(KINDS)
    if kind == "edit":
        to = rng.choice([name, name, name, "safe", "nope"])
        return {"type": kind, "edited_action": {"name": to, "args": {"x": "EDIT"}}}
    if kind == "reject":
        return {"type": kind, "message": "no"} if rng.random() < 0.5 else {"type": kind}
    if kind == "respond":
        return {"type": kind, "message": "by hand"}
    return {"type": kind}


def some_gates(rng: Random, always: float, fewest: int) -> dict[str, Any]:
    """The tools that need approval: `always` is how often all decisions are allowed, `fewest` how many at least."""
    gates: dict[str, Any] = {}
    for name in ("echo", "ping"):
        roll = rng.random()
        if roll < always:
            gates[name] = True
        elif roll < 0.9:
            gates[name] = {"allowed_decisions": rng.sample(KINDS, rng.randrange(fewest, 5))}
            if rng.random() < 0.3:
                gates[name]["description"] = "Please look"
        else:
            gates[name] = False
    return gates


def some_turns(rng: Random) -> Iterator[list[dict[str, Any]]]:
    """The calls of one turn or two."""
    number = iter(range(100))
    for _ in range(rng.randrange(1, 3)):
        names = [rng.choice(["echo", "echo", "ping", "safe"]) for _ in range(rng.randrange(1, 4))]
        yield [call(one, {"x": str(n)}, next(number)) for n, one in enumerate(names)]


def agent_of(replies: list[Any], log: list[str], approval: HumanInTheLoopMiddleware) -> Any:
    """An agent whose tools write what they do into `log`."""

    def tool(name: str) -> Any:
        async def run(x: str) -> str:
            log.append(f"{name}({x})")
            return f"{name}:{x}"

        return StructuredTool.from_function(coroutine=run, name=name, description=name)

    tools = [tool("echo"), tool("ping"), tool("safe")]
    return create_agent(Scripted(replies=replies), tools, middleware=[approval], checkpointer=InMemorySaver())


CONFIG: Any = {"configurable": {"thread_id": "1"}, "max_concurrency": 1}


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """One or two turns, each with its decisions."""
    for _ in range(CASES):
        gates = some_gates(rng, 0.45, 2)
        replies = []
        turns = []
        for calls in some_turns(rng):
            replies.append({"content": "", "tool_calls": calls})
            decisions = [decision(rng, one["name"]) for one in calls if gates.get(one["name"])]
            is_gated = len(decisions) > 0
            if rng.random() < 0.04:
                decisions.append({"type": "approve"})
            if is_gated:
                turns.append(decisions)
        log: list[str] = []
        agent = agent_of(replies, log, HumanInTheLoopMiddleware(interrupt_on=gates, edit_notice="NOTE"))
        asked: list[Any] = []

        def plainly(value: Any) -> Any:
            requests = []
            for request in value["action_requests"]:
                requests.append({**request, "description": json_for_repr(request["description"], request["args"])})
            return {"action_requests": requests, "review_configs": value["review_configs"]}

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human()}, CONFIG)
            for decisions in turns:
                if "__interrupt__" not in result:
                    break
                asked.append(plainly(result["__interrupt__"][0].value))
                result = await agent.ainvoke(Command(resume={"decisions": decisions}), CONFIG)
            return [shown(message) for message in result["messages"]]

        came = outcome(lambda: run_async(run()))
        yield {"in": {"gates": gates, "replies": replies, "turns": turns}, "asked": asked, "log": log, **came}
