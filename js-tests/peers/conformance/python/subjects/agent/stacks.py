"""The output of draw_mermaid for agents with LangChain's own middlewares."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any, Iterator

from deepagents.middleware.patch_tool_calls import PatchToolCallsMiddleware
from langchain.agents import create_agent
from langchain.agents.middleware import (
    ContextEditingMiddleware,
    HumanInTheLoopMiddleware,
    ModelCallLimitMiddleware,
    SummarizationMiddleware,
    TodoListMiddleware,
    ToolCallLimitMiddleware,
)
from langchain_core.tools import StructuredTool

from subjects.agent.scripted import Scripted, arrows

MADE = {
    "todo": TodoListMiddleware,
    "summarization": lambda: SummarizationMiddleware(model=Scripted(replies=[]), trigger=("messages", 100)),
    "patch": PatchToolCallsMiddleware,
    "approval": lambda: HumanInTheLoopMiddleware(interrupt_on={"echo": True}),
    "model_limit": lambda: ModelCallLimitMiddleware(run_limit=3),
    "tool_limit": lambda: ToolCallLimitMiddleware(run_limit=3),
    "editing": ContextEditingMiddleware,
}


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """All stacks of up to four."""
    for size in range(5):
        for names in combinations(MADE, size):
            stack = list(names)
            rng.shuffle(stack)
            tools = rng.random() < 0.8

            async def echo(x: str) -> str:
                return x

            tool = StructuredTool.from_function(coroutine=echo, name="echo", description="echo")
            agent = create_agent(
                Scripted(replies=[]), [tool] if tools else [], middleware=[MADE[name]() for name in stack]
            )
            mermaid = agent.get_graph().draw_mermaid()
            yield {"in": {"stack": stack, "tools": tools}, "edges": arrows(agent), "out": mermaid}
