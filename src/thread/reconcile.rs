//! A server's snapshot and the messages there are: one list.

use crate::message;
use crate::message_list::{Compared, MessageList};
use crate::value::{Join, Kind, Value};

/// Which messages stay although a snapshot lacks them.
pub(super) struct Staying<'a, V> {
    /// The ids of those still being streamed.
    pub streaming: &'a [V],
    /// The roles of those that are the client's own.
    pub client_roles: Option<&'a V>,
}

/// The messages of a snapshot in its order, with those of the list that say the same, and those of
/// the list that it lacks and that stay: the client's own behind what they were behind, streamed
/// ones, and what is the client's right behind them, before what they were before.
pub(super) fn reconcile<V: Value>(
    list: &MessageList<V>,
    snapshot: &V,
    compared: Compared,
    staying: &Staying<V>,
) -> V {
    let known: Vec<bool> = list.known(&compared).collect();
    let mut places = compared.places;
    let mut behind: Vec<(Option<u32>, u32)> = Vec::new();
    let mut before: Vec<(Option<u32>, u32)> = Vec::new();
    let mut previous = None;
    let mut waiting = before.len();
    for (position, known) in (0..).zip(&known) {
        let item = if *known { None } else { list.item(position) };
        let Some(item) = item.filter(|item| !rekeyed(item, snapshot, &mut places, position)) else {
            for (successor, _) in before.iter_mut().skip(waiting) {
                *successor = Some(position);
            }
            waiting = before.len();
            previous = Some(position);
            continue;
        };
        let streamed = is_one_of(item.get("id").as_deref(), staying.streaming);
        let clients = staying.client_roles.is_some_and(|roles| has_role(&item, roles));
        if streamed || (clients && before.len() > waiting) {
            before.push((None, position));
        } else if clients {
            behind.push((previous, position));
        }
    }
    let mut picks = Vec::with_capacity(places.len() + before.len() + behind.len());
    let stay = |from: &[(Option<u32>, u32)], at: Option<u32>, picks: &mut Vec<[u32; 2]>| {
        let here = from.iter().filter(|(anchor, _)| *anchor == at);
        picks.extend(here.map(|(_, position)| [*position, Join::NONE]));
    };
    stay(&behind, None, &mut picks);
    for (from, place) in (0..).zip(&places) {
        if place.is_some() && !before.is_empty() {
            stay(&before, *place, &mut picks);
        }
        picks.push(pick(list, snapshot, *place, from, staying));
        if place.is_some() && !behind.is_empty() {
            stay(&behind, *place, &mut picks);
        }
    }
    stay(&before, None, &mut picks);
    V::compose(list.items(), snapshot, &picks)
}

/// A message that is still streamed is not set back by a snapshot that knows less of its text.
fn pick<V: Value>(
    list: &MessageList<V>,
    snapshot: &V,
    place: Option<u32>,
    from: u32,
    staying: &Staying<V>,
) -> [u32; 2] {
    let Some(place) = place else { return [Join::NONE, from] };
    if !staying.streaming.is_empty()
        && let (Some(own), Some(other)) = (list.item(place), snapshot.at(from as usize))
        && is_one_of(own.get("id").as_deref(), staying.streaming)
        && let (Some(own), Some(other)) = (own.text_of("content"), other.text_of("content"))
        && own.len() > other.len()
        && own.starts_with(&other)
    {
        return [place, Join::NONE];
    }
    [place, from]
}

/// Whether a message that the snapshot lacks is a tool's result that it has under another id.
fn rekeyed<V: Value>(item: &V, snapshot: &V, places: &mut [Option<u32>], position: u32) -> bool {
    let Some(call) = message::tool_call_id(item) else { return false };
    for (from, place) in places.iter_mut().enumerate().filter(|(_, place)| place.is_none()) {
        let same = snapshot.at(from).and_then(|other| message::tool_call_id(&*other));
        if same.as_ref() == Some(&call) {
            *place = Some(position);
            return true;
        }
    }
    false
}

pub(super) fn is_one_of<V: Value>(id: Option<&V>, ids: &[V]) -> bool {
    id.is_some_and(|id| ids.iter().any(|one| one.same(id)))
}

fn has_role<V: Value>(item: &V, roles: &V) -> bool {
    let role = item.get("role");
    roles.kind() == Kind::Array && role.is_some_and(|role| roles.items().any(|one| one.same(&role)))
}
