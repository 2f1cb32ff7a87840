//! `add_messages`: LangGraph's reducer over lists of messages, and DeepAgents' variant of it.

use crate::error::Error;
use crate::message::{self, Ids, REMOVE_ALL_MESSAGES, Read};
use crate::value::{ByNumber, Join, Kind, Plan, Value};

/// Whose rules `add_messages` follows where the two systems differ.
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
    pub(super) fn ids(self) -> Ids {
        match self {
            Self::LangGraph => Ids::Assign,
            Self::DeepAgents => Ids::Keep,
        }
    }
}

/// Adds the messages of `right` to those of `left`, as LangGraph's `add_messages` does.
///
/// Either side is a list of messages or one message, in any form that [`crate::message`] names.
/// A message of a known id replaces that message in its place; another is appended; a
/// `{ "type": "remove", "id" }` removes the message with that id, and with the id
/// [`REMOVE_ALL_MESSAGES`] everything before it. Messages without an id are given one.
///
/// One deliberate difference from the reference: a removal that follows a remove-all is carried
/// out on what came between the two, and is [`Error::RemovedAfterRemoveAll`] when that does not
/// hold the id. Python returns the removal itself as a message.
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
    let incoming = incoming(&join.right, &removals);
    let plan = plan(&Present::of(&join.left), &incoming, rules, &mut ByNumber::default())
        .map_err(|refused| refused.error(&removals))?;
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
    for position in list.odd_messages() {
        let Some(item) = list.at(position as usize) else { continue };
        match message::read(&*item, rules.ids())? {
            Read::Whole => {}
            Read::Remove(id) => {
                // A serialised removal has its id elsewhere than where ids are looked for.
                if item.text_of("id").as_ref() != Some(&id) {
                    replaced.push((position, length_of(made.len())?));
                    made.push(message::removal(&id));
                }
                removals.push((position, id));
            }
            Read::Made(message) => {
                replaced.push((position, length_of(made.len())?));
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

/// What one message of the right list does. Ids are numbers: equal ids, equal numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Incoming {
    /// It replaces the message with this id, or is appended; without an id it is appended.
    Put(u32),
    /// It removes the message with this id.
    Remove(u32),
    /// It removes everything before it.
    RemoveAll,
}

/// What each message of the right list does, from the ids' numbers and the removals.
pub(crate) fn incoming(numbers: &[u32], removals: &Removals) -> Vec<Incoming> {
    let mut removals = removals.iter().peekable();
    (0..)
        .zip(numbers)
        .map(|(position, number)| match removals.next_if(|(at, _)| *at == position) {
            Some((_, id)) if id == REMOVE_ALL_MESSAGES => Incoming::RemoveAll,
            Some(_) => Incoming::Remove(*number),
            None => Incoming::Put(*number),
        })
        .collect()
}

/// Where in the left list the ids are.
pub(crate) trait Positions {
    /// The last position of an id.
    fn last(&self, id: u32) -> Option<u32>;
    /// Every position of the ids chosen, ascending.
    fn all(&self, chosen: &dyn Fn(u32) -> bool) -> Vec<u32>;
}

/// The positions of just those ids that the right list names.
pub(super) struct Present<'a> {
    hits: &'a [(u32, u32)],
    /// By id: the last position.
    last: ByNumber<u32>,
}

impl<'a> Present<'a> {
    pub(super) fn of(hits: &'a [(u32, u32)]) -> Self {
        let mut last = ByNumber::default();
        for (position, id) in hits {
            last.insert(*id, *position);
        }
        Self { hits, last }
    }
}

impl Positions for Present<'_> {
    fn last(&self, id: u32) -> Option<u32> {
        self.last.get(id).copied()
    }

    fn all(&self, chosen: &dyn Fn(u32) -> bool) -> Vec<u32> {
        self.hits.iter().filter(|(_, id)| chosen(*id)).map(|(position, _)| *position).collect()
    }
}

/// Which of a message's possible ends it came to.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In the left list: the last position with its id.
    Left(u32),
    /// Among those appended: its position there.
    Appended(usize),
}

#[derive(Debug)]
struct Known {
    id: u32,
    place: Place,
    removed: bool,
}

/// A removal that cannot be: its position in the right list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    position: u32,
    after_remove_all: bool,
}

impl Refused {
    pub(crate) fn error(&self, removals: &Removals) -> Error {
        let id = removals.iter().find(|(position, _)| *position == self.position);
        let id = id.map(|(_, id)| id.clone()).unwrap_or_default();
        if self.after_remove_all {
            Error::RemovedAfterRemoveAll { id }
        } else {
            Error::UnknownMessageRemoved { id }
        }
    }
}

/// Decides what becomes of the two lists. `places` is empty before and after: whoever keeps one
/// for many plans makes each at the price of what it names.
pub(crate) fn plan(
    left: &dyn Positions,
    right: &[Incoming],
    rules: MessageRules,
    places: &mut ByNumber<u32>,
) -> Result<Plan, Refused> {
    let last_clear = right.iter().rposition(|message| *message == Incoming::RemoveAll);
    match (last_clear, rules) {
        (None, _) => Folding::of(left, rules, places).fold(right, 0),
        (Some(at), MessageRules::LangGraph) => after_remove_all(right, at + 1),
        (Some(at), MessageRules::DeepAgents) => {
            let plan = Folding::of(&Present::of(&[]), rules, places).fold(right, at + 1)?;
            Ok(Plan { cleared: true, ..plan })
        }
    }
}

/// What follows a remove-all stays as it came, two of one id as well, less what is removed.
fn after_remove_all(right: &[Incoming], start: usize) -> Result<Plan, Refused> {
    let rest = || (0..).zip(right).skip(start);
    // By id: whether it is there, and the last position that removes it.
    let mut present: ByNumber<u32> = ByNumber::default();
    let mut removed: ByNumber<u32> = ByNumber::default();
    for (position, message) in rest() {
        match message {
            Incoming::Put(id) => {
                present.insert(*id, position);
            }
            Incoming::Remove(id) => {
                present.remove(*id).ok_or(Refused { position, after_remove_all: true })?;
                removed.insert(*id, position);
            }
            Incoming::RemoveAll => {}
        }
    }
    let stays =
        |position: u32, id: &u32| removed.get(*id).is_none_or(|removed| *removed < position);
    let kept = rest().filter(|(position, message)| match message {
        Incoming::Put(id) => stays(*position, id),
        Incoming::Remove(_) | Incoming::RemoveAll => false,
    });
    let appended = kept.map(|(position, _)| position).collect();
    Ok(Plan { cleared: true, appended, ..Plan::default() })
}

/// The right list folded into the left one, message by message.
struct Folding<'a> {
    left: &'a dyn Positions,
    rules: MessageRules,
    /// By id: its place in `known`.
    places: &'a mut ByNumber<u32>,
    known: Vec<Known>,
    replaced: Vec<(u32, u32)>,
    /// Left positions that go although their id may come again (DeepAgents), ascending.
    removed: Vec<u32>,
    appended: Vec<Option<u32>>,
}

impl<'a> Folding<'a> {
    fn of(left: &'a dyn Positions, rules: MessageRules, places: &'a mut ByNumber<u32>) -> Self {
        Self {
            left,
            rules,
            places,
            known: Vec::new(),
            replaced: Vec::new(),
            removed: Vec::new(),
            appended: Vec::new(),
        }
    }

    fn fold(mut self, right: &[Incoming], start: usize) -> Result<Plan, Refused> {
        let folded = self.fold_each(right, start);
        if folded.is_ok() && self.rules == MessageRules::LangGraph {
            self.take_out_removed();
        }
        for known in &self.known {
            self.places.remove(known.id);
        }
        let appended = self.appended.into_iter().flatten().collect();
        let (replaced, removed) = (self.replaced, self.removed);
        folded.map(|()| Plan { cleared: false, replaced, removed, appended })
    }

    fn fold_each(&mut self, right: &[Incoming], start: usize) -> Result<(), Refused> {
        for (position, message) in (0..).zip(right).skip(start) {
            match *message {
                Incoming::Put(Join::NONE) => self.appended.push(Some(position)),
                Incoming::Put(id) => self.put(id, position),
                Incoming::Remove(id) => self.remove(id, position)?,
                Incoming::RemoveAll => {}
            }
        }
        Ok(())
    }

    fn find(&mut self, id: u32) -> Option<&mut Known> {
        if let (None, Some(at)) = (self.places.get(id), self.left.last(id)) {
            self.know(id, Place::Left(at));
        }
        let place = self.places.get(id)?;
        self.known.get_mut(*place as usize)
    }

    fn know(&mut self, id: u32, place: Place) {
        self.places.insert(id, u32::try_from(self.known.len()).unwrap_or(Join::NONE));
        self.known.push(Known { id, place, removed: false });
    }

    fn put(&mut self, id: u32, position: u32) {
        let again = self.rules == MessageRules::LangGraph;
        let Some(known) = self.find(id).filter(|known| again || !known.removed) else {
            self.know(id, Place::Appended(self.appended.len()));
            self.appended.push(Some(position));
            return;
        };
        known.removed = false;
        match known.place {
            Place::Left(at) => self.replaced.push((at, position)),
            Place::Appended(at) => self.set_appended(at, Some(position)),
        }
    }

    fn remove(&mut self, id: u32, position: u32) -> Result<(), Refused> {
        let rules = self.rules;
        match (self.find(id), rules) {
            (Some(known), MessageRules::LangGraph) => known.removed = true,
            (Some(known), MessageRules::DeepAgents) if !known.removed => {
                known.removed = true;
                match known.place {
                    Place::Left(at) => {
                        let after = self.removed.partition_point(|removed| *removed < at);
                        self.removed.insert(after, at);
                    }
                    Place::Appended(at) => self.set_appended(at, None),
                }
            }
            (_, MessageRules::DeepAgents) => {}
            (None, MessageRules::LangGraph) => {
                return Err(Refused { position, after_remove_all: false });
            }
        }
        Ok(())
    }

    fn set_appended(&mut self, at: usize, from: Option<u32>) {
        if let Some(slot) = self.appended.get_mut(at) {
            *slot = from;
        }
    }

    /// By LangGraph's rules a removal takes out every message of its id, and only at the end:
    /// the id may come again before.
    fn take_out_removed(&mut self) {
        let mut in_left = false;
        for known in self.known.iter().filter(|known| known.removed) {
            match known.place {
                Place::Left(_) => in_left = true,
                Place::Appended(at) => {
                    if let Some(slot) = self.appended.get_mut(at) {
                        *slot = None;
                    }
                }
            }
        }
        if in_left {
            let known = |id| self.places.get(id).and_then(|place| self.known.get(*place as usize));
            self.removed = self.left.all(&|id| known(id).is_some_and(|known| known.removed));
        }
    }
}
