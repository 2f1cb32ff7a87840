//! `add_messages` over a program's own items: anything [`Identified`].

use super::messages::{LENIENT, MessageRules, Present, Removals, STRICT, plan};
use crate::error::Error;
use crate::id::new_id;
use crate::message::Ids;
use crate::value::{ByNumber, Join, Names, Plan};

/// An item of a list that is folded by id.
pub trait Identified {
    /// Whether it is threadfold's own message, which the npm package folds, too.
    #[doc(hidden)]
    const IS_MESSAGE: bool = false;

    /// Returns its id, if it has one.
    fn id(&self) -> Option<&str>;
    /// Sets its id.
    fn set_id(&mut self, id: String);
    /// Returns whether it removes the item with its id, or all
    /// ([`REMOVE_ALL_MESSAGES`](crate::REMOVE_ALL_MESSAGES)).
    fn is_removal(&self) -> bool {
        false
    }
}

/// Adds the items of `update` to those of `current`, as LangGraph's `add_messages` does.
///
/// Replaces an item of a known id in place, appends a new one, and carries out removals; ignores a
/// removal of an unknown id. Gives an id to items without one. Changes `current` in place: adding an
/// item reads each id and copies nothing.
///
/// [`AddMessages`](super::AddMessages)' [`try_merge`](super::TryReducer::try_merge) refuses such a
/// removal, as LangGraph does. For DeepAgents' rules use
/// [`MessageRules::DeepAgents`]`.merge(current, update)`; for JSON,
/// [`threadfold::add_json_messages`](crate::add_json_messages).
///
/// ```
/// use threadfold::Message;
/// use threadfold::typed::add_messages;
///
/// let thread = vec![Message::user("hello").with_id("1")];
/// let update = vec![Message::user("hello?").with_id("1"), Message::assistant("hi").with_id("2")];
/// let thread = add_messages(thread, update.clone());
/// assert_eq!(thread, update);
/// assert_eq!(add_messages(thread, vec![Message::remove("3")]), update);
/// ```
#[must_use]
pub fn add_messages<T: Identified>(mut current: Vec<T>, update: Vec<T>) -> Vec<T> {
    merge(&mut current, update, MessageRules::LangGraph);
    current
}

/// Adds items by the given rules; ignores removals of unknown ids.
pub(crate) fn merge<T: Identified>(current: &mut Vec<T>, mut update: Vec<T>, rules: MessageRules) {
    if let Ok(decided) = decide::<T, LENIENT>(current, &mut update, rules) {
        decided.carry_out(current, update);
    }
}

/// Decides how to add items by the given rules, and returns a closure that adds them.
pub(crate) fn prepared<T: Identified>(
    current: &mut Vec<T>,
    mut update: Vec<T>,
    rules: MessageRules,
) -> Result<impl FnOnce(), Error> {
    let decided = decide::<T, STRICT>(current, &mut update, rules)?;
    Ok(move || decided.carry_out(current, update))
}

/// The changes of a list: decided before anything changes, and carried out without fail.
struct Decided {
    plan: Plan,
    /// The positions of the list's items that get an id.
    nameless: Vec<usize>,
}

/// Gives ids to the items of an update that lack one, if the rules want it.
pub(crate) fn identify<T: Identified>(update: &mut [T], rules: MessageRules) {
    if rules.ids() == Ids::Assign {
        for item in update.iter_mut().filter(|item| item.id().is_none()) {
            item.set_id(new_id());
        }
    }
}

/// Decides the changes of `current`, and gives ids to the items of `update`.
fn decide<T: Identified, const MODE: bool>(
    current: &[T],
    update: &mut [T],
    rules: MessageRules,
) -> Result<Decided, Error> {
    let assign = rules.ids() == Ids::Assign;
    identify(update, rules);
    let mut ids = Names::default();
    let numbers: Vec<u32> =
        update.iter().map(|item| item.id().map_or(Join::NONE, |id| ids.add(id))).collect();
    let mut hits = Vec::new();
    let mut nameless = Vec::new();
    for (position, item) in (0..).zip(current) {
        let Some(id) = item.id() else {
            if assign {
                nameless.push(position as usize);
            }
            continue;
        };
        // Not `extend` with the option, which costs a third of the scan.
        if let Some(number) = ids.number(id) {
            hits.push([position, number]);
        }
    }
    let places = &mut ByNumber::default();
    let present = Present::of(&hits, numbers.len());
    let plan = plan::<MODE>(&present, &numbers, &removals(&*update), rules, places)?;
    Ok(Decided { plan, nameless })
}

/// Returns the removals in a list: position and id.
pub(crate) fn removals<'a, T: Identified + 'a>(items: impl IntoIterator<Item = &'a T>) -> Removals {
    (0..)
        .zip(items)
        .filter(|(_, item)| item.is_removal())
        .map(|(position, item)| (position, item.id().unwrap_or_default().to_owned()))
        .collect()
}

impl Decided {
    /// Carries it out on the two lists it was decided for.
    fn carry_out<T: Identified>(self, current: &mut Vec<T>, update: Vec<T>) {
        for position in self.nameless {
            if let Some(item) = current.get_mut(position) {
                item.set_id(new_id());
            }
        }
        *current = self.plan.apply(std::mem::take(current), update);
    }
}
