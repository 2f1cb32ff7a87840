"""An agent with deepagents' SkillsMiddleware: the skills that it finds, and the system prompt that they make.

A value without text, which Python shows as None, and one that YAML 1.1 reads as something else than text, are left out.
"""

from __future__ import annotations

from random import Random
from typing import Any, Iterator

from deepagents.backends.protocol import LsResult
from deepagents.middleware.skills import SkillsMiddleware
from langchain.agents import create_agent

from subjects.agent.memory import Files as Read
from subjects.agent.scripted import Scripted, human, outcome, run_async

CASES = 120

SOURCES = ["/skills/", "/skills", "/home/me/.claude/skills/", "/built_in_skills/", "/team-a_b/Skills/", "/more/USER/", "/"]
LABELS = ["Team", "", "User Claude"]
NAMES = ["reports", "web-research", "Bad Name", "a--b", "1.0", "'on'", "é", '"quoted: yes"', "''"]
LINES = [
    "license: MIT",
    "license: ' '",
    "compatibility: Python 3.10+",
    "allowed-tools: ls, read_file  grep",
    "allowed-tools: [ls, ' grep ', '']",
    "allowed-tools:\n  - ls\n  - read_file",
    "metadata: {author: Ada, version: 1.0}",
    "metadata:\n  since: 2024-01-01\n  'by': \"Bob\"",
    "metadata: [a]",
    "metadata: text",
    "module: index.ts",
    "name: twice",
    "# a comment",
    "other: {deep: [1, {er: 2}]}",
    "broken: [",
    "- a list",
    "x: &a y\nz: *a",
]
DESCRIPTIONS = [
    "How we write reports.",
    "'quoted: with a colon'",
    "|\n  Two\n  lines.",
    ">-\n  folded\n  text",
    "  spaces  ",
    "$& $1 {skills_list} {x}",
    "''",
    "[a",
]
LONG = ["description: " + "d" * 1030, "description: " + "😀" * 1025, "compatibility: " + "é😀" * 260]
ENDS = ["\n---\n", "\n---  \n", "\n---\nBody.\n---\nMore.", "\n---", "\n--- x\n---\n", "\n----\n", "\r\n---\r\nBody."]
BEGINS = ["---\n", "---\n", "---\n", "---  \n", "---\n\n", "\n---\n", "--- x\n", "---\r\n", ""]


def file(rng: Random) -> str:
    """A SKILL.md: often a good one."""
    lines = [f"name: {rng.choice(NAMES)}", f"description: {rng.choice(DESCRIPTIONS)}", *rng.sample(LINES, rng.randrange(0, 4))]
    if rng.random() < 0.15:
        lines.pop(0)
    if rng.random() < 0.04:
        lines.append(rng.choice(LONG))
    if rng.random() < 0.5:
        rng.shuffle(lines)
    good = rng.random() < 0.6
    return ("---\n" if good else rng.choice(BEGINS)) + "\n".join(lines) + ("\n---\nBody." if good else rng.choice(ENDS))


class Files(Read):
    """The two methods of a backend that the middleware calls."""

    async def als(self, path: str) -> LsResult:
        """The folders and files right below a folder, sorted."""
        folder = path.rstrip("/") + "/"
        below = {name[len(folder) :] for name in self.files if name.startswith(folder)}
        entries = sorted({name.split("/")[0] + ("/" if "/" in name else "") for name in below})
        return LsResult(entries=[{"path": folder + name, "is_dir": name.endswith("/")} for name in entries])


def record(rng: Random) -> Iterator[dict[str, Any]]:
    """Skills in some of the sources, beside other files, and prompts."""
    for _ in range(CASES):
        sources = [
            [path, rng.choice(LABELS)] if rng.random() < 0.2 else path for path in rng.sample(SOURCES, rng.randrange(0, 4))
        ]
        files: dict[str, str] = {}
        for source in sources:
            folder = (source if isinstance(source, str) else source[0]).rstrip("/")
            for name in rng.sample(["reports", "web-research", "z", "a b"], rng.randrange(0, 4)):
                files[f"{folder}/{name}/SKILL.md"] = file(rng)
                if rng.random() < 0.2:
                    files[f"{folder}/{name}/help/SKILL.md"] = file(rng)
            if rng.random() < 0.2:
                files[f"{folder}/SKILL.md"] = file(rng)
        given = {
            "files": files,
            "sources": sources,
            "prompt": rng.choice(["{skills_locations}\n{skills_list}", "List:\n{skills_list}\nIn:\n{skills_locations}.", None]),
            "system": rng.choice(["Be brief.", None]),
        }
        model = Scripted(replies=[], seen=[])
        prompt = given["prompt"]
        middleware = SkillsMiddleware(
            backend=Files(files),  # type: ignore[arg-type]
            sources=[source if isinstance(source, str) else tuple(source) for source in sources],
            system_prompt=None if prompt is None else prompt + "{skills_load_warnings}",
        )
        agent = create_agent(model, [], system_prompt=given["system"], middleware=[middleware])
        found: list[Any] = []

        async def run() -> Any:
            async for mode, part in agent.astream({"messages": human()}, stream_mode=["updates"]):
                for update in part.values():
                    if update and "skills_metadata" in update:
                        found.extend(update["skills_metadata"])
            first = model.seen[0][0]
            text = None
            if first["type"] == "system":
                content = first["content"]
                text = content if isinstance(content, str) else "".join(block["text"] for block in content)
            return {"text": text, "skills": found}

        yield {"in": given, **outcome(lambda: run_async(run()))}
