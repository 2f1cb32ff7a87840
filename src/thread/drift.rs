//! Drift: where a snapshot contradicts the prediction.

use crate::diff::{self, operation, token};
use crate::digits::digits;
use crate::message;
use crate::message_list::{Compared, JsonMessageList};
use crate::value::{ByNumber, Found, Kind, Value};

/// Returns the operations that turn the predicted messages into the snapshot's. They concern the
/// content and the tool calls of the common messages.
pub(super) fn of_messages<'a, V: Value + 'a>(
    list: &JsonMessageList<V>,
    predicted: impl Iterator<Item = &'a V>,
    snapshot: &V,
    compared: &Compared,
    operations: &mut Vec<V>,
) {
    let mut told = ByNumber::default();
    for id in predicted {
        let Some(position) = list.find(id) else { continue };
        if told.is_empty() {
            for (at, place) in (0..).zip(&compared.places) {
                place.and_then(|place| told.insert(place, at));
            }
        }
        let other = told.get(position).and_then(|at| snapshot.at(at as usize));
        let (Some(own), Some(other)) = (list.item(position), other) else { continue };
        for key in ["content", "tool_calls", "toolCalls"] {
            if let (Some(own), Some(value)) = (own.get(key), other.get(key))
                && !agree(&*own, &*value)
            {
                let path = ["/messages/", &digits(position as usize), "/", key].concat();
                operations.push(operation("replace", &path, Some(value.into_owned())));
            }
        }
    }
}

/// Whether two contents, or two lists of tool calls, mean the same. Arguments are compared parsed, blocks with or
/// without numbers, and a text with the text of blocks.
fn agree<V: Value>(left: &V, right: &V) -> bool {
    if left.kind() != right.kind() {
        return message::text_in(left) == message::text_in(right);
    }
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

/// Returns the operations that turn the predicted fields into the snapshot's, if it has them.
pub(super) fn of_fields<'a, V: Value + 'a>(
    fields: &V,
    predicted: impl Iterator<Item = &'a V>,
    snapshot: &V,
    operations: &mut Vec<V>,
) {
    for key in predicted {
        let key = key.text().unwrap_or_default();
        let (Some(own), Some(other)) = (fields.get(&key), snapshot.get(&key)) else { continue };
        let under = ["/", &token(&key)].concat();
        for found in diff::diff(&*own, &*other).items() {
            let path = found.text_of("path").unwrap_or_default();
            operations.push(found.into_owned().with("path", V::string(&(under.clone() + &path))));
        }
    }
}
