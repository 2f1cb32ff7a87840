//! Single events of AG-UI: what is read, what is refused, and that a thread stays as it was.

use serde_json::{Value, json};
use threadfold::ag_ui::{Event, EventKind, Fold};
use threadfold::stream::{RunEnd, StreamError};
use threadfold::{Json, RunStatus, Thread, Value as _};

use super::recording::empty_thread;

struct Stream {
    thread: Thread<Json>,
    fold: Fold,
}

impl Stream {
    fn new() -> Self {
        let mut own = Self { thread: empty_thread(), fold: Fold::new() };
        own.all([json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" })]);
        own
    }

    fn hear(&mut self, event: Value) -> Result<Option<RunEnd>, StreamError> {
        let event = Event::try_from(Json::from(event))?;
        self.fold.event(&mut self.thread, &event).map(|folded| folded.end)
    }

    fn all(&mut self, events: impl IntoIterator<Item = Value>) {
        for event in events {
            self.hear(event).unwrap();
        }
    }

    fn messages(&mut self) -> Value {
        Value::try_from(&self.thread.state()["messages"]).unwrap()
    }

    fn fields(&mut self) -> Value {
        let mut state = Value::try_from(self.thread.state()).unwrap();
        state.as_object_mut().unwrap().remove("messages");
        state
    }
}

fn text_start(id: &str) -> Value {
    json!({ "type": "TEXT_MESSAGE_START", "messageId": id })
}

fn text(id: &str, delta: &str) -> Value {
    json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta })
}

/// The user's message is sent and not confirmed when the reasoning comes: it is shown before it, also
/// once a snapshot has it.
#[test]
fn reasoning_stays_after_the_message_that_a_snapshot_confirms() {
    for id in ["u", "server-u"] {
        let mut thread = empty_thread();
        let sent = json!({ "messages": [{ "role": "user", "id": "u", "content": "Hi" }] });
        thread.optimistic(Json::from(sent)).unwrap();
        let mut stream = Stream { thread, fold: Fold::new() };
        let answer = json!({ "role": "assistant", "id": "a", "content": "Hello" });
        stream.all([
            json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" }),
            json!({ "type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning" }),
            json!({ "type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "Hm" }),
            json!({ "type": "REASONING_MESSAGE_END", "messageId": "r" }),
            text_start("a"),
            text("a", "Hello"),
            json!({ "type": "TEXT_MESSAGE_END", "messageId": "a" }),
            json!({ "type": "MESSAGES_SNAPSHOT", "messages": [{ "role": "user", "id": id, "content": "Hi" }, answer] }),
        ]);
        let messages = stream.messages();
        let ids: Vec<&str> =
            messages.as_array().unwrap().iter().filter_map(|it| it["id"].as_str()).collect();
        assert_eq!(ids, [id, "r", "a"]);
    }
}

/// A snapshot that begins after other messages than the client has is refused, and drops none.
#[test]
fn a_snapshot_that_leaves_out_other_messages_is_refused() {
    let message = |id: &str| json!({ "role": "assistant", "id": id, "content": id });
    let snapshot = |messages: &[Value], metadata: Value| json!({ "type": "MESSAGES_SNAPSHOT", "messages": messages, "metadata": { "threadfold": metadata } });
    let mut stream = Stream::new();
    stream.all([snapshot(&[message("a"), message("b"), message("c")], json!({}))]);
    let before = stream.messages();
    for (messages, metadata) in [
        (vec![message("d")], json!({ "after": "b", "keeps": 3 })),
        (vec![message("a"), message("d")], json!({ "after": "b" })),
    ] {
        let error = stream.hear(snapshot(&messages, metadata)).unwrap_err();
        assert!(error.to_string().contains("up to 'b' are others"), "{error}");
        assert_eq!(stream.messages(), before);
    }
    stream.all([snapshot(&[message("d")], json!({ "after": "b", "keeps": 2 }))]);
    assert_eq!(stream.messages(), json!([message("a"), message("b"), message("d")]));
}

#[test]
fn an_event_is_written_as_it_was_read() {
    let events = [
        json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r", "result": 5,
            "outcome": { "type": "success", "pendingToolCallIds": ["c"] } }),
        json!({ "type": "RUN_FINISHED", "runId": "r",
            "outcome": { "type": "interrupt", "interrupts": [{ "id": "i", "reason": "why" }] } }),
        json!({ "type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": [1] }),
        json!({ "type": "CUSTOM", "name": "n", "value": { "a": [null] }, "subagentRunId": "s" }),
        json!({ "type": "TEXT_MESSAGE_END", "messageId": "m", "metadata": { "a": 1 }, "rawEvent": 2 }),
        json!({ "type": "NEW_IN_2", "any": { "thing": true } }),
    ];
    for event in events {
        let read: Event = serde_json::from_value(event.clone()).unwrap();
        assert_eq!(read.event_type(), event["type"]);
        assert_eq!(serde_json::to_value(&read).unwrap(), event);
    }
}

#[test]
fn an_unknown_event_is_kept_apart_and_changes_nothing() {
    let mut stream = Stream::new();
    let event = r#"{ "type": "NEW_IN_2", "value": 1 }"#.parse::<Event>().unwrap();
    assert_eq!(event.kind, EventKind::Other { event_type: "NEW_IN_2".into() });
    assert_eq!(event.extra, [("value".to_owned(), 1.into())]);
    let before = stream.thread.state();
    stream.fold.event(&mut stream.thread, &event).unwrap();
    assert_eq!(stream.thread.state(), before);
}

#[test]
fn a_malformed_event_is_an_error_with_its_place() {
    let cases = [
        (json!([]), "", None),
        (json!({}), "", Some("type")),
        (json!({ "type": 1 }), "", Some("type")),
        (json!({ "type": "RUN_STARTED" }), "RUN_STARTED", Some("runId")),
        (
            json!({ "type": "RUN_STARTED", "runId": "r", "input": { "messages": [{}] } }),
            "RUN_STARTED",
            Some("input"),
        ),
        (
            json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": 1 }),
            "TEXT_MESSAGE_CONTENT",
            Some("delta"),
        ),
        (
            json!({ "type": "STEP_STARTED", "stepName": "s", "metadata": [] }),
            "STEP_STARTED",
            Some("metadata"),
        ),
        (json!({ "type": "STATE_SNAPSHOT" }), "STATE_SNAPSHOT", Some("snapshot")),
        (json!({ "type": "STATE_DELTA", "delta": {} }), "STATE_DELTA", Some("delta")),
        (
            json!({ "type": "MESSAGES_SNAPSHOT", "messages": [{ "id": "a", "role": "user" }, 5] }),
            "MESSAGES_SNAPSHOT",
            Some("messages"),
        ),
        (
            json!({ "type": "RUN_FINISHED", "outcome": { "type": "interrupt" } }),
            "RUN_FINISHED",
            Some("outcome"),
        ),
        (
            json!({ "type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": {} }),
            "TOOL_CALL_RESULT",
            Some("content"),
        ),
    ];
    for (event, event_type, field) in cases {
        let error = Event::try_from(Json::from(event.clone())).unwrap_err();
        let place = (error.code(), error.event(), error.field());
        assert_eq!(place, ("INVALID_ARGUMENT", event_type, field), "{event}");
    }
    assert_eq!("{".parse::<Event>().unwrap_err().code(), "INVALID_ARGUMENT");
}

#[test]
fn an_event_that_cannot_be_folded_leaves_the_thread_as_it_was() {
    let mut stream = Stream::new();
    stream.all([
        text_start("a"),
        json!({ "type": "ACTIVITY_SNAPSHOT", "messageId": "p", "activityType": "PLAN", "content": { "n": 1 } }),
        json!({ "type": "STATE_SNAPSHOT", "snapshot": { "n": 1 } }),
    ]);
    let before = stream.thread.state();
    let refused = [
        (text("zz", "x"), "UNKNOWN_MESSAGE"),
        (text("p", "x"), "INVALID_MESSAGE"),
        (text_start("p"), "INVALID_MESSAGE"),
        (json!({ "type": "TOOL_CALL_ARGS", "toolCallId": "zz", "delta": "{" }), "UNKNOWN_MESSAGE"),
        (json!({ "type": "TOOL_CALL_END", "toolCallId": "zz" }), "UNKNOWN_MESSAGE"),
        (
            json!({ "type": "STATE_DELTA", "delta": [{ "op": "replace", "path": "/n", "value": 2 }, { "op": "remove", "path": "/zz" }] }),
            "PATCH_FAILED",
        ),
        (
            json!({ "type": "STATE_DELTA", "delta": [{ "op": "add", "path": "messages" }] }),
            "INVALID_PATCH",
        ),
        (
            json!({ "type": "STATE_DELTA", "delta": [{ "op": "add", "path": "/__proto__", "value": 1 }] }),
            "FORBIDDEN_KEY",
        ),
        (
            json!({ "type": "ACTIVITY_DELTA", "messageId": "p", "activityType": "PLAN", "patch": [{ "op": "remove", "path": "/zz" }] }),
            "PATCH_FAILED",
        ),
        (
            json!({ "type": "ACTIVITY_DELTA", "messageId": "a", "activityType": "PLAN", "patch": [] }),
            "INVALID_MESSAGE",
        ),
        (
            json!({ "type": "TEXT_MESSAGE_CHUNK", "delta": "x", "subagentRunId": "s" }),
            "INVALID_ARGUMENT",
        ),
        (json!({ "type": "TOOL_CALL_CHUNK", "toolCallId": "c" }), "INVALID_ARGUMENT"),
        (json!({ "type": "THINKING_TEXT_MESSAGE_END" }), "INVALID_ARGUMENT"),
        (
            json!({ "type": "MESSAGES_SNAPSHOT", "messages": [], "metadata": { "threadfold": { "after": "zz" } } }),
            "UNKNOWN_MESSAGE",
        ),
    ];
    for (event, code) in refused {
        let error = stream.hear(event.clone()).unwrap_err();
        assert_eq!(
            (error.code(), error.event()),
            (code, event["type"].as_str().unwrap()),
            "{event}"
        );
        assert!(error.to_string().starts_with(event["type"].as_str().unwrap()), "{error}");
        assert_eq!(stream.thread.state(), before, "{event}");
    }
    stream.all([text("a", "goes on")]);
    assert_eq!(stream.messages()[0]["content"], "goes on");
}

#[test]
fn an_end_that_cannot_be_read_ends_the_run_all_the_same() {
    let mut stream = Stream::new();
    let Stream { thread, fold } = &mut stream;
    let error = fold.json(thread, r#"{ "type": "RUN_FINISHED", "runId": 5 }"#).unwrap_err();
    assert_eq!(error.field(), Some("runId"));
    assert_eq!(thread.run().status, RunStatus::Error);
}

#[test]
fn a_run_ends_with_its_result_its_interrupts_or_its_error() {
    let call = json!({ "type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "ask" });
    let end = |event: Value| {
        let mut stream = Stream::new();
        stream.all([call.clone()]);
        let end = stream.hear(event).unwrap().unwrap();
        (end, stream.thread.run().status)
    };
    let (finished, status) = end(json!({ "type": "RUN_FINISHED", "result": 5 }));
    let pending_tool_calls = vec!["c".to_owned()];
    assert_eq!(finished, RunEnd::Finished { result: Some(5.into()), pending_tool_calls });
    assert_eq!(status, RunStatus::Ready);

    let raw = json!({ "id": "i", "reason": "langgraph", "metadata": { "langgraph": { "raw": { "question": "Sure?" } } } });
    let outcome = json!({ "type": "interrupt", "interrupts": [raw, raw] });
    let (asked, status) = end(json!({ "type": "RUN_FINISHED", "outcome": outcome }));
    let RunEnd::Interrupted { interrupts } = asked else { panic!("{asked:?}") };
    assert_eq!(status, RunStatus::Interrupted);
    assert_eq!(interrupts[0].value, json!({ "question": "Sure?" }));
    assert_eq!(interrupts[0].message.as_deref(), Some("Sure?"));
    assert_eq!([&*interrupts[0].id, &*interrupts[1].id], ["i", "i#1"]);
    let ids = ["a", "a#2", "a", "#3", ""].map(|id| json!({ "id": id, "reason": "r" }));
    let outcome = json!({ "type": "interrupt", "interrupts": ids });
    let (asked, _) = end(json!({ "type": "RUN_FINISHED", "outcome": outcome }));
    let RunEnd::Interrupted { interrupts } = asked else { panic!("{asked:?}") };
    let ids: Vec<_> = interrupts.iter().map(|one| &*one.id).collect();
    assert_eq!(ids, ["a", "a#2", "a#3", "#3", "#4"]);

    let (failed, status) = end(json!({ "type": "RUN_ERROR", "message": "No", "code": "e" }));
    assert_eq!(failed, RunEnd::Failed { error: json!({ "message": "No", "code": "e" }).into() });
    assert_eq!(status, RunStatus::Error);

    let (stopped, status) =
        end(json!({ "type": "RUN_FINISHED", "outcome": { "type": "cancelled" } }));
    assert_eq!((stopped, status), (RunEnd::Stopped, RunStatus::Ready));
}

#[test]
fn a_stream_that_ends_before_its_run_was_cut() {
    let mut stream = Stream::new();
    stream.fold.finish(&mut stream.thread);
    assert_eq!(stream.thread.run().status, RunStatus::Disconnected);

    let mut never_began = Stream { thread: empty_thread(), fold: Fold::new() };
    let op = json!({ "messages": [{ "role": "user", "id": "q", "content": "Hi" }] });
    let op = never_began.thread.optimistic(op.into()).unwrap();
    never_began.fold.break_off(&mut never_began.thread, json!({ "message": "503" }).into());
    assert_eq!(never_began.thread.run().status, RunStatus::Error);
    assert_eq!(never_began.thread.status(&op), Some(threadfold::UpdateStatus::Failed));

    let mut stopped = Stream::new();
    stopped.all([text_start("a"), text("a", "half")]);
    stopped.fold.stop(&mut stopped.thread);
    assert_eq!(stopped.thread.run().status, RunStatus::Ready);
    assert_eq!(stopped.messages()[0]["content"], "half");
}

#[test]
fn a_part_that_comes_again_changes_nothing() {
    let mut stream = Stream::new();
    let Stream { thread, fold } = &mut stream;
    for (id, event) in [("1", text_start("a")), ("2", text("a", "x")), ("2", text("a", "x"))] {
        let event = Event::try_from(Json::from(event)).unwrap();
        fold.event_with_id(thread, id, &event).unwrap();
    }
    assert_eq!(thread.run().last_event_id, Some("2".into()));
    assert_eq!(stream.messages()[0]["content"], "x");
}

#[test]
fn a_state_that_is_not_an_object_is_refused_and_null_is_patched_whole() {
    let mut stream = Stream::new();
    let delta = |delta: Value| json!({ "type": "STATE_DELTA", "delta": delta });
    stream.all([json!({ "type": "STATE_SNAPSHOT", "snapshot": { "n": 0 } })]);
    let refused = stream.hear(json!({ "type": "STATE_SNAPSHOT", "snapshot": [1] })).unwrap_err();
    assert_eq!(refused.code(), "INVALID_ARGUMENT");
    assert_eq!(stream.fields(), json!({ "n": 0 }));
    stream.all([json!({ "type": "STATE_SNAPSHOT", "snapshot": null })]);
    assert_eq!(stream.fields(), json!({}));
    stream.all([
        delta(json!([{ "op": "replace", "path": "", "value": { "messages": ["own"], "n": 1 } }])),
        delta(
            json!([{ "op": "copy", "from": "/messages/0", "path": "/first" }, { "op": "unknown" }]),
        ),
    ]);
    assert_eq!(stream.fields(), json!({ "n": 1, "first": "own" }));
    assert_eq!(stream.messages(), json!([]));
}

#[test]
fn messages_beside_the_one_that_grows_stay_the_same_values() {
    let mut stream = Stream::new();
    let messages: Vec<Value> = (0..2_000)
        .map(|at| json!({ "id": format!("m{at}"), "role": "user", "content": "x" }))
        .collect();
    stream.all([
        json!({ "type": "MESSAGES_SNAPSHOT", "messages": messages }),
        text_start("a"),
        text("a", "one "),
    ]);
    let first = stream.thread.state()["messages"][0].clone();
    stream.all([text("a", "two")]);
    assert!(stream.thread.state()["messages"][0].same(&first));
    assert_eq!(stream.messages()[2_000]["content"], "one two");
}
