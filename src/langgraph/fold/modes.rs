//! The stream modes of a run.

use super::streamed::Speaker;
use super::{Done, Folding, removal};
use crate::langgraph::chunk::not_a_message;
use crate::langgraph::merge::{is_dict, is_list};
use crate::langgraph::part::{Part, is_before};
use crate::langgraph::tool_calls::ToolCalls;
use crate::langgraph::wire::{Wire, finished, plain_messages};
use crate::message::REMOVE_ALL_MESSAGES;
use crate::thread::ThreadEvent;
use crate::value::{Json, Value};

impl Folding<'_> {
    pub(super) fn take(&mut self, part: &Part) -> Done {
        let (mode, namespace) = part.mode();
        let data = &part.data;
        let is_root = namespace.is_empty();
        match mode {
            "metadata" if is_root => {
                *self.last_values = None;
                self.start(data["run_id"].as_str())
            }
            "values" => {
                self.talk.interrupt(&data["__interrupt__"], &namespace);
                let values = data.clone().without("__interrupt__");
                let has_state =
                    data.get("__interrupt__").is_none() || values.entries().next().is_some();
                if is_root && is_dict(data) && has_state {
                    self.values(&values, part)
                } else {
                    Ok(())
                }
            }
            "updates" => self.updates(data, &namespace),
            "messages" => self.message(data, &namespace),
            "messages/partial" | "messages/complete" if !is_tools_own(&namespace) => {
                self.whole_messages(data, mode == "messages/partial", !is_root)
            }
            "error" => self.fail(data),
            "end" if !self.stream.ended => self.finish(),
            // Modes without state: custom, debug, tasks, checkpoints, events.
            _ => Ok(()),
        }
    }

    /// Passes over a part that the thread has had, except its interrupts: those are still open.
    pub(super) fn skip(&mut self, part: &Part) {
        let (mode, namespace) = part.mode();
        if matches!(mode, "values" | "updates") {
            self.talk.interrupt(&part.data["__interrupt__"], &namespace);
        }
    }

    /// Folds a state of the root graph: final also for messages, unless an interrupt left it.
    fn values(&mut self, values: &Json, part: &Part) -> Done {
        if is_before(part.id.as_deref(), self.last_values.as_deref()) {
            return Ok(());
        }
        if part.id.is_some() {
            self.last_values.clone_from(&part.id);
        }
        let partial = self.talk.is_left_by_interrupt || !self.talk.interrupts.is_empty();
        self.talk.is_left_by_interrupt = false;
        let values = match values.get("messages") {
            Some(messages) => values.clone().with("messages", plain_messages(messages)),
            None => values.clone(),
        };
        let messages = values["messages"].clone();
        self.send("values", ThreadEvent::Values { values, partial })?;
        self.talk.saw_values = true;
        if is_list(&messages) { self.land(&messages, partial) } else { Ok(()) }
    }

    fn updates(&mut self, data: &Json, namespace: &[&str]) -> Done {
        for (node, written) in data.entries() {
            if node == "__interrupt__" {
                self.talk.interrupt(written, namespace);
            } else if namespace.is_empty() && is_node(node) {
                self.talk.wrote(node);
                let updates =
                    if is_list(written) { written.clone() } else { Json::array([written.clone()]) };
                for update in updates.iter().filter(|it| is_dict(it)) {
                    self.update(update)?;
                }
            }
        }
        Ok(())
    }

    /// Folds what a node of the root graph wrote.
    fn update(&mut self, update: &Json) -> Done {
        let Some(given) = update.get("messages") else {
            return self.send("updates", ThreadEvent::Update { update: update.clone() });
        };
        let overwrites = given.get("__overwrite__");
        let all = plain_messages(overwrites.unwrap_or(given));
        let all = if is_list(&all) { all } else { Json::array([all]) };
        let clears = overwrites.map(|_| removal(REMOVE_ALL_MESSAGES));
        let messages: Vec<Json> = clears.into_iter().chain(all.iter().cloned()).collect();
        let messages = self.own_messages(messages);
        for message in &messages {
            let id = message["id"].as_str();
            if let Some(streamed) = id.and_then(|id| self.talk.streamed.get_mut(id)) {
                streamed.open = false;
            }
        }
        let update = update.clone().with("messages", messages.into());
        self.send("updates", ThreadEvent::Update { update })
    }

    /// Returns the messages of an update without removals of messages that are gone. Leaves out those
    /// without an id: the state that follows has them with the server's id.
    fn own_messages(&self, messages: Vec<Json>) -> Vec<Json> {
        let mut added = std::collections::HashSet::new();
        let mut kept = Vec::new();
        for message in messages {
            // The thread refuses what is neither a message nor in another form of one.
            let id = message["id"].as_str().map(str::to_owned);
            let stays = match &id {
                _ if !is_dict(&message) => !self.talk.saw_values,
                Some(id) if message["type"].as_str() == Some("remove") => {
                    id == REMOVE_ALL_MESSAGES || added.contains(id) || self.known(id).is_some()
                }
                id => id.is_some() || !self.talk.saw_values,
            };
            added.extend(id);
            if stays {
                kept.push(message);
            }
        }
        kept
    }

    fn message(&mut self, data: &Json, namespace: &[&str]) -> Done {
        let (message, metadata) = (&data[0], &data[1]);
        // A middleware's model is summarizing the conversation: its output is not part of it.
        if metadata["lc_source"].as_str() == Some("summarization") {
            return Ok(());
        }
        let wire = Wire::read(message).ok_or_else(not_a_message)?;
        let task = metadata["langgraph_checkpoint_ns"].as_str();
        let task = task.or_else(|| metadata["checkpoint_ns"].as_str()).unwrap_or_default();
        // A task's graph is the namespace around the task's own segment.
        let around: Vec<&str> =
            task.rsplit_once('|').map_or_else(Vec::new, |(it, _)| it.split('|').collect());
        let graph = if namespace.is_empty() { &around } else { namespace };
        if is_tools_own(graph) {
            return Ok(());
        }
        let is_guest = !graph.is_empty();
        // A graph within removes its own messages; without states none shows that the others stay.
        if is_guest && wire.kind == "remove" && !self.talk.saw_values {
            return Ok(());
        }
        self.streamed(&wire, &Speaker { task: task.to_owned(), is_guest })
    }

    /// Folds messages as far as they have come, each whole in every part.
    fn whole_messages(&mut self, data: &Json, open: bool, is_guest: bool) -> Done {
        let speaker = Speaker { task: String::new(), is_guest };
        for wire in data.iter().filter_map(Wire::read) {
            if wire.id().is_none() || wire.kind == "remove" {
                self.streamed(&Wire { part: false, ..wire }, &speaker)?;
                continue;
            }
            let message =
                if wire.part { ToolCalls::default().joined(None, &wire)? } else { wire.plain() };
            let message = if open { message } else { finished(message) };
            self.show(message, open, &speaker, ToolCalls::default())?;
        }
        Ok(())
    }
}

/// Whether a key of an update is a node's name. An error handler runs in place of its node.
fn is_node(key: &str) -> bool {
    !key.starts_with("__") || key.starts_with("__error_handler__")
}

/// Whether a namespace belongs to a tool's own work, such as an agent that a tool calls.
fn is_tools_own(namespace: &[&str]) -> bool {
    namespace.iter().any(|segment| segment.starts_with("tools:") || segment.starts_with("task:"))
}
