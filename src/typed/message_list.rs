//! A list of typed items that takes updates one by one.

use std::sync::Arc;

use items::Items;

use super::Identified;
use crate::error::{Error, forms};
use crate::id::new_id;
use crate::message::Ids;
use crate::reducer::list::removals;
use crate::reducer::messages::{MessageRules, Present, STRICT, plan};
use crate::value::{ByNumber, Join, Names, Plan};

mod items;
mod reducer;
mod traits;

pub use items::{IntoIter, Iter};

/// An item whose text arrives in pieces.
pub trait Streamed: Identified {
    /// Adds text at the end of its content.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the item takes no text.
    fn append(&mut self, text: &str) -> Result<(), Error>;
}

/// Holds items with an index, and folds updates as [`add_messages`](super::add_messages) does.
///
/// A copy shares what is the same in both, so a clone is a snapshot that costs nothing: keep one for
/// each step. An update's cost does not grow with the list, whoever holds copies of it. Text goes
/// into the message in place unless a copy holds that message, too. In a state of a graph on a
/// thread, use it in place of `Vec<Message>`, which is copied whole at each step:
/// [`AddMessages`](crate::reducer::AddMessages) is its reducer, too.
///
/// `collect`, `extend` and serde take items as they are, as those of a `Vec`. Only
/// [`update`](Self::update) and a reducer fold: they replace, remove, and give ids.
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

impl<T: Identified + Clone> MessageList<T> {
    /// Makes a list of these items, by LangGraph's rules.
    ///
    /// # Errors
    /// Those of [`MessageList::update`].
    pub fn new(items: Vec<T>) -> Result<Self, Error> {
        let mut list = Self::default();
        list.update(items)?;
        Ok(list)
    }

    /// Folds items in, as [`add_messages`](super::add_messages) does, but refuses a removal of an
    /// unknown id.
    ///
    /// # Errors
    /// `UNKNOWN_MESSAGE`, `UNKNOWN_MESSAGE`; neither by DeepAgents'
    /// rules. The list is then unchanged.
    pub fn update(&mut self, update: Vec<T>) -> Result<(), Error> {
        let decided = self.decide::<STRICT>(shared(update), self.rules)?;
        self.carry_out(decided);
        Ok(())
    }

    /// Gives ids to items that lack one, if the rules want it.
    fn identify(&mut self, rules: MessageRules) {
        if rules.ids() == Ids::Assign {
            self.items.give_ids();
        }
    }

    /// Decides how to fold items in.
    fn decide<const MODE: bool>(
        &self,
        mut update: Vec<Arc<T>>,
        rules: MessageRules,
    ) -> Result<Decided<T>, Error> {
        identify(&mut update, rules);
        let mut ids = Names::default();
        let mut hits = Vec::new();
        let mut numbers = Vec::with_capacity(update.len());
        for item in &update {
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
        let removals = removals(update.iter().map(|item| &**item));
        let plan = plan::<MODE>(&present, &numbers, &removals, rules, places)?;
        Ok(Decided { plan, update, rules })
    }

    /// Carries out what was decided for this list.
    fn carry_out(&mut self, Decided { plan, update, rules }: Decided<T>) {
        let mut update: Vec<_> = update.into_iter().map(Some).collect();
        let mut incoming = |at: u32| update.get_mut(at as usize).and_then(Option::take);
        if plan.cleared {
            self.items = Items::default();
        }
        self.identify(rules);
        for [place, from] in &plan.replaced {
            if let (Some(item), Some(new)) = (self.items.get_mut(*place), incoming(*from)) {
                *item = new;
            }
        }
        for place in plan.removed.iter().rev() {
            self.items.remove(*place);
        }
        for from in &plan.appended {
            self.items.extend(incoming(*from));
        }
    }
}

/// The changes of a list: decided before anything changes, and carried out without fail.
struct Decided<T> {
    plan: Plan,
    update: Vec<Arc<T>>,
    rules: MessageRules,
}

fn shared<T>(items: Vec<T>) -> Vec<Arc<T>> {
    items.into_iter().map(Arc::new).collect()
}

/// Gives ids to items of an update that lack one, if the rules want it.
fn identify<T: Identified + Clone>(update: &mut [Arc<T>], rules: MessageRules) {
    if rules.ids() == Ids::Assign {
        update.iter_mut().for_each(with_id);
    }
}

fn with_id<T: Identified + Clone>(item: &mut Arc<T>) {
    if item.id().is_none() {
        Arc::make_mut(item).set_id(new_id());
    }
}

impl<T: Streamed + Clone> MessageList<T> {
    /// Appends text to the item with this id. Copies the item first if another list holds it.
    ///
    /// # Errors
    /// `UNKNOWN_MESSAGE` for an id not in the list, and the item's own.
    pub fn append(&mut self, id: &str, text: &str) -> Result<(), Error> {
        let place = self.items.last(id);
        match place.and_then(|place| self.items.get_mut(place)) {
            Some(item) => Arc::make_mut(item).append(text),
            None => Err(Error::new(forms::UNKNOWN_MESSAGE, &[id])),
        }
    }
}
