"""The graphs that both servers serve. Each does one thing that a client has to follow; none needs a network."""
import operator
import re
from dataclasses import replace
from typing import Annotated, Any, NotRequired, TypedDict

from deepagents.backends.state import StateBackend
from deepagents.middleware.summarization import SummarizationMiddleware as DeepAgentsSummarization
from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt

from model import Answer, ScriptedModel


def model_node(script):
    """A node that asks a scripted model and adds its answer."""
    model = ScriptedModel(script=script)

    async def call_model(state, config):
        return {"messages": [await model.ainvoke(state["messages"], config)]}

    return call_model


def asked(messages) -> str:
    """The last human message."""
    return next(message.content for message in reversed(messages) if isinstance(message, HumanMessage))


def results(messages) -> list[ToolMessage]:
    """The tool results since the human spoke last."""
    last = max(index for index, message in enumerate(messages) if isinstance(message, HumanMessage))
    return [message for message in messages[last:] if isinstance(message, ToolMessage)]


def straight(state, *nodes):
    """A graph of these nodes, one after the other."""
    graph = StateGraph(state)
    graph.add_sequence(nodes)
    graph.add_edge(START, nodes[0][0] if isinstance(nodes[0], tuple) else nodes[0].__name__)
    return graph


def agent(state, script, tools):
    """A model and its tools, until it calls none."""
    graph = StateGraph(state)
    graph.add_node("model", model_node(script))
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", lambda state: "tools" if state["messages"][-1].tool_calls else END, ["tools", END])
    graph.add_edge("tools", "model")
    return graph


# chat: an answer to each message; "Count to 9." is answered by that many words, "slowly" in that many times 20 ms.


def chat_script(messages) -> Answer:
    question = asked(messages)
    if count := re.match(r"Count (slowly )?to (\d+)", question):
        words = " ".join(str(number) for number in range(1, int(count[2]) + 1))
        return Answer(words, seconds_per_word=0.02 if count[1] else 0)
    return Answer(f"You said “{question}” 👋\n\nThat is message {len(messages)} of ours.")


# todos: a plan, a tool that answers in words, the plan again with all of it done.


class TodosState(MessagesState):
    todos: NotRequired[list[dict[str, str]]]
    tools: NotRequired[list[dict[str, Any]]]


@tool
async def write_todos(todos: list[dict[str, str]], tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
    """Replaces the list of todos."""
    done = sum(todo["status"] == "completed" for todo in todos)
    answer = ToolMessage(f"{done} of {len(todos)} todos done.", tool_call_id=tool_call_id)
    return Command(update={"todos": todos, "messages": [answer]})


@tool
async def multiply(a: int, b: int) -> str:
    """The product of two numbers."""
    get_stream_writer()({"multiplying": [a, b]})
    return str(a * b)


def plan(status: str) -> dict[str, Any]:
    return {"todos": [{"content": "Multiply 6 by 7", "status": status}, {"content": "Antworten: 你好", "status": status}]}


def todos_script(messages) -> Answer:
    match len(results(messages)):
        case 0:
            return Answer("Let me plan this.", (("write_todos", plan("pending")),))
        case 1:
            return Answer("", (("multiply", {"a": 6, "b": 7}),))
        case 2:
            return Answer("Nearly there.", (("write_todos", plan("completed")),))
        case _:
            return Answer("The answer is 42.")


# parallel: two calls of one tool in one message.


@tool
async def weather(city: str) -> str:
    """The weather of a city."""
    return f"{len(city)} °C in {city}"


def parallel_script(messages) -> Answer:
    if not results(messages):
        return Answer("I ask both.", (("weather", {"city": "Oslo"}), ("weather", {"city": "São Paulo"})))
    return Answer("; ".join(message.content for message in results(messages)))


# files: a channel like DeepAgents': a shallow merge in which null deletes.


def merge_files(left: dict | None, right: dict) -> dict:
    merged = {**(left or {}), **right}
    return {path: data for path, data in merged.items() if data is not None}


class FilesState(MessagesState):
    files: NotRequired[Annotated[dict[str, Any], merge_files]]


@tool
async def write_file(path: str, content: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
    """Writes a file."""
    stamp = "2026-01-01T00:00:00+00:00"
    data = {"content": content, "encoding": "utf-8", "created_at": stamp, "modified_at": stamp}
    return Command(update={"files": {path: data}, "messages": [ToolMessage(f"Wrote {path}.", tool_call_id=tool_call_id)]})


@tool
async def delete_file(path: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
    """Deletes a file."""
    return Command(update={"files": {path: None}, "messages": [ToolMessage(f"Deleted {path}.", tool_call_id=tool_call_id)]})


def files_script(messages) -> Answer:
    if results(messages):
        return Answer("Done.")
    if "tidy" in asked(messages).lower():
        return Answer("", (("delete_file", {"path": "/draft.md"}), ("write_file", {"path": "/final.md", "content": "# Final"})))
    return Answer("", (("write_file", {"path": "/draft.md", "content": "# Draft"}), ("write_file", {"path": "/notes.md", "content": "one\ntwo"})))


# prune: only the last three messages stay.


async def keep_three(state):
    return {"messages": [RemoveMessage(id=message.id) for message in state["messages"][:-3]]}


# redact: the digits of all messages are blotted out under the messages' own ids.


def redact_script(messages) -> Answer:
    return Answer(f"I wrote it down: {asked(messages)}")


def blotted(content):
    """A message's content without digits; protocol v2 has lists of blocks."""
    if isinstance(content, str):
        return re.sub(r"\d+", "█", content)
    return [{**block, "text": blotted(block["text"])} if "text" in block else block for block in content]


async def blot(state):
    return {"messages": [message.model_copy(update={"content": blotted(message.content)}) for message in state["messages"]]}


# clear: "forget" empties the thread.


async def forget(state):
    if "forget" not in asked(state["messages"]).lower():
        return {}
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)]}


# approval: the human is asked before the mail is sent.


class ApprovalState(MessagesState):
    sent: NotRequired[list[str]]


def approval_script(messages) -> Answer:
    if not results(messages):
        return Answer("I ask first.", (("send_mail", {"to": "ada@example.org"}),))
    return Answer("Sent." if "sent" in messages[-1].content else "Then not.")


async def send_mail(state: ApprovalState):
    call = state["messages"][-1].tool_calls[0]
    approved = interrupt({"question": "Send the mail?", "to": call["args"]["to"]})
    said = "The mail is sent." if approved else "The human said no."
    answer = ToolMessage(said, tool_call_id=call["id"], name="send_mail")
    return {"messages": [answer], "sent": [call["args"]["to"]] if approved else []}


def approval_graph():
    graph = StateGraph(ApprovalState)
    graph.add_node("model", model_node(approval_script))
    graph.add_node("send_mail", send_mail)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", lambda state: "send_mail" if state["messages"][-1].tool_calls else END, ["send_mail", END])
    graph.add_edge("send_mail", "model")
    return graph


# subgraph: one graph inside that shares the messages, and one that keeps its own to itself.


class ResearchState(MessagesState):
    notes: NotRequired[Annotated[list[str], operator.add]]


class SubgraphState(MessagesState):
    verdict: NotRequired[str]


async def take_notes(state: ResearchState):
    return {"notes": [f"{len(state['messages'])} messages read"]}


research = straight(ResearchState, ("take_notes", take_notes), ("read", model_node(lambda messages: Answer("The library says: 42."))))
review = straight(MessagesState, ("judge", model_node(lambda messages: Answer("Between us: it holds."))))


def subgraph_graph():
    inner = review.compile()

    async def check(state: SubgraphState, config):
        said = await inner.ainvoke({"messages": [HumanMessage("Is it right?")]}, config)
        return {"verdict": said["messages"][-1].content}

    answer = model_node(lambda messages: Answer("It is 42, and that is checked."))
    return straight(SubgraphState, ("research", research.compile()), ("check", check), ("answer", answer))


# consent: a subgraph announces its action, and asks for permission: its message is not yet in the state.


async def ask_for_consent(state: MessagesState):
    allowed = interrupt("May I?")
    return {"messages": [AIMessage("It may." if allowed else "It may not.", id=f"consent-{len(state['messages'])}")]}


consenting = straight(MessagesState, ("propose", model_node(lambda messages: Answer("I would delete three files."))), ("ask_for_consent", ask_for_consent))


# fail: the model breaks off when the human says so.


def fail_script(messages) -> Answer:
    return Answer("All of this is fine again.", fails_after=3 if "break" in asked(messages).lower() else None)


# log: two fields that add up what they are given, one entry a turn.


class LogState(MessagesState):
    log: NotRequired[Annotated[list[str], operator.add]]
    count: NotRequired[Annotated[int, operator.add]]


async def write_log(state: LogState):
    return {"log": [f"asked: {asked(state['messages'])}"], "count": 1}


# relapse: asks, breaks down once after the first answer, and asks again.


class RelapseState(MessagesState):
    answers: NotRequired[list[Any]]


broken_down: set[str] = set()


async def ask_twice(state: RelapseState, config):
    first = interrupt({"question": "First?"})
    thread = config["configurable"]["thread_id"]
    if thread not in broken_down:
        broken_down.add(thread)
        raise RuntimeError("The model is overloaded")
    second = interrupt({"question": "Second?"})
    return {"answers": [first, second]}


# assistant: for the README's chat, what examples/agent-server answers: the weather by a tool, a booking that asks first, and
# all else echoed word by word, but for a model that hangs up, once, when the human writes "fail".


@tool
async def get_weather(city: str) -> str:
    """The weather of a city."""
    return "21 °C, sunny"


@tool
async def book_table(guests: int) -> str:
    """Books a table, if the human approves."""
    answer = interrupt("Book the table for two?")
    # The README's chat answers {"approved": …} over AG-UI, and a yes or no over LangGraph's own API.
    approved = answer["approved"] if isinstance(answer, dict) else answer
    return "booked" if approved is True else "not booked"


hung_up: set[str] = set()


FORECAST = (
    "It is 21 °C and sunny in Rome, with a light wind from the sea. "
    "The evening stays warm, and no rain is expected before Thursday."
)


def assistant_script(messages) -> Answer:
    question, done = asked(messages), results(messages)
    if "weather" in question.lower():
        if not done:
            return Answer("", (("get_weather", {"city": "Rome"}),))
        return Answer(FORECAST, seconds_per_word=0.03)
    if "book" in question.lower():
        if not done:
            return Answer("", (("book_table", {"guests": 2}),))
        return Answer("Your table is booked." if done[0].content == "booked" else "I booked nothing.")
    answer = Answer(f"You said: {question}", seconds_per_word=0.03)
    if "fail" not in question.lower() or messages[-1].id in hung_up:
        return answer
    hung_up.add(messages[-1].id)
    return replace(answer, fails_after=2)


# remove_unknown: a removal that add_messages refuses, when the human says so.


async def remove_stranger(state):
    if "stranger" in asked(state["messages"]).lower():
        return {"messages": [RemoveMessage(id="no-such-id")]}
    return {"messages": [AIMessage("No stranger here.", id=f"fixed-{len(state['messages'])}")]}


# summarized, deep: agents whose middleware summarizes: LangChain's takes the older messages out of the state, deepagents' only out of
# what the model is sent. The summary is written by a model that streams, too.


def summary_script(messages) -> Answer:
    return Answer("They talked about numbers.")


def short_script(messages) -> Answer:
    return Answer(f"The model was sent {len(messages)} messages.")


SUMMARIZES = {"model": ScriptedModel(script=summary_script), "trigger": ("messages", 6), "keep": ("messages", 2)}


# ten_steps: a turn of ten super-steps, each with one message of 400 characters.

STEPS = 10


async def take_step(state):
    return {"messages": [AIMessage("x" * 400, id=f"a{len(state['messages'])}")]}


def ten_steps_graph():
    graph = StateGraph(MessagesState)
    graph.add_node("step", take_step)
    graph.add_edge(START, "step")
    graph.add_conditional_edges("step", lambda state: "step" if len(state["messages"]) % (STEPS + 1) else END, ["step", END])
    return graph


chat = straight(MessagesState, ("model", model_node(chat_script)))
todos = agent(TodosState, todos_script, [write_todos, multiply])
parallel = agent(MessagesState, parallel_script, [weather])
files = agent(FilesState, files_script, [write_file, delete_file])
ten_steps = ten_steps_graph()
prune = straight(MessagesState, ("model", model_node(chat_script)), ("keep_three", keep_three))
redact = straight(MessagesState, ("model", model_node(redact_script)), ("blot", blot))
clear = straight(MessagesState, ("model", model_node(chat_script)), ("forget", forget))
approval = approval_graph()
subgraph = subgraph_graph()
consent = straight(MessagesState, ("consenting", consenting.compile()), ("answer", model_node(lambda messages: Answer("Done, and nothing else."))))
fail = straight(MessagesState, ("model", model_node(fail_script)))
log = straight(LogState, ("write_log", write_log), ("model", model_node(chat_script)))
assistant = agent(MessagesState, assistant_script, [get_weather, book_table])
relapse = straight(RelapseState, ("ask_twice", ask_twice))
remove_unknown = straight(MessagesState, ("model", model_node(chat_script)), ("remove_stranger", remove_stranger))
summarized = create_agent(ScriptedModel(script=short_script), middleware=[SummarizationMiddleware(**SUMMARIZES)]).builder
deep = create_agent(
    ScriptedModel(script=short_script), middleware=[DeepAgentsSummarization(**SUMMARIZES, backend=StateBackend())]
).builder
