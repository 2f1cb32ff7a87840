//! Reconciles a server's snapshot with the confirmed state.

use super::ids::{Address, ByText};
use super::rename::text_or_empty;
use super::{MESSAGES, Thread, drift, list_of_messages};
use crate::error::Error;
use crate::message::{self, Ids, Kinds, kind_of};
use crate::message_list::{Compared, JsonMessageList};
use crate::reducer::messages::{MessageRules, STRICT, add_read, read_list};
use crate::value::{Found, Join, Kind, Plan, Value};

/// All messages, as the server has them.
pub(super) struct Snapshot<V> {
    pub messages: V,
    /// The roles whose messages belong to the client, and stay.
    pub client_roles: Option<V>,
    /// Whether it is partial: messages that it lacks stay.
    pub partial: bool,
}

/// Which messages stay although a snapshot lacks them.
struct Staying<V> {
    /// By position: those streaming, or cut off.
    streamed: Vec<bool>,
    /// By position: those of them whose text the snapshot has a beginning of.
    ahead: Vec<bool>,
    client_roles: Option<V>,
    all: bool,
}

impl<V: Value> Thread<V> {
    pub(super) fn take_messages(
        &mut self,
        told: Snapshot<V>,
        drift: &mut Vec<V>,
    ) -> Result<(), Error> {
        let Snapshot { messages, client_roles, partial } = told;
        if messages.kind() != Kind::Array {
            return Err(Error::value("messages", "a list"));
        }
        let (mut snapshot, compared) = self.read_snapshot(messages.own_list())?;
        if !V::intact() {
            return Err(Error::value("messages", "readable"));
        }
        drift::of_messages(&self.messages, self.predicted.iter(), &snapshot, &compared, drift);
        self.predicted.clear();
        if self.updates.edit_count > 0 {
            let mut plan = Plan::default();
            let mut known = Vec::new();
            self.acknowledge();
            let edits = self.updates.iter().flat_map(|update| &update.edits);
            let changed = self.flagged(&mut edits.map(|edit| &edit.id));
            let places = (0..).zip(&compared.places);
            let concerned = |place: Option<u32>| place.is_none_or(|at| is_set(&changed, at));
            for (at, _) in places.filter(|(_, place)| concerned(**place)) {
                let Some(item) = snapshot.at(at as usize).map(Found::into_owned) else { continue };
                self.match_renamed(&item, Some(&compared));
                let own = self.as_pending(item.clone());
                if !own.same(&item) {
                    plan.replaced.push([at, u32::try_from(known.len()).unwrap_or(Join::NONE)]);
                    known.push(own);
                }
            }
            if !plan.is_empty() {
                snapshot = V::assemble(snapshot, V::array(known), &plan, false);
            }
        }
        if let Some(run) = self.run.as_mut() {
            run.spoke_of_messages |= !partial;
        }
        let streamed = self.unfinished();
        let streaming = self.flagged(&mut self.streaming.iter());
        let ahead = self.ahead(&snapshot, &compared, &streaming);
        let list = &self.messages;
        let is_ahead = |id: &V| list.find(id).is_some_and(|at| is_set(&ahead, at));
        let stays_half = |id: &V| !list.names(&compared, id) || is_ahead(id);
        self.broken.keep(&stays_half);
        self.left.keep(&stays_half);
        let staying = Staying { streamed, ahead, client_roles, all: partial };
        let messages = reconcile(&self.messages, &snapshot, compared, &staying);
        if !messages.same(self.messages.items()) {
            self.set_messages(messages);
        }
        if !partial {
            self.server_has_messages();
        }
        Ok(())
    }

    /// Returns for each position whether the message there is streaming, or cut off.
    pub(super) fn unfinished(&self) -> Vec<bool> {
        self.flagged(&mut self.streaming.iter().chain(self.broken.iter()))
    }

    /// Returns for each position whether the message there has one of these ids.
    fn flagged(&self, ids: &mut dyn Iterator<Item = &V>) -> Vec<bool> {
        let mut flags = vec![false; self.messages.len()];
        for id in ids {
            let at = self.messages.find(id);
            if let Some(flag) = at.and_then(|at| flags.get_mut(at as usize)) {
                *flag = true;
            }
        }
        flags
    }

    /// Returns for each position whether the streaming message there has more text than the snapshot's.
    fn ahead(&self, snapshot: &V, compared: &Compared, streaming: &[bool]) -> Vec<bool> {
        let mut ahead = vec![false; streaming.len()];
        for (from, place) in compared.places.iter().enumerate() {
            let Some(place) = place.filter(|place| is_set(streaming, *place)) else { continue };
            let own = self.messages.item(place).and_then(|own| own.get_owned("content"));
            let other = snapshot.at(from).and_then(|other| other.get_owned("content"));
            if let (Some(own), Some(other)) = (own, other)
                && let Some(flag) = ahead.get_mut(place as usize)
            {
                let (own, other) = (message::text_in(&own), message::text_in(&other));
                *flag = own.len() > other.len() && own.starts_with(&other);
            }
        }
        ahead
    }

    /// Reads a snapshot's messages, and matches their ids with the list's.
    fn read_snapshot(&mut self, list: V) -> Result<(V, Compared), Error> {
        let Some(rules) = self.rules.of_messages() else {
            list_of_messages(&list)?;
            let compared = self.messages.compare(&list);
            return Ok((list, compared));
        };
        let (mut snapshot, removals) = read_list(list, Ids::Keep, Kinds::Any)?;
        let mut compared = self.messages.compare(&snapshot);
        if rules == MessageRules::LangGraph && compared.numbers.contains(&Join::NONE) {
            snapshot = self.identified(snapshot, &compared);
            compared = self.messages.compare(&snapshot);
        }
        if !removals.is_empty() || compared.twice {
            // No reducer leaves such a list: each id occurs once, and nothing is removed.
            snapshot = add_read::<V, STRICT>(V::array([]), snapshot, &removals, rules)?;
            compared = self.messages.compare(&snapshot);
        }
        Ok((snapshot, compared))
    }

    /// Gives ids to the messages without one. Each gets the id of the first confirmed message of
    /// its kind and content that the snapshot does not name, or a new one.
    fn identified(&self, snapshot: V, compared: &Compared) -> V {
        let mut own = ByText::default();
        for (at, known) in (0..).zip(self.messages.known(compared)) {
            let item = if known { None } else { self.messages.item(at) };
            if let Some(content) = item.and_then(|item| item.get_owned("content")) {
                own.add(&text_or_empty(&content), [at, at]);
            }
        }
        let mut plan = Plan::default();
        let mut made = Vec::new();
        let nameless = (0..).zip(&compared.numbers).filter(|(_, number)| **number == Join::NONE);
        for (at, _) in nameless {
            let Some(item) = snapshot.at(at as usize).map(Found::into_owned) else { continue };
            let (kind, role) = (kind_of(&item), item.text_of("role"));
            let same = item.get_owned("content").and_then(|content| {
                let is_it = |[at, _]: Address| {
                    // A role of your own has no kind.
                    let is_kind = |own: &V| {
                        kind_of(own) == kind && (kind.is_some() || own.text_of("role") == role)
                    };
                    let own = self.messages.item(at).filter(is_kind);
                    own.is_some_and(|own| own.get("content").is_some_and(|it| it.equals(&content)))
                };
                own.take(&text_or_empty(&content), &is_it)
            });
            let same = same.and_then(|[at, _]| self.messages.item(at)?.get_owned("id"));
            let id = same.unwrap_or_else(|| V::new_id());
            plan.replaced.push([at, u32::try_from(made.len()).unwrap_or(Join::NONE)]);
            made.push(item.with("id", id));
        }
        V::assemble(snapshot, V::array(made), &plan, false)
    }

    /// Reconciles a snapshot's fields. Fields that the server never shows stay.
    pub(super) fn fields_of(&self, values: &V) -> Result<V, Error> {
        let mut next = values.clone().without(MESSAGES);
        for (key, field) in self.rules.schema.fields() {
            if !field.output
                && next.get(key).is_none()
                && let Some(own) = self.fields.get_owned(key)
            {
                next = next.with(key, own);
            }
        }
        let next = next.reuse(&self.fields);
        // Names are read on demand: an object whose names cannot be read is refused now.
        drop(next.keys());
        if V::intact() { Ok(next) } else { Err(Error::value("a state", "readable")) }
    }

    pub(super) fn take_fields(&mut self, fields: V, drift: &mut Vec<V>) {
        drift::of_fields(&self.fields, self.predicted_fields.iter(), &fields, drift);
        self.predicted_fields.clear();
        if let Some(run) = self.run.as_mut() {
            run.spoke_of_fields = true;
        }
        self.set_fields(fields);
    }
}

/// Returns the snapshot's messages in its order, reusing equal ones of the list. Adds the list's
/// messages that the snapshot lacks and that stay. The client's own keep their place after the same
/// message. Streamed ones, and the client's directly after them, keep theirs before the same
/// message.
fn reconcile<V: Value>(
    list: &JsonMessageList<V>,
    snapshot: &V,
    compared: Compared,
    staying: &Staying<V>,
) -> V {
    let mut places = compared.places;
    // Of messages with one id the last is matched: the others stay, as any that the snapshot lacks.
    let mut known = vec![false; list.len()];
    for place in places.iter().flatten() {
        if let Some(known) = known.get_mut(*place as usize) {
            *known = true;
        }
    }
    // The snapshot's tool results under ids that the list lacks, by their calls; empty until first
    // needed.
    let mut results = None;
    // For each, the list position that it stays after (0: none, else position + 1), or before.
    let mut behind: Vec<(u32, u32)> = Vec::new();
    let mut before: Vec<(u32, u32)> = Vec::new();
    let mut previous = 0;
    let mut waiting = 0;
    for (position, known) in (0..).zip(&known) {
        let item = if *known { None } else { list.item(position) };
        let item =
            item.filter(|item| !rekeyed(&mut results, item, snapshot, &mut places, position));
        let Some(item) = item else {
            for (successor, _) in before.iter_mut().skip(waiting) {
                *successor = position;
            }
            waiting = before.len();
            previous = position + 1;
            continue;
        };
        let streamed = is_set(&staying.streamed, position);
        let own = staying.all
            || staying.client_roles.as_ref().is_some_and(|roles| has_role(&item, roles));
        if streamed || (own && before.len() > waiting) {
            before.push((Join::NONE, position));
        } else if own {
            behind.push((previous, position));
        }
    }
    let mut picks = Vec::with_capacity(places.len() + before.len() + behind.len());
    let stay = |from: &[(u32, u32)], anchor: u32, picks: &mut Vec<[u32; 2]>| {
        // The anchors ascend, as the messages did.
        let start = from.partition_point(|(one, _)| *one < anchor);
        let here = from.iter().skip(start).take_while(|(one, _)| *one == anchor);
        picks.extend(here.map(|(_, position)| [*position, Join::NONE]));
    };
    stay(&behind, 0, &mut picks);
    for (from, place) in (0..).zip(&places) {
        if let Some(place) = place {
            stay(&before, *place, &mut picks);
        }
        // One that is ahead of the snapshot stays as it is.
        picks.push(match place {
            Some(place) if is_set(&staying.ahead, *place) => [*place, Join::NONE],
            Some(place) => [*place, from],
            None => [Join::NONE, from],
        });
        if let Some(place) = place {
            stay(&behind, *place + 1, &mut picks);
        }
    }
    stay(&before, Join::NONE, &mut picks);
    V::compose(list.items(), snapshot, &picks)
}

fn is_set(flags: &[bool], at: u32) -> bool {
    flags.get(at as usize).copied() == Some(true)
}

/// Whether a message that the snapshot lacks is a tool result that it has under another id.
fn rekeyed<V: Value>(
    results: &mut Option<ByText<V>>,
    item: &V,
    snapshot: &V,
    places: &mut [Option<u32>],
    position: u32,
) -> bool {
    let Some(call) = message::answered_call(item) else { return false };
    let results = results.get_or_insert_with(|| {
        let mut results = ByText::default();
        for (at, place) in (0..).zip(&*places) {
            let item = if place.is_some() { None } else { snapshot.at(at as usize) };
            if let Some(call) = item.and_then(|it| message::answered_call(&*it)) {
                results.add(&call, [at, at]);
            }
        }
        results
    });
    let found = results.take(&call, &|_| true);
    let place = found.and_then(|[at, _]| places.get_mut(at as usize));
    place.map(|place| *place = Some(position)).is_some()
}

fn has_role<V: Value>(item: &V, roles: &V) -> bool {
    let role = item.get("role");
    roles.kind() == Kind::Array && role.is_some_and(|role| roles.items().any(|one| one.same(&role)))
}
