//! `add_messages`: LangGraph's reducer over lists of messages, and DeepAgents' variant of it.

use crate::error::Error;
use crate::message::{self, Ids, REMOVE_ALL_MESSAGES, Read};
use crate::value::{ByNumber, Join, Kind, Plan, Value};

/// Which system's rules `add_messages` follows where the two differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MessageRules {
    /// LangGraph's `add_messages`: a removal of an unknown id is an error, missing ids are
    /// assigned, a message removed and sent again keeps its place.
    #[default]
    LangGraph,
    /// DeepAgents' batch reducer: a removal of an unknown id is ignored, ids are not assigned,
    /// a message removed and sent again comes last, and of two with one id only the last goes.
    DeepAgents,
}

impl MessageRules {
    pub(crate) fn ids(self) -> Ids {
        match self {
            Self::LangGraph => Ids::Assign,
            Self::DeepAgents => Ids::Keep,
        }
    }
}

/// Adds the messages of `right` to those of `left`, as LangGraph's `add_messages` does.
///
/// Either side is a list of messages or one message, in any form that [`crate::message`] names.
/// Replaces a message of a known id in its place and appends another; a
/// `{ "type": "remove", "id" }` removes the message with that id, and with the id
/// [`REMOVE_ALL_MESSAGES`] everything before it. Messages without an id get one.
///
/// Differs from the reference once: a removal that follows a remove-all is carried out on what came
/// between the two, and is [`Error::RemovedAfterRemoveAll`] when that does not hold the id. Python
/// returns the removal itself as a message.
///
/// # Errors
/// [`Error::NullArgument`], [`Error::InvalidMessage`], [`Error::UnknownMessageRemoved`],
/// [`Error::RemovedAfterRemoveAll`].
///
/// ```
/// use serde_json::json;
/// use threadfold::{add_messages, MessageRules};
///
/// let left = json!([{ "type": "human", "id": "1", "content": "hello" }]);
/// let right = json!([
///     { "type": "human", "id": "1", "content": "hello?" },
///     { "type": "ai", "id": "2", "content": "hi" },
/// ]);
/// assert_eq!(add_messages(left, right.clone(), MessageRules::LangGraph)?, right);
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn add_messages<V: Value>(left: V, right: V, rules: MessageRules) -> Result<V, Error> {
    let left = match (left.is_null(), right.is_null()) {
        (false, false) => left,
        (true, false) if rules == MessageRules::DeepAgents => V::array([]),
        (true, true) => return Err(Error::NullArgument { received: None }),
        (true, false) => return Err(Error::NullArgument { received: Some("right") }),
        (false, true) => return Err(Error::NullArgument { received: Some("left") }),
    };
    let (left, _) = read_list(left, rules)?;
    let (right, removals) = read_list(right, rules)?;
    let join = V::join(&left, &right, "id");
    let places = &mut ByNumber::default();
    let plan =
        plan(&Present::of(&join.left, join.right.len()), &join.right, &removals, rules, places)?;
    Ok(if plan.is_empty() { left } else { V::assemble(left, right, &plan, false) })
}

/// A list as it was given, or one message as a list of one: a string, an object, or a
/// `[role, content]` pair's own list is told from a list of two strings only by LangGraph's
/// rule that a list is a list.
fn listed<V: Value>(messages: V) -> V {
    if messages.kind() == Kind::Array { messages } else { V::array([messages]) }
}

/// The removals in a list: position and id.
pub(crate) type Removals = Vec<(u32, String)>;

/// The list with every message whole, and the removals in it.
pub(crate) fn read_list<V: Value>(
    messages: V,
    rules: MessageRules,
) -> Result<(V, Removals), Error> {
    let list = listed(messages);
    let mut removals = Removals::new();
    let mut made = Vec::new();
    let mut replaced = Vec::new();
    for position in message::odd(&list) {
        let Some(item) = list.at(position as usize) else { continue };
        match message::read(&*item, rules.ids()).map_err(|error| error.at(position as usize))? {
            Read::Whole => {}
            Read::Remove(id) => {
                // A serialised removal has its id elsewhere than where ids are looked for.
                if item.text_of("id").as_ref() != Some(&id) {
                    replaced.push([position, length_of(made.len())?]);
                    made.push(message::removal(&id));
                }
                removals.push((position, id));
            }
            Read::Made(message) => {
                replaced.push([position, length_of(made.len())?]);
                made.push(message);
            }
        }
    }
    let list = if replaced.is_empty() {
        list
    } else {
        V::assemble(list, V::array(made), &Plan { replaced, ..Plan::default() }, false)
    };
    Ok((list, removals))
}

fn length_of(len: usize) -> Result<u32, Error> {
    u32::try_from(len).map_err(|_| Error::value("a list of messages", "shorter than 2³² items"))
}

/// Where in the left list the ids are. Ids are numbers: equal ids, equal numbers.
pub(crate) trait Positions {
    /// By id: the last position, or [`Join::NONE`].
    fn last_positions(&self) -> &[u32];
    /// Every position of the ids chosen, ascending.
    fn all(&self, chosen: &dyn Fn(u32) -> bool) -> Vec<u32>;
}

/// The positions of only those ids that the right list names.
pub(crate) struct Present<'a> {
    hits: &'a [[u32; 2]],
    last: Vec<u32>,
}

impl<'a> Present<'a> {
    /// From the hits, and how many numbers there may be.
    pub(crate) fn of(hits: &'a [[u32; 2]], count: usize) -> Self {
        let mut last = vec![Join::NONE; count];
        for [position, id] in hits {
            if let Some(last) = last.get_mut(*id as usize) {
                *last = *position;
            }
        }
        Self { hits, last }
    }
}

impl Positions for Present<'_> {
    fn last_positions(&self) -> &[u32] {
        &self.last
    }

    fn all(&self, chosen: &dyn Fn(u32) -> bool) -> Vec<u32> {
        self.hits.iter().filter(|[_, id]| chosen(*id)).map(|[position, _]| *position).collect()
    }
}

/// Decides what becomes of the two lists, from the numbers of the right one's ids and from the
/// removals in it. `places` is empty before and after: keep one for many plans, and each costs what
/// it names.
pub(crate) fn plan(
    left: &dyn Positions,
    numbers: &[u32],
    removals: &Removals,
    rules: MessageRules,
    places: &mut ByNumber,
) -> Result<Plan, Error> {
    let clear = removals.iter().rposition(|(_, id)| id == REMOVE_ALL_MESSAGES);
    let Some(clear) = clear else {
        let each_its_own = || {
            let mut numbers = (0..).zip(numbers);
            numbers.all(|(position, number)| *number == position || *number == Join::NONE)
        };
        if removals.is_empty() && each_its_own() {
            return Ok(put_each(left.last_positions(), numbers));
        }
        return Folding::of(left, rules, places).fold(0, numbers, removals);
    };
    let (before, removals) = removals.split_at(clear + 1);
    let start = before.last().map_or(0, |(position, _)| position + 1);
    match rules {
        MessageRules::LangGraph => after_remove_all(start, numbers, removals),
        MessageRules::DeepAgents => {
            let nothing = Present::of(&[], 0);
            let plan = Folding::of(&nothing, rules, places).fold(start, numbers, removals)?;
            Ok(Plan { cleared: true, ..plan })
        }
    }
}

/// The plan for a list without removals in which no id is there twice.
fn put_each(last: &[u32], numbers: &[u32]) -> Plan {
    let mut plan = Plan { appended: Vec::with_capacity(numbers.len()), ..Plan::default() };
    for (position, number) in (0..).zip(numbers) {
        match last.get(*number as usize) {
            Some(at) if *at != Join::NONE => plan.replaced.push([*at, position]),
            _ => plan.appended.push(position),
        }
    }
    plan
}

/// What each message of the right list from `start` on does: its position, its id's number, and
/// the id when it is a removal.
fn each<'a>(
    start: u32,
    numbers: &'a [u32],
    removals: &'a [(u32, String)],
) -> impl Iterator<Item = (u32, u32, Option<&'a String>)> {
    let mut removals = removals.iter().peekable();
    (0..).zip(numbers).skip(start as usize).map(move |(position, number)| {
        let removal = removals.next_if(|(at, _)| *at == position);
        (position, *number, removal.map(|(_, id)| id))
    })
}

/// What follows a remove-all stays as it came, two of one id as well, less what is removed.
fn after_remove_all(
    start: u32,
    numbers: &[u32],
    removals: &[(u32, String)],
) -> Result<Plan, Error> {
    // By id: whether it is there, and the last position that removes it.
    let mut present = ByNumber::default();
    let mut removed = ByNumber::default();
    let mut appended = Vec::new();
    for (position, number, removal) in each(start, numbers, removals) {
        if let Some(id) = removal {
            let found = present.remove(number);
            found.ok_or_else(|| Error::RemovedAfterRemoveAll { id: id.clone() })?;
            removed.insert(number, position);
        } else {
            present.insert(number, position);
            appended.push(position);
        }
    }
    let number = |position: u32| numbers.get(position as usize).copied().unwrap_or(Join::NONE);
    appended.retain(|at| removed.get(number(*at)).is_none_or(|removed| removed < *at));
    Ok(Plan { cleared: true, appended, ..Plan::default() })
}

/// The right list folded into the left one, message by message.
struct Folding<'a> {
    left: &'a dyn Positions,
    rules: MessageRules,
    /// By id: its place among those appended.
    places: &'a mut ByNumber,
    /// The ids that are removed, until they come again.
    removed: ByNumber,
    /// By position in the left list: whether DeepAgents' rules remove the message there.
    gone: Vec<bool>,
    /// What is appended and removed again is [`Join::NONE`] in it.
    plan: Plan,
}

impl<'a> Folding<'a> {
    fn of(left: &'a dyn Positions, rules: MessageRules, places: &'a mut ByNumber) -> Self {
        Self {
            left,
            rules,
            places,
            removed: ByNumber::default(),
            gone: Vec::new(),
            plan: Plan::default(),
        }
    }

    fn fold(
        mut self,
        start: u32,
        numbers: &[u32],
        removals: &[(u32, String)],
    ) -> Result<Plan, Error> {
        let mut refused = None;
        for (position, number, removal) in each(start, numbers, removals) {
            match removal {
                None => self.put(number, position),
                Some(_) if self.remove(number) => {}
                Some(id) => {
                    refused = Some(Error::UnknownMessageRemoved { id: id.clone() });
                    break;
                }
            }
        }
        if !removals.is_empty() {
            self.take_out_removed(numbers, removals);
        }
        for number in numbers {
            self.places.remove(*number);
        }
        refused.map_or(Ok(self.plan), Err)
    }

    fn put(&mut self, id: u32, position: u32) {
        let again = self.removed.remove(id).is_some() && self.rules == MessageRules::DeepAgents;
        if let (Some(place), false) = (self.places.get(id), again) {
            self.set_appended(place, position);
        } else if let (Some(at), false) = (self.last(id), again) {
            self.plan.replaced.push([at, position]);
        } else {
            self.places.insert(id, number(self.plan.appended.len()));
            self.plan.appended.push(position);
        }
    }

    fn last(&self, id: u32) -> Option<u32> {
        self.left.last_positions().get(id as usize).copied().filter(|at| *at != Join::NONE)
    }

    /// False for an id that is not there, which LangGraph's rules refuse.
    fn remove(&mut self, id: u32) -> bool {
        let place = self.places.get(id);
        let at = self.last(id);
        let known = place.is_some() || at.is_some();
        let removed = known && self.removed.insert(id, 0).is_none();
        if self.rules == MessageRules::LangGraph {
            return known;
        }
        match (place, at) {
            (Some(place), _) if removed => self.set_appended(place, Join::NONE),
            (None, Some(at)) if removed => {
                let at = at as usize;
                self.gone.resize(self.gone.len().max(at + 1), false);
                if let Some(gone) = self.gone.get_mut(at) {
                    *gone = true;
                }
            }
            _ => {}
        }
        true
    }

    fn set_appended(&mut self, place: u32, position: u32) {
        if let Some(slot) = self.plan.appended.get_mut(place as usize) {
            *slot = position;
        }
    }

    /// By LangGraph's rules a removal takes out every message of its id, and only at the end:
    /// the id may come again before.
    fn take_out_removed(&mut self, numbers: &[u32], removals: &[(u32, String)]) {
        if self.rules == MessageRules::LangGraph {
            let mut in_left = false;
            for (position, _) in removals {
                let id = numbers.get(*position as usize).copied().unwrap_or(Join::NONE);
                match self.places.get(id) {
                    _ if self.removed.get(id).is_none() => {}
                    Some(place) => self.set_appended(place, Join::NONE),
                    None => in_left = true,
                }
            }
            if in_left {
                self.plan.removed = self.left.all(&|id| self.removed.get(id).is_some());
            }
        }
        if self.rules == MessageRules::DeepAgents {
            let gone = (0..).zip(&self.gone).filter(|(_, gone)| **gone);
            self.plan.removed = gone.map(|(at, _)| at).collect();
        }
        self.plan.appended.retain(|position| *position != Join::NONE);
    }
}

fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(Join::NONE)
}
