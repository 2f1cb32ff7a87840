"""A chat model that answers by a script and streams as the providers do: words, then calls piece by piece, then usage."""
import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel, agenerate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult


@dataclass(frozen=True)
class Answer:
    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    """Tools to call: name and arguments."""
    fails_after: int | None = None
    """The connection to the model breaks after so many words."""
    seconds_per_word: float = 0


class ScriptedModel(BaseChatModel):
    script: Callable[[list[BaseMessage]], Answer]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs) -> ChatResult:
        raise NotImplementedError("The graphs of the tests run asynchronously.")

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs) -> ChatResult:
        return await agenerate_from_stream(self._astream(messages))

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs) -> AsyncIterator[ChatGenerationChunk]:
        answer = self.script(messages)
        for count, chunk in enumerate(chunks(answer, len(messages))):
            if count == answer.fails_after:
                raise ConnectionError("The model hung up in mid-sentence.")
            await asyncio.sleep(answer.seconds_per_word)
            yield ChatGenerationChunk(message=chunk)


def chunks(answer: Answer, prompt: int) -> Iterator[AIMessageChunk]:
    """No chunk has an id: LangChain gives them one for each call of the model."""
    words = answer.text.split(" ")
    for index, word in enumerate(words if answer.text else []):
        yield AIMessageChunk(content=word if index == len(words) - 1 else word + " ")
    for index, (name, arguments) in enumerate(answer.calls):
        yield call_chunk(index, name=name, id=f"call-{uuid.uuid4().hex[:8]}", args="")
        text = json.dumps(arguments, ensure_ascii=False)
        for start in range(0, len(text), 16):
            yield call_chunk(index, args=text[start : start + 16])
    output = len(words) + 10 * len(answer.calls)
    yield AIMessageChunk(
        content="",
        usage_metadata={"input_tokens": prompt, "output_tokens": output, "total_tokens": prompt + output},
        response_metadata={"finish_reason": "tool_calls" if answer.calls else "stop"},
    )


def call_chunk(index: int, args: str, name: str | None = None, id: str | None = None) -> AIMessageChunk:
    return AIMessageChunk(content="", tool_call_chunks=[{"name": name, "args": args, "id": id, "index": index}])
