//! The messages to show: the confirmed ones with the pending edits woven in.

use super::Thread;
use super::pending::{Does, PendingUpdate};
use crate::value::{ByNumber, Found, Holds, Plan, Value, ascending};

/// The confirmed messages with the pending edits applied.
pub(super) struct Woven<V> {
    /// None while they change nothing.
    list: Option<V>,
    /// The confirmed positions before which pending messages stand, ascending: one for each but
    /// those of the tail.
    before: Vec<u32>,
    /// The hidden confirmed positions, ascending.
    removed: Vec<u32>,
    /// The confirmed positions of messages that have changed since.
    pub changed: Vec<u32>,
    /// Pending messages added since, after all others.
    pub tail: Vec<V>,
}

/// The changes that pending edits make to the confirmed messages.
pub(super) struct Weft<V> {
    /// The confirmed positions before which pending messages stand, ascending: one for each.
    pub before: Vec<u32>,
    /// Those of them that do not come after all others.
    pub inserted: V,
    /// The hidden confirmed positions, ascending.
    removed: Vec<u32>,
    /// The rest, once those are inserted.
    pub plan: Plan,
    /// The messages that it puts in.
    pub items: V,
}

impl<V: Value> Thread<V> {
    /// Returns the confirmed messages with the pending ones among them.
    pub(super) fn shown_messages(&mut self) -> V {
        self.acknowledge();
        let list = match self.woven.take() {
            Some(woven) => {
                self.woven = Some(woven);
                return self.with_changed();
            }
            None if self.updates.edit_count == 0 => self.messages.snapshot(),
            None => {
                let woven = self.weave();
                let list = woven.list.clone();
                self.woven = Some(woven);
                list.unwrap_or_else(|| self.messages.snapshot())
            }
        };
        // Rebuilt, but maybe equal to the list before.
        if !list.same_items(&self.view.messages) {
            return list;
        }
        if let Some(woven) = self.woven.as_mut() {
            woven.list = Some(self.view.messages.clone());
        }
        self.view.messages.clone()
    }

    /// Returns the woven messages with the current state of those that have changed.
    fn with_changed(&mut self) -> V {
        let Some(woven) = self.woven.as_mut() else { return self.messages.snapshot() };
        let mut changed = std::mem::take(&mut woven.changed);
        let mut list = if let Some(list) = woven.list.clone() {
            // The confirmed list itself is not shown, so that it need not be copied, too.
            self.messages.show_messages();
            list
        } else {
            changed.clear();
            self.messages.snapshot()
        };
        let mut items = std::mem::take(&mut woven.tail);
        if !changed.is_empty() || !items.is_empty() {
            let mut plan = Plan { appended: (0..number(items.len())).collect(), ..Plan::default() };
            for at in changed {
                if woven.removed.binary_search(&at).is_ok() {
                    continue;
                }
                let before = woven.before.partition_point(|place| *place <= at);
                let gone = woven.removed.partition_point(|removed| *removed < at);
                let Some(item) = self.messages.item(at) else { continue };
                plan.replaced.push([at + number(before) - number(gone), number(items.len())]);
                items.push(item);
            }
            list = V::assemble(list, V::array(items), &plan, false);
            woven.list = Some(list.clone());
        }
        list
    }

    /// Returns what is woven once the server's copy of a pending message takes its place, before
    /// this confirmed position: only that message changes. `None` where more may.
    pub(super) fn woven_with(&mut self, message: &V, place: u32) -> Option<Woven<V>> {
        let mut woven = self.woven.take().filter(|woven| woven.tail.is_empty())?;
        let list = woven.list.take()?;
        let id = message.get_owned("id")?;
        let [edit] = self.updates.edits_of(&id) else { return None };
        let edit = self.updates.edit(*edit)?;
        let next = woven.before.partition_point(|before| *before < place);
        let is_next = woven.before.get(next) == Some(&place);
        if edit.does != Does::Add || edit.acknowledged || !is_next {
            return None;
        }
        let gone = woven.removed.partition_point(|removed| *removed < place);
        let at = (place as usize + next).checked_sub(gone)?;
        let own = list.at(at).map(Found::into_owned)?;
        if !own.get_owned("id")?.same(&id) {
            return None;
        }
        // Everything after it has moved.
        woven.before.remove(next);
        let moved = woven.before.iter_mut().chain(&mut woven.removed).chain(&mut woven.changed);
        moved.filter(|at| **at >= place).for_each(|at| *at += 1);
        woven.list = Some(if own.same(message) {
            list
        } else {
            let plan = Plan { replaced: vec![[number(at), 0]], ..Plan::default() };
            V::assemble(list, V::array([message.clone()]), &plan, false)
        });
        Some(woven)
    }

    /// Returns the confirmed messages with the pending edits applied.
    pub(super) fn weave(&mut self) -> Woven<V> {
        let Weft { before, inserted, removed, plan, items } = self.weft(&|_| true);
        let mut list = None;
        if !inserted.is_empty() {
            list = Some(self.messages.snapshot().insert_all(&before, inserted));
        }
        if !plan.is_empty() {
            let inserted = list.unwrap_or_else(|| self.messages.snapshot());
            list = Some(V::assemble(inserted, items, &plan, false));
        }
        Woven { list, before, removed, changed: Vec::new(), tail: Vec::new() }
    }

    /// Returns the changes that these updates' pending edits make to the confirmed messages.
    pub(super) fn weft(&mut self, chosen: &dyn Fn(&PendingUpdate<V>) -> bool) -> Weft<V> {
        let end = number(self.messages.len());
        let mut items = Vec::new();
        // By confirmed position, the change of the message there: of several the last one counts.
        let mut fates = Vec::new();
        // Messages that are not confirmed; by the number of an id, the place among them.
        let mut extras: Vec<(u32, Option<V>)> = Vec::new();
        let mut places = ByNumber::default();
        for update in self.updates.iter().filter(|update| chosen(update)) {
            for edit in update.edits.iter().filter(|edit| !edit.acknowledged) {
                let at = if edit.does == Does::Add { None } else { self.messages.find(&edit.id) };
                let own = places.get(edit.number).and_then(|at| extras.get_mut(at as usize));
                let mut own = own.filter(|(_, own)| edit.message.is_none() || own.is_some());
                if edit.does == Does::Move
                    && let Some((_, own)) = own.take()
                {
                    *own = None;
                }
                let mut fate = REMOVED;
                match (own, &edit.message) {
                    (Some((_, own)), message) => own.clone_from(message),
                    (None, Some(message)) if at.is_some() && edit.does != Does::Move => {
                        fate = number(items.len());
                        items.push(message.clone());
                    }
                    (None, Some(message)) => {
                        // Sent messages come before unsent ones, wherever both are.
                        let place = update.anchor.map_or(2 * end + 1, |anchor| {
                            2 * self.places.find(&self.messages, anchor, edit.seat)
                        });
                        places.insert(edit.number, number(extras.len()));
                        extras.push((place, Some(message.clone())));
                    }
                    (None, None) => {}
                }
                if let Some(at) = at {
                    fates.resize(self.messages.len(), STAYS);
                    if let Some(known) = fates.get_mut(at as usize) {
                        *known = fate;
                    }
                }
            }
        }
        let mut plan = Plan::default();
        let (mut before, mut inserted) = (Vec::new(), Vec::new());
        let keys: Vec<u32> = extras.iter().map(|(place, _)| *place).collect();
        for at in ascending(&keys, 2 * self.messages.len() + 2) {
            let Some((place, message)) = extras.get_mut(at as usize) else { continue };
            let (place, Some(message)) = (*place / 2, message.take()) else { continue };
            before.push(place);
            if place < end {
                inserted.push(message);
            } else {
                plan.appended.push(number(items.len()));
                items.push(message);
            }
        }
        let mut removed = Vec::new();
        let mut shift = 0;
        for (at, fate) in (0..).zip(fates) {
            // Insertions move everything after them.
            while before.get(shift).is_some_and(|place| *place <= at) {
                shift += 1;
            }
            let now = at + number(shift);
            if fate == REMOVED {
                removed.push(at);
                plan.removed.push(now);
            } else if fate != STAYS {
                plan.replaced.push([now, fate]);
            }
        }
        Weft { before, inserted: V::array(inserted), removed, plan, items: V::array(items) }
    }

    /// Returns the confirmed position at which a message of this id is shown, or would be without a
    /// removal; `None` if that is at the end.
    pub(super) fn shown_place(&mut self, id: &V) -> Option<u32> {
        let (mut seat, mut is_shown) = (None, false);
        for [number, at] in self.updates.edits_of(id) {
            let Some(update) = self.updates.get(*number) else { continue };
            let edit = update.edits.get(*at as usize);
            let Some(edit) = edit.filter(|edit| !edit.is_had(&self.messages)) else { continue };
            let shows = edit.message.is_some();
            if shows && (!is_shown || edit.does == Does::Move) {
                seat = update.anchor.map(|anchor| (anchor, edit.seat));
            }
            is_shown = shows;
        }
        let (anchor, seat) = seat?;
        Some(self.places.find(&self.messages, anchor, seat))
    }
}

impl<V: Value> Holds<V> for Woven<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { list, before: _, removed: _, changed: _, tail } = self;
        list.held(visit);
        tail.held(visit);
    }
}

/// Codes for confirmed messages that no other one replaces.
const STAYS: u32 = u32::MAX;
const REMOVED: u32 = u32::MAX - 1;

fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
