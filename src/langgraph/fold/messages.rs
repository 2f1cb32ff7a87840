//! The stream of messages: a model's output as it is generated, and how states confirm it.

use std::collections::HashMap;

use super::streamed::{Speaker, Streamed};
use super::{Done, Folding, removal};
use crate::langgraph::merge::{is_dict, is_empty, is_list, merge_dicts};
use crate::langgraph::tool_calls::ToolCalls;
use crate::langgraph::wire::{Wire, finished};
use crate::message::REMOVE_ALL_MESSAGES;
use crate::stream::StreamError;
use crate::thread::ThreadEvent;
use crate::value::{Json, Value};

impl Folding<'_> {
    /// Folds a message of the stream of messages: a part of one, a whole one, or a removal.
    pub(super) fn streamed(&mut self, wire: &Wire, speaker: &Speaker) -> Done {
        let Some(id) = wire.id() else {
            let reason = "a message needs an id.";
            return Err(StreamError::new("INVALID_MESSAGE", "messages", reason));
        };
        if wire.kind == "remove" {
            if id != REMOVE_ALL_MESSAGES {
                return self.remove(&[id.to_owned()]);
            }
            self.talk.streamed.clear();
            let update = Json::from([("messages", Json::array([removal(id)]))]);
            return self.send("messages", ThreadEvent::Update { update });
        }
        if wire.part {
            return self.streamed_part(id, wire, speaker);
        }
        self.show(finished(wire.plain()), false, speaker, ToolCalls::default())
    }

    /// Shows a message that has an id.
    pub(super) fn show(
        &mut self,
        message: Json,
        open: bool,
        speaker: &Speaker,
        calls: ToolCalls,
    ) -> Done {
        let id = message["id"].as_str().unwrap_or_default().to_owned();
        let landed = self.talk.streamed.get(&id).is_some_and(|it| it.landed);
        let takes = open && takes_text(&message);
        let streamed = Streamed::new(message.clone(), open, speaker.clone());
        self.talk.streamed.insert(id.clone(), Streamed { landed, calls, ..streamed });
        self.send("messages", ThreadEvent::Message { message, after: None, streaming: open })?;
        if takes {
            self.talk.growing.insert(id);
        }
        Ok(())
    }

    fn streamed_part(&mut self, id: &str, wire: &Wire, speaker: &Speaker) -> Done {
        if self.talk.growing.contains(id)
            && let Some(streamed) = self.talk.streamed.get_mut(id)
            && let Some(text) = text_added(&streamed.message, wire)
        {
            streamed.continued(speaker);
            let is_empty = text.as_str() == Some("");
            return if is_empty {
                Ok(())
            } else {
                self.send("messages", ThreadEvent::Text { id: id.into(), text })
            };
        }
        let last = wire.fields["chunk_position"].as_str() == Some("last");
        let known = self.known(id);
        // Where a model has ids of its own, the empty part that ends its message has another.
        if last && known.is_none() && is_silent(&wire.fields) {
            return self.finish_task(wire, speaker);
        }
        if self.is_whole(id, known.as_ref()) {
            return Ok(());
        }
        let (message, calls) = self.joined(id, wire, known)?;
        self.show(if last { finished(message) } else { message }, !last, speaker, calls)
    }

    /// Whether the thread has the message whole: more of it is a repetition.
    fn is_whole(&self, id: &str, known: Option<&Json>) -> bool {
        let Some(known) = known else { return false };
        match self.talk.streamed.get(id) {
            Some(streamed) => !streamed.open,
            None => known.get("tool_call_chunks").is_none(),
        }
    }

    fn joined(
        &mut self,
        id: &str,
        wire: &Wire,
        known: Option<Json>,
    ) -> Result<(Json, ToolCalls), StreamError> {
        let own = self.talk.streamed.get_mut(id);
        let mut calls = ToolCalls::default();
        let mut base = known;
        if let Some(own) = own {
            // A state that knows as much of the text knows less of the arguments that are under way.
            let is_ahead = |known: &Json| known["content"].same(&own.message["content"]);
            if base.as_ref().is_some_and(is_ahead) {
                base = Some(own.message.clone());
            }
            calls = std::mem::take(&mut own.calls);
        }
        let joined = calls.joined(base.as_ref(), wire)?;
        Ok((joined, calls))
    }

    /// Ends the one message that a task's model is generating. Of several, it would not be known which
    /// one ends.
    fn finish_task(&mut self, wire: &Wire, speaker: &Speaker) -> Done {
        let is_its = |it: &Streamed| it.open && it.speaker.task == speaker.task;
        let open = self.talk.streamed.iter().filter(|(_, it)| is_its(it));
        let open: Vec<String> = open.take(2).map(|(id, _)| id.clone()).collect();
        let [id] = open.as_slice() else { return Ok(()) };
        let Some(known) = self.known(id) else { return Ok(()) };
        let (message, calls) = self.joined(id, wire, Some(known))?;
        self.show(finished(message), false, speaker, calls)
    }

    /// Notes which messages a state has.
    pub(super) fn land(&mut self, messages: &Json, partial: bool) -> Done {
        if self.talk.streamed.is_empty() {
            return Ok(());
        }
        let ids = |message: &'_ Json| message["id"].as_str().map(str::to_owned);
        let stated: HashMap<String, &Json> =
            messages.iter().filter_map(|message| Some((ids(message)?, message))).collect();
        let (mut gone, mut settled) = (Vec::new(), Vec::new());
        for (id, streamed) in &mut self.talk.streamed {
            match stated.get(id) {
                Some(message) => {
                    let was_stated = streamed.stated.replace((*message).clone()).is_some();
                    (streamed.landed, streamed.lacked) = (true, false);
                    if was_stated && streamed.open {
                        settled.push((*message).clone());
                    }
                }
                None if partial => {}
                None if streamed.landed || streamed.written || !streamed.open => {
                    gone.push(id.clone());
                }
                None => streamed.lacked = true,
            }
        }
        for stated in &settled {
            self.settle(stated)?;
        }
        self.remove(&gone)
    }

    pub(super) fn settle_all(&mut self) -> Done {
        let open = self.talk.streamed.values().filter(|it| it.open);
        let stated: Vec<Json> = open.filter_map(|it| it.stated.clone()).collect();
        stated.iter().try_for_each(|stated| self.settle(stated))
    }

    /// A state does not set back a message that is being streamed. If no more of it comes before the
    /// next state or the run's end, the state is final: it may have been redacted.
    fn settle(&mut self, stated: &Json) -> Done {
        let known = stated["id"].as_str().and_then(|id| self.known(id));
        let differs = |known: &Json| known["content"] != stated["content"];
        if stated["content"].as_str().is_none() || !known.as_ref().is_some_and(differs) {
            return Ok(());
        }
        let message = stated.clone();
        self.send("values", ThreadEvent::Message { message, after: None, streaming: false })
    }
}

fn is_silent(fields: &Json) -> bool {
    let content = &fields["content"];
    let is_quiet = content.is_null()
        || content.as_str() == Some("")
        || (is_list(content) && content.is_empty());
    let calls = &fields["tool_call_chunks"];
    is_quiet && (!is_list(calls) || calls.is_empty())
}

/// Whether text may be appended to a message: to its content, or to its last block.
fn takes_text(message: &Json) -> bool {
    let content = &message["content"];
    let is_text = content.as_str().is_some() || last_text(content).is_some();
    message["type"].as_str() == Some("ai") && is_empty(&message["tool_call_chunks"]) && is_text
}

/// Returns the text that a part appends to a message that accepts text. Returns nothing if the part
/// adds anything else, or begins a block. Repeated fields, such as the model's name, add nothing.
fn text_added(message: &Json, wire: &Wire) -> Option<Json> {
    const LISTS: [&str; 4] =
        ["tool_call_chunks", "tool_calls", "invalid_tool_calls", "usage_metadata"];
    const DICTS: [&str; 2] = ["additional_kwargs", "response_metadata"];
    let fields = &wire.fields;
    let adds = |key: &str| !is_empty(&fields[key]);
    let differs = |key: &str| !repeats(&message[key], &fields[key]);
    let is_last = fields["chunk_position"].as_str() == Some("last");
    if wire.kind != "ai" || is_last || LISTS.into_iter().any(adds) || DICTS.into_iter().any(differs)
    {
        return None;
    }
    let content = &fields["content"];
    if message["content"].as_str().is_some() {
        return content.as_str().map(|_| content.clone());
    }
    let last = last_text(&message["content"])?;
    let block = content.iter().next().filter(|_| is_list(content) && content.len() == 1)?;
    let text = &block["text"];
    let index = &block["index"];
    if text.as_str().is_none() || block["type"].as_str() != Some("text") || index.is_null() {
        return None;
    }
    // A block without an index, or with another one, is a block of its own.
    let is_it = index.same(&last["index"]) && repeats(last, &block.clone().without("text"));
    is_it.then(|| text.clone())
}

/// Whether a dict adds nothing to another when the two are merged.
fn repeats(known: &Json, dict: &Json) -> bool {
    is_empty(dict)
        || (is_dict(known)
            && is_dict(dict)
            && merge_dicts(known, dict).is_ok_and(|merged| merged.same(known)))
}

fn last_text(content: &Json) -> Option<&Json> {
    let last = content.iter().next_back().filter(|_| is_list(content))?;
    (last["type"].as_str() == Some("text") && last["text"].as_str().is_some()).then_some(last)
}
