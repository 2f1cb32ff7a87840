//! A shop's agent over AG-UI: axum, SQLite, and a graph that goes on after the process was killed.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use shop::Shop;
use threadfold::ag_ui::{Service, ServiceRequest, ServiceResponse};
use threadfold::graph::BoxError;
use threadfold_checkpoint::SqliteSaver;
use tokio::net::TcpListener;

mod assistant;
mod scripted;

/// The longest body of a request.
const MOST_BYTES: usize = 10 << 20;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let path = std::env::var("DATABASE").unwrap_or_else(|_| "shop.sqlite".to_owned());
    let saver = Arc::new(SqliteSaver::open(path)?);
    let service = Service::new(assistant::graph(&saver)?)?.on_error(|thread, run, error| {
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        eprintln!("{thread} {}: {error}: {cause}", run.unwrap_or_default());
    });
    // Runs that an earlier process did not end.
    for thread in saver.threads().await? {
        if let Some(work) = service.recover(&thread).await? {
            tokio::spawn(work);
        }
    }
    let port = std::env::var("PORT").unwrap_or_else(|_| "8000".to_owned());
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, Router::new().fallback(answer).with_state(service)).await?;
    Ok(())
}

/// Answers a request. A proxy that signs users in names them in `X-User`.
async fn answer(State(service): State<Service<Shop>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MOST_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let last = head.headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let request = ServiceRequest::new(head.method.as_str(), head.uri.path());
    let asked = request.last_event_id(last).body(&body);
    let user = head.headers.get("x-user").and_then(|user| user.to_str().ok());
    if !may_use(user, asked.thread().as_deref()) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let ServiceResponse { status, body, work, .. } = service.answer(asked).await;
    work.map(tokio::spawn);
    let status = StatusCode::from_u16(status).unwrap_or_default();
    let kind = [("content-type", body.content_type())];
    let pieces = unfold(body, |mut body| async {
        body.next().await.map(|piece| (Ok::<_, Infallible>(piece), body))
    });
    (status, kind, Body::from_stream(pieces)).into_response()
}

/// Whether a user may use a thread: `alice:1` is alice's alone, one without a `:` is anybody's.
fn may_use(user: Option<&str>, thread: Option<&str>) -> bool {
    match thread.and_then(|thread| thread.split_once(':')) {
        Some((owner, _)) => user == Some(owner),
        None => true,
    }
}
