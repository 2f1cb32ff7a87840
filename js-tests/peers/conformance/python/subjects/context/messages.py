"""JSON to message objects, and answers in terms of the messages given."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any, Callable, Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, ChatMessage, convert_to_messages
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatResult

from common import CLASSES, UUID, answer

FIELDS = (
    "type", "content", "id", "name", "additional_kwargs", "response_metadata", "tool_calls",
    "invalid_tool_calls", "usage_metadata", "tool_call_id", "artifact", "status",
)
# Where a message object keeps its index in the input. No field, so that equality,
# dumps and counts do not see it, and copies have it.
AT = "_at"

Pool = Sequence[list[dict[str, Any]]]


def real(data: dict[str, Any]) -> BaseMessage:
    """The message object for LangChain's JSON; for OpenAI's, what LangChain makes of it."""
    if "type" not in data or data["content"] is None:
        return convert_to_messages([deepcopy(data)])[0]
    kind = data["type"]
    fields = {key: deepcopy(value) for key, value in data.items() if key != "type"}
    return ChatMessage(**fields) if kind == "chat" else CLASSES[kind](**fields)


def real_list(messages: list[dict[str, Any]]) -> list[BaseMessage]:
    """A conversation whose messages know their index."""
    made = [real(message) for message in messages]
    for at, message in enumerate(made):
        message.__dict__[AT] = at
    return made


def fields_of(message: BaseMessage) -> dict[str, Any]:
    """The fields that a message has, a made-up id masked."""
    made = {name: getattr(message, name) for name in FIELDS if hasattr(message, name)}
    if made["id"] and UUID.match(made["id"]):
        made["id"] = "<uuid>"
    return made


def told(messages: Sequence[BaseMessage], given: list[dict[str, Any]]) -> list[Any]:
    """`messages` by what became of those of `given`.

    An index is that message, untouched, and `[from, to]` are all from one up to the
    other, which is not among them; `{"at": index, ..}` is a message with these
    fields replaced; `{"new": ..}` was not there before.
    """
    before = [fields_of(message) for message in real_list(given)]
    made: list[Any] = []
    for message in messages:
        at = message.__dict__.get(AT)
        now = fields_of(message)
        if at is None:
            kept = ("type", "content")
            made.append({"new": {k: v for k, v in now.items() if k in kept or v not in (None, {}, [])}})
            continue
        changed = {k: v for k, v in now.items() if v != before[at].get(k)}
        made.append({"at": at, **changed} if changed else at)
    return in_runs(made)


def in_runs(items: list[Any]) -> list[Any]:
    """Three or more indices in a row as one pair."""
    made: list[Any] = []
    at = 0
    while at < len(items):
        end = at + 1
        while isinstance(items[at], int) and end < len(items) and items[end] == items[at] + end - at:
            end += 1
        made += [[items[at], items[end - 1] + 1]] if end - at > 2 else items[at:end]
        at = end
    return made


def resolve(given: dict[str, Any], pool: Pool) -> list[dict[str, Any]]:
    """A case's messages: in place, or an index of the pool."""
    messages = given["messages"]
    return pool[messages] if isinstance(messages, int) else messages


def ask(given: dict[str, Any], pool: Pool, call: Callable[[list[dict[str, Any]]], Any]) -> dict[str, Any]:
    """One record of a case over messages."""
    return answer(given, lambda: call(resolve(given, pool)))


def total(messages: list[dict[str, Any]]) -> int:
    """The approximate count, for budgets that are worth asking about."""
    return count_tokens_approximately(real_list(messages))


def budget(rng: Random, whole: int) -> int:
    """A budget from nothing to a bit more than all."""
    if rng.random() < 0.15:
        return rng.choice([0, 1, whole, max(0, whole - 1)])
    return int(whole * rng.uniform(0.05, 1.1))


def context_size(data: Any) -> Any:
    """A value that Python code writes as a tuple: `["tokens", 100]`."""
    if isinstance(data, list) and data and isinstance(data[0], str):
        return tuple(data)
    return [context_size(item) for item in data] if isinstance(data, list) else data


class StubModel(BaseChatModel):
    """A model as far as a middleware looks at it before it is called."""

    kind: str = "stub"
    provider: str | None = None
    max_tokens: int | None = None

    @property
    def _llm_type(self) -> str:
        return self.kind

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        return {} if self.provider is None else {"ls_provider": self.provider}

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError("Only the summarizer is called.")


def model(data: dict[str, Any]) -> StubModel:
    """`{max_input_tokens?, llm_type?, ls_provider?, max_tokens?}`."""
    limit = data.get("max_input_tokens")
    return StubModel(
        profile=None if limit is None else {"max_input_tokens": limit},
        kind=data.get("llm_type", "stub"),
        provider=data.get("ls_provider"),
        max_tokens=data.get("max_tokens"),
    )
