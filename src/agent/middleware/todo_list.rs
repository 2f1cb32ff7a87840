//! A list of todos that the agent writes.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::{Map, Value, json};

use super::{Hook, Middleware};
use crate::agent::model::ModelRequest;
use crate::agent::state::{AgentState, AgentUpdate};
use crate::agent::tool::{Tool, ToolRequest};
use crate::agent::turn::{Turn, answer};
use crate::error::Error;
use crate::graph::{BoxError, Ctx};
use crate::reducer::todos::replace_todos;

/// The instructions to the model about the list.
const TODO_PROMPT: &str = "## `write_todos`\n\
For work of three steps or more, keep a todo list with `write_todos`: write it before you begin, set \
one item `in_progress` before you work on it and `completed` as soon as it is done. Revise it when \
you learn more. Do not use it for what one or two steps do. Call it at most once in a turn, and give \
your final answer in a message after it.";

const NAME: &str = "write_todos";

const DESCRIPTION: &str = "Writes your todo list, the whole of it: each call replaces the list. An \
                           item is pending, in_progress or completed.";

const PARALLEL: &str = "Error: The `write_todos` tool should never be called multiple times in \
                        parallel. Please call it only once per model invocation to update the todo \
                        list.";

/// The arguments of the tool: a list of todos.
struct Todos(Value);

impl<'de> Deserialize<'de> for Todos {
    fn deserialize<In: Deserializer<'de>>(deserializer: In) -> Result<Self, In::Error> {
        let mut args = Map::<String, Value>::deserialize(deserializer)?;
        let todos = args.remove("todos");
        if todos.as_ref().is_some_and(Value::is_null) {
            return Err(In::Error::custom("todos: Input should be a valid list"));
        }
        let todos = todos.unwrap_or_default();
        replace_todos(Value::Array(Vec::new()), todos).map(Self).map_err(In::Error::custom)
    }
}

impl Middleware {
    /// Gives an agent a todo list, as LangChain's `TodoListMiddleware` does: the field `todos`, and
    /// the tool `write_todos`, which replaces it.
    #[must_use]
    pub fn todo_list() -> Self {
        let write = |Todos(todos), ToolRequest { call, .. }: ToolRequest| async move {
            let text = format!("Updated todo list to {todos}");
            let update = AgentUpdate::from(answer(&call, text, false));
            Ok::<_, Error>(AgentUpdate { todos: Some(todos), ..update })
        };
        let status = json!({ "type": "string", "enum": ["pending", "in_progress", "completed"] });
        let item = object(&json!({ "content": { "type": "string" }, "status": status }));
        let schema = object(&json!({ "todos": { "type": "array", "items": item } }));
        let once = |state: AgentState, _: Ctx| async move {
            let calls = Turn::last(&state.messages).calls();
            let calls = calls.iter().filter(|call| call.name == NAME).collect::<Vec<_>>();
            // The list is replaced whole: which of them would count?
            if calls.len() < 2 {
                return Ok::<_, BoxError>(AgentUpdate::default());
            }
            Ok(AgentUpdate::of_messages(calls.into_iter().map(|call| answer(call, PARALLEL, true))))
        };
        Self::new("TodoListMiddleware")
            .tool(Tool::new(NAME, DESCRIPTION, write).with_schema(schema))
            .wrap_model(|request: ModelRequest, next| async move {
                next.call(request.with_instructions(TODO_PROMPT)).await
            })
            .after_model(Hook::new(once))
    }
}

/// The schema of an object that has all of these properties and no others.
fn object(properties: &Value) -> Value {
    let required = properties.as_object().into_iter().flat_map(Map::keys).collect::<Vec<_>>();
    json!({
        "type": "object",
        "required": required,
        "additionalProperties": false,
        "properties": properties,
    })
}
