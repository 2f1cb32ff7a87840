//! A server that gives a message an id of its own.

use super::Thread;
use super::pending::{Does, Status};
use crate::message::kind_of;
use crate::message_list::Compared;
use crate::value::{Kind, Symbols, Value};

/// The messages that the run took along, by what they say.
pub(super) struct Echoes<V: Value> {
    /// Numbers for contents that are text.
    contents: V::Symbols,
    /// By that number, the edits that say so.
    edits: Vec<Vec<[u32; 2]>>,
    /// Those that say something else than text.
    others: Vec<[u32; 2]>,
}

impl<V: Value> Echoes<V> {
    fn of(edits: impl Iterator<Item = ([u32; 2], V)>) -> Self {
        let mut contents = V::Symbols::default();
        let (mut by_number, mut others) = (Vec::<Vec<_>>::new(), Vec::new());
        for (edit, content) in edits {
            let Some(number) = contents.intern(&content) else {
                others.push(edit);
                continue;
            };
            if number as usize >= by_number.len() {
                by_number.resize_with(number as usize + 1, Vec::new);
            }
            by_number.get_mut(number as usize).into_iter().for_each(|all| all.push(edit));
        }
        Self { contents, edits: by_number, others }
    }

    fn saying(&self, content: &V) -> &[[u32; 2]] {
        if content.kind() != Kind::String {
            return &self.others;
        }
        let number = self.contents.find(content).and_then(|it| self.edits.get(it as usize));
        number.map_or(&[], Vec::as_slice)
    }
}

impl<V: Value> Thread<V> {
    /// In a run the first new message of the kind and content of one that it took along, under an id
    /// that no update knows, is that message: it takes the server's id.
    pub(super) fn match_renamed(&mut self, message: &V, within: Option<&Compared>) {
        if self.updates.edit_count == 0 || !self.run.as_ref().is_some_and(|run| run.active) {
            return;
        }
        let (Some(id), Some(content)) = (message.get_owned("id"), message.get_owned("content"))
        else {
            return;
        };
        if !self.updates.edits_of(&id).is_empty() {
            return;
        }
        let echoes = self.echoes.take().unwrap_or_else(|| self.find_echoes());
        let kind = kind_of(message);
        let is_it = |place: &[u32; 2]| {
            let Some(edit) = self.updates.edit(*place) else { return false };
            let Some(own) = edit.message.as_ref() else { return false };
            let content = own.get("content").is_some_and(|own| own.equals(&content));
            content
                && self.messages.find(&edit.id).is_none()
                && !within.is_some_and(|it| self.messages.names(it, &edit.id))
                && kind.is_some()
                && kind == kind_of(own)
        };
        let found = echoes.saying(&content).iter().copied().find(is_it);
        self.echoes = Some(echoes);
        if let Some(found) = found {
            let seat = self.updates.rename(found, &id);
            let seat = seat.and_then(|seat| self.seats.get_mut(seat as usize));
            seat.into_iter().for_each(|seat| *seat = Some(id.clone()));
            self.shown_anew();
        }
    }

    fn find_echoes(&self) -> Echoes<V> {
        let sent = self.updates.numbered();
        let sent = sent.filter(|(_, update)| update.taken && update.status == Status::Sent);
        Echoes::of(sent.flat_map(|(number, update)| {
            (0..).zip(&update.edits).filter_map(move |(at, edit)| {
                let message = edit.message.as_ref().filter(|_| edit.does == Does::Add)?;
                Some(([number, at], message.get_owned("content")?))
            })
        }))
    }
}
