//! The view, and the place of each message in it (7).

use super::Model;
use super::state::{Message, State, position};
use super::update::{Does, Edit, Update, edit_is_acknowledged, write_all};

impl Model {
    // -- 7. Place: the end; once sent, directly after the server's last message. --

    pub fn view(&self) -> State {
        let mut view = State { messages: self.laid_over(&|_| true), ..self.confirmed.clone() };
        write_all(&mut view, &self.updates, &self.confirmed);
        view
    }

    /// Returns the confirmed messages with the parts of these updates applied that the server does
    /// not have.
    pub(super) fn laid_over(&self, chosen: &dyn Fn(&Update) -> bool) -> Vec<Message> {
        let confirmed = &self.confirmed.messages;
        let mut list: Vec<Option<Message>> = confirmed.iter().cloned().map(Some).collect();
        // New messages, each with the confirmed position it goes before; sent ones come first
        // there.
        let mut new: Vec<(usize, bool, Message)> = Vec::new();
        for update in self.updates.iter().filter(|update| chosen(update)) {
            for part in &update.edits {
                if edit_is_acknowledged(part, &self.confirmed) {
                    continue;
                }
                let Edit { does, message, .. } = &part.write;
                let at = position(confirmed, &message.id).filter(|_| *does != Does::Add);
                let own = new.iter().position(|(_, _, it)| it.id == message.id);
                match (does, own, at) {
                    (Does::Remove, own, at) => {
                        own.map(|own| new.remove(own));
                        at.map(|at| list[at] = None);
                    }
                    (_, Some(own), _) => {
                        new[own].2 = message.clone();
                        if let Some(at) = at {
                            list[at] = None;
                        }
                    }
                    (Does::Add | Does::Change, None, Some(at)) => list[at] = Some(message.clone()),
                    (_, None, at) => {
                        at.map(|at| list[at] = None);
                        let place = self.place_of(update, &part.write);
                        new.push((
                            place.unwrap_or(confirmed.len()),
                            place.is_none(),
                            message.clone(),
                        ));
                    }
                }
            }
        }
        new.sort_by_key(|(place, unsent, _)| (*place, *unsent));
        for (place, _, message) in new.into_iter().rev() {
            list.insert(place, Some(message));
        }
        list.into_iter().flatten().collect()
    }

    /// Returns the confirmed position before which a sent update's new message goes. It goes after
    /// the last remaining message that the server had then, and after earlier updates' messages
    /// that the server put there.
    pub(super) fn place_of(&self, update: &Update, edit: &Edit) -> Option<usize> {
        let had = update.had.as_ref()?;
        let confirmed = &self.confirmed.messages;
        let mut place =
            had.iter().rev().find_map(|id| position(confirmed, id)).map_or(0, |at| at + 1);
        for id in self.seats[..edit.seat].iter().flatten() {
            if position(confirmed, id) == Some(place) {
                place += 1;
            }
        }
        Some(place)
    }

    /// Confirms these updates' changes of messages, where they are shown.
    pub(super) fn take_messages(&mut self, chosen: &dyn Fn(&Update) -> bool) {
        let messages = self.laid_over(chosen);
        for part in self.updates.iter().filter(|it| chosen(it)).flat_map(|it| &it.edits) {
            let id = &part.write.message.id;
            let stays =
                edit_is_acknowledged(part, &self.confirmed) || part.write.does == Does::Remove;
            let there =
                part.write.does == Does::Change && position(&self.confirmed.messages, id).is_some();
            if !stays && !there {
                self.seats[part.write.seat] = Some(id.clone());
            }
        }
        self.confirmed.messages = messages;
    }

    pub(super) fn seat(&mut self, edit: &mut Edit) {
        edit.seat = self.seats.len();
        let adds = matches!(edit.does, Does::Add | Does::Move);
        self.seats.push(adds.then(|| edit.message.id.clone()));
    }
}
