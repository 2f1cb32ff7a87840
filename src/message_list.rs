//! A list of messages that takes updates one by one: the basis of a thread.

use std::fmt;

use crate::error::{Error, forms};
use crate::message::{Kinds, append_text};
use crate::reducer::messages::{MessageRules, STRICT, plan, read_list};
use crate::value::{ByNumber, Found, Holds, Join, Kind, Owned, Plan, Symbols, Value};

mod ids;

use ids::{Ids, insert_all, keep};

/// Holds messages with an index, and folds updates as [`crate::add_json_messages`] does.
///
/// An update's cost does not grow with the list: text goes into the message in place, and ids are
/// indexed. Only a removal, and the first change after [`JsonMessageList::snapshot`], pass over the
/// list's positions.
///
/// ```
/// use serde_json::json;
/// use threadfold::MessageRules;
/// use threadfold::unstable::JsonMessageList;
///
/// let mut list = JsonMessageList::new(json!([]), MessageRules::LangGraph)?;
/// list.update(json!([{ "type": "ai", "id": "1", "content": "Hel" }]))?;
/// list.append(&json!("1"), &json!("lo"))?;
/// assert_eq!(list.snapshot(), json!([{ "type": "ai", "id": "1", "content": "Hello" }]));
/// # Ok::<(), threadfold::Error>(())
/// ```
///
/// A clone is an independent list, if the heap's [`Symbols`] can be cloned.
pub struct JsonMessageList<V: Value> {
    items: V,
    rules: MessageRules,
    ids: Ids<V>,
    /// For each position the epoch in which this list made the message there, 0 for one from
    /// outside. A message may change in place during its own epoch.
    made: Vec<u32>,
    epoch: u32,
    /// Whether `items` is not shared.
    owned: bool,
    /// Empty except while an update is planned.
    places: ByNumber,
}

impl<V: Value> JsonMessageList<V> {
    /// Makes a list of these messages, in any form that [`crate::add_json_messages`] takes.
    ///
    /// # Errors
    /// Those of [`crate::add_json_messages`].
    pub fn new(messages: V, rules: MessageRules) -> Result<Self, Error> {
        let mut list = Self::empty(rules);
        list.update(messages)?;
        Ok(list)
    }

    /// Makes a list without messages.
    pub(crate) fn empty(rules: MessageRules) -> Self {
        Self {
            items: V::array([]),
            rules,
            ids: Ids::default(),
            made: Vec::new(),
            epoch: 1,
            owned: true,
            places: ByNumber::default(),
        }
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.numbers.len()
    }

    /// Returns whether the list has no messages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Folds messages in, as [`crate::add_json_messages`] does.
    ///
    /// # Errors
    /// Those of [`crate::add_json_messages`]; the list is then unchanged.
    pub fn update(&mut self, messages: V) -> Result<(), Error> {
        self.fold(messages, Kinds::Known)
    }

    /// Does the same as [`JsonMessageList::update`] with messages of these kinds.
    pub(crate) fn fold(&mut self, messages: V, kinds: Kinds) -> Result<(), Error> {
        if messages.is_null() {
            return Err(Error::new(forms::NULL_ARGUMENT, &["left"]));
        }
        let (right, removals) = read_list(messages.own_list(), self.rules.ids(), kinds)?;
        let numbers = self.ids.symbols.numbers(&right, "id");
        let plan = plan::<STRICT>(&self.ids, &numbers, &removals, self.rules, &mut self.places)?;
        if !V::intact() {
            return Err(Error::value("messages", "readable"));
        }
        self.carry_out(right, plan, &numbers)?;
        Ok(())
    }

    /// Returns whether anything has changed.
    fn carry_out(&mut self, right: V, mut plan: Plan, numbers: &[u32]) -> Result<bool, Error> {
        // An equal message stays the same object, unless another one comes between.
        let mut changed = ByNumber::default();
        plan.replaced.retain(|[at, from]| {
            let new = right.at(*from as usize);
            let is_equal = self.item(*at).zip(new).is_some_and(|(own, new)| own.equals(&new));
            let stays = is_equal && changed.get(*at).is_none();
            if !stays {
                changed.insert(*at, 0);
            }
            !stays
        });
        if plan.is_empty() {
            return Ok(false);
        }
        let items = std::mem::replace(&mut self.items, V::null());
        self.items = V::assemble(items, right, &plan, self.owned);
        if !V::intact() {
            return Err(Error::value("messages", "readable"));
        }
        self.owned = true;
        self.reindex(&plan, numbers);
        Ok(true)
    }

    fn reindex(&mut self, plan: &Plan, numbers: &[u32]) {
        for [position, _] in &plan.replaced {
            if let Some(made) = self.made.get_mut(*position as usize) {
                *made = 0;
            }
        }
        if plan.cleared {
            self.made.clear();
        } else {
            keep(&mut self.made, &plan.removed);
        }
        self.made.resize(self.made.len() + plan.appended.len(), 0);
        let appended = plan.appended.iter().filter_map(|from| numbers.get(*from as usize).copied());
        self.ids.change(plan, appended);
        if self.ids.is_stale() {
            let ids = Ids::of(&self.items);
            if V::intact() {
                self.ids = ids;
                self.places = ByNumber::default();
            }
        }
    }

    /// Adds text to the end of a message: to its content, or to its last text block.
    ///
    /// # Errors
    /// `UNKNOWN_MESSAGE` for an id not in the list, `INVALID_ARGUMENT` for text that
    /// is not a string and for a message whose content takes no text.
    pub fn append(&mut self, id: &V, text: &V) -> Result<(), Error> {
        self.append_to(id, text).map(|_| ())
    }

    /// Appends the text and returns the message's position.
    pub(crate) fn append_to(&mut self, id: &V, text: &V) -> Result<u32, Error> {
        let Some(position) = self.find(id) else {
            let id = id.text();
            let id = id.as_deref().unwrap_or("(not a string)");
            return Err(Error::new(forms::UNKNOWN_MESSAGE, &[id]));
        };
        let made = self.made.get_mut(position as usize);
        let owned = Owned {
            list: self.owned,
            item: made.as_ref().is_some_and(|made| **made == self.epoch),
        };
        let items = std::mem::replace(&mut self.items, V::null());
        match append_text(items, position, text, owned) {
            Ok(items) => {
                if let Some(made) = made {
                    *made = self.epoch;
                }
                self.items = items;
                self.owned = true;
                Ok(position)
            }
            Err(items) => {
                self.items = items;
                Err(match text.kind() {
                    Kind::String => {
                        Error::value("content", "text or a list of blocks, to have text added")
                    }
                    _ => Error::value("text", "a string"),
                })
            }
        }
    }

    /// Changes the message at a position, in place where nothing else holds it. It keeps its id.
    pub(crate) fn grow(&mut self, position: u32, change: impl FnOnce(V) -> V) {
        let at = position as usize;
        let mut items = std::mem::replace(&mut self.items, V::null());
        if let Some(item) = items.take_at(at) {
            items = items.splice(at, 1, Some(change(item)));
        }
        if let Some(made) = self.made.get_mut(at) {
            *made = self.epoch;
        }
        self.items = items;
        self.owned = true;
    }

    /// Returns the list as it is now, which never changes. A message that does not change before
    /// the next snapshot is the same there; without any change, both snapshots are the same list.
    #[must_use]
    pub fn snapshot(&mut self) -> V {
        self.show_messages();
        self.owned = false;
        self.items.clone()
    }

    /// Counts the messages as shown, each alone: none changes in place any more, but the list may.
    pub(crate) fn show_messages(&mut self) {
        if self.owned {
            self.epoch = self.epoch.wrapping_add(1).max(1);
        }
    }

    /// Returns the last position of an id.
    pub(crate) fn find(&self, id: &V) -> Option<u32> {
        self.ids.symbols.find(id).and_then(|number| self.ids.last(number))
    }

    /// Returns the message at a position as it is now: an append may still change it.
    pub(crate) fn item(&self, position: u32) -> Option<V> {
        self.items.at(position as usize).map(Found::into_owned)
    }

    /// Returns the list as it is now: the next change may happen in place.
    pub(crate) fn items(&self) -> &V {
        &self.items
    }

    /// Replaces the message with the same id by this one as it is; inserts a new one at `place`, or
    /// last.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` for a message without an id.
    pub(crate) fn put(&mut self, message: V, place: Option<usize>) -> Result<bool, Error> {
        let right = V::array([message]);
        let numbers = self.ids.symbols.numbers(&right, "id");
        let Some(number) = numbers.first().copied().filter(|number| *number != Join::NONE) else {
            return Err(Error::message_field(".id", "a string"));
        };
        let place = place.filter(|at| *at < self.len());
        let plan = match (self.ids.last(number), place) {
            (Some(position), _) => Plan { replaced: vec![[position, 0]], ..Plan::default() },
            (None, None) => Plan { appended: vec![0], ..Plan::default() },
            (None, Some(at)) => {
                self.insert_all(&[u32::try_from(at).unwrap_or(u32::MAX)], right, &numbers);
                return Ok(true);
            }
        };
        self.carry_out(right, plan, &numbers)
    }

    /// Inserts messages before these positions, ascending, and carries out a plan with others.
    pub(crate) fn weave(&mut self, places: &[u32], inserted: V, items: V, plan: Plan) {
        let added = self.ids.symbols.numbers(&inserted, "id");
        let numbers = self.ids.symbols.numbers(&items, "id");
        if V::intact() {
            self.insert_all(places, inserted, &added);
            // Fails only where something cannot be read.
            drop(self.carry_out(items, plan, &numbers));
        }
    }

    fn insert_all(&mut self, places: &[u32], inserted: V, numbers: &[u32]) {
        let Some(first) = places.first().filter(|_| !numbers.is_empty()) else { return };
        let items = std::mem::replace(&mut self.items, V::null());
        self.items = items.insert_all(places, inserted);
        self.owned = true;
        insert_all(&mut self.made, places, &vec![0; numbers.len()]);
        insert_all(&mut self.ids.numbers, places, numbers);
        self.ids.place_from(*first);
    }

    /// Replaces the whole list by another, which must not be shared, unless it is this one.
    pub(crate) fn set(&mut self, items: V) {
        if items.same(&self.items) {
            return;
        }
        let ids = Ids::of(&items);
        // An index of unreadable values would be wrong: keep the old list.
        if V::intact() {
            self.ids = ids;
            self.places = ByNumber::default();
            self.made = vec![0; self.ids.numbers.len()];
            self.items = items;
            self.owned = false;
        }
    }

    /// Gives the message of an id another one.
    pub(crate) fn rename(&mut self, old: &V, id: &V) {
        let Some(position) = self.find(old) else { return };
        let Some(item) = self.item(position) else { return };
        self.remove(&[position]);
        // Its id is a string, so it is not refused.
        drop(self.put(item.with("id", id.clone()), Some(position as usize)));
    }

    /// Removes the messages at these positions, ascending.
    pub(crate) fn remove(&mut self, positions: &[u32]) {
        let plan = Plan { removed: positions.to_vec(), ..Plan::default() };
        let items = std::mem::replace(&mut self.items, V::null());
        self.items = V::assemble(items, V::array([]), &plan, self.owned);
        self.owned = true;
        self.reindex(&plan, &[]);
    }

    /// Matches the ids of another list with this list's.
    pub(crate) fn compare(&mut self, other: &V) -> Compared {
        let numbers = self.ids.symbols.numbers(other, "id");
        let places = numbers.iter().map(|number| self.ids.last(*number)).collect();
        let mut named = vec![false; self.ids.symbols.count()];
        let mut twice = false;
        for number in &numbers {
            if let Some(named) = named.get_mut(*number as usize) {
                twice |= *named;
                *named = true;
            }
        }
        Compared { places, numbers, named, twice }
    }

    /// Returns for each position whether the other list has its id.
    pub(crate) fn known(&self, compared: &Compared) -> impl Iterator<Item = bool> {
        self.ids.numbers.iter().map(|number| compared.has(*number))
    }

    /// Returns whether the other list has this id.
    pub(crate) fn names(&self, compared: &Compared, id: &V) -> bool {
        self.ids.symbols.find(id).is_some_and(|number| compared.has(number))
    }

    /// Returns the positions of the messages made since the last snapshot.
    pub(crate) fn touched(&self) -> impl Iterator<Item = usize> {
        self.made.iter().enumerate().filter(|(_, made)| **made == self.epoch).map(|(at, _)| at)
    }
}

/// How the ids of another list match those of a [`JsonMessageList`].
pub(crate) struct Compared {
    /// For each item of the other list the position here.
    pub places: Vec<Option<u32>>,
    /// For each item of the other list the number of its id, or [`Join::NONE`].
    pub numbers: Vec<u32>,
    /// By an id's number, whether the other list has it.
    named: Vec<bool>,
    /// Whether the other list has an id twice.
    pub twice: bool,
}

impl Compared {
    fn has(&self, number: u32) -> bool {
        self.named.get(number as usize).copied().unwrap_or(false)
    }
}

impl<V: Value> Clone for JsonMessageList<V>
where
    V::Symbols: Clone,
{
    fn clone(&self) -> Self {
        Self {
            items: self.items.clone(),
            rules: self.rules,
            ids: self.ids.clone(),
            made: self.made.clone(),
            epoch: self.epoch,
            owned: self.owned,
            places: ByNumber::default(),
        }
    }
}

/// The messages and their rules.
impl<V: Value + fmt::Debug> fmt::Debug for JsonMessageList<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { items, rules, .. } = self;
        f.debug_struct("JsonMessageList").field("items", items).field("rules", rules).finish()
    }
}

impl<V: Value> Holds<V> for JsonMessageList<V> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        let Self { items, rules: _, ids: _, made: _, epoch: _, owned: _, places: _ } = self;
        visit(items);
    }
}
