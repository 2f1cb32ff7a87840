//! `add_messages`: LangGraph's reducer over lists of messages, and DeepAgents' variant of it.

use crate::error::{Error, forms};
use crate::message::{self, Ids, Kinds, REMOVE_ALL_MESSAGES, Read};
use crate::value::{ByNumber, Join, Kind, Plan, Value};

/// Whose rules `add_messages` follows where the two systems differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MessageRules {
    /// LangGraph's `add_messages`. A removal of an unknown id is an error. Messages without an id
    /// get one. A message removed and sent again keeps its place.
    #[default]
    LangGraph,
    /// DeepAgents' batch reducer. A removal of an unknown id is ignored. Messages without an id stay
    /// so. A message removed and sent again comes last. Of two with one id, only the last is
    /// removed.
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
/// Either side is a list of messages or one message, in any accepted form:
/// - a LangChain dict (`type` and `id`), an AG-UI message (`role` and `id`): both stay as they are;
/// - a string, a `[role, content]` pair, a role dict without an id, a serialised constructor, a
///   chunk: each becomes a `LangChain` dict.
///
/// Replaces a message of a known id in place and appends a new one. A `{ "type": "remove", "id" }`
/// removes the message with that id; the id [`REMOVE_ALL_MESSAGES`] removes everything before it.
/// Messages without an id get one.
///
/// Differs from the reference once: a removal after a remove-all applies to the messages added
/// between the two. It is `UNKNOWN_MESSAGE` if those lack the id. Python returns
/// the removal itself as a message.
///
/// # Errors
/// `INVALID_ARGUMENT`, `INVALID_MESSAGE`, `UNKNOWN_MESSAGE`,
/// `UNKNOWN_MESSAGE`.
///
/// ```
/// use serde_json::json;
/// use threadfold::{add_json_messages, MessageRules};
///
/// let left = json!([{ "type": "human", "id": "1", "content": "hello" }]);
/// let right = json!([
///     { "type": "human", "id": "1", "content": "hello?" },
///     { "type": "ai", "id": "2", "content": "hi" },
/// ]);
/// assert_eq!(add_json_messages(left, right.clone(), MessageRules::LangGraph)?, right);
/// # Ok::<(), threadfold::Error>(())
/// ```
pub fn add_json_messages<V: Value>(left: V, right: V, rules: MessageRules) -> Result<V, Error> {
    add::<V, STRICT>(left, right, rules)
}

/// Adds as [`add_json_messages`] does, but ignores removals of unknown ids, and an update that holds
/// anything but messages.
pub(crate) fn add_known<V: Value>(left: V, right: V, rules: MessageRules) -> V {
    add::<V, LENIENT>(left.clone(), right, rules).unwrap_or(left)
}

/// A removal of an unknown id is an error.
pub(crate) const STRICT: bool = false;
/// A removal of an unknown id is ignored.
pub(crate) const LENIENT: bool = true;

fn add<V: Value, const MODE: bool>(left: V, right: V, rules: MessageRules) -> Result<V, Error> {
    let left = match (left.is_null(), right.is_null()) {
        (false, false) => left,
        (true, false) if rules == MessageRules::DeepAgents => V::array([]),
        (true, true) => return Err(Error::new(forms::NULL_ARGUMENTS, &[])),
        (true, false) => {
            return Err(Error::new(forms::NULL_ARGUMENT, &["right"]));
        }
        (false, true) => {
            return Err(Error::new(forms::NULL_ARGUMENT, &["left"]));
        }
    };
    let (left, _) = read(left, rules)?;
    let (right, removals) = read(right, rules)?;
    add_read::<V, MODE>(left, right, &removals, rules)
}

/// Adds messages that were read.
pub(crate) fn add_read<V: Value, const MODE: bool>(
    left: V,
    right: V,
    removals: &Removals,
    rules: MessageRules,
) -> Result<V, Error> {
    let join = V::join(&left, &right, "id");
    let places = &mut ByNumber::default();
    let present = Present::of(&join.left, join.right.len());
    let plan = plan::<MODE>(&present, &join.right, removals, rules, places)?;
    Ok(if plan.is_empty() { left } else { V::assemble(left, right, &plan, false) })
}

/// Returns a list as given, or one message (a string or an object) as a list of one. As in
/// LangGraph, a lone `[role, content]` is a list of two messages, not a pair.
fn listed<V: Value>(messages: V) -> V {
    if messages.kind() == Kind::Array { messages } else { V::array([messages]) }
}

/// The removals in a list: position and id.
pub(crate) type Removals = Vec<(u32, String)>;

/// Returns the list with every message whole and with an id, if the rules want it.
pub(crate) fn read<V: Value>(messages: V, rules: MessageRules) -> Result<(V, Removals), Error> {
    read_list(messages, rules.ids(), Kinds::Known)
}

/// Returns the list with every message whole, and the removals in it.
pub(crate) fn read_list<V: Value>(
    messages: V,
    ids: Ids,
    kinds: Kinds,
) -> Result<(V, Removals), Error> {
    let mut list = listed(messages);
    let mut odd = message::odd(&list);
    if !odd.is_empty() && ids == Ids::Assign {
        list = list.completed();
        odd = message::odd(&list);
    }
    let mut removals = Removals::new();
    let mut made = Vec::new();
    let mut replaced = Vec::new();
    for position in odd {
        let Some(item) = list.at(position as usize) else { continue };
        let read = message::read_any(&*item, ids, kinds);
        match read.map_err(|error| error.at(position as usize))? {
            Read::Whole => {}
            Read::Remove(id) => {
                // A serialised removal keeps its id in another place.
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

/// The positions of the left list's ids. Ids are numbers: equal ids, equal numbers.
pub(crate) trait Positions {
    /// By id: the last position, or [`Join::NONE`].
    fn last_positions(&self) -> &[u32];
    /// Every position of the chosen ids, ascending.
    fn all(&self, chosen: &dyn Fn(u32) -> bool) -> Vec<u32>;
}

/// Returns the positions of only those ids that the right list has.
pub(crate) struct Present<'a> {
    hits: &'a [[u32; 2]],
    last: Vec<u32>,
}

impl<'a> Present<'a> {
    /// Makes it from the hits and the most numbers there may be.
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

/// Plans the merge of the two lists, from the numbers of the right one's ids and its removals.
/// `places` is empty before and after: reuse one for many plans, so that each costs only the ids it
/// names.
pub(crate) fn plan<const MODE: bool>(
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
        return Folding::of(left, rules, places).fold::<MODE>(0, numbers, removals);
    };
    let (before, removals) = removals.split_at(clear + 1);
    let start = before.last().map_or(0, |(position, _)| position + 1);
    match rules {
        MessageRules::LangGraph => after_remove_all::<MODE>(start, numbers, removals),
        MessageRules::DeepAgents => {
            let nothing = Present::of(&[], 0);
            let plan =
                Folding::of(&nothing, rules, places).fold::<MODE>(start, numbers, removals)?;
            Ok(Plan { cleared: true, ..plan })
        }
    }
}

/// Plans for a list without removals in which each id occurs once.
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

/// The messages of the right list from `start` on: each one's position, its id's number, and the id
/// if it is a removal.
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

/// Everything after a remove-all stays as it came, even two messages of one id, but for removed
/// ones.
fn after_remove_all<const MODE: bool>(
    start: u32,
    numbers: &[u32],
    removals: &[(u32, String)],
) -> Result<Plan, Error> {
    // By id: whether the list has it, and the last position that removes it.
    let mut present = ByNumber::default();
    let mut removed = ByNumber::default();
    let mut appended = Vec::new();
    for (position, number, removal) in each(start, numbers, removals) {
        if let Some(id) = removal {
            let found = present.remove(number);
            if MODE == STRICT {
                found.ok_or_else(|| Error::new(forms::REMOVAL_AFTER_ALL, &[id]))?;
            }
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
    /// The removed ids, until they come again.
    removed: ByNumber,
    /// By position in the left list: whether DeepAgents' rules remove the message there.
    gone: Vec<bool>,
    /// Appended items; one that is removed again is [`Join::NONE`].
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

    fn fold<const MODE: bool>(
        mut self,
        start: u32,
        numbers: &[u32],
        removals: &[(u32, String)],
    ) -> Result<Plan, Error> {
        let mut refused = None;
        for (position, number, removal) in each(start, numbers, removals) {
            match removal {
                None => self.put(number, position),
                Some(_) if self.remove(number) || MODE == LENIENT => {}
                Some(id) => {
                    refused = Some(Error::new(forms::UNKNOWN_REMOVAL, &[id]));
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

    /// Returns false for an unknown id, which LangGraph's rules refuse.
    fn remove(&mut self, id: u32) -> bool {
        let place = self.places.get(id);
        let at = self.last(id);
        let known = place.is_some() || at.is_some();
        if known {
            self.removed.insert(id, 0);
        }
        if self.rules == MessageRules::LangGraph {
            return known;
        }
        match (place, at) {
            (Some(place), _) => self.set_appended(place, Join::NONE),
            (None, Some(at)) => {
                let at = at as usize;
                self.gone.resize(self.gone.len().max(at + 1), false);
                if let Some(gone) = self.gone.get_mut(at) {
                    *gone = true;
                }
            }
            (None, None) => {}
        }
        true
    }

    fn set_appended(&mut self, place: u32, position: u32) {
        if let Some(slot) = self.plan.appended.get_mut(place as usize) {
            *slot = position;
        }
    }

    /// By LangGraph's rules a removal takes out every message of its id, and only at the end: the
    /// id may come again before.
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
