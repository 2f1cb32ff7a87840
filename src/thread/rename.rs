//! Servers that give a message another id.

use super::Thread;
use super::ids::{Address, ByText};
use super::local::Local;
use super::pending::Does;
use crate::message::{answered_call, kind_of};
use crate::message_list::Compared;
use crate::value::{Kind, Value};

/// The added messages that the run sent: by their kinds, and by their contents, those without text
/// under the empty one.
pub(super) struct Echoes<V: Value> {
    of_kinds: Vec<(&'static str, ByText<V>)>,
}

impl<V: Value> Echoes<V> {
    fn of_kind(&mut self, kind: &'static str) -> Option<&mut ByText<V>> {
        if self.of_kinds.iter().all(|(one, _)| *one != kind) {
            self.of_kinds.push((kind, ByText::default()));
        }
        self.of_kinds.iter_mut().find(|(one, _)| *one == kind).map(|(_, texts)| texts)
    }

    /// Looks at all again: the server may lack some that it had.
    pub(super) fn anew(&mut self) {
        self.of_kinds.iter_mut().for_each(|(_, texts)| texts.anew());
    }
}

impl<V: Value> Thread<V> {
    /// A new message under an id that no update knows may be a sent one: the run's first of its kind
    /// and content, or of its call. That takes the server's id.
    pub(super) fn match_renamed(&mut self, message: &V, within: Option<&Compared>) {
        if self.updates.edit_count == 0 || !self.is_active() {
            return;
        }
        let (Some(id), Some(content)) = (message.get_owned("id"), matter_of(message)) else {
            return;
        };
        if !self.updates.edits_of(&id).is_empty() {
            return;
        }
        let Some(kind) = kind_of(message) else { return };
        self.acknowledge();
        let mut echoes = self.echoes.take().unwrap_or_else(|| self.find_echoes());
        let is_open =
            |address: Address| self.updates.edit(address).is_some_and(|it| !it.acknowledged);
        let is_it = |address: Address| {
            let Some(edit) = self.updates.edit(address) else { return false };
            let own = edit.message.as_ref().and_then(matter_of);
            !within.is_some_and(|it| self.messages.names(it, &edit.id))
                && own.is_some_and(|own| own.equals(&content))
        };
        let text = text_or_empty(&content);
        let texts = echoes.of_kind(kind);
        let found = texts.and_then(|texts| texts.first(&text, &is_open, &is_it));
        self.echoes = Some(echoes);
        let old = found.and_then(|found| Some((found, self.updates.edit(found)?.id.clone())));
        if let Some((found, old)) = old {
            self.updates.rename(&old, &id);
            self.places.rename(&old, &id);
            if let Some(run) = self.run.as_mut().filter(|run| run.start.is_some()) {
                run.local.push(Local::Renamed { old, id });
            }
            if let Some(edit) = self.updates.edit_mut(found) {
                edit.acknowledged = true;
                // A replay shows it again.
                edit.message = edit.message.take().map(|own| own.reuse(message));
            }
            self.shown_anew();
        }
    }

    fn find_echoes(&self) -> Echoes<V> {
        let mut echoes = Echoes { of_kinds: Vec::new() };
        let run = self.run.as_ref().map(|run| run.anchor);
        for (number, update) in self.updates.numbered().filter(|(_, it)| it.sent_by == run) {
            for (at, edit) in (0..).zip(&update.edits) {
                let message = edit.message.as_ref().filter(|_| edit.does == Does::Add);
                let content = message.and_then(matter_of);
                let texts = message.and_then(kind_of).and_then(|kind| echoes.of_kind(kind));
                if let (Some(content), Some(texts)) = (content, texts) {
                    texts.add(&text_or_empty(&content), [number, at]);
                }
            }
        }
        echoes
    }
}

/// Returns the call that a tool's result answers, and any other message's content.
fn matter_of<V: Value>(message: &V) -> Option<V> {
    let call = if kind_of(message) == Some("tool") { answered_call(message) } else { None };
    call.or_else(|| message.get_owned("content"))
}

/// Returns a content that is text; of any other an empty one.
pub(super) fn text_or_empty<V: Value>(content: &V) -> V {
    if content.kind() == Kind::String { content.clone() } else { V::string("") }
}
