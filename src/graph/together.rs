//! Polls futures together, each only when it was woken.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use super::sendable::BoxFuture;

/// The futures that were woken, and the waker of the whole.
#[derive(Default)]
struct Woken {
    list: Vec<usize>,
    /// Of each future, whether it is in the list.
    listed: Vec<bool>,
    outer: Option<Waker>,
}

struct OneOf {
    at: usize,
    woken: Arc<Mutex<Woken>>,
}

impl Wake for OneOf {
    fn wake(self: Arc<Self>) {
        let mut woken = self.woken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listed) = woken.listed.get_mut(self.at)
            && !std::mem::replace(listed, true)
        {
            woken.list.push(self.at);
        }
        let outer = woken.outer.take();
        drop(woken);
        if let Some(outer) = outer {
            outer.wake();
        }
    }
}

/// Waits for all of them. Hands over each result as soon as it is there, with its place.
pub(super) async fn together<T>(
    mut futures: Vec<BoxFuture<'_, T>>,
    mut done: impl FnMut(usize, T),
) {
    // One needs no one to keep them apart.
    if futures.len() == 1
        && let Some(only) = futures.pop()
    {
        return done(0, only.await);
    }
    let count = futures.len();
    let all = Woken { list: (0..count).collect(), listed: vec![true; count], outer: None };
    let woken = Arc::new(Mutex::new(all));
    let mut running: Vec<_> = futures
        .into_iter()
        .enumerate()
        .map(|(at, future)| {
            Some((future, Waker::from(Arc::new(OneOf { at, woken: woken.clone() }))))
        })
        .collect();
    let mut left = count;
    poll_fn(move |context| {
        // A future woken from here on wakes the executor, which may run others in between.
        let mut now = woken.lock().unwrap_or_else(PoisonError::into_inner);
        now.outer = Some(context.waker().clone());
        let list = std::mem::take(&mut now.list);
        for at in &list {
            if let Some(listed) = now.listed.get_mut(*at) {
                *listed = false;
            }
        }
        drop(now);
        for at in list {
            let Some(slot) = running.get_mut(at) else { continue };
            let Some((future, waker)) = slot else { continue };
            if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(waker)) {
                *slot = None;
                left -= 1;
                done(at, value);
            }
        }
        if left == 0 { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
