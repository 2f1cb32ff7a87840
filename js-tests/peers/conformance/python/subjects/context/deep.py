"""deepagents' summarization middleware with all that is not a decision stubbed."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from deepagents.middleware.summarization import SummarizationMiddleware

from .messages import context_size, model, real

SUMMARY = "They agreed."
STAMP = re.compile(r"(?<=^## Summarized at )\S+", re.MULTILINE)


class Backend:
    """Files in memory; `broken` refuses every write."""

    def __init__(self, files: dict[str, str] | None = None, broken: bool = False) -> None:
        self.files = dict(files or {})
        self.broken = broken

    def download_files(self, paths: list[str]) -> list[Any]:
        """The file, as bytes."""
        found = [self.files.get(path) for path in paths]
        return [SimpleNamespace(content=None if f is None else f.encode(), error=None) for f in found]

    def write(self, path: str, content: str) -> Any:
        """A new file."""
        if self.broken:
            return SimpleNamespace(path=None, error="read-only")
        self.files[path] = content
        return SimpleNamespace(path=path, error=None)

    def edit(self, path: str, old: str, new: str) -> Any:
        """The only edit asked for replaces all of the file."""
        return self.write(path, self.files[path].replace(old, new, 1))


def middleware(given: dict[str, Any], backend: Backend | None = None) -> Any:
    """The middleware of a case's `model`, `options` and `truncate_args`."""
    options = {name: context_size(value) for name, value in given.get("options", {}).items()}
    settings = given.get("truncate_args")
    if settings is not None:
        settings = {name: context_size(value) for name, value in settings.items()}
    return SummarizationMiddleware(
        model(given.get("model", {})),
        backend=backend or Backend(),
        truncate_args_settings=settings,
        summarizer=lambda messages: SUMMARY,
        **options,
    )


def event_of(data: Any) -> Any:
    """An event from JSON; any other value stays as it is."""
    if isinstance(data, dict) and isinstance(data.get("summary_message"), dict):
        return {**data, "summary_message": real(data["summary_message"])}
    return data
