//! `add_messages` over a program's own items: anything [`Identified`].

use super::messages::{MessageRules, Present, Removals, plan};
use crate::error::Error;
use crate::id::new_id;
use crate::message::Ids;
use crate::value::ByNumber;
use crate::value::{Join, Names};

/// An item of a list that is merged by id.
pub trait Identified {
    /// Its id, if it has one.
    fn id(&self) -> Option<&str>;
    /// Gives it an id.
    fn set_id(&mut self, id: String);
    /// Whether it stands for the removal of the item with its id, or of all
    /// ([`REMOVE_ALL_MESSAGES`](crate::REMOVE_ALL_MESSAGES)).
    fn is_removal(&self) -> bool {
        false
    }
}

/// Adds the items of `right` to those of `left`: what [`add_messages`](crate::add_messages)
/// does, for typed items.
///
/// An item of a known id replaces that item in its place, another is appended, a removal removes.
/// By LangGraph's rules items without an id are given one. `left` is changed in place: one item
/// more costs a look at each id, and no copy.
///
/// # Errors
/// [`Error::UnknownMessageRemoved`], [`Error::RemovedAfterRemoveAll`].
///
/// ```
/// use threadfold::{add_message_list, Message, MessageRules};
///
/// let left = vec![Message::user("hello").with_id("1")];
/// let right = vec![Message::user("hello?").with_id("1"), Message::assistant("hi").with_id("2")];
/// assert_eq!(add_message_list(left, right.clone(), MessageRules::LangGraph)?, right);
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn add_message_list<T: Identified>(
    mut left: Vec<T>,
    mut right: Vec<T>,
    rules: MessageRules,
) -> Result<Vec<T>, Error> {
    let assign = rules.ids() == Ids::Assign;
    if assign {
        for item in right.iter_mut().filter(|item| item.id().is_none()) {
            item.set_id(new_id());
        }
    }
    let mut ids = Names::default();
    let numbers: Vec<u32> =
        right.iter().map(|item| item.id().map_or(Join::NONE, |id| ids.add(id))).collect();
    let mut hits = Vec::new();
    for (position, item) in (0..).zip(&mut left) {
        match item.id() {
            Some(id) => hits.extend(ids.number(id).map(|number| [position, number])),
            None if assign => item.set_id(new_id()),
            None => {}
        }
    }
    let removals: Removals = (0..)
        .zip(&right)
        .filter(|(_, item)| item.is_removal())
        .map(|(position, item)| (position, item.id().unwrap_or_default().to_owned()))
        .collect();
    let places = &mut ByNumber::default();
    let plan = plan(&Present::of(&hits, numbers.len()), &numbers, &removals, rules, places)?;
    Ok(plan.apply(left, right))
}
