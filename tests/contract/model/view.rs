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
        // New messages, each with the confirmed position it goes before; those without one come last.
        let mut new: Vec<(Option<usize>, Message)> = Vec::new();
        for update in self.updates.iter().filter(|update| chosen(update)) {
            for part in &update.edits {
                if edit_is_acknowledged(part, &self.confirmed) {
                    continue;
                }
                let Edit { does, message, .. } = &part.write;
                let at = position(confirmed, &message.id).filter(|_| *does != Does::Add);
                let mut own = new.iter().position(|(_, it)| it.id == message.id);
                if *does == Does::Move {
                    own.take().map(|own| new.remove(own));
                }
                match (does, own, at) {
                    (Does::Remove, own, at) => {
                        own.map(|own| new.remove(own));
                        at.map(|at| list[at] = None);
                    }
                    (_, Some(own), _) => {
                        new[own].1 = message.clone();
                        if let Some(at) = at {
                            list[at] = None;
                        }
                    }
                    (Does::Add | Does::Change, None, Some(at)) => list[at] = Some(message.clone()),
                    (_, None, at) => {
                        at.map(|at| list[at] = None);
                        let seat = Seat::of(update, &part.write);
                        new.push((seat.map(|seat| self.place_of(&seat)), message.clone()));
                    }
                }
            }
        }
        new.sort_by_key(|(place, _)| place.unwrap_or(usize::MAX));
        for (place, message) in new.into_iter().rev() {
            list.insert(place.unwrap_or(confirmed.len()), Some(message));
        }
        list.into_iter().flatten().collect()
    }

    /// Returns the confirmed position before which a message goes. It goes after the last remaining
    /// message that the server had then, and after those there that earlier parts wrote.
    pub(super) fn place_of(&self, seat: &Seat) -> usize {
        let confirmed = &self.confirmed.messages;
        let mut had = seat.had.iter().rev();
        let mut place = had.find_map(|id| position(confirmed, id)).map_or(0, |at| at + 1);
        for id in self.seats[..seat.number].iter().flatten() {
            if position(confirmed, id) == Some(place) {
                place += 1;
            }
        }
        place
    }

    /// Returns the seat in which a message is shown that the server lacks, or would be without a
    /// removal.
    pub(super) fn shown_seat(&self, id: &str) -> Option<Seat> {
        let parts = self.updates.iter().flat_map(|it| it.edits.iter().map(move |part| (it, part)));
        let open = parts.filter(|(_, part)| {
            part.write.message.id == id && !edit_is_acknowledged(part, &self.confirmed)
        });
        let (mut seat, mut is_shown) = (None, false);
        for (update, part) in open {
            let shows = part.write.does != Does::Remove;
            if shows && (!is_shown || part.write.does == Does::Move) {
                seat = Seat::of(update, &part.write);
            }
            is_shown = shows;
        }
        seat
    }

    /// Confirms a message: where the server has it, unless it moves, or in this seat, or last.
    pub(super) fn take_message(&mut self, Edit { does, message, .. }: &Edit, seat: Option<&Seat>) {
        let there = position(&self.confirmed.messages, &message.id);
        if let Some(at) = there.filter(|_| *does != Does::Move) {
            self.confirmed.messages[at] = message.clone();
            return;
        }
        // The place is found while the message is still there.
        let mut place = seat.map_or(self.confirmed.messages.len(), |seat| self.place_of(seat));
        if let Some(at) = there {
            self.confirmed.messages.remove(at);
            place -= usize::from(at < place);
        }
        self.confirmed.messages.insert(place, message.clone());
    }

    pub(super) fn seat(&mut self, edit: &mut Edit) {
        edit.seat = self.seats.len();
        self.seats.push((edit.does != Does::Remove).then(|| edit.message.id.clone()));
    }
}

/// A sent part's place among all parts, and the ids of the messages after which it stands.
pub(super) struct Seat {
    had: Vec<String>,
    number: usize,
}

impl Seat {
    fn of(update: &Update, edit: &Edit) -> Option<Self> {
        Some(Self { had: update.had.clone()?, number: edit.seat })
    }
}
