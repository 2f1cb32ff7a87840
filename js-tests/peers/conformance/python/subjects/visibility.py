"""The fields that create_agent's invoke drops on the way in and on the way out."""

from __future__ import annotations

from random import Random
from typing import Annotated, Any, Iterator

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import (
    OmitFromInput,
    OmitFromOutput,
    PrivateStateAttr,
)
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from typing_extensions import NotRequired, TypedDict

from common import answer

CASES = 150
# Every agent has these two whether a middleware names them or not.
BUILT_IN = {
    "jump_to": {"input": False, "output": False},
    "structured_response": {"input": False, "output": True},
}
MARKS = {
    (True, True): None,
    (False, True): OmitFromInput,
    (True, False): OmitFromOutput,
    (False, False): PrivateStateAttr,
}


def schema(fields: dict[str, dict[str, bool]]) -> type:
    """An agent state with one annotated field for each of `fields`."""
    hints = dict(AgentState.__annotations__)
    for name, seen in fields.items():
        mark = MARKS[seen["input"], seen["output"]]
        if name not in BUILT_IN:
            hints[name] = NotRequired[Annotated[Any, mark] if mark else Any]
    return TypedDict("Generated", hints)


class Probe(AgentMiddleware):
    """Notes the state its hook sees and writes some fields, as a node would."""

    def __init__(self, state_schema: type, writes: dict[str, Any]) -> None:
        super().__init__()
        self.state_schema = state_schema
        self.writes = writes
        self.seen: dict[str, Any] = {}

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Runs once, first."""
        self.seen = {k: v for k, v in state.items() if k != "messages"}
        return self.writes or None


def invoke(given: dict[str, Any]) -> dict[str, Any]:
    """`messages` is left out of the answer: it is the same in every case."""
    probe = Probe(schema(given["fields"]), given["writes"])
    model = GenericFakeChatModel(messages=iter([AIMessage("ok", id="2")]))
    agent = create_agent(model, middleware=[probe])
    values = given["values"]
    if values is not None:
        values = {"messages": [{"type": "human", "content": "a", "id": "1"}], **values}
    result = agent.invoke(values)
    return {
        "seen_by_node": probe.seen,
        "result": {k: v for k, v in result.items() if k != "messages"},
    }


def case(rng: Random) -> dict[str, Any]:
    """Up to four fields; `writes` is what a node adds after the input is in."""
    names = "abcd"[: rng.randrange(1, 5)]
    fields = {n: {"input": rng.random() < 0.5, "output": rng.random() < 0.5} for n in names}
    fields.update(BUILT_IN)
    offered = [*names, "structured_response", "jump_to", "unknown"]
    values: Any = {}
    for name in offered:
        if rng.random() < (0.65 if name in names else 0.15):
            values[name] = "end" if name == "jump_to" else rng.choice([1, "v", None, [1], {"k": 1}])
    writes = {n: "w" for n in names if rng.random() < 0.25}
    if rng.random() < 0.03:
        values = None
    return {"fields": fields, "values": values, "writes": writes}


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """One agent per case."""
    for _ in range(CASES):
        given = case(rng)
        yield answer(given, lambda: invoke(given))
