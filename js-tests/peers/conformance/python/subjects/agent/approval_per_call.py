"""langchain's HumanInTheLoopMiddleware with `interrupt_mode="per_call"`: each call asks for itself."""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from langchain.agents.middleware import HumanInTheLoopMiddleware
from langgraph.types import Command

from subjects.agent.approval import CONFIG, agent_of, decision, some_gates, some_turns
from subjects.agent.scripted import human, json_for_repr, outcome, run_async, shown

CASES = 120


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """One or two turns; `turns` has the decisions of each, by the ids of the calls."""
    for _ in range(CASES):
        gates = some_gates(rng, 0.5, 3)
        replies = []
        turns = []
        for calls in some_turns(rng):
            replies.append({"content": "", "tool_calls": calls})
            decisions = {one["id"]: decision(rng, one["name"]) for one in calls if gates.get(one["name"])}
            if decisions:
                turns.append(decisions)
        log: list[str] = []
        approval = HumanInTheLoopMiddleware(gates, interrupt_mode="per_call", edit_notice="NOTE")
        agent = agent_of(replies, log, approval)
        asked: list[Any] = []

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human()}, CONFIG)
            for decisions in turns:
                if "__interrupt__" not in result:
                    break
                answers = {}
                for one in result["__interrupt__"]:
                    value = one.value
                    answers[one.id] = decisions[value["tool_call_id"]]
                    asked.append({**value, "description": json_for_repr(value["description"], value["args"])})
                result = await agent.ainvoke(Command(resume=answers), CONFIG)
            return [shown(message) for message in result["messages"]]

        came = outcome(lambda: run_async(run()))
        yield {"in": {"gates": gates, "replies": replies, "turns": turns}, "asked": asked, "log": log, **came}
