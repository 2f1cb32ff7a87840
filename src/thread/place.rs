//! The positions of sent updates' messages among the confirmed ones.

use super::ids::ByText;
use super::pending::Edit;
use crate::message_list::JsonMessageList;
use crate::value::{ByNumber, Holds, Value};

pub(super) struct Places<V: Value> {
    /// The messages that the server had when a run sent updates, by ascending number.
    pub anchors: Vec<(u32, V)>,
    /// How many anchors the last sweep kept.
    swept: usize,
    /// The ids of the messages that updates wrote, each at the place of its edit.
    pub seats: Vec<Option<V>>,
    /// The seats of each id; it may have left them.
    by_id: ByText<V>,
    /// The last results, as far as they still hold.
    pub head: Option<Head>,
    /// Whether a new message may move others: one after which they stand was gone, and may come
    /// back, or several runs sent them.
    pub is_loose: bool,
}

/// The position of the message in this seat, among those sent with the same server messages.
#[derive(Clone, Copy)]
pub(super) struct Head {
    anchor: u32,
    seat: u32,
    place: u32,
    /// Whether the server's last message is still there: no other can come nearer.
    exact: bool,
}

impl Head {
    /// Whether this still holds now that the last of so many messages has arrived.
    pub(super) fn stays_with(self, count: usize) -> bool {
        self.exact && self.place as usize + 1 < count
    }
}

impl<V: Value> Places<V> {
    pub(super) fn none() -> Self {
        Self {
            anchors: Vec::new(),
            swept: 0,
            seats: Vec::new(),
            by_id: ByText::default(),
            head: None,
            is_loose: false,
        }
    }

    /// Gives an edit its place after all others; a message that it writes is found there by its id.
    pub(super) fn seat(&mut self, edit: &mut Edit<V>) {
        edit.seat = self.push(edit.message.is_some().then(|| edit.id.clone()));
    }

    /// Adds a seat after all others; returns it.
    pub(super) fn push(&mut self, id: Option<V>) -> u32 {
        let seat = position(self.seats.len());
        self.seats.push(None);
        if let Some(id) = id {
            self.take_seat(seat, &id);
        }
        seat
    }

    /// Takes away the seats after so many.
    pub(super) fn keep(&mut self, sent: usize) {
        let (seats, is_loose) = (std::mem::take(&mut self.seats), self.is_loose);
        self.clear();
        self.is_loose = is_loose && sent > 0;
        for id in seats.into_iter().take(sent) {
            self.push(id);
        }
    }

    /// Takes all seats away.
    pub(super) fn clear(&mut self) {
        self.seats.clear();
        self.by_id = ByText::default();
        self.is_loose = false;
        self.head = None;
    }

    /// Notes that a message comes before those of later seats.
    fn take_seat(&mut self, seat: u32, id: &V) {
        if let Some(own) = self.seats.get_mut(seat as usize) {
            *own = Some(id.clone());
            self.by_id.add(id, [seat, seat]);
        }
    }

    /// Notes that a message has another id.
    pub(super) fn rename(&mut self, old: &V, id: &V) {
        let head = self.head;
        for [seat, _] in self.by_id.of(old).to_vec() {
            self.leave(seat);
            self.take_seat(seat, id);
        }
        self.head = head;
    }

    /// Notes that no update puts a message in this seat any more.
    pub(super) fn leave(&mut self, seat: u32) {
        if let Some(old) = self.seats.get_mut(seat as usize).and_then(Option::take) {
            self.by_id.take(&old, &|[at, _]| at == seat);
            self.head = None;
        }
    }

    /// Stores the list that the updates of this anchor were sent with, unless it is stored.
    pub(super) fn anchor(&mut self, anchor: u32, had: V) {
        if self.anchors.last().is_none_or(|(last, _)| *last != anchor) {
            self.anchors.push((anchor, had));
        }
    }

    /// Whether most anchors may be those of no update.
    pub(super) fn is_cluttered(&self) -> bool {
        self.anchors.len() > 2 * self.swept + 1
    }

    /// Drops the anchors that no update has.
    pub(super) fn sweep(&mut self, used: impl Iterator<Item = u32>) {
        let Some((first, _)) = self.anchors.first() else { return };
        let first = *first;
        let mut numbers = ByNumber::default();
        used.for_each(|anchor| {
            numbers.insert(anchor.wrapping_sub(first), 0);
        });
        self.anchors.retain(|(one, _)| numbers.get(one.wrapping_sub(first)).is_some());
        self.swept = self.anchors.len();
    }

    /// Returns the confirmed position before which a message in this seat stands. It comes after
    /// its anchor, and after the messages of earlier seats that the server has put there.
    pub(super) fn find(&mut self, messages: &JsonMessageList<V>, anchor: u32, seat: u32) -> u32 {
        let known = self.head.filter(|head| head.anchor == anchor && head.seat <= seat);
        let mut head = known.unwrap_or_else(|| {
            let (place, exact) = self.anchored(messages, anchor);
            self.is_loose |= !exact || self.head.is_some_and(|last| last.anchor != anchor);
            Head { anchor, seat: 0, place, exact }
        });
        // The message here is passed if it is of a seat between.
        while let Some(id) = messages.item(head.place).and_then(|here| here.get_owned("id")) {
            let mut next = seat;
            for [at, _] in self.by_id.of(&id) {
                if (head.seat..next).contains(at) {
                    next = *at;
                }
            }
            if next == seat {
                break;
            }
            (head.place, head.seat) = (head.place + 1, next + 1);
        }
        head.seat = seat;
        self.head = Some(head);
        head.place
    }

    /// Returns the confirmed position directly after the last message that the server had when a
    /// run sent it. If that message is gone, it takes the nearest earlier one that is left. Also
    /// returns whether it is the last one itself.
    fn anchored(&self, messages: &JsonMessageList<V>, anchor: u32) -> (u32, bool) {
        let first = self.anchors.first().map_or(anchor, |(first, _)| *first);
        let number = anchor.wrapping_sub(first);
        let place = self.anchors.partition_point(|(one, _)| one.wrapping_sub(first) < number);
        let here = self.anchors.get(place).filter(|(one, _)| *one == anchor);
        let Some((_, had)) = here else {
            return (position(messages.len()), false);
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
        let Self { anchors, swept: _, seats, by_id: _, head: _, is_loose: _ } = self;
        for (_, list) in anchors {
            visit(list);
        }
        seats.held(visit);
    }
}

fn position(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
