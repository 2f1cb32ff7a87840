//! A list of typed items that takes updates one by one.

use std::sync::Arc;

use items::Items;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use super::Identified;
use crate::error::Error;
use crate::reducer::list::{identify, removals};
use crate::reducer::messages::{MessageRules, Present, STRICT, plan};
use crate::value::{ByNumber, Join, Names, Plan};

mod folded;
mod items;

pub use items::Iter;

/// An item whose text arrives in pieces.
pub trait Streamed: Identified {
    /// Adds text at the end of its content.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the item takes no text.
    fn append(&mut self, text: &str) -> Result<(), Error>;
}

/// Holds items with an index, and folds updates as [`add_messages`](super::add_messages) does.
///
/// A copy shares what is the same in both, so a clone is a snapshot that costs nothing: keep one for
/// each step. An update's cost does not grow with the list, whoever holds copies of it. Text goes
/// into the message in place unless a copy holds that message, too. In a state of a graph on a
/// thread, use it in place of `Vec<Message>`, which is copied whole at each step. For JSON, use
/// [`threadfold::MessageList`](crate::MessageList).
///
/// ```
/// use threadfold::Message;
/// use threadfold::typed::MessageList;
///
/// let mut list = MessageList::new(vec![Message::user("Hi").with_id("1")])?;
/// list.update(vec![Message::assistant("Hel").with_id("2")])?;
/// let before = list.clone();
/// list.append("2", "lo")?;
/// let text = |list: &MessageList<Message>| list.last().map(|last| last.text().into_owned());
/// assert_eq!((text(&before).as_deref(), text(&list).as_deref()), (Some("Hel"), Some("Hello")));
/// let (then, now) = (before.first().unwrap(), list.first().unwrap());
/// assert!(std::sync::Arc::ptr_eq(then, now)); // what did not change is shared
/// # Ok::<(), threadfold::Error>(())
/// ```
#[derive(Debug)]
pub struct MessageList<T> {
    items: Items<T>,
    rules: MessageRules,
}

impl<T> Clone for MessageList<T> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), rules: self.rules }
    }
}

impl<T> Default for MessageList<T> {
    fn default() -> Self {
        Self::empty(MessageRules::default())
    }
}

/// Lists are equal if their items are, whatever their rules.
impl<T: PartialEq> PartialEq for MessageList<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.iter().zip(other).all(|(own, other)| Arc::ptr_eq(own, other) || own == other)
    }
}

impl<T: Eq> Eq for MessageList<T> {}

impl<'a, T> IntoIterator for &'a MessageList<T> {
    type Item = &'a Arc<T>;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// Writes the items, in order.
impl<T: Serialize> Serialize for MessageList<T> {
    fn serialize<Out: Serializer>(&self, serializer: Out) -> Result<Out::Ok, Out::Error> {
        serializer.collect_seq(self.iter().map(|item| &**item))
    }
}

/// Reads items into a list that follows LangGraph's rules.
impl<'de, T: Identified + Deserialize<'de>> Deserialize<'de> for MessageList<T> {
    fn deserialize<In: Deserializer<'de>>(deserializer: In) -> Result<Self, In::Error> {
        Self::new(Vec::deserialize(deserializer)?).map_err(In::Error::custom)
    }
}

impl<T> MessageList<T> {
    /// Makes an empty list that follows these rules.
    #[must_use]
    pub fn empty(rules: MessageRules) -> Self {
        Self { items: Items::default(), rules }
    }

    /// Returns the number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether the list has no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the last item with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&T> {
        self.items.get(self.items.last(id)?).map(|item| &**item)
    }

    /// Returns the items, in order.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, T> {
        self.items.iter()
    }

    /// Returns the first item.
    #[must_use]
    pub fn first(&self) -> Option<&Arc<T>> {
        self.iter().next()
    }

    /// Returns the last item.
    #[must_use]
    pub fn last(&self) -> Option<&Arc<T>> {
        self.iter().next_back()
    }
}

impl<T: Identified> MessageList<T> {
    /// Makes a list of these items, by LangGraph's rules.
    ///
    /// # Errors
    /// Those of [`add_messages`](super::add_messages).
    pub fn new(items: Vec<T>) -> Result<Self, Error> {
        let mut list = Self::default();
        list.update(items)?;
        Ok(list)
    }

    /// Folds items in, as [`add_messages`](super::add_messages) does.
    ///
    /// # Errors
    /// Those of [`add_messages`](super::add_messages); the list is then unchanged.
    pub fn update(&mut self, mut update: Vec<T>) -> Result<(), Error> {
        let plan = self.decide::<STRICT>(&mut update, self.rules)?;
        self.carry_out(&plan, update);
        Ok(())
    }

    /// Decides the changes, and gives ids to the items of `update`.
    fn decide<const MODE: bool>(
        &self,
        update: &mut [T],
        rules: MessageRules,
    ) -> Result<Plan, Error> {
        identify(update, rules);
        self.plan::<MODE>(update, rules)
    }

    /// Carries out a plan for these items.
    fn carry_out(&mut self, plan: &Plan, update: Vec<T>) {
        let ids: Vec<Option<String>> =
            update.iter().map(|item| item.id().map(str::to_owned)).collect();
        let mut update: Vec<_> = update.into_iter().map(|item| Some(Arc::new(item))).collect();
        let mut incoming = |at: u32| update.get_mut(at as usize).and_then(Option::take);
        if plan.cleared {
            self.items = Items::default();
        }
        for [place, from] in &plan.replaced {
            if let (Some(item), Some(new)) = (self.items.get_mut(*place), incoming(*from)) {
                *item = new;
            }
        }
        for place in plan.removed.iter().rev() {
            let gone = self.items.get(*place).cloned();
            self.items.remove(gone.as_ref().and_then(|item| item.id()), *place);
        }
        for from in &plan.appended {
            let id = ids.get(*from as usize).and_then(Option::as_deref);
            if let Some(item) = incoming(*from) {
                self.items.push(id, item);
            }
        }
    }

    /// Plans the merge of this update, from the places of its ids.
    fn plan<const MODE: bool>(&self, update: &[T], rules: MessageRules) -> Result<Plan, Error> {
        let mut ids = Names::default();
        let mut hits = Vec::new();
        let mut numbers = Vec::with_capacity(update.len());
        for item in update {
            let Some(id) = item.id() else {
                numbers.push(Join::NONE);
                continue;
            };
            let (known, number) = (ids.number(id).is_some(), ids.add(id));
            numbers.push(number);
            if !known {
                hits.extend(self.items.all(id).map(|place| [place, number]));
            }
        }
        hits.sort_unstable();
        let places = &mut ByNumber::default();
        let present = Present::of(&hits, numbers.len());
        plan::<MODE>(&present, &numbers, &removals(update), rules, places)
    }
}

impl<T: Streamed + Clone> MessageList<T> {
    /// Appends text to the item with this id. Copies the item first if another list holds it.
    ///
    /// # Errors
    /// [`Error::UnknownMessage`] for an id not in the list, and the item's own.
    pub fn append(&mut self, id: &str, text: &str) -> Result<(), Error> {
        let place = self.items.last(id);
        match place.and_then(|place| self.items.get_mut(place)) {
            Some(item) => Arc::make_mut(item).append(text),
            None => Err(Error::UnknownMessage { id: id.to_owned() }),
        }
    }
}
