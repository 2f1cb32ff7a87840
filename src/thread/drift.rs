//! Where a snapshot contradicts what was predicted.

use crate::diff::{self, operation, token};
use crate::message;
use crate::message_list::MessageList;
use crate::value::{Found, Kind, Value};

/// The operations that make the predicted messages into what a snapshot says of them: of those
/// it has, the content and the tool calls, if their forms can be compared.
pub(super) fn of_messages<V: Value>(
    list: &MessageList<V>,
    predicted: &[V],
    snapshot: &V,
    operations: &mut Vec<V>,
) {
    for id in predicted {
        let Some(position) = list.find(id) else { continue };
        let Some(own) = list.item(position) else { continue };
        let other = snapshot.items().find(|other| other.get("id").is_some_and(|it| it.same(id)));
        let Some(other) = other else { continue };
        for key in ["content", "tool_calls", "toolCalls"] {
            if let (Some(own), Some(value)) = (own.get(key), other.get(key))
                && own.kind() == value.kind()
                && !agree(&*own, &*value)
            {
                let path = ["/messages/", &position.to_string(), "/", key].concat();
                operations.push(operation("replace", &path, Some(value.into_owned())));
            }
        }
    }
}

/// Whether two contents, or two lists of tool calls, say the same: arguments by what they mean, and
/// blocks whether they are numbered or not.
fn agree<V: Value>(left: &V, right: &V) -> bool {
    if left.equals(right) {
        return true;
    }
    let items = || left.items().zip(right.items());
    let all =
        left.len() == right.len() && items().all(|(left, right)| agree_items::<V>(&left, &right));
    left.kind() == Kind::Array && all
}

fn agree_items<V: Value>(left: &V, right: &V) -> bool {
    if let (Some(left), Some(right)) = (message::call(left), message::call(right)) {
        return left.agrees(&right);
    }
    let bare = |block: &V| match block.kind() {
        Kind::Object => block.clone().without("index"),
        _ => block.clone(),
    };
    bare(left).equals(&bare(right))
}

/// The operations that make the predicted fields into what a snapshot says of them, if it does.
pub(super) fn of_fields<V: Value>(
    fields: &V,
    predicted: &[String],
    snapshot: &V,
    operations: &mut Vec<V>,
) {
    for key in predicted {
        let (Some(own), Some(other)) = (fields.get(key), snapshot.get(key)) else { continue };
        let under = ["/", &token(key)].concat();
        for found in diff::diff(&*own, &*other).items() {
            let path = found.text_of("path").unwrap_or_default();
            operations.push(found.into_owned().with("path", V::string(&(under.clone() + &path))));
        }
    }
}
