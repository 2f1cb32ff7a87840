//! A new optimistic update and its effect on the shown messages.

use super::pending::{Does, Edit, PendingUpdate};
use super::{MESSAGES, Thread};
use crate::digits::digits;
use crate::error::{Error, forms};
use crate::message::{Ids, Kinds, REMOVE_ALL_MESSAGES};
use crate::reducer::messages::{MessageRules, Removals, read_list};
use crate::state::fields_in;
use crate::value::{ByNumber, Found, Join, Symbols, Value};

impl<V: Value> Thread<V> {
    /// Shows an update before the server knows it, and returns its id. The next run sends it.
    ///
    /// # Errors
    /// `NOT_INPUT` for a field that is not input or not in the schema, those of the fields'
    /// reducers, and `UNKNOWN_MESSAGE`; nothing is then shown.
    pub fn optimistic(&mut self, update: V) -> Result<String, Error> {
        self.show(update, false)
    }

    /// Shows an update that a separate call sends instead of a run: only [`Thread::settle`] and
    /// [`Thread::rollback`] end it.
    ///
    /// # Errors
    /// As [`Thread::optimistic`].
    pub fn optimistic_manual(&mut self, update: V) -> Result<String, Error> {
        self.show(update, true)
    }

    fn show(&mut self, update: V, manual: bool) -> Result<String, Error> {
        fields_in(&update, "an update")?;
        let keys = update.keys();
        let refused = |key: &&String| {
            self.rules.schema.field(key).map_or(!self.rules.open, |field| !field.input)
        };
        if let Some(key) = keys.iter().find(refused) {
            return Err(Error::new(forms::NOT_INPUT, &[key]));
        }
        self.acknowledge();
        let mut update = update;
        let mut edits = Vec::new();
        if let Some(messages) = update.get_owned(MESSAGES) {
            let (list, removals) = read_list(messages.own_list(), Ids::Assign, Kinds::Known)?;
            edits = self.edits_by(&list, &removals)?;
            update = update.with(MESSAGES, list);
        }
        let mut made = self.made + 1;
        let name = |made: u32| ["update-", &digits(made as usize)].concat();
        while self.updates.knows(&name(made)) {
            made += 1;
        }
        let id = name(made);
        let mut pending = Box::new(PendingUpdate::new(id, update, manual));
        pending.edits = edits;
        let mut written = None;
        for write in &mut pending.writes {
            let fields = written.take().unwrap_or_else(|| self.shown_fields().shared());
            let before = fields.get_owned(&write.key);
            let fields = self.rules.write(fields, &write.key, write.value.clone())?;
            write.folded = Some((before, fields.get_owned(&write.key).map(V::shared)));
            written = Some(fields);
        }
        if manual {
            pending.note_bases(&self.messages, &self.fields);
        }
        if !V::intact() {
            return Err(Error::value("an update", "readable"));
        }
        pending.edits.iter_mut().for_each(|edit| self.places.seat(edit));
        self.made = made;
        (self.view.fresh, self.pending_list.fresh) = (false, false);
        if let Some(written) = written {
            self.written = Some(written.reuse(&self.view.fields));
        }
        self.show_edits(&pending.edits);
        let id = pending.id.clone();
        self.updates.push(pending);
        Ok(id)
    }

    /// Messages that are only added go after all shown ones, so the view need not be rebuilt.
    fn show_edits(&mut self, edits: &[Edit<V>]) {
        if edits.is_empty() {
            return;
        }
        let added = edits.iter().all(|edit| edit.does == Does::Add);
        if self.updates.edit_count == 0 && added {
            self.woven = Some(self.weave());
        }
        match self.woven.as_mut() {
            Some(woven) if added => {
                woven.tail.extend(edits.iter().filter_map(|edit| edit.message.clone()));
            }
            _ => self.woven = None,
        }
    }

    /// Returns the result of an update's messages under the schema's reducer of messages.
    fn edits_by(&mut self, list: &V, removals: &Removals) -> Result<Vec<Edit<V>>, Error> {
        if let Some(rules) = self.rules.of_messages() {
            return self.edits(list, removals, rules);
        }
        let shown = self.shown_messages();
        let made = self.reduced(|_| shown.clone(), list)?.unwrap_or_else(|| list.clone());
        Ok(Self::difference(&shown, &made))
    }

    /// Returns the edits that turn one list of messages into another.
    fn difference(shown: &V, made: &V) -> Vec<Edit<V>> {
        let mut ids = V::Symbols::default();
        let mut there = ByNumber::default();
        let mut stay = vec![false; shown.len()];
        for (at, number) in (0..).zip(ids.numbers(shown, "id")) {
            there.insert(number, at);
        }
        let mut edits = Vec::new();
        for ((at, item), number) in (0..).zip(made.items()).zip(ids.numbers(made, "id")) {
            let Some(id) = item.get_owned("id").filter(|_| number != Join::NONE) else { continue };
            let place = there.get(number);
            if let Some(stays) = place.and_then(|place| stay.get_mut(place as usize)) {
                *stays = true;
            }
            let does = match place.and_then(|place| shown.at(place as usize)) {
                None => Does::Add,
                Some(old) if old.same(&item) || old.equals(&item) => continue,
                Some(_) => Does::Change,
            };
            edits.push(Edit::new(id, at, does, Some(item.into_owned())));
        }
        for (item, stays) in shown.items().zip(stay) {
            if let (false, Some(id)) = (stays, item.get_owned("id")) {
                edits.push(Edit::removal(id));
            }
        }
        edits
    }

    /// Returns the edits that `add_messages` makes for whole messages and removals.
    fn edits(
        &mut self,
        list: &V,
        removals: &Removals,
        rules: MessageRules,
    ) -> Result<Vec<Edit<V>>, Error> {
        let mut edits: Vec<Edit<V>> = Vec::new();
        // By number: the place among the edits.
        let mut own = V::Symbols::default();
        let mut places = ByNumber::default();
        let mut cleared = false;
        // Everything before the last remove-all is irrelevant.
        let clear = removals.iter().rposition(|(_, name)| name == REMOVE_ALL_MESSAGES);
        let mut removals = removals.iter().skip(clear.unwrap_or(0)).peekable();
        let start = removals.peek().filter(|_| clear.is_some()).map_or(0, |(at, _)| *at as usize);
        let numbers = own.numbers(list, "id");
        for ((at, item), number) in (0..).zip(list.items()).zip(numbers).skip(start) {
            let Some(id) = item.get_owned("id") else { continue };
            let known = places.get(number).and_then(|place| edits.get_mut(place as usize));
            // A message removed in this update keeps its place, or gets a new one.
            let keeps = !cleared && rules == MessageRules::LangGraph;
            let Some((_, name)) = removals.next_if(|(position, _)| *position == at) else {
                let message = Some(same_or(item.into_owned(), self.shown(&id)));
                let does =
                    match &known {
                        Some(edit) if edit.message.is_some() || keeps => {
                            if edit.does == Does::Remove { Does::Change } else { edit.does }
                        }
                        Some(edit) if edit.does == Does::Add => Does::Add,
                        Some(_) => Does::Move,
                        None if !cleared && self.is_shown(&id) => Does::Change,
                        None if self.messages.find(&id).is_some() => Does::Move,
                        None => Does::Add,
                    };
                match known {
                    Some(edit) if edit.message.is_some() || keeps => {
                        (edit.does, edit.message, edit.at) = (does, message, at);
                    }
                    known => {
                        // Removing an edit that only adds leaves nothing.
                        if let Some(edit) = known {
                            (edit.does, edit.message) = (Does::Add, None);
                        }
                        places.insert(number, position(edits.len()));
                        edits.push(Edit::new(id, at, does, message));
                    }
                }
                continue;
            };
            if name == REMOVE_ALL_MESSAGES {
                let shown = self.shown_messages();
                places = ByNumber::default();
                edits = Vec::new();
                for (number, id) in own.numbers(&shown, "id").into_iter().zip(shown.items()) {
                    // Of messages with one id it hides the last alone.
                    if let (None, Some(id)) = (places.get(number), id.get_owned("id")) {
                        places.insert(number, position(edits.len()));
                        edits.push(Edit::removal(id));
                    }
                }
                cleared = true;
                continue;
            }
            let there = match &known {
                Some(edit) => edit.message.is_some() || keeps,
                None => !cleared && self.is_shown(&id),
            };
            match known {
                _ if !there && rules == MessageRules::DeepAgents => {}
                _ if !there && cleared => {
                    return Err(Error::new(forms::REMOVAL_AFTER_ALL, &[name]));
                }
                _ if !there => {
                    return Err(Error::new(forms::UNKNOWN_REMOVAL, &[name]));
                }
                Some(edit) => {
                    (edit.message, edit.at) = (None, at);
                    if edit.does != Does::Add {
                        edit.does = Does::Remove;
                    }
                }
                None => {
                    places.insert(number, position(edits.len()));
                    edits.push(Edit::new(id, at, Does::Remove, None));
                }
            }
        }
        edits.retain(|edit| edit.message.is_some() || edit.does == Does::Remove);
        Ok(edits)
    }

    /// Whether a message of this id is shown.
    fn is_shown(&self, id: &V) -> bool {
        self.shown(id).is_some()
    }

    /// Returns the message of this id that is shown.
    fn shown(&self, id: &V) -> Option<V> {
        self.last_edit(id).map_or_else(|| self.message(id), |edit| edit.message.clone())
    }

    /// A pending message that comes as it was written stays the same object. The server's own does
    /// not: an adapter may know it by its identity.
    pub(super) fn as_pending(&self, message: V) -> V {
        let own = message.get_owned("id").and_then(|id| self.last_edit(&id)?.message.clone());
        same_or(message, own)
    }

    /// Whether the server lacks an edit of a message.
    pub(super) fn is_edited(&self, id: &V) -> bool {
        self.last_edit(id).is_some()
    }

    /// Returns the last edit of a message that the server does not have.
    fn last_edit(&self, id: &V) -> Option<&Edit<V>> {
        let mut edits = self.updates.edits_of(id).iter().rev();
        edits.find_map(|edit| self.updates.edit(*edit).filter(|it| !it.acknowledged))
    }
}

impl<V: Value> Edit<V> {
    pub(super) fn new(id: V, at: u32, does: Does, message: Option<V>) -> Self {
        Self {
            id,
            number: 0,
            at,
            seat: 0,
            does,
            message,
            base: None,
            again: None,
            acknowledged: false,
        }
    }

    pub(super) fn removal(id: V) -> Self {
        Self::new(id, Join::NONE, Does::Remove, None)
    }
}

/// Returns a message; where it equals what there is, the same object.
fn same_or<V: Value>(message: V, own: Option<V>) -> V {
    match own {
        Some(own) => message.reuse(&own),
        None => message,
    }
}

fn position(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
