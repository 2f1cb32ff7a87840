//! The forms that the values of an event need to be folded. Fields that are not listed may be
//! anything: a newer server may send more.

use super::field::Check;
use crate::ag_ui::message::is_message;
use crate::value::{Json, Kind, Value};

pub(in crate::ag_ui) const MESSAGES: Check<Vec<Json>> = Check {
    expected: "messages, each with an `id` and a `role`, and tool calls with a `function`",
    holds: |messages| messages.iter().all(is_message),
};

pub(super) const INPUT: Check<Option<Json>> = Check {
    expected: "an object whose `messages` have an `id` and a `role`",
    holds: |input| input.as_ref().is_none_or(is_input),
};

pub(super) const RESULT: Check<Json> = Check {
    expected: "a string or a list",
    holds: |content| matches!(content.kind(), Kind::String | Kind::Array),
};

pub(super) const ACTIVITY: Check<Json> = Check { expected: "an object", holds: is_object };

pub(super) fn is_object(value: &Json) -> bool {
    value.kind() == Kind::Object
}

fn is_input(input: &Json) -> bool {
    let messages = &input["messages"];
    let is_list = || messages.kind() == Kind::Array && messages.iter().all(is_message);
    is_object(input) && (messages.is_null() || is_list())
}
