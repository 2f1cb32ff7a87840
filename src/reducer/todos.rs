//! `replace_todos`: checks a todo list and replaces the whole one.

use crate::digits::digits;
use crate::error::{Error, forms};
use crate::message::is_kind;
use crate::value::{Found, Kind, Value};

const STATUSES: [&str; 3] = ["pending", "in_progress", "completed"];

/// Replaces the todo list `left` by `right`, a list of
/// `{ content: string, status: "pending" | "in_progress" | "completed" }`.
///
/// Drops a todo's other keys. Reuses a todo that equals the one at its position in `left`; returns
/// `left` itself for an equal list.
///
/// # Errors
/// `INVALID_TODOS` with one line for each problem, worded as DeepAgents' (pydantic's).
///
/// ```
/// use serde_json::json;
/// use threadfold::replace_todos;
///
/// let error = replace_todos(json!([]), json!([{ "content": "Plan", "status": "later" }])).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "todos.0.status: Input should be 'pending', 'in_progress' or 'completed'",
/// );
/// ```
pub fn replace_todos<V: Value>(left: V, right: V) -> Result<V, Error> {
    let problem = match right.kind() {
        Kind::Array => None,
        Kind::Null => Some("todos: Field required"),
        _ => Some("todos: Input should be a valid list"),
    };
    if let Some(problem) = problem {
        return Err(Error::new(forms::TODOS, &[problem]));
    }
    let mut problems = Vec::new();
    let mut changed = left.kind() != Kind::Array || left.len() != right.len();
    let mut stripped = false;
    let mut todos = Vec::with_capacity(right.len());
    for (index, todo) in right.items().enumerate() {
        check(&*todo, index, &mut problems);
        let plain = strip(&*todo);
        stripped |= plain.is_some();
        let todo = plain.unwrap_or_else(|| todo.into_owned());
        match left.at(index) {
            Some(known) if known.equals(&todo) => {
                stripped |= !known.same(&todo);
                todos.push(known.into_owned());
            }
            _ => {
                changed = true;
                todos.push(todo);
            }
        }
    }
    if !problems.is_empty() {
        return Err(Error::new(forms::TODOS, &[&problems.join("\n")]));
    }
    Ok(match (changed, stripped) {
        (false, _) => left,
        (true, false) => right,
        (true, true) => V::array(todos),
    })
}

/// Refuses two `write_todos` calls in one model answer, as DeepAgents' middleware does. Checks the
/// last assistant message of the list.
///
/// # Errors
/// `PARALLEL_TODOS`.
pub fn check_todo_calls<V: Value>(messages: &V) -> Result<(), Error> {
    let answers = (0..messages.len()).rev().filter_map(|at| messages.at(at));
    let Some(answer) = answers.into_iter().find(|message| is_kind(&**message, "ai")) else {
        return Ok(());
    };
    let Some(calls) = answer.get("tool_calls") else { return Ok(()) };
    let writes =
        calls.items().filter(|call| call.text_of("name").as_deref() == Some("write_todos"));
    if writes.count() > 1 { Err(Error::new(forms::PARALLEL_TODOS, &[])) } else { Ok(()) }
}

fn check<V: Value>(todo: &V, index: usize, problems: &mut Vec<String>) {
    if todo.kind() != Kind::Object {
        problems.push(["todos.", &digits(index), ": Input should be a valid dictionary"].concat());
        return;
    }
    let mut problem = |key: &str, says: &str| {
        problems.push(["todos.", &digits(index), ".", key, ": ", says].concat());
    };
    match todo.get("content") {
        None => problem("content", "Field required"),
        Some(content) if content.kind() != Kind::String => {
            problem("content", "Input should be a valid string");
        }
        Some(_) => {}
    }
    match todo.get("status") {
        None => problem("status", "Field required"),
        Some(status) if !status.text().is_some_and(|text| STATUSES.contains(&&*text)) => {
            problem("status", "Input should be 'pending', 'in_progress' or 'completed'");
        }
        Some(_) => {}
    }
}

/// Returns the todo with only its two keys; `None` when it has no others.
fn strip<V: Value>(todo: &V) -> Option<V> {
    let keys = todo.keys();
    if keys.len() == 2 {
        return None;
    }
    let known = ["content", "status"];
    Some(known.iter().fold(V::object(), |made, key| match todo.get(key) {
        Some(value) => made.with(key, value.into_owned()),
        None => made,
    }))
}
