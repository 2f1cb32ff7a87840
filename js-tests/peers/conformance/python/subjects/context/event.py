"""deepagents' event: the messages it leaves, and the event that a model call writes.

`in.kind` says which of three things is asked:
- `effective`: `{messages, event}` to the messages that the model would see;
- `cutoff`: `{event, cutoff}` to the index in the state of one among those;
- `call`: `{messages, event, options, truncate_args, model, system, tools, broken}`, a
  whole model call, to `{request, event}`: the messages of the request, and the event
  of the update (null: none), whose summary message is the first of the request.
  `broken` is a backend that cannot write.
"""

from __future__ import annotations

import logging
import warnings
from copy import deepcopy
from random import Random
from typing import Any, Iterator

from langchain.agents.middleware import ExtendedModelResponse, ModelRequest, ModelResponse
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, SystemMessage

from common import answer

from .args import settings
from .conversations import Message
from .cutoff import size, trigger
from .deep import Backend, event_of, middleware
from .messages import Pool, ask, real_list, told, total

EFFECTIVE = 130
CUTOFFS = 20
CALLS = 200
SUMMARY = {"type": "human", "content": "Before: …", "additional_kwargs": {"lc_source": "summarization"}}
TOOL = {"name": "find", "description": "Finds é", "parameters": {"type": "object", "properties": {}}}


def event(rng: Random, length: int, whole: bool = False) -> Any:
    """An event that suits a list of that length; unless `whole`, sometimes none or a broken one."""
    cutoff = min(rng.randrange(length + 1), rng.randrange(length + 1))
    made: dict[str, Any] = {"cutoff_index": cutoff, "summary_message": SUMMARY, "file_path": None}
    if rng.random() < 0.75:
        made["created_at_index"] = rng.choice([cutoff, length, length, rng.randrange(length + 1), length + 2])
    if whole:
        return made
    roll = rng.random()
    if roll < 0.06:
        return None
    if roll < 0.12:
        return {"cutoff_index": cutoff} if rng.random() < 0.5 else {"summary_message": SUMMARY}
    if roll < 0.2:
        made["cutoff_index"] = length + rng.randrange(1, 3)
    if roll > 0.95:
        made["created_at_index"] = rng.choice([None, "3"])
    return made


def effective(given: dict[str, Any], messages: list[Message]) -> list[Any]:
    """The messages after the event."""
    deep = middleware({})
    return told(deep._apply_event_to_messages(real_list(messages), event_of(given["event"])), messages)


def reasons(message: Message) -> bool:
    """Whether it has a block of some reasoning."""
    blocks = message["content"] if isinstance(message["content"], list) else []
    return any(isinstance(block, dict) and block.get("type") != "text" for block in blocks)


def case(rng: Random, pool: Pool, reasoning: list[int]) -> dict[str, Any]:
    """A model call: half of them after an event, most of them due."""
    at = rng.choice(reasoning) if rng.random() < 0.3 else rng.randrange(1, len(pool))
    messages = pool[at]
    limit = rng.choice([None, None, 100_000, int(total(messages) * rng.uniform(0.5, 2)) + 50])
    made: dict[str, Any] = {"kind": "call", "messages": at}
    due = rng.choice([["messages", 1], trigger(rng, messages, limit)])
    made["options"] = options = {"trigger": due, "keep": size(rng, messages, limit)}
    made["model"] = {} if limit is None else {"max_input_tokens": limit}
    if limit and rng.random() < 0.3:
        made["model"]["max_tokens"] = rng.randrange(60)
    if rng.random() < 0.5:
        made["event"] = event(rng, len(messages), whole=True)
    if rng.random() < 0.4:
        made["truncate_args"] = settings(rng, messages, limit)
        if rng.random() < 0.5:
            # Due before arguments are shorter, and maybe not after.
            options["trigger"] = ["tokens", int(total(messages) * rng.uniform(0.7, 1))]
    if rng.random() < 0.4:
        made["system"] = "You are a helper. " * rng.randrange(1, 9)
    if rng.random() < 0.4:
        made["tools"] = [TOOL] * rng.randrange(1, 3)
    if rng.random() < 0.2:
        made["broken"] = True
    return made


def shortened(rng: Random) -> dict[str, Any]:
    """A call that is due as counted, and perhaps no longer once its argument is shorter."""
    call = {"name": "write_file", "args": {"content": "x" * 120}, "id": "c1"}
    messages: list[Message] = [
        {"type": "human", "content": "go", "id": "m0"}, {"type": "ai", "content": "", "id": "m1", "tool_calls": [call]},
        {"type": "tool", "content": "ok", "id": "m2", "tool_call_id": "c1"}, {"type": "ai", "content": "ok", "id": "m3"},
    ]
    options = {"trigger": ["tokens", total(messages) - rng.randrange(40)], "keep": ["messages", 1]}
    settings = {"trigger": ["messages", 1], "keep": ["messages", 1], "max_length": 20}
    return {"kind": "call", "messages": messages, "options": options, "truncate_args": settings, "model": {}}


def model_call(given: dict[str, Any], messages: list[Message]) -> dict[str, Any]:
    """A call of a model that answers at once, and what the middleware did about it."""
    requests: list[list[Any]] = []

    def handler(request: ModelRequest) -> ModelResponse:
        requests.append(told(request.messages, messages))
        return ModelResponse(result=[AIMessage("ok")])

    deep = middleware(given, Backend(broken=given.get("broken", False)))
    state: dict[str, Any] = {"_summarization_session_id": "session_1"}
    if "event" in given:
        state["_summarization_event"] = event_of(given["event"])
    request = ModelRequest(
        model=deep.model,
        messages=real_list(messages),
        system_message=SystemMessage(given["system"]) if "system" in given else None,
        tools=deepcopy(given.get("tools", [])),
        state=state,
    )
    response = deep.wrap_model_call(request, handler)
    update = response.command.update if isinstance(response, ExtendedModelResponse) else {}
    written = update.get("_summarization_event")
    if "messages" in update:
        raise ContextOverflowError("The tail was clipped.")
    if written:
        [summary] = told([written.pop("summary_message")], messages)
        assert requests[-1][0] == summary
    return {"request": requests[-1], "event": written}


def record(rng: Random, pool: Pool) -> Iterator[dict[str, Any]]:
    """Calls that overflow whatever is summarized are left out: clipping is another subject."""
    logging.getLogger("deepagents").setLevel(logging.CRITICAL)
    reasoning = [at for at, messages in enumerate(pool) if any(map(reasons, messages))]
    for _ in range(EFFECTIVE):
        at = rng.choice(reasoning) if rng.random() < 0.75 else rng.randrange(len(pool))
        given = {"kind": "effective", "messages": at, "event": event(rng, len(pool[at]))}
        yield ask(given, pool, lambda messages: effective(given, messages))
    for _ in range(CUTOFFS):
        given = {"kind": "cutoff", "event": event(rng, 9), "cutoff": rng.randrange(1, 9)}
        yield answer(given, lambda: middleware({})._compute_state_cutoff(event_of(given["event"]), given["cutoff"]))
    made = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while made < CALLS:
            given = case(rng, pool, reasoning) if made > 12 else shortened(rng)
            one = ask(given, pool, lambda messages: model_call(given, messages))
            if one.get("raised") != "ContextOverflowError":
                made += 1
                yield one
