"""langchain's create_agent: the order of hooks, jump_to, routing, and the graph that comes of them."""

from __future__ import annotations

import re
from itertools import groupby
from random import Random
from typing import Any, Iterator

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import ToolMessage
from langchain_core.tools import StructuredTool

from subjects.agent.scripted import Scripted, arrows, call, human, outcome, run_async, shown

CASES = 220
NODES = ("before_agent", "before_model", "after_model", "after_agent")
WRAPS = ("wrap_model_call", "wrap_tool_call")
TARGETS = ("end", "model", "tools")


def spec_of(rng: Random, name: str) -> dict[str, Any]:
    """One middleware: the hooks that it has, and at which of their calls they jump where, or answer open calls."""
    hooks: dict[str, Any] = {}
    for hook in NODES:
        if rng.random() < 0.5:
            continue
        one: dict[str, Any] = {}
        if rng.random() < 0.4:
            target = rng.choice(TARGETS)
            # Python knows no way from the first before_model to itself, and may loop for ever after after_agent.
            risky = hook == "after_agent" or (hook == "before_model" and target == "model")
            if not risky:
                one["jump"] = {"at": rng.randrange(3), "to": target}
                if rng.random() < 0.8:
                    one["can"] = sorted({target, *rng.sample(TARGETS, rng.randrange(2))})
                    if hook == "before_model" and "model" in one["can"]:
                        one["can"].remove("model")
        if hook == "after_model" and rng.random() < 0.15:
            one["answers"] = rng.randrange(2)
        hooks[hook] = one
    for hook in WRAPS:
        if rng.random() < 0.4:
            hooks[hook] = {}
    return {"name": name, "hooks": hooks}


def middleware_of(spec: dict[str, Any], log: list[str]) -> AgentMiddleware:
    """The middleware that a spec describes."""
    name = spec["name"]
    members: dict[str, Any] = {"name": property(lambda self: name)}
    for hook, one in spec["hooks"].items():
        if hook in NODES:
            members[hook] = node_hook(name, hook, one, log)
        elif hook == "wrap_model_call":

            async def awrap_model_call(self: Any, request: Any, handler: Any) -> Any:
                log.append(f"{name}.model>")
                answer = await handler(request)
                log.append(f"<{name}.model")
                return answer

            members["awrap_model_call"] = awrap_model_call
        else:

            async def awrap_tool_call(self: Any, request: Any, handler: Any) -> Any:
                log.append(f"{name}.{request.tool_call['id']}>")
                answer = await handler(request)
                log.append(f"<{name}.{request.tool_call['id']}")
                return answer

            members["awrap_tool_call"] = awrap_tool_call
    return type(name, (AgentMiddleware,), members)()


def node_hook(name: str, hook: str, one: dict[str, Any], log: list[str]) -> Any:
    """A hook that is a node."""
    seen = [0]

    def run(self: Any, state: Any, runtime: Any) -> Any:
        at, seen[0] = seen[0], seen[0] + 1
        log.append(f"{name}.{hook}")
        update: dict[str, Any] = {}
        if one.get("jump", {}).get("at") == at:
            update["jump_to"] = one["jump"]["to"]
        if one.get("answers") == at:
            last = next((m for m in reversed(state["messages"]) if m.type == "ai"), None)
            update["messages"] = [
                ToolMessage("answered", tool_call_id=c["id"]) for c in (last.tool_calls if last else [])
            ]
        return update or None

    return hook_config(can_jump_to=one["can"])(run) if "can" in one else run


def tools_of(log: list[str], direct: list[str]) -> list[Any]:
    """Two tools that say what they were asked."""

    def tool(name: str) -> Any:
        async def run(x: str = "") -> str:
            log.append(f"{name}({x})")
            return f"{name}:{x}"

        return StructuredTool.from_function(
            coroutine=run, name=name, description=name, return_direct=name in direct
        )

    return [tool("echo"), tool("ping")]


OF_A_TOOL = re.compile(r"^<?\w\.c\d+>?$|\(")


def ordered(log: list[str]) -> list[str]:
    """The log, where what tools of one turn did side by side is sorted: it comes in no order."""
    return [
        entry
        for is_tool, entries in groupby(log, lambda entry: bool(OF_A_TOOL.search(entry)))
        for entry in (sorted(entries) if is_tool else entries)
    ]


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """Random stacks and scripts."""
    made = 0
    while made < CASES:
        specs = [spec_of(rng, name) for name in "ABCD"[: rng.randrange(5)]]
        number = iter(range(100))
        replies = []
        for _ in range(rng.randrange(4)):
            names = [rng.choice(["echo", "echo", "ping", "nope"]) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
            calls = [call(one, {"x": str(n)}, next(number)) for n, one in enumerate(names)]
            replies.append({"content": f"r{len(replies)}", "tool_calls": calls})
        direct = [name for name in ("echo", "ping") if rng.random() < 0.15]
        with_tools = rng.random() < 0.9
        given = {"middleware": specs, "replies": replies, "direct": direct, "tools": with_tools}
        log: list[str] = []
        model = Scripted(replies=replies)
        stack = [middleware_of(spec, log) for spec in specs]
        tools = tools_of(log, direct) if with_tools else []
        built = outcome(lambda: create_agent(model, tools, middleware=stack))
        if "error" in built:
            yield {"in": given, "error": built["error"], "raised": built["raised"]}
            made += 1
            continue
        agent = built["out"]

        async def run() -> Any:
            result = await agent.ainvoke({"messages": human()}, {"recursion_limit": 60, "max_concurrency": 1})
            return {"messages": [shown(message) for message in result["messages"]], "keys": sorted(result)}

        came = outcome(lambda: run_async(run()))
        record = {"in": given, "edges": arrows(agent), "log": ordered(log), **came}
        yield record
        made += 1
