//! A list of typed items that takes updates one by one.

use std::sync::Arc;

use positions::Places;

use super::Identified;
use crate::error::Error;
use crate::id::new_id;
use crate::message::Ids;
use crate::reducer::list::removals;
use crate::reducer::messages::{MessageRules, Present, plan};
use crate::value::{ByNumber, Join, Names, Plan};

mod positions;

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
/// An update's cost does not grow with the list: text goes into the message in place, and ids are
/// indexed. Only the first change after a [`MessageList::snapshot`] that you still hold passes over
/// the list, to copy its pointers. For JSON, use [`threadfold::MessageList`](crate::MessageList).
///
/// ```
/// use threadfold::Message;
/// use threadfold::typed::MessageList;
///
/// let mut list = MessageList::new(vec![Message::user("Hi").with_id("1")])?;
/// list.update(vec![Message::assistant("Hel").with_id("2")])?;
/// let before = list.snapshot();
/// list.append("2", "lo")?;
/// let after = list.snapshot();
/// assert_eq!((before[1].text(), after[1].text()), ("Hel".into(), "Hello".into()));
/// assert!(std::sync::Arc::ptr_eq(&before[0], &after[0])); // what did not change is shared
/// # Ok::<(), threadfold::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MessageList<T> {
    /// Includes removed items until the list is swept.
    items: Arc<Vec<Arc<T>>>,
    places: Places,
    rules: MessageRules,
}

impl<T> Default for MessageList<T> {
    fn default() -> Self {
        Self::empty(MessageRules::default())
    }
}

impl<T> MessageList<T> {
    /// Makes an empty list that follows these rules.
    #[must_use]
    pub fn empty(rules: MessageRules) -> Self {
        Self { items: Arc::default(), places: Places::default(), rules }
    }

    /// Returns the number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether the list has no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the last item with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&T> {
        self.items.get(self.places.last(id)?).map(|item| &**item)
    }

    /// Returns the list as it is now, which never changes. An item that does not change before the
    /// next snapshot is the same there.
    #[must_use]
    pub fn snapshot(&mut self) -> Arc<Vec<Arc<T>>> {
        self.sweep();
        Arc::clone(&self.items)
    }

    /// Drops the removed items.
    fn sweep(&mut self) {
        if !self.places.has_gone() {
            return;
        }
        let mut stays = self.places.sweep().into_iter();
        let mut stays = || stays.next().unwrap_or_default();
        if let Some(items) = Arc::get_mut(&mut self.items) {
            items.retain(|_| stays());
        } else {
            let kept = self.items.iter().filter(|_| stays());
            self.items = Arc::new(kept.cloned().collect());
        }
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
        if self.rules.ids() == Ids::Assign {
            for item in update.iter_mut().filter(|item| item.id().is_none()) {
                item.set_id(new_id());
            }
        }
        let plan = self.plan(&update)?;
        if plan.is_empty() {
            return Ok(());
        }
        let ids: Vec<Option<String>> =
            update.iter().map(|item| item.id().map(str::to_owned)).collect();
        let mut update: Vec<_> = update.into_iter().map(|item| Some(Arc::new(item))).collect();
        let mut incoming = |at: u32| update.get_mut(at as usize).and_then(Option::take);
        if plan.cleared {
            self.items = Arc::default();
            self.places.clear();
        }
        let items = Arc::make_mut(&mut self.items);
        for [position, from] in &plan.replaced {
            if let (Some(item), Some(new)) = (items.get_mut(*position as usize), incoming(*from)) {
                *item = new;
            }
        }
        for position in plan.removed.iter().rev() {
            self.places.remove(*position as usize);
        }
        for from in &plan.appended {
            items.extend(incoming(*from));
            self.places.push(ids.get(*from as usize).and_then(Option::as_deref));
        }
        // Sweep here: otherwise a list that is never read would keep removed items forever.
        if self.places.mostly_gone() {
            self.sweep();
        }
        Ok(())
    }

    /// Plans the merge of this update, from the places of its ids.
    fn plan(&self, update: &[T]) -> Result<Plan, Error> {
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
                let positions = self.places.all(id);
                hits.extend(positions.filter_map(|at| Some([u32::try_from(at).ok()?, number])));
            }
        }
        hits.sort_unstable();
        let places = &mut ByNumber::default();
        let present = Present::of(&hits, numbers.len());
        plan(&present, &numbers, &removals(update), self.rules, places)
    }
}

impl<T: Streamed + Clone> MessageList<T> {
    /// Appends text to the item with this id. Copies the item first if a snapshot holds it.
    ///
    /// # Errors
    /// [`Error::UnknownMessage`] for an id not in the list, and the item's own.
    pub fn append(&mut self, id: &str, text: &str) -> Result<(), Error> {
        let unknown = || Error::UnknownMessage { id: id.to_owned() };
        let position = self.places.last(id).ok_or_else(unknown)?;
        let item = self.items.get(position).ok_or_else(unknown)?;
        // Fail before copying the list for a message that takes no text.
        if Arc::strong_count(&self.items) > 1 || Arc::strong_count(item) > 1 {
            let mut copy = T::clone(item);
            copy.append(text)?;
            if let Some(item) = Arc::make_mut(&mut self.items).get_mut(position) {
                *item = Arc::new(copy);
            }
            return Ok(());
        }
        match Arc::make_mut(&mut self.items).get_mut(position).map(Arc::make_mut) {
            Some(item) => item.append(text),
            None => Err(unknown()),
        }
    }
}
