"""An agent with deepagents' MemoryMiddleware: the system prompt that the files make."""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from deepagents.backends.protocol import FileDownloadResponse
from deepagents.middleware.memory import MemoryMiddleware
from langchain.agents import create_agent

from subjects.agent.scripted import Scripted, human, outcome, run_async

CASES = 100

PATHS = ["/AGENTS.md", "/memories/AGENTS.md", "/b.md"]
PIECES = ["Use tabs.", "<!-- a comment -->", "<!-- two\nlines -->", "<!-- no end", "-->", "\n", "\n\n", "  ", "$& $1", "<!---->", "é", "<!-->-->"]


class Files:
    """The one method of a backend that the middleware calls."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    async def adownload_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """The files, or that they are not there."""
        return [
            FileDownloadResponse(path=path, content=self.files[path].encode())
            if path in self.files
            else FileDownloadResponse(path=path, error="file_not_found")
            for path in paths
        ]


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """Files, some of which are not there, and prompts."""
    for _ in range(CASES):
        files = {path: "".join(rng.choice(PIECES) for _ in range(rng.randrange(0, 6))) for path in PATHS if rng.random() < 0.7}
        given = {
            "files": files,
            "sources": rng.sample(PATHS, rng.randrange(0, 4)),
            "prompt": rng.choice(["Memory: {agent_memory}", "{agent_memory}", "A {agent_memory} b {agent_memory}.", None]),
            "system": rng.choice(["Be brief.", None]),
        }
        model = Scripted(replies=[], seen=[])
        middleware = MemoryMiddleware(
            backend=Files(files),  # type: ignore[arg-type]
            sources=given["sources"],
            system_prompt=given["prompt"],
        )
        agent = create_agent(model, [], system_prompt=given["system"], middleware=[middleware])

        async def run() -> Any:
            await agent.ainvoke({"messages": human()})
            first = model.seen[0][0]
            if first["type"] != "system":
                return None
            content = first["content"]
            return content if isinstance(content, str) else "".join(block["text"] for block in content)

        yield {"in": given, **outcome(lambda: run_async(run()))}
