"""deepagents' SubAgentMiddleware: what a sub-agent sees, and what it gives back."""

from __future__ import annotations

import operator
from random import Random
from typing import Annotated, Any, Iterator, NotRequired

from deepagents.backends import StateBackend
from deepagents.middleware.filesystem import FilesystemMiddleware
from deepagents.middleware.subagents import SubAgentMiddleware
from langchain.agents import create_agent
from langchain.agents.middleware import AgentState, TodoListMiddleware
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda

from subjects.agent.scripted import Scripted, call, human, outcome, run_async, shown

CASES = 150


class State(AgentState):
    """Fields of each kind."""

    note: NotRequired[str]
    log: NotRequired[Annotated[list, operator.add]]


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """Sub-agents that are functions: what they do is in their description."""
    for _ in range(CASES):
        number = iter(range(100))
        files = {p: {"content": p, "encoding": "utf-8"} for p in ("/a", "/b", "/c") if rng.random() < 0.7}
        given_state: dict[str, Any] = {"files": files}
        if rng.random() < 0.5:
            given_state["note"] = "n"
        if rng.random() < 0.5:
            given_state["log"] = [1]
        plans: dict[str, Any] = {}
        replies = []
        for _ in range(rng.randrange(1, 3)):
            calls = []
            touched: set[str] = set()
            for _ in range(rng.choice([1, 1, 2])):
                name = rng.choice(["worker", "worker", "worker", "nope"])
                n = next(number)
                plan: dict[str, Any] = {}
                if rng.random() < 0.6:
                    writes = [p for p in rng.sample(["/a", "/b", "/d"], 2) if p not in touched]
                    touched.update(writes)
                    plan["files"] = {p: f"{p}{n}" for p in writes}
                if rng.random() < 0.2 and len(calls) == 0:
                    plan["note"] = f"note{n}"
                plan["say"] = rng.choice(["done ", "", "ok\n", "done"])
                if rng.random() < 0.2:
                    plan["todos"] = [{"content": "a", "status": "pending"}]
                plans[f"t{n}"] = plan
                calls.append(call("task", {"description": f"t{n}", "subagent_type": name}, n))
            replies.append({"content": "", "tool_calls": calls})
        seen: list[Any] = []

        async def worker(state: dict[str, Any]) -> dict[str, Any]:
            text = state["messages"][-1].content
            plan = plans[text]
            seen.append({
                "task": text,
                "messages": len(state["messages"]),
                "keys": sorted(state),
                "files": {p: f["content"] for p, f in state.get("files", {}).items()},
            })
            files = {**state.get("files", {}), **{p: {"content": t, "encoding": "utf-8"} for p, t in plan.get("files", {}).items()}}
            out: dict[str, Any] = {**state, "files": files, "messages": [*state["messages"], AIMessage("first"), AIMessage(plan["say"])]}
            for key in ("note", "todos"):
                if key in plan:
                    out[key] = plan[key]
            return out

        agent = create_agent(
            Scripted(replies=replies),
            [],
            middleware=[
                TodoListMiddleware(),
                FilesystemMiddleware(backend=StateBackend()),
                SubAgentMiddleware(
                    backend=StateBackend(),
                    subagents=[{"name": "worker", "description": "works", "runnable": RunnableLambda(worker)}],
                ),
            ],
            state_schema=State,
        )

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human(), **given_state}, {"max_concurrency": 1})
            return {
                "messages": [shown(m) for m in result["messages"] if m.type == "tool"],
                "files": {p: f["content"] for p, f in result.get("files", {}).items()},
                "note": result.get("note"),
                "log": result.get("log"),
                "todos": result.get("todos"),
            }

        came = outcome(lambda: run_async(run()))
        yield {"in": {"state": given_state, "replies": replies, "plans": plans}, "seen": seen, **came}
