"""Records what ag-ui-langgraph emits for sub-agents and for a state that fills, in this process, with a scripted model.

    python record_ag_ui.py    # in the environment of ../conformance/python/requirements.txt

It writes subagents/python-ag-ui.json, the same runs as python-updates.json's, and predicted.json.
"""
import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "hosts" / "servers" / "python"))

from ag_ui.core import RunAgentInput
from ag_ui_langgraph import LangGraphAgent, StateItem, StateStreamingMiddleware
from deepagents import create_deep_agent
from langchain.agents import AgentState, create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from model import Answer, ScriptedModel


class Model(ScriptedModel):
    """Its script knows the tools."""

    def bind_tools(self, tools, **kwargs):
        return self


@tool
def book(hotel: str) -> str:
    """Books a hotel."""
    return f"Booked {hotel}."


@tool
def write_document(document: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
    """Replaces the document."""
    return Command(update={"document": document, "messages": [ToolMessage("Written.", tool_call_id=tool_call_id)]})


def text_of(message: Any) -> str:
    return message.content if isinstance(message.content, str) else "".join(block["text"] for block in message.content)


def task(what: str) -> tuple[str, dict[str, Any]]:
    return ("task", {"subagent_type": "general-purpose", "description": what})


def delegate(messages) -> Answer:
    asked = [text_of(message) for message in messages if message.type == "human"][-1]
    answered = messages[-1].type == "tool"
    if asked == "trip":
        return Answer("Done.") if answered else Answer(calls=(task("sights"), task("food")))
    if asked == "book":
        return Answer("Done.") if answered else Answer(calls=(task("hotel"),))
    if asked == "hotel" and not answered:
        return Answer(calls=(("book", {"hotel": "Roma"}),))
    return Answer(f"I wrote about {asked}.")


TEXT = "# Rome\n\nThe Pantheon at nine, “before” the crowd. 你好 👋🏽\n"


def write(messages) -> Answer:
    return Answer("It is written.") if messages[-1].type == "tool" else Answer("Let me write.", (("write_document", {"document": TEXT}),))


class Document(AgentState):
    document: str


async def run(agent: LangGraphAgent, thread: str, number: int, messages: list[Any], resume: Any = None) -> list[Any]:
    """The events of one run, as they are sent."""
    given = RunAgentInput(
        thread_id=thread,
        run_id=f"{thread}-{number}",
        state={},
        messages=messages,
        tools=[],
        context=[],
        forwarded_props={} if resume is None else {"command": {"resume": resume}},
    )
    events = [json.loads(event.model_dump_json(by_alias=True, exclude_none=True)) async for event in agent.clone().run(given)]
    for event in events:
        if event["type"] == "RUN_ERROR":
            raise RuntimeError(event["message"])
        # The whole input again.
        event.pop("input", None)
    return events


def said(text: str) -> list[Any]:
    return [{"id": f"user-{text}", "role": "user", "content": text}]


async def main() -> None:
    deep = create_deep_agent(
        Model(script=delegate), tools=[book], interrupt_on={"book": True}, checkpointer=InMemorySaver()
    )
    options = {"emit_raw_events": False, "emit_interrupt_outcome": True}
    agent = LangGraphAgent(name="deep", graph=deep, subagent_visibility="attributed", **options)
    runs = {"trip": await run(agent, "trip", 1, said("trip")), "ask": await run(agent, "ask", 1, said("book"))}
    runs["answered"] = await run(agent, "ask", 2, said("book"), {"decisions": [{"type": "approve"}]})
    save("subagents/python-ag-ui", runs)

    item = StateItem(state_key="document", tool="write_document", tool_argument="document")
    writer = create_agent(
        Model(script=write),
        tools=[write_document],
        state_schema=Document,
        middleware=[StateStreamingMiddleware(item)],
        checkpointer=InMemorySaver(),
    )
    save("predicted", {"document": await run(LangGraphAgent(name="writer", graph=writer, **options), "document", 1, said("Write."))})


def save(name: str, runs: dict[str, list[Any]]) -> None:
    def of(events: list[Any]) -> str:
        return "[\n" + ",\n".join(json.dumps(event, ensure_ascii=False) for event in events) + "\n]"

    text = "{\n" + ",\n".join(f"{json.dumps(run)}: {of(events)}" for run, events in runs.items()) + "\n}\n"
    (HERE / f"{name}.json").write_text(text, encoding="utf-8")
    print(name, {run: len(events) for run, events in runs.items()})


asyncio.run(main())
