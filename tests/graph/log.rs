//! A state with a log, its nodes, and a checkpointer that keeps texts.

use std::collections::HashMap;
use std::future::{poll_fn, ready};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use serde::{Deserialize, Serialize};
use threadfold::State;
use threadfold::graph::{BoxError, Checkpoint, Checkpointer, Ctx, Saving};
use threadfold::reducer::Append;

#[derive(Debug, Clone, Default, PartialEq, State, Serialize, Deserialize)]
#[state(derive(Clone, Serialize, Deserialize))]
pub(super) struct Log {
    #[reducer(Append)]
    #[update(Vec<String>)]
    pub(super) log: Vec<String>,
}

pub(super) fn say(what: impl Into<String>) -> LogUpdate {
    LogUpdate { log: Some(vec![what.into()]) }
}

pub(super) async fn named(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    Ok(say(ctx.node()))
}

/// Ids and texts.
type Rows = Vec<(String, String)>;

/// Keeps checkpoints as a database does: each thread's ids and texts.
#[derive(Clone, Default)]
pub(super) struct Texts(Arc<Mutex<HashMap<String, Rows>>>);

impl Texts {
    pub(super) fn replace_last(&self, thread: &str, text: String) {
        self.0.lock().unwrap().get_mut(thread).unwrap().last_mut().unwrap().1 = text;
    }

    pub(super) fn last(&self, thread: &str) -> String {
        self.0.lock().unwrap()[thread].last().unwrap().1.clone()
    }
}

impl Checkpointer<Log> for Texts {
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<Log>>> {
        let all = self.0.lock().unwrap();
        let rows = all.get(thread).map_or(&[][..], Vec::as_slice);
        let row = rows.iter().rev().find(|(own, _)| id.is_none_or(|id| id == own));
        let read = row.map(|(_, text)| serde_json::from_str(text)).transpose();
        Box::pin(ready(read.map_err(BoxError::from)))
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<Log>,
    ) -> Saving<'a, bool> {
        let text = serde_json::to_string(&checkpoint).unwrap();
        let mut all = self.0.lock().unwrap();
        let rows = all.entry(thread.to_owned()).or_default();
        let follows = rows.last().map(|(id, _)| id) == last.as_ref();
        if follows {
            rows.push((checkpoint.delta.id, text));
        }
        Box::pin(ready(Ok(follows)))
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        let all = self.0.lock().unwrap();
        let rows = all.get(thread).into_iter().flatten();
        Box::pin(ready(Ok(rows.rev().map(|(id, _)| id.clone()).collect())))
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        self.0.lock().unwrap().remove(thread);
        Box::pin(ready(Ok(())))
    }
}

/// Asks twice, and logs the answers.
pub(super) async fn asks(_: &Log, ctx: Ctx) -> Result<LogUpdate, BoxError> {
    let first = ctx.interrupt("first?")?;
    let second = ctx.interrupt("second?")?;
    Ok(say(format!("{}: {first} {second}", ctx.node())))
}

pub(super) fn joined(log: &Log) -> String {
    log.log.join(" ")
}

/// Gives its executor the word so often, and wakes itself twice each time.
pub(super) async fn yields(times: u32) {
    let mut left = times;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        context.waker().wake_by_ref();
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
