//! Requests to a service, and its responses.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::path::ServicePath;
use super::run_log::RunEvents;
use crate::graph::sendable::{BoxFuture, MaybeSend};
use crate::value::Json;

/// An HTTP request.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ServiceRequest<'a> {
    /// Its method, in capitals.
    pub method: &'a str,
    /// Its path, without a query.
    pub path: &'a str,
    /// Its header `Last-Event-ID`.
    pub last_event_id: Option<&'a str>,
    /// Its body. Limit its length as you read it.
    pub body: &'a [u8],
}

impl<'a> ServiceRequest<'a> {
    /// Makes a request without a body.
    #[must_use]
    pub fn new(method: &'a str, path: &'a str) -> Self {
        Self { method, path, last_event_id: None, body: &[] }
    }

    /// Returns this request with a body.
    #[must_use]
    pub fn body(mut self, body: &'a [u8]) -> Self {
        self.body = body;
        self
    }

    /// Returns the id of the thread that it is about, as the service reads it: that of its path, or the
    /// `threadId` of its body. Ask whether your user may use that thread.
    ///
    /// Returns none for a request without a thread, such as for the capabilities, and for a body that the
    /// service refuses.
    ///
    /// ```
    /// use threadfold::ag_ui::ServiceRequest;
    ///
    /// let body = br#"{ "threadId": "alice:1", "runId": "r", "messages": [] }"#;
    /// let posted = ServiceRequest::new("POST", "/agent").body(body);
    /// assert_eq!(posted.thread().as_deref(), Some("alice:1"));
    /// let stops = ServiceRequest::new("DELETE", "/agent/threads/bob%3A1/runs/r");
    /// assert_eq!(stops.thread().as_deref(), Some("bob:1"));
    /// ```
    #[must_use]
    pub fn thread(&self) -> Option<String> {
        match ServicePath::read(self.path) {
            ServicePath::Thread(thread) | ServicePath::Run(thread, _) => Some(thread),
            ServicePath::Capabilities => None,
            ServicePath::Other => {
                serde_json::from_slice(self.body).ok().and_then(|ThreadOf(id)| id)
            }
        }
    }

    /// Returns this request with the header `Last-Event-ID`, if there is one.
    #[must_use]
    pub fn last_event_id(mut self, id: Option<&'a str>) -> Self {
        self.last_event_id = id;
        self
    }
}

/// The `threadId` of a body: the last one, as `RunAgentInput` takes it.
struct ThreadOf(Option<String>);

impl<'de> Deserialize<'de> for ThreadOf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ThreadVisitor)
    }
}

struct ThreadVisitor;

impl<'de> Visitor<'de> for ThreadVisitor {
    type Value = ThreadOf;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a `threadId`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<ThreadOf, A::Error> {
        let mut id = None;
        while let Some(key) = fields.next_key::<String>()? {
            if key == "threadId" {
                id = fields.next_value::<Json>()?.as_str().map(str::to_owned);
            } else {
                fields.next_value::<IgnoredAny>()?;
            }
        }
        Ok(ThreadOf(id))
    }
}

/// An HTTP response.
#[derive(Debug)]
#[non_exhaustive]
pub struct ServiceResponse {
    /// Its status.
    pub status: u16,
    /// Its body, which says its [content type](ServiceBody::content_type).
    pub body: ServiceBody,
    /// A run that begins. Spawn it: it continues without the connection.
    pub work: Option<RunWork>,
}

/// The body of a response: a JSON text, or server-sent events as they come.
#[derive(Debug)]
pub struct ServiceBody(Body);

#[derive(Debug)]
enum Body {
    Json(String),
    Events(RunEvents),
}

impl ServiceBody {
    /// Returns the value of the header `Content-Type`.
    #[must_use]
    pub fn content_type(&self) -> &'static str {
        match self.0 {
            Body::Json(_) => "application/json",
            Body::Events(_) => "text/event-stream",
        }
    }

    /// Returns the next piece of the body. Returns none at its end.
    pub async fn next(&mut self) -> Option<String> {
        match &mut self.0 {
            Body::Json(text) => Some(std::mem::take(text)).filter(|text| !text.is_empty()),
            Body::Events(events) => events.next().await,
        }
    }
}

impl ServiceResponse {
    pub(super) fn json(status: u16, json: &Json) -> Self {
        Self { status, body: ServiceBody(Body::Json(json.to_string())), work: None }
    }

    pub(super) fn error(status: u16, reason: &str) -> Self {
        Self::json(status, &Json::from([("error", reason.into())]))
    }

    pub(super) fn events(events: RunEvents, work: Option<RunWork>) -> Self {
        Self { status: 200, body: ServiceBody(Body::Events(events)), work }
    }
}

/// A run at work: a future to spawn. A run whose work is dropped ends, and can be
/// [recovered](super::Service::recover).
#[must_use = "a run does nothing until its work is spawned"]
pub struct RunWork(BoxFuture<'static, ()>);

impl RunWork {
    pub(super) fn new(work: impl Future<Output = ()> + MaybeSend + 'static) -> Self {
        Self(Box::pin(work))
    }
}

impl Future for RunWork {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(context)
    }
}

impl fmt::Debug for RunWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunWork").finish_non_exhaustive()
    }
}
