//! Where pending messages are among the confirmed ones.

use super::pending::{Does, Pending};
use crate::message_list::MessageList;
use crate::value::{Plan, Value};

/// A message that no confirmed one is.
struct Extra<V> {
    id: V,
    message: V,
    /// It comes before the confirmed message at this position.
    before: usize,
    /// Whether it is among those asked for.
    wanted: bool,
}

/// The confirmed messages with the pending edits over them: all, or those of the update at one
/// place alone, where they are among all.
pub(super) fn weave<V: Value>(
    confirmed: &mut MessageList<V>,
    pending: &[Pending<V>],
    only: Option<usize>,
) -> V {
    let mut items = Vec::new();
    let mut plan = Plan::default();
    let mut extras: Vec<Extra<V>> = Vec::new();
    for (place, update) in pending.iter().enumerate().filter(|(_, update)| !update.over) {
        let wanted = only.is_none_or(|only| only == place);
        let mut after = update.after.clone();
        for edit in &update.edits {
            let at = confirmed.find(&edit.id);
            let extra = extras.iter().position(|extra| extra.id.same(&edit.id));
            match (&edit.message, extra) {
                _ if edit.held => {}
                (Some(message), None) if at.is_none() || edit.does == Does::Move => {
                    let before = place_behind(after.as_ref(), confirmed, &extras);
                    let (id, message) = (edit.id.clone(), message.clone());
                    // Kept in order, each behind those of its place that were there before it.
                    let end = extras.partition_point(|extra| extra.before <= before);
                    extras.insert(end, Extra { id, message, before, wanted });
                    remove(&mut plan, at.filter(|_| wanted));
                }
                _ if !wanted => {}
                (Some(message), Some(extra)) => {
                    if let Some(extra) = extras.get_mut(extra) {
                        (extra.message, extra.wanted) = (message.clone(), true);
                    }
                }
                (Some(message), None) => {
                    plan.removed.retain(|removed| Some(*removed) != at);
                    plan.replaced.extend(at.map(|at| [at, number(items.len())]));
                    items.push(message.clone());
                }
                (None, extra) => {
                    if let Some(extra) = extra {
                        extras.remove(extra);
                    }
                    remove(&mut plan, at);
                }
            }
            if edit.message.is_some() {
                after = Some(edit.id.clone());
            }
        }
    }
    extras.retain(|extra| extra.wanted);
    let mut list = confirmed.snapshot();
    let len = list.len();
    let inner = extras.partition_point(|extra| extra.before < len);
    for extra in extras.drain(inner..) {
        plan.appended.push(number(items.len()));
        items.push(extra.message);
    }
    // Insertions move what is behind them.
    let shift = |at: u32| at + number(extras.partition_point(|extra| extra.before <= at as usize));
    for at in plan.removed.iter_mut().chain(plan.replaced.iter_mut().map(|[at, _]| at)) {
        *at = shift(*at);
    }
    if !extras.is_empty() {
        let places: Vec<u32> = extras.iter().map(|extra| number(extra.before)).collect();
        list = list.insert_all(&places, V::array(extras.into_iter().map(|it| it.message)));
    }
    if plan.is_empty() { list } else { V::assemble(list, V::array(items), &plan, false) }
}

fn remove(plan: &mut Plan, at: Option<u32>) {
    if let Some(at) = at
        && let Err(place) = plan.removed.binary_search(&at)
    {
        plan.removed.insert(place, at);
    }
}

/// Where a new message goes that was written behind another: before which confirmed position.
fn place_behind<V: Value>(
    after: Option<&V>,
    confirmed: &MessageList<V>,
    extras: &[Extra<V>],
) -> usize {
    let Some(after) = after else { return 0 };
    if let Some(extra) = extras.iter().find(|extra| extra.id.same(after)) {
        return extra.before;
    }
    confirmed.find(after).map_or(confirmed.len(), |at| at as usize + 1)
}

fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
