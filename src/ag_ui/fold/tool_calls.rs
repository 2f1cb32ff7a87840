//! Tool calls that come in parts, and their results.

use super::streams::Key;
use super::tool_call_index::PlacedCall;
use super::{Done, Folding, attributed, is_role, with_metadata};
use crate::ag_ui::event::Event;
use crate::stream::StreamError;
use crate::thread::{StreamPosition, ThreadEvent};
use crate::value::{Bulk as _, Json, Kind, Value};

impl Folding<'_> {
    pub(super) fn find_call(&mut self, id: &str) -> Option<PlacedCall> {
        self.fold.calls.find(self.thread, id)
    }

    pub(super) fn call_start(
        &mut self,
        event: &Event,
        id: &str,
        name: &str,
        parent: Option<&str>,
    ) -> Done {
        self.fold.run.started(id);
        if let Some(known) = self.find_call(id) {
            let owner = known.message["id"].as_str().unwrap_or_default();
            self.fold.streams.start(Key::Call(id.to_owned()), owner, arguments(&known.call));
            let called = known.call["function"].clone();
            let is_same = called["name"].as_str() == Some(name);
            let called = if is_same { called } else { called.with("name", name.into()) };
            let call = with_metadata(known.call.clone().with("function", called), event);
            return self.put(event, known.with(call), None);
        }
        let parent = self.parent_of(event, id, parent);
        let owner = parent["id"].as_str().unwrap_or_default().to_owned();
        self.fold.streams.start(Key::Call(id.to_owned()), &owner, "");
        let called = Json::from([("name", name.into()), ("arguments", "".into())]);
        let call =
            Json::from([("id", id.into()), ("type", "function".into()), ("function", called)]);
        let calls: Vec<Json> = parent["toolCalls"].iter().cloned().collect();
        let at = calls.len();
        let calls = calls.into_iter().chain([with_metadata(call, event)]).collect();
        self.put(event, parent.with("toolCalls", calls), None)?;
        self.fold.calls.note_call(id, &owner, at);
        Ok(())
    }

    pub(super) fn call_args(&mut self, event: &Event, id: &str, delta: &str) -> Done {
        let place = self.addressed_call(event, id)?;
        let known = arguments(&place.call);
        let added = self.fold.streams.added(&Key::Call(id.to_owned()), known, delta);
        if added.is_empty() && event.metadata.is_none() {
            return Ok(());
        }
        let owner = place.message["id"].clone();
        let is_open = owner.as_str().is_some_and(|owner| self.fold.streams.is_open(owner));
        if event.metadata.is_some() || !is_open {
            let call = with_metadata(with_arguments(&place.call, &added), event);
            return self.put(event, place.with(call), None);
        }
        // While a part is added in place, nothing else may hold the arguments.
        let at = place.at();
        drop(place);
        let added = Json::from(added);
        let grown = |message| with_more_arguments(message, at, &added);
        if self.thread.receive_growth(&self.part, &owner, grown) {
            self.part = StreamPosition::default();
            return Ok(());
        }
        let place = self.addressed_call(event, id)?;
        let added = added.as_str().unwrap_or_default();
        self.put(event, place.with(with_arguments(&place.call, added)), None)
    }

    pub(super) fn call_end(&mut self, event: &Event, id: &str) -> Done {
        let place = self.addressed_call(event, id)?;
        let key = Key::Call(id.to_owned());
        let held_back = self.fold.streams.end(&key, arguments(&place.call)).to_owned();
        if !held_back.is_empty() {
            self.put(event, place.with(with_arguments(&place.call, &held_back)), None)?;
        }
        let owner = place.message["id"].as_str().unwrap_or_default();
        if !self.fold.streams.is_open(owner) {
            self.send(event, ThreadEvent::MessageFinished { id: owner.into() })?;
        }
        match self.find_call(id) {
            Some(place) if event.metadata.is_some() => {
                let call = with_metadata(place.call.clone(), event);
                self.put(event, place.with(call), None)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn call_result(
        &mut self,
        event: &Event,
        [id, call]: [&str; 2],
        content: &Json,
        role: Option<&str>,
    ) -> Done {
        self.fold.run.answered(call);
        let named = self.message(id);
        let answers = |it: &Json| is_role(it, "tool") && it["toolCallId"].as_str() == Some(call);
        // The result of a known call is that result again, under the id that it has.
        let known = match &named {
            Some(named) if answers(named) => Some(named.clone()),
            _ => self.fold.calls.result(self.thread, call),
        };
        let role = role.filter(|role| !role.is_empty()).unwrap_or("tool");
        let fresh = |message: Json| {
            let message = message.with("toolCallId", call.into()).with("role", role.into());
            with_metadata(attributed(message.with("content", content.clone()), event), event)
        };
        if let Some(known) = known {
            return self.put(event, fresh(known), None);
        }
        let own = match named {
            Some(_) => self.free_id(&[call, &format!("{call}:result")]),
            None => id.to_owned(),
        };
        let message = fresh(Json::from([("id", own.as_str().into())]));
        let owner = self.find_call(call).map(|place| place.message);
        let owner = owner.filter(|owner| is_role(owner, "assistant"));
        let after = owner.as_ref().and_then(|owner| owner["id"].as_str());
        self.put(event, message.clone(), after)?;
        self.fold.calls.note_message(&message);
        Ok(())
    }

    /// Returns the message for a new tool call: the assistant message that the call names. If that
    /// message does not exist, returns a new one with that id. If the call names another kind of
    /// message or none, returns a new one with the call's own id.
    fn parent_of(&self, event: &Event, call: &str, parent: Option<&str>) -> Json {
        let named = parent.and_then(|parent| self.message(parent));
        if let Some(named) = named.as_ref().filter(|named| is_role(named, "assistant")) {
            return named.clone();
        }
        let id = parent.filter(|_| named.is_none()).unwrap_or(call);
        let own = self.message(id);
        match own {
            Some(own) if is_role(&own, "assistant") => own,
            own => {
                let id = match own {
                    Some(_) => self.free_id(&[&format!("{id}:call")]),
                    None => id.to_owned(),
                };
                let fields = [("id", id.into()), ("role", "assistant".into())];
                attributed(Json::from(fields), event)
            }
        }
    }

    /// Returns an id that no message has. The reference adds a second message with the same id.
    fn free_id(&self, wanted: &[&str]) -> String {
        let free = wanted.iter().find(|id| self.message(id).is_none());
        free.map_or_else(crate::id::new_id, |id| (*id).to_owned())
    }

    fn addressed_call(&mut self, event: &Event, id: &str) -> Result<PlacedCall, StreamError> {
        self.find_call(id).ok_or_else(|| {
            let reason = format!("no message has a tool call with the id '{id}'.");
            StreamError::new("UNKNOWN_MESSAGE", event.event_type(), reason)
        })
    }
}

fn arguments(call: &Json) -> &str {
    call["function"]["arguments"].as_str().unwrap_or_default()
}

/// Returns a call with a text appended to its arguments.
fn with_arguments(call: &Json, text: &str) -> Json {
    let all = [arguments(call), text].concat();
    call.clone().with("function", call["function"].clone().with("arguments", all.into()))
}

/// Returns a message with a text appended to the arguments of one of its calls. Copies none of them
/// that nothing else holds.
fn with_more_arguments(mut message: Json, at: usize, text: &Json) -> Json {
    let Some(mut calls) = message.take("toolCalls") else { return message };
    if let Some(mut call) = calls.take_at(at) {
        let mut called = call.take("function").unwrap_or_default();
        let known = called.take("arguments").filter(|known| known.kind() == Kind::String);
        let all = known.map_or_else(|| text.clone(), |known| known.concat(text));
        let called = if called.kind() == Kind::Object { called } else { Json::object() };
        let call = call.with("function", called.with("arguments", all));
        calls = calls.splice(at, 1, Some(call));
    }
    message.with("toolCalls", calls)
}

#[cfg(test)]
mod tests {
    use crate::ag_ui::{Event, EventKind, Fold};
    use crate::thread::Thread;
    use crate::value::{Json, Value};

    #[test]
    fn a_part_of_arguments_is_added_in_place() {
        let thread = Thread::new(None, &Json::object());
        let Ok(mut thread) = thread else { return assert!(thread.is_ok()) };
        let mut fold = Fold::new();
        let mut receive = |thread: &mut Thread<Json>, kind: EventKind| {
            assert!(fold.event(thread, &Event::from(kind)).is_ok());
        };
        let (tool_call_id, tool_call_name) = ("c".to_owned(), "f".to_owned());
        let parent_message_id = Some("a".to_owned());
        receive(
            &mut thread,
            EventKind::ToolCallStart { tool_call_id, tool_call_name, parent_message_id },
        );
        let (mut last, mut moves) = (std::ptr::null(), 0);
        for _ in 0..1000 {
            let (tool_call_id, delta) = ("c".to_owned(), "word ".to_owned());
            receive(&mut thread, EventKind::ToolCallArgs { tool_call_id, delta });
            let message = thread.message(&"a".into()).unwrap_or_default();
            let text =
                message["toolCalls"][0]["function"]["arguments"].as_str().unwrap_or_default();
            moves += u32::from(text.as_ptr() != last);
            last = text.as_ptr();
        }
        let all = &thread.state()["messages"][0]["toolCalls"][0]["function"]["arguments"];
        assert_eq!(all.as_str().map(str::len), Some(5000));
        assert!(moves < 30, "the arguments were copied {moves} times");
    }
}
