"""The AG-UI server: `ag_ui_server.py PORT` serves each graph of langgraph.json at /NAME, its state at /NAME/state/THREAD."""
import json
import sys
from pathlib import Path

import uvicorn
from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
from ag_ui_langgraph.utils import langchain_messages_to_agui
from fastapi import FastAPI, HTTPException
from fastapi.middleware.cors import CORSMiddleware
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.memory import InMemorySaver

import graphs

NAMES = json.loads(Path(__file__).with_name("langgraph.json").read_text())["graphs"]

app = FastAPI()
app.add_middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["*"], allow_headers=["*"])


def plain(value):
    if isinstance(value, BaseMessage):
        return value.model_dump()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def serve(name: str) -> None:
    graph = getattr(graphs, name).compile(checkpointer=InMemorySaver())
    # RAW events are ten times the rest, and no client of ours reads them.
    agent = LangGraphAgent(name=name, graph=graph, emit_raw_events=False, emit_interrupt_outcome=True)
    add_langgraph_fastapi_endpoint(app, agent, f"/{name}")

    @app.get(f"/{name}/state/{{thread}}")
    async def state(thread: str):
        """The graph's state: in LangChain's form, and its messages in AG-UI's."""
        try:
            held = await graph.aget_state({"configurable": {"thread_id": thread}})
        except ValueError as refused:
            # A reducer refuses what a node has written: LangGraph has the same answer.
            raise HTTPException(400, str(refused)) from refused
        messages = langchain_messages_to_agui(held.values.get("messages", []))
        return {
            "values": plain(held.values),
            "messages": [message.model_dump(by_alias=True, exclude_none=True) for message in messages],
            "next": held.next,
            "interrupts": [{"id": found.id, "value": found.value} for found in held.interrupts],
        }


for name in NAMES:
    serve(name)


@app.get("/ok")
async def ok():
    return {"ok": True}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
