//! Where the messages of sent updates stand among the confirmed ones.

use super::pending::{Does, Edit};
use crate::message_list::MessageList;
use crate::value::{Holds, Value};

pub(super) struct Places<V> {
    /// The messages that the server had when a run took updates along, by number.
    pub anchors: Vec<(u32, V)>,
    /// The ids of the messages that updates added, each at the place of its edit.
    pub seats: Vec<Option<V>>,
    /// What was found out last, as far as it is still true.
    pub head: Option<Head>,
}

/// Where the message in this seat stands of those that were sent when the server had just these.
#[derive(Clone, Copy)]
pub(super) struct Head {
    anchor: u32,
    seat: u32,
    place: u32,
    /// Whether the last message that the server had is there: no other one can come nearer.
    exact: bool,
}

impl Head {
    /// Whether it is still true now that the last of so many messages has come.
    pub(super) fn stays_with(self, count: usize) -> bool {
        self.exact && self.place as usize + 1 < count
    }
}

impl<V: Value> Places<V> {
    pub(super) fn none() -> Self {
        Self { anchors: Vec::new(), seats: Vec::new(), head: None }
    }

    /// Gives an edit its place behind all others: there the added ones are known by their ids.
    pub(super) fn seat(&mut self, edit: &mut Edit<V>) {
        edit.seat = u32::try_from(self.seats.len()).unwrap_or(u32::MAX);
        self.seats.push((edit.does == Does::Add).then(|| edit.id.clone()));
    }

    /// A message that is the server's now comes before those of later seats.
    pub(super) fn take_seat(&mut self, seat: u32, id: &V) {
        if let Some(seat) = self.seats.get_mut(seat as usize) {
            *seat = Some(id.clone());
        }
    }

    /// The list that the updates of this anchor were sent with, unless it is known.
    pub(super) fn anchor(&mut self, anchor: u32, had: V) {
        if self.anchors.iter().all(|(one, _)| *one != anchor) {
            self.anchors.push((anchor, had));
        }
    }

    /// Before which confirmed position a message in this seat stands: behind its anchor, and behind
    /// those of earlier seats that the server has put there.
    pub(super) fn find(&mut self, messages: &MessageList<V>, anchor: u32, seat: u32) -> u32 {
        let known = self.head.filter(|head| head.anchor == anchor && head.seat <= seat);
        let mut head = known.unwrap_or_else(|| {
            let (place, exact) = self.anchored(messages, anchor);
            Head { anchor, seat: 0, place, exact }
        });
        let between = self.seats.get(head.seat as usize..seat as usize).unwrap_or_default();
        for id in between.iter().flatten() {
            if messages.find(id) == Some(head.place) {
                head.place += 1;
            }
        }
        head.seat = seat;
        self.head = Some(head);
        head.place
    }

    /// Before which confirmed position that is which stands directly behind the last message that
    /// the server had when a run took it along, or the nearest earlier one that is left. And whether
    /// it is that last one.
    fn anchored(&self, messages: &MessageList<V>, anchor: u32) -> (u32, bool) {
        let Some((_, had)) = self.anchors.iter().find(|(one, _)| *one == anchor) else {
            return (u32::try_from(messages.len()).unwrap_or(u32::MAX), false);
        };
        for at in (0..had.len()).rev() {
            let id = had.at(at).and_then(|message| message.get_owned("id"));
            if let Some(place) = id.and_then(|id| messages.find(&id)) {
                return (place + 1, at + 1 == had.len());
            }
        }
        (0, had.is_empty())
    }
}

impl<V: Value> Holds<V> for Places<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { anchors, seats, head: _ } = self;
        for (_, list) in anchors {
            visit(list);
        }
        seats.held(visit);
    }
}
