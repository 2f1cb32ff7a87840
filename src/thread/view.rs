//! What is shown: pending laid over confirmed, as far as it is not the server's.

use super::pending::{Does, Edit, Pending};
use super::{MESSAGES, Stale, Thread};
use crate::message_list::MessageList;
use crate::value::{ByNumber, Found, Holds, Plan, Value, ascending};

/// A state that was handed out, and what it was made of.
pub(super) struct Shown<V> {
    state: V,
    messages: V,
    fields: V,
    pub fresh: bool,
}

/// The confirmed messages with the pending edits over them.
pub(super) struct Woven<V> {
    pub list: V,
    /// The confirmed positions that pending messages stand before, ascending: one for each.
    before: Vec<u32>,
    /// The confirmed positions that are not shown, ascending.
    removed: Vec<u32>,
    /// The confirmed positions of messages that have grown since.
    pub grown: Vec<u32>,
    /// Pending messages that came since, behind all.
    tail: Vec<V>,
}

impl<V: Value> Thread<V> {
    /// The state to show: what is confirmed, with what is pending over it; of a schema's fields
    /// those that are output. The same value, until something changes.
    pub fn state(&mut self) -> V {
        if !self.view.fresh {
            let messages = self.shown_messages();
            let mut fields = self.shown_fields();
            if !self.rules.open {
                let shown = self.rules.schema.output(fields.clone());
                fields = shown.map_or_else(|_| V::object(), |shown| shown.values);
            }
            // Made anew, but maybe of what there was before.
            if !self.view.state.is_null() && have_same(&fields, &self.view.fields) {
                fields = self.view.fields.clone();
            }
            let shows = self.rules.schema.field(MESSAGES).is_some_and(|field| field.output);
            self.view.take(messages, fields, shows);
        }
        self.view.state.clone()
    }

    /// What the server said, and what was added by [`Thread::update`].
    pub fn confirmed(&mut self) -> V {
        if !self.confirmed.fresh {
            let messages = self.messages.snapshot();
            self.confirmed.take(messages, self.fields.clone(), true);
        }
        self.confirmed.state.clone()
    }

    /// Finds out which parts are the server's. An added message is when the server has its id; any
    /// other part that was sent is when the server's value is no longer its base.
    pub(super) fn look(&mut self) {
        let Stale { edits, writes } = std::mem::take(&mut self.stale);
        if !(edits || writes) {
            return;
        }
        let (messages, fields) = (&self.messages, &self.fields);
        for update in self.updates.iter_mut() {
            if edits {
                update.edits.iter_mut().for_each(|edit| edit.look(messages));
            }
            for write in update.writes.iter_mut().filter(|_| writes) {
                let own = || fields.get(&write.key).map(Found::into_owned);
                write.acknowledged = write.base.is_some() && moved(write.base.as_ref(), own());
            }
        }
    }

    /// The same for the writes of a few fields, when no others have changed.
    pub(super) fn look_at_writes(&mut self, keys: &[String]) {
        if keys.is_empty() || keys.len() > 8 || self.updates.write_count == 0 {
            return;
        }
        self.stale.writes = false;
        for write in self.updates.iter_mut().flat_map(|update| &mut update.writes) {
            if keys.contains(&write.key) {
                let own = self.fields.get(&write.key).map(Found::into_owned);
                write.acknowledged = write.base.is_some() && moved(write.base.as_ref(), own);
            }
        }
    }

    /// The same for the edits of one message.
    pub(super) fn look_at(&mut self, id: &V) {
        let edits = self.updates.edits_of(id).to_vec();
        if edits.is_empty() {
            return;
        }
        for edit in edits {
            if let Some(edit) = self.updates.edit_mut(edit) {
                edit.look(&self.messages);
            }
        }
        self.woven = None;
        self.told_fresh = false;
    }

    /// The confirmed messages with the pending ones among them.
    pub(super) fn shown_messages(&mut self) -> V {
        self.look();
        let list = match self.woven.take() {
            Some(woven) => {
                self.woven = Some(woven);
                return self.grown();
            }
            None if self.updates.edit_count == 0 => self.messages.snapshot(),
            None => {
                let woven = self.weave(&|_| true);
                let list = woven.list.clone();
                self.woven = Some(woven);
                list
            }
        };
        // Made anew, but maybe of what there was before.
        if !list.same_items(&self.view.messages) {
            return list;
        }
        if let Some(woven) = self.woven.as_mut() {
            woven.list = self.view.messages.clone();
        }
        self.view.messages.clone()
    }

    /// The woven messages with those that have grown as they are now.
    fn grown(&mut self) -> V {
        let confirmed = self.messages.snapshot();
        let Some(woven) = self.woven.as_mut() else { return confirmed };
        let grown = std::mem::take(&mut woven.grown);
        let mut items = std::mem::take(&mut woven.tail);
        if !grown.is_empty() || !items.is_empty() {
            let mut plan = Plan { appended: (0..number(items.len())).collect(), ..Plan::default() };
            for at in grown {
                if woven.removed.binary_search(&at).is_ok() {
                    continue;
                }
                let before = woven.before.partition_point(|place| *place <= at);
                let gone = woven.removed.partition_point(|removed| *removed < at);
                let Some(item) = confirmed.at(at as usize) else { continue };
                plan.replaced.push([at + number(before) - number(gone), number(items.len())]);
                items.push(item.into_owned());
            }
            woven.list = V::assemble(woven.list.clone(), V::array(items), &plan, false);
        }
        woven.list.clone()
    }

    /// The confirmed messages with the pending edits of these updates over them.
    pub(super) fn weave(&mut self, chosen: &dyn Fn(&Pending<V>) -> bool) -> Woven<V> {
        let mut list = self.messages.snapshot();
        let end = number(self.messages.len());
        let mut items = Vec::new();
        // What becomes of each confirmed message: of several changes the last one counts.
        let mut fates = vec![STAYS; self.messages.len()];
        // Messages that no confirmed one is; by the number of an id, the place among them.
        let mut extras: Vec<(u32, Option<V>)> = Vec::new();
        let mut places = ByNumber::default();
        for update in self.updates.iter().filter(|update| chosen(update)) {
            for edit in update.edits.iter().filter(|edit| !edit.acknowledged) {
                let at = if edit.does == Does::Add { None } else { self.messages.find(&edit.id) };
                let own = places.get(edit.number).and_then(|at| extras.get_mut(at as usize));
                let own = own.filter(|(_, own)| edit.message.is_none() || own.is_some());
                let mut fate = REMOVED;
                match (own, &edit.message) {
                    (Some((_, own)), message) => own.clone_from(message),
                    (None, Some(message)) if at.is_some() && edit.does != Does::Move => {
                        fate = number(items.len());
                        items.push(message.clone());
                    }
                    (None, Some(message)) => {
                        // Those that were sent come before those that were not, wherever both stand.
                        let place = update.anchor.map_or(2 * end + 1, |anchor| {
                            2 * self.places.find(&self.messages, anchor, edit.seat)
                        });
                        places.insert(edit.number, number(extras.len()));
                        extras.push((place, Some(message.clone())));
                    }
                    (None, None) => {}
                }
                if let Some(known) = at.and_then(|at| fates.get_mut(at as usize)) {
                    *known = fate;
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
            // Insertions move what is behind them.
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
        if let Some(ahead) = before.get(..inserted.len()).filter(|ahead| !ahead.is_empty()) {
            list = list.insert_all(ahead, V::array(inserted));
        }
        if !plan.is_empty() {
            list = V::assemble(list, V::array(items), &plan, false);
        }
        Woven { list, before, removed, grown: Vec::new(), tail: Vec::new() }
    }

    /// The confirmed position that a sent message of this id is shown at, if it is shown.
    pub(super) fn shown_place(&mut self, id: &V) -> Option<u32> {
        let places = self.updates.edits_of(id).iter();
        let mut sent = places.filter_map(|[update, at]| {
            let update = self.updates.get(*update)?;
            Some((update.anchor, update.edits.get(*at as usize)?))
        });
        let (anchor, edit) = sent.next().filter(|(_, edit)| edit.does == Does::Add)?;
        Some(self.places.find(&self.messages, anchor?, edit.seat))
    }

    /// The confirmed fields with the pending writes over them. A field that did not change since is
    /// not written anew.
    pub(super) fn shown_fields(&mut self) -> V {
        self.look();
        if self.updates.write_count == 0 {
            return self.fields.clone();
        }
        if let Some(fields) = &self.written {
            return fields.clone();
        }
        let mut fields = self.fields.clone().shared();
        let writes = self.updates.iter_mut().flat_map(|update| &mut update.writes);
        for write in writes.filter(|write| !write.acknowledged) {
            let before = fields.get(&write.key).map(Found::into_owned);
            let known = write.folded.take().filter(|(known, _)| match (known, &before) {
                (Some(known), Some(before)) => known.same(before),
                (known, before) => known.is_none() && before.is_none(),
            });
            // A write that the confirmed state has made impossible is not shown.
            let (before, value) = known.unwrap_or_else(|| {
                let value = self.rules.tried(&write.key, before.clone(), &write.value);
                (before, value)
            });
            if let Some(value) = &value {
                fields = fields.with(&write.key, value.clone());
            }
            write.folded = Some((before, value));
        }
        self.written = Some(fields.clone());
        fields
    }
}

impl<V: Value> Woven<V> {
    /// Adds pending messages behind all, before that confirmed position.
    pub(super) fn append(&mut self, messages: Vec<V>, end: u32) {
        self.before.resize(self.before.len() + messages.len(), end);
        self.tail.extend(messages);
    }
}

impl<V: Value> Edit<V> {
    pub(super) fn look(&mut self, messages: &MessageList<V>) {
        let here = messages.find(&self.id);
        self.acknowledged = match self.does {
            Does::Add => here.is_some(),
            _ => {
                self.base.is_some()
                    && moved(self.base.as_ref(), here.and_then(|at| messages.item(at)))
            }
        };
    }
}

/// Whether a value is no longer its base.
fn moved<V: Value>(base: Option<&Option<V>>, now: Option<V>) -> bool {
    match (base.and_then(Option::as_ref), now) {
        (Some(base), Some(now)) => !base.same(&now) && !base.equals(&now),
        (base, now) => base.is_some() != now.is_some(),
    }
}

impl<V: Value> Shown<V> {
    pub(super) fn nothing() -> Self {
        Self { state: V::null(), messages: V::null(), fields: V::null(), fresh: false }
    }

    /// Makes the state anew, if either part is another one.
    fn take(&mut self, messages: V, fields: V, shows_messages: bool) {
        self.fresh = true;
        let first = self.state.is_null();
        if !first && (self.messages.same(&messages) || !shows_messages) && self.fields.same(&fields)
        {
            return;
        }
        self.state = if shows_messages {
            V::headed(MESSAGES, &messages, &fields)
        } else {
            V::object().overlay(&fields, false)
        };
        (self.messages, self.fields) = (messages, fields);
    }
}

impl<V: Value> Holds<V> for Shown<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { state, messages, fields, fresh: _ } = self;
        visit(state);
        visit(messages);
        visit(fields);
    }
}

impl<V: Value> Holds<V> for Woven<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { list, before: _, removed: _, grown: _, tail } = self;
        visit(list);
        tail.held(visit);
    }
}

/// Whether two objects have the same values.
fn have_same<V: Value>(left: &V, right: &V) -> bool {
    if left.same(right) {
        return true;
    }
    let keys = left.keys();
    let same = |key: &String| match (left.get(key), right.get(key)) {
        (Some(left), Some(right)) => left.same(&right),
        _ => false,
    };
    keys.len() == right.keys().len() && keys.iter().all(same)
}

/// What becomes of a confirmed message, but for one that has another in its place.
const STAYS: u32 = u32::MAX;
const REMOVED: u32 = u32::MAX - 1;

fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
