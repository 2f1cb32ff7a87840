"""langchain's SummarizationMiddleware: whether, where, and the update it returns.

`in` is `{messages, options, model}`: options are the constructor's, a tuple as a
list of a string and a number; the model is `messages.model`'s. `out` is
`{tokens, due, cutoff, summarized, update}`: the count, the trigger's decision,
the cutoff whether due or not, the messages that the summarizer was given (null: it
was not asked) and the update (null: none), both as `told` tells them.
"""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from langchain.agents.middleware import SummarizationMiddleware

from .conversations import usage
from .messages import Pool, ask, budget, context_size, model, real_list, told, total

CASES = 560
SUMMARY = " They agreed. \n"
# Kept as a whole or cut after its first message, depending on whether the count is scaled.
LED_BY_ORPHAN: list[dict[str, Any]] = [
    {"type": "tool", "content": "?", "id": "m0", "tool_call_id": "gone"},
    {"type": "ai", "content": "x" * 40, "id": "m1", "response_metadata": {"model_provider": "openai"},
     "usage_metadata": usage(90)},
    {"type": "human", "content": "hi", "id": "m2"},
]
REFUSED: list[dict[str, Any]] = [
    {"trigger": {}}, {"trigger": [{}]}, {"trigger": ["fraction", 0]}, {"trigger": ["fraction", 1.5]},
    {"trigger": ["messages", 0]}, {"trigger": ["tokens", -1]}, {"trigger": ["words", 3]},
    {"trigger": {"messages": True}}, {"trigger": {"tokens": 1.5}}, {"trigger": {"tokens": "9"}},
    {"trigger": {"words": 3}}, {"trigger": {"fraction": "1"}}, {"trigger": {"fraction": -0.5}},
    {"trigger": {"messages": 0}}, {"trigger": 5}, {"trigger": [5]}, {"trigger": ["fraction", 0.5]},
    {"trigger": [["messages", 2], {"tokens": 0}]}, {"trigger": {"fraction": 0.5, "messages": 1}},
    {"keep": ["messages", 0]}, {"keep": ["tokens", -3]}, {"keep": ["fraction", 0.5]},
    {"keep": ["fraction", 2]}, {"keep": ["words", 2]},
]


def size(rng: Random, messages: list[dict[str, Any]], limit: int | None) -> list[Any]:
    """One threshold, near enough to the conversation's to matter."""
    kind = rng.choice(["messages", "tokens", "tokens", "fraction"] if limit else ["messages", "tokens", "tokens"])
    if kind == "messages":
        return [kind, rng.randrange(1, len(messages) + 3)]
    if kind == "tokens":
        return [kind, max(1, budget(rng, total(messages)))]
    return [kind, rng.choice([1, 0.5, 0.001, round(rng.uniform(0.01, 1), 3)])]


def trigger(rng: Random, messages: list[dict[str, Any]], limit: int | None) -> Any:
    """Null, one, all of some, or any of some."""
    roll = rng.random()
    if roll < 0.05:
        return None
    if roll < 0.6:
        return size(rng, messages, limit)
    if roll < 0.75:
        return dict(size(rng, messages, limit) for _ in range(2))
    some = [size(rng, messages, limit) for _ in range(rng.randrange(1, 4))]
    return [dict([item]) if rng.random() < 0.5 else item for item in some]


def stub(rng: Random, whole: int) -> dict[str, Any]:
    """The model's fields that the decision reads."""
    made: dict[str, Any] = {}
    if rng.random() < 0.5:
        made["max_input_tokens"] = rng.choice([1, whole, whole * 2 + 1, rng.randrange(1, 2000)])
    if rng.random() < 0.25:
        made["llm_type"] = rng.choice(["anthropic-chat", "anthropic-chat-x", "openai-chat"])
    if rng.random() < 0.6:
        made["ls_provider"] = rng.choice(
            ["openai", "anthropic", "amazon_bedrock", "google_genai", "openai-mantle", "anthropic-mantle"]
        )
    return made


def case(rng: Random, pool: Pool, reported: list[int]) -> dict[str, Any]:
    """One in four is over a conversation with the provider's own counts, mostly of the model's provider."""
    at = rng.choice(reported) if rng.random() < 0.25 else rng.randrange(len(pool))
    messages = pool[at]
    about = stub(rng, total(messages))
    if at in reported and rng.random() < 0.7:
        told_by = next(m for m in messages if "usage_metadata" in m)["response_metadata"]["model_provider"]
        about["ls_provider"] = "amazon_bedrock" if told_by == "bedrock_converse" else told_by
    limit = about.get("max_input_tokens")
    options: dict[str, Any] = {"trigger": trigger(rng, messages, limit)}
    if at in reported and rng.random() < 0.6:
        last = [m for m in messages if "usage_metadata" in m][-1]["usage_metadata"]["total_tokens"]
        options["trigger"] = ["tokens", max(1, last + rng.choice([-1, 0, 0, 1]))]
    elif rng.random() < 0.35:
        options["trigger"] = ["messages", 1]
    if rng.random() < 0.95:
        options["keep"] = size(rng, messages, limit)
    if at in reported and rng.random() < 0.4:
        # Fits as counted, and no longer as scaled.
        options["keep"] = ["tokens", total(messages) + rng.choice([0, 1, 9, 30])]
    if rng.random() < 0.25:
        options["trim_tokens_to_summarize"] = rng.choice([None, 10, 40, budget(rng, total(messages))])
    return {"messages": at, "options": options, "model": about}


def decide(given: dict[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The hook before the model call, and what it decides on the way."""
    asked: list[Any] = []

    def summarize(to_summarize: list[Any]) -> str:
        asked.append(told(to_summarize, messages))
        return SUMMARY

    options = {name: context_size(value) for name, value in given["options"].items()}
    middleware = SummarizationMiddleware(model(given["model"]), summarizer=summarize, **options)
    conversation = real_list(messages)
    tokens = middleware.token_counter(conversation)
    out = {
        "tokens": tokens,
        "due": middleware._should_summarize(conversation, tokens),
        "cutoff": middleware._determine_cutoff_index(conversation),
    }
    update = middleware.before_model({"messages": conversation}, None)
    out["summarized"] = asked[0] if asked else None
    out["update"] = update and told(update["messages"], messages)
    return out


def record(rng: Random, pool: Pool) -> Iterator[dict[str, Any]]:
    """Generated ones, an empty list, one cut at its very front, and the refused configurations."""
    reported = [at for at, messages in enumerate(pool) if any("usage_metadata" in m for m in messages)]
    given = [case(rng, pool, reported) for _ in range(CASES)]
    given += [{"messages": 0, "options": {"trigger": ["fraction", part]}, "model": {"max_input_tokens": 1}}
              for part in (0.5, 1)]
    given += [{"messages": LED_BY_ORPHAN, "options": {"trigger": ["messages", 1], "keep": ["tokens", keep]}, "model": {}}
              for keep in range(27, 36)]
    given += [{"messages": 1, "options": options, "model": {}} for options in REFUSED]
    for one in given:
        yield ask(one, pool, lambda messages: decide(one, messages))
