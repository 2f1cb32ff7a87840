//! Whether a request is that of a run which its thread has had.

use std::collections::HashMap;

use super::run_input::RunAgentInput;
use super::run_start::{Found, answered, is_said, langchain};
use crate::graph::Resume;
use crate::value::{Json, Kind, Value};

/// Whether a request under the id of a run that is over asks for that run again. It does if it answers no
/// open question, except as that run has answered it, and says nothing that the thread lacks.
pub(super) fn is_again(input: &RunAgentInput, found: &Found) -> bool {
    !answers_anew(input, found) && !says_more(input, &found.state["messages"])
}

fn answers_anew(input: &RunAgentInput, found: &Found) -> bool {
    match answered(input, Some(found)) {
        Ok(Some(Resume::Answers(all))) => all.iter().any(|answer| !found.given.contains(answer)),
        Ok(Some(Resume::Answer(answer))) => {
            !found.interrupts.is_empty() && !found.given.iter().any(|(_, own)| *own == answer)
        }
        // To what is not asked any more: it was answered.
        _ => false,
    }
}

fn says_more(input: &RunAgentInput, known: &Json) -> bool {
    if known.kind() != Kind::Array {
        return false;
    }
    let has: HashMap<&str, &Json> =
        known.iter().filter_map(|it| Some((it["id"].as_str()?, it))).collect();
    let own = |message: &Json| message["id"].as_str().and_then(|id| has.get(id).copied());
    // Before one that the thread has, it was removed there.
    let new = input.messages.iter().rev().take_while(|it| own(it).is_none());
    let is_of_client = |it: &Json| is_said(it) && it["role"].as_str() != Some("assistant");
    if new.clone().any(is_of_client) {
        return true;
    }
    let mut before = input.messages.iter().rev().skip(new.count());
    before.next().is_some_and(|last| {
        let text = &langchain(last)["content"];
        let was = own(last).map_or(&Json::NULL, |known| &known["content"]);
        let are_texts = text.as_str().is_some() && was.as_str().is_some();
        last["role"].as_str() == Some("user") && are_texts && text != was
    })
}
