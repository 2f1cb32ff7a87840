//! The server's messages and fields: their ids (8), and how a snapshot reconciles (9).

use super::Model;
use super::state::{Change, Field, Message, ids, position};
use super::update::{Does, Update};

impl Model {
    // -- 8. A server that renames: the first new message of the same kind and content. --

    fn match_renamed(&mut self, message: &Message, said: &[Message]) {
        let knows =
            |update: &Update| update.edits.iter().any(|it| it.write.message.id == message.id);
        if !self.run.as_ref().is_some_and(|run| run.active) || self.updates.iter().any(knows) {
            return;
        }
        let known = ids(&self.confirmed.messages);
        let sent = self.updates.iter_mut().filter(|it| it.taken);
        let mut added = sent.flat_map(|it| &mut it.edits).filter(|it| it.write.does == Does::Add);
        let renamed = added.find(|part| {
            let own = &part.write.message;
            let named = known.contains(&own.id) || position(said, &own.id).is_some();
            let same = if own.call.is_some() {
                own.call == message.call
            } else {
                own.content == message.content
            };
            !named && part.write.again.is_none() && own.kind == message.kind && same
        });
        let Some(part) = renamed else { return };
        let old = part.write.message.id.clone();
        // Everything else that the user did with the message stays with it.
        for part in self.updates.iter_mut().flat_map(|update| &mut update.edits) {
            if part.write.message.id == old {
                part.write.message.id.clone_from(&message.id);
            }
        }
        // So does the message of the save point, and what was added by hand since.
        let start = self.run.iter_mut().filter_map(|run| run.start.as_mut());
        for own in start.flat_map(|start| &mut start.messages).filter(|own| own.id == old) {
            own.id.clone_from(&message.id);
        }
        let local = self.run.iter_mut().flat_map(|run| &mut run.local);
        for change in local.flat_map(|local| &mut local.messages) {
            match change {
                Change::Put(Message { id, .. }) | Change::Remove(id) if *id == old => {
                    id.clone_from(&message.id);
                }
                _ => {}
            }
        }
        // So does what an update that is over did.
        for id in self.seats.iter_mut().flatten().filter(|id| **id == old) {
            id.clone_from(&message.id);
        }
    }

    // -- 9. A snapshot reconciles, it does not overwrite. --

    /// Reconciles all messages or, if partial, some. The snapshot's order wins.
    pub fn messages(&mut self, said: &[Message], partial: bool) {
        for message in said {
            if position(&self.confirmed.messages, &message.id).is_none() {
                self.match_renamed(message, said);
            }
        }
        if let Some(run) = self.run.as_mut() {
            run.spoke_of_messages |= !partial;
        }
        let old = std::mem::take(&mut self.confirmed.messages);
        // The snapshot's version of the message: under its id, or a tool result for the same call.
        let said_as = |own: &Message| {
            let is_new = |it: &Message| position(&old, &it.id).is_none();
            let same = |it: &&Message| {
                it.id == own.id || own.call.is_some() && it.call == own.call && is_new(it)
            };
            said.iter().find(same).map(|it| it.id.clone())
        };
        let mut list = said.to_vec();
        let mut ahead: Vec<String> = Vec::new();
        let mut previous: Option<String> = None;
        let mut behind_streamed = false;
        for (at, own) in old.iter().enumerate() {
            if let Some(there) = list.iter_mut().find(|it| it.id == own.id) {
                // A streaming message is not set back.
                let grown = own.content.starts_with(&there.content) && own.content != there.content;
                if self.streaming.contains(&own.id) && grown {
                    *there = own.clone();
                    ahead.push(own.id.clone());
                }
                (previous, behind_streamed) = (Some(own.id.clone()), false);
            } else if let Some(id) = said_as(own) {
                (previous, behind_streamed) = (Some(id), false);
            } else if self.is_streamed(&own.id) || partial && behind_streamed {
                // It stays before its old successor.
                let next = old[at..].iter().find_map(said_as);
                let place = next.and_then(|next| position(&list, &next)).unwrap_or(list.len());
                list.insert(place, own.clone());
                behind_streamed = true;
            } else if partial {
                // It stays after its old predecessor.
                let place =
                    previous.as_ref().and_then(|id| position(&list, id)).map_or(0, |at| at + 1);
                list.insert(place, own.clone());
                previous = Some(own.id.clone());
            }
        }
        self.confirmed.messages = list;
        self.broken.retain(|id| position(said, id).is_none() || ahead.contains(id));
        self.left.retain(|id| position(said, id).is_none() || ahead.contains(id));
        self.forget_gone();
    }

    pub fn fields(&mut self, topic: Field, log: Field) {
        if let Some(run) = self.run.as_mut() {
            run.spoke_of_fields = true;
        }
        (self.confirmed.topic, self.confirmed.log) = (topic, log);
    }

    /// Takes a whole message as it is now; a new one that a run sent goes where it is shown.
    pub fn message(&mut self, message: &Message, streaming: bool) {
        match position(&self.confirmed.messages, &message.id) {
            Some(at) => self.confirmed.messages[at] = message.clone(),
            None => {
                self.match_renamed(message, &[]);
                let place = self.shown_seat(&message.id).map(|seat| self.place_of(&seat));
                let end = self.confirmed.messages.len();
                self.confirmed.messages.insert(place.unwrap_or(end), message.clone());
            }
        }
        self.says(&message.id);
        self.streaming.retain(|id| *id != message.id);
        self.broken.retain(|id| *id != message.id);
        self.left.retain(|id| *id != message.id);
        if streaming {
            self.streaming.push(message.id.clone());
        }
    }

    /// Folds a node's update; its messages are put or appended.
    pub fn node_update(&mut self, messages: &[Message]) {
        let known = self.confirmed.messages.clone();
        for message in messages {
            match position(&self.confirmed.messages, &message.id) {
                Some(at) => self.confirmed.messages[at] = message.clone(),
                None => self.confirmed.messages.push(message.clone()),
            }
        }
        for message in messages {
            if position(&known, &message.id).is_none() {
                self.match_renamed(message, messages);
            }
            self.says(&message.id);
            for ids in [&mut self.streaming, &mut self.broken, &mut self.left] {
                ids.retain(|id| *id != message.id);
            }
        }
    }

    /// Folds a node's removal. A message that the server had and removes is over.
    pub fn node_removes(&mut self, id: &str) {
        let Some(at) = position(&self.confirmed.messages, id) else { return };
        self.connects();
        self.confirmed.messages.remove(at);
        let number = self.run_number();
        for part in self.updates.iter_mut().flat_map(|update| &mut update.edits) {
            if part.write.does == Does::Add && part.write.message.id == id {
                part.write.again = Some(number);
            }
        }
        for ids in [&mut self.streaming, &mut self.broken, &mut self.left] {
            ids.retain(|one| one != id);
        }
    }

    pub fn text(&mut self, id: &str, text: &str) -> bool {
        let found = self.confirmed.messages.iter_mut().find(|message| message.id == id);
        let found = found.map(|message| message.content.push_str(text)).is_some();
        if found {
            self.says(id);
        }
        found
    }

    /// A message that the server says itself is not the one that an update has removed.
    fn says(&mut self, id: &str) {
        let number = self.run_number();
        for part in self.updates.iter_mut().flat_map(|update| &mut update.edits) {
            let removes = part.write.does == Does::Remove && part.write.message.id == id;
            if removes && part.base.is_some() {
                part.write.again = part.write.again.or(Some(number));
            }
        }
    }

    fn is_streamed(&self, id: &str) -> bool {
        self.streaming.iter().chain(&self.broken).any(|one| one == id)
    }
}
