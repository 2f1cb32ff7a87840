"""Record the answers of the Python packages to generated cases.

    python record.py                 write ../records/**/*.json
    python record.py --check         compare instead; exit 1 when one differs
    python record.py --only todos    one subject (may be repeated)
    python record.py --compat        default-merge-state-0.0.x, in its own environment

The same seed and the same package versions give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from random import Random
from typing import Any, Iterable

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
RECORDS = HERE.parent / "records"

# Subject -> module of `subjects`. Imported only when recorded: the two
# environments do not have the same packages.
CURRENT = {
    "graphs": "graphs",
    "add-messages": "add_messages",
    "deepagents-messages": "deepagents_messages",
    "default-merge-state": "merge_state",
    "super-step": "super_step",
    "visibility": "visibility",
    "todos": "todos",
    "files": "files",
}
COMPAT = {"default-merge-state-0.0.x": "merge_state"}
# Their cases refer to the messages of the first by index.
POOL = "context/conversations"
CONTEXT = ("conversations", "count", "trim", "cutoff", "event", "args", "history", "clear", "patch", "offload")
CURRENT.update({f"context/{name}": f"context.{name}" for name in CONTEXT})
AGENT = ("hooks", "todos", "files", "large_results", "read_file", "approval", "approval_per_call", "limits", "subagents", "structured", "stacks", "pii", "memory", "skills")
CURRENT.update({f"agent/{name}": f"agent.{name}" for name in AGENT})


def recorded(subject: str, module: str, seed: int) -> str:
    """The whole file of one subject; its cases depend on no other but the pool."""
    from common import to_text

    def of(name: str, module: str, *more: Any) -> Iterable[Any]:
        return import_module(f"subjects.{module}").record(Random(f"{seed}:{name}"), *more)

    if subject.startswith("context/") and subject != POOL:
        return to_text(of(subject, module, list(of(POOL, CURRENT[POOL]))))
    return to_text(of(subject, module, "0.0.x") if subject in COMPAT else of(subject, module))


def wrong_version(requirements: Path) -> str | None:
    """A sentence when an installed package is not the pinned one.

    Another version may answer otherwise, and a difference should then be
    blamed on the environment, not on the records.
    """
    for line in requirements.read_text().splitlines():
        name, _, pinned = line.partition("==")
        if not pinned:
            continue
        try:
            found = version(name)
        except PackageNotFoundError:
            found = "nothing"
        if found != pinned:
            return f"{requirements.name} pins {line}, but {found} is installed."
    return None


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--compat", action="store_true")
    parser.add_argument("--only", action="append", choices=[*CURRENT, *COMPAT])
    options = parser.parse_args()

    subjects = COMPAT if options.compat else CURRENT
    pins = HERE / ("requirements-0.0.x.txt" if options.compat else "requirements.txt")
    if sentence := wrong_version(pins):
        print(sentence)
        return 1

    print(f"seed {options.seed}")
    differing = 0
    for subject, module in subjects.items():
        if options.only and subject not in options.only:
            continue
        path = RECORDS / f"{subject}.json"
        text = recorded(subject, module, options.seed)
        cases = text.count("\n") - 2
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"{path.name}: {cases} cases, {len(text.encode()) // 1024} KB")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.name} is not what the installed packages answer; record it again.")
            differing += 1
        else:
            print(f"{path.name}: {cases} cases, as recorded")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
