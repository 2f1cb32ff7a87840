//! Servers that give a message an id of their own.

use super::Thread;
use super::ids::{ByText, Place};
use super::pending::Does;
use crate::message::kind_of;
use crate::message_list::Compared;
use crate::value::{Kind, Value};

/// The messages that the run sent, by their contents: those without text under the empty one.
pub(super) type Echoes<V> = ByText<V>;

impl<V: Value> Thread<V> {
    /// The run's first new message with the kind and content of a sent one, under an id that no
    /// update knows, is that message: it takes the server's id.
    pub(super) fn match_renamed(&mut self, message: &V, within: Option<&Compared>) {
        if self.updates.edit_count == 0 || !self.is_active() {
            return;
        }
        let (Some(id), Some(content)) = (message.get_owned("id"), message.get_owned("content"))
        else {
            return;
        };
        if !self.updates.edits_of(&id).is_empty() {
            return;
        }
        self.look();
        let echoes = self.echoes.take().unwrap_or_else(|| self.find_echoes());
        let kind = kind_of(message);
        let is_it = |place: &Place| {
            let Some(edit) = self.updates.edit(*place) else { return false };
            let Some(own) = edit.message.as_ref() else { return false };
            // Cheap checks first, without asking the heap: of many messages with one text most are
            // known.
            !edit.acknowledged
                && !within.is_some_and(|it| self.messages.names(it, &edit.id))
                && own.get("content").is_some_and(|own| own.equals(&content))
                && kind.is_some()
                && kind == kind_of(own)
        };
        let found = echoes.of(&text_or_empty(&content)).iter().copied().find(is_it);
        self.echoes = Some(echoes);
        if let Some(found) = found {
            let seat = self.updates.rename(found, &id);
            if let Some(seat) = seat {
                self.places.take_seat(seat, &id);
            }
            if let Some(edit) = self.updates.edit_mut(found) {
                edit.acknowledged = true;
            }
            self.shown_anew();
        }
    }

    fn find_echoes(&self) -> Echoes<V> {
        let mut echoes = Echoes::default();
        for (number, update) in self.updates.numbered().filter(|(_, it)| it.taken) {
            for (at, edit) in (0..).zip(&update.edits) {
                let message = edit.message.as_ref().filter(|_| edit.does == Does::Add);
                if let Some(content) = message.and_then(|message| message.get_owned("content")) {
                    echoes.add(&text_or_empty(&content), [number, at]);
                }
            }
        }
        echoes
    }
}

fn text_or_empty<V: Value>(content: &V) -> V {
    if content.kind() == Kind::String { content.clone() } else { V::string("") }
}
