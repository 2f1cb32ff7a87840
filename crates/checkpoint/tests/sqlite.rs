//! Threads in SQLite: kept, listed, forked, deleted, and what a checkpoint costs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::sync::{Arc, Barrier, Mutex};

use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadfold::ag_ui::{RunWork, Service, ServiceRequest};
use threadfold::graph::{
    BoxError, Command, Ctx, Graph, GraphError, Node, Resume, RunPart, START, StateGraph,
};
use threadfold::reducer::{AddMessages, Append};
use threadfold::typed::MessageList;
use threadfold::{Message, State};
use threadfold_checkpoint::SqliteSaver;
use tokio::sync::Notify;

#[derive(Debug, Clone, Default, State, Serialize, Deserialize)]
#[state(derive(Debug, Clone, Serialize, Deserialize))]
struct Chat {
    #[reducer(AddMessages)]
    #[update(Vec<Message>)]
    messages: MessageList<Message>,
    #[reducer(Append)]
    #[update(Vec<String>)]
    log: Vec<String>,
    title: Option<String>,
}

fn say(text: &str) -> ChatUpdate {
    ChatUpdate { log: Some(vec![text.to_owned()]), ..ChatUpdate::default() }
}

async fn ask(_: &Chat, ctx: Ctx) -> Result<ChatUpdate, BoxError> {
    Ok(say(&format!("answered {}", ctx.interrupt(json!("Sure?"))?)))
}

async fn done(_: &Chat, _: Ctx) -> Result<ChatUpdate, BoxError> {
    Ok(say("done"))
}

fn asking(saver: Arc<SqliteSaver>) -> Graph<Chat> {
    let graph = StateGraph::<Chat>::new().node("ask", ask).node("done", done);
    graph.edge(START, "ask").edge("ask", "done").checkpointer(saver).compile().unwrap()
}

fn memory() -> Arc<SqliteSaver> {
    Arc::new(SqliteSaver::in_memory().unwrap())
}

/// A file that is removed at the end.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        let name = format!("threadfold-{name}-{}.sqlite", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        for more in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{more}", self.0.display()));
        }
    }
}

#[tokio::test]
async fn another_process_continues_at_a_question() {
    let file = File::new("question");
    let open = || asking(Arc::new(SqliteSaver::open(&file.0).unwrap()));
    let asked = open().on("1").invoke(say("in")).await.unwrap();
    let graph = open();
    let left = graph.on("1").outcome().await.unwrap().unwrap();
    assert_eq!((&left.interrupts, &left.checkpoint), (&asked.interrupts, &asked.checkpoint));
    assert_eq!(left.next, asked.next);
    let ended = graph.on("1").resume(json!(true)).await.unwrap();
    assert_eq!(ended.state.log, ["in", "answered true", "done"]);
    assert!(ended.is_ended());
    // The input, START's step, and the two nodes': a stop has no checkpoint of its own.
    assert_eq!(graph.on("1").checkpoints().await.unwrap().len(), 4);
}

/// Asks twice, fails with a second answer that is null, and never returns with `"wait"`.
async fn ask_twice(_: &Chat, ctx: Ctx) -> Result<ChatUpdate, BoxError> {
    let (one, two) = (ctx.interrupt(json!("1?"))?, ctx.interrupt(json!("2?"))?);
    if two == "wait" {
        std::future::pending::<()>().await;
    }
    if two.is_null() { Err("no".into()) } else { Ok(say(&format!("{one} {two}"))) }
}

#[tokio::test]
async fn a_question_is_open_until_its_node_has_finished() {
    let file = File::new("unfit");
    let open = || {
        let graph = StateGraph::<Chat>::new().node("ask", ask_twice).edge(START, "ask");
        let saver = SqliteSaver::open(&file.0).unwrap();
        graph.checkpointer(saver).compile().unwrap()
    };
    open().on("1").invoke(say("in")).await.unwrap();
    let second = open().on("1").resume(json!(1)).await.unwrap().interrupts;
    let is_open = async || {
        let left = open().on("1").outcome().await.unwrap().unwrap();
        assert_eq!(left.interrupts, second);
    };
    for unfit in [Resume::Answer(json!(null)), Resume::GoOn] {
        open().on("1").resume(unfit).await.unwrap_err();
        is_open().await;
    }
    let graph = open();
    let mut parts = graph.on("1").stream_resumed(json!("wait")).await.unwrap().parts();
    while !matches!(parts.next().await, Some(RunPart::Started(_))) {}
    parts.stop();
    assert_eq!(parts.finish().await.unwrap().interrupts, second);
    is_open().await;
    let done = open().on("1").resume(json!(2)).await.unwrap();
    assert_eq!(done.state.log, ["in", "1 2"]);
    // At an older checkpoint the second question is asked again, with the first answer.
    let ids = open().on("1").checkpoints().await.unwrap();
    let forked = open().on("1").at(&ids[1]).resume(json!(3)).await.unwrap();
    assert_eq!(forked.state.log, ["in", "1 3"]);
}

#[tokio::test]
async fn a_fork_leaves_the_other_branch() {
    let graph = asking(memory());
    let thread = graph.on("1");
    thread.invoke(say("in")).await.unwrap();
    let first = thread.resume(json!(1)).await.unwrap();
    let ids = thread.checkpoints().await.unwrap();
    let asked = ids[2].clone();
    let forked = thread.at(&asked).resume(json!(2)).await.unwrap();
    assert_eq!(forked.state.log, ["in", "answered 2", "done"]);
    let now = thread.outcome().await.unwrap().unwrap();
    assert_eq!((now.state.log, &now.checkpoint), (forked.state.log, &forked.checkpoint));
    let before = thread.at(first.checkpoint.as_deref().unwrap());
    assert_eq!(before.state().await.unwrap().unwrap().log, ["in", "answered 1", "done"]);
    // An input at an older checkpoint, too.
    let other = thread.at(&ids[0]).invoke(say("more")).await.unwrap();
    assert_eq!(other.state.log, ["in", "answered 1", "done", "more"]);
    assert_eq!(other.interrupts.len(), 1);
}

#[tokio::test]
async fn an_update_from_outside_and_a_deletion() {
    let saver = memory();
    let graph = asking(saver.clone());
    let thread = graph.on("1");
    thread.invoke(say("in")).await.unwrap();
    let updated = thread.update_state(say("outside"), Some("ask")).await.unwrap();
    assert_eq!(updated.next, ["done".into()]);
    assert_eq!(thread.resume(()).await.unwrap().state.log, ["in", "outside", "done"]);
    graph.on("2").invoke(say("other")).await.unwrap();
    thread.delete().await.unwrap();
    assert!(
        thread.state().await.unwrap().is_none() && thread.checkpoints().await.unwrap().is_empty()
    );
    assert_eq!(graph.on("2").state().await.unwrap().unwrap().log, ["other"]);
    assert!(matches!(thread.resume(()).await, Err(GraphError::UnknownThread(_))));
}

#[tokio::test]
async fn of_two_runs_of_a_thread_the_second_to_save_ends() {
    let file = File::new("conflict");
    let open = || asking(Arc::new(SqliteSaver::open(&file.0).unwrap()));
    let (one, two) = (open(), open());
    one.on("1").invoke(say("in")).await.unwrap();
    let mut first = one.on("1").stream_resumed(json!(1)).await.unwrap();
    let late = two.on("1").stream_resumed(json!(2)).await.unwrap_err();
    assert!(matches!(late, GraphError::UnknownInterrupt(None)));
    let mut second = two.on("1").stream_resumed(()).await.unwrap();
    first.next().await.unwrap().unwrap();
    let lost = second.next().await.unwrap();
    assert!(matches!(lost, Err(GraphError::Conflict(thread)) if thread == "1"));
    assert_eq!(first.finish().await.unwrap().state.log, ["in", "answered 1", "done"]);
}

/// A stop within a step makes no checkpoint: the other run's results are beside the same one.
#[tokio::test]
async fn of_two_runs_of_a_step_the_second_to_save_a_result_ends() {
    let file = File::new("results");
    let graph = |name: &'static str, fails: bool| {
        let a = move |_: &Chat, _: Ctx| async move {
            if name == "none" { Err("no".into()) } else { Ok::<_, BoxError>(say(name)) }
        };
        let b = move |_: &Chat, _: Ctx| async move {
            if fails { Err("no".into()) } else { Ok::<_, BoxError>(say("b")) }
        };
        let graph = StateGraph::<Chat>::new().node("a", a).node("b", b).edge(START, "a");
        let saver = SqliteSaver::open(&file.0).unwrap().delta("log", 10);
        graph.edge(START, "b").checkpointer(saver).compile().unwrap()
    };
    graph("none", true).on("1").invoke(say("in")).await.unwrap_err();
    let (one, two) = (graph("one", true), graph("two", false));
    let (first, second) = (one.on("1"), two.on("1"));
    let first = first.stream_resumed(()).await.unwrap();
    let second = second.stream_resumed(()).await.unwrap();
    assert!(matches!(first.finish().await, Err(GraphError::Node { .. })));
    let lost = second.finish().await;
    assert!(matches!(lost, Err(GraphError::Conflict(thread)) if thread == "1"));
    // It has changed nothing: its turn comes once it reads what the other run has put.
    let done = two.on("1").resume(()).await.unwrap();
    assert_eq!(done.state.log, ["in", "one", "b"]);
    assert_eq!(graph("", false).on("1").state().await.unwrap().unwrap().log, ["in", "one", "b"]);
}

/// npm and langgraph.js save beside a failed task that its error handler is at work, under a place that the
/// task's own results have.
#[tokio::test]
async fn a_node_whose_handler_was_at_work_in_javascript_runs_again() {
    let file = File::new("handled");
    let graph = |fails: bool| {
        let a = move |_: &Chat, _: Ctx| async move {
            if fails { Err("no".into()) } else { Ok::<_, BoxError>(say("mended")) }
        };
        let saver = SqliteSaver::open(&file.0).unwrap();
        let graph = StateGraph::<Chat>::new().node("a", a).edge(START, "a");
        graph.checkpointer(saver).compile().unwrap()
    };
    graph(true).on("1").invoke(say("in")).await.unwrap_err();
    let database = Connection::open(&file.0).unwrap();
    let handling = "INSERT INTO writes SELECT thread_id, checkpoint_ns, checkpoint_id, task_id, at, \
                    '__error_source_node__', 'json', '\"a\"' FROM writes, \
                    (SELECT 0 AS at UNION SELECT 1) WHERE channel = '__error__'";
    assert_eq!(database.execute(handling, []).unwrap(), 2);
    let mended = graph(false);
    assert!(!mended.on("1").outcome().await.unwrap().unwrap().is_ended());
    assert_eq!(mended.on("1").resume(()).await.unwrap().state.log, ["in", "mended"]);
}

/// Two processes with two answers: one of them has lost before its node runs.
#[test]
fn of_two_answers_at_once_one_is_acted_on() {
    let file = File::new("answers");
    let open = || Arc::new(SqliteSaver::open(&file.0).unwrap());
    let (shared, ran) = (open(), Arc::new(Mutex::new(Vec::new())));
    let graph = |saver| {
        let ran = ran.clone();
        let act = move |_: &Chat, ctx: Ctx| {
            let ran = ran.clone();
            async move {
                let answer = ctx.interrupt("Pay?")?;
                ran.lock().unwrap().push(answer);
                Ok::<_, BoxError>(ChatUpdate::default())
            }
        };
        let graph = StateGraph::<Chat>::new().node("act", act).edge(START, "act");
        graph.checkpointer(saver).compile().unwrap()
    };
    let run = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    for round in 0..40 {
        let thread = round.to_string();
        let second = if round % 2 == 0 { open() } else { shared.clone() };
        let both = [graph(shared.clone()), graph(second)];
        run().block_on(both[0].on(&thread).invoke(say("in"))).unwrap();
        let gate = Barrier::new(2);
        let done = std::thread::scope(|scope| {
            let all = [0, 1].map(|at| {
                let (graph, gate, thread) = (&both[at], &gate, &thread);
                scope.spawn(move || {
                    gate.wait();
                    run().block_on(graph.on(thread).resume(json!(at))).is_ok()
                })
            });
            all.map(|one| one.join().unwrap())
        });
        let ran = std::mem::take(&mut *ran.lock().unwrap());
        assert_eq!((ran.len(), done.iter().filter(|is_done| **is_done).count()), (1, 1));
    }
}

#[tokio::test]
async fn what_is_not_json_is_refused_by_name() {
    let file = File::new("python");
    let graph = asking(Arc::new(SqliteSaver::open(&file.0).unwrap()));
    graph.on("1").invoke(say("in")).await.unwrap();
    let connection = Connection::open(&file.0).unwrap();
    connection.execute("UPDATE checkpoints SET type = 'msgpack'", []).unwrap();
    let GraphError::Checkpointer(error) = graph.on("1").state().await.unwrap_err() else {
        panic!("another error");
    };
    assert!(error.to_string().contains("encoded as 'msgpack'"));
}

/// Returns the bytes of a thread's newest checkpoint and of the writes that it needs.
fn cost(file: &File) -> (i64, i64) {
    let connection = Connection::open(&file.0).unwrap();
    let sum = |sql: &str| connection.query_row(sql, [], |row| row.get(0)).unwrap();
    let newest = "ORDER BY checkpoint_id DESC LIMIT 1";
    let row = sum(&format!(
        "SELECT length(checkpoint) + length(metadata) + length(thread_id) + length(checkpoint_id) + \
         length(parent_checkpoint_id) FROM checkpoints {newest}"
    ));
    let writes = sum(&format!(
        "SELECT sum(length(value) + length(channel) + length(task_id) + length(checkpoint_id)) FROM \
         writes WHERE checkpoint_id = (SELECT parent_checkpoint_id FROM checkpoints {newest})"
    ));
    (row, writes)
}

#[tokio::test]
async fn one_more_message_on_ten_thousand_costs_what_one_costs() {
    async fn model(state: &Chat, _: Ctx) -> Result<ChatUpdate, BoxError> {
        let message = Message::assistant(format!("There are {} messages.", state.messages.len()));
        Ok(ChatUpdate { messages: Some(vec![message]), ..ChatUpdate::default() })
    }
    let mut costs = Vec::new();
    for many in [10, 10_000] {
        let file = File::new(&format!("cost-{many}"));
        let open = || {
            let saver = SqliteSaver::open(&file.0).unwrap().delta("messages", 50);
            let graph = StateGraph::<Chat>::new().node("model", model).edge(START, "model");
            graph.checkpointer(saver).compile().unwrap()
        };
        let graph = open();
        let messages: Vec<_> = (0..many).map(|at| Message::user(format!("Message {at}"))).collect();
        let update = ChatUpdate { messages: Some(messages), ..ChatUpdate::default() };
        let ended = graph.on("1").invoke(update).await.unwrap();
        assert_eq!(ended.state.messages.len(), many + 1);
        let (row, writes) = cost(&file);
        println!("{many} messages and one more: {row} bytes of a checkpoint, {writes} of writes");
        assert!(row + writes <= 2_048, "{row} + {writes}");
        costs.push(row + writes);
        // Another process makes the list of what was written.
        let state = open().on("1").state().await.unwrap().unwrap();
        assert_eq!(state.messages.len(), many + 1);
        assert_eq!(
            state.messages.last().map(|message| message.text().into_owned()).as_deref(),
            Some(&*format!("There are {many} messages."))
        );
    }
    assert!((costs[1] - costs[0]).abs() < 64, "{costs:?}");
}

#[tokio::test]
async fn a_list_that_is_kept_as_deltas_is_whole_from_time_to_time() {
    let file = File::new("deltas");
    let graph = |every| {
        let saver = SqliteSaver::open(&file.0).unwrap().delta("log", every);
        let graph = StateGraph::<Chat>::new().node("done", done).edge(START, "done");
        graph.checkpointer(saver).compile().unwrap()
    };
    for turn in 0..7 {
        let state = graph(4).on("1").invoke(say("in")).await.unwrap().state;
        assert_eq!(state.log.len(), 2 * (turn + 1));
    }
    let connection = Connection::open(&file.0).unwrap();
    let mut statement =
        connection.prepare("SELECT checkpoint FROM checkpoints ORDER BY checkpoint_id").unwrap();
    let texts = statement.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
    let whole = |text: Vec<u8>| {
        let checkpoint: Value = serde_json::from_slice(&text).unwrap();
        checkpoint["channel_values"].get("log").is_some()
    };
    let whole: Vec<bool> = texts.map(|text| whole(text.unwrap())).collect();
    assert_eq!(whole.iter().filter(|whole| **whole).count(), 3, "{whole:?}");
    // A past checkpoint, and a fork of it.
    let graph = graph(4);
    let ids = graph.on("1").checkpoints().await.unwrap();
    let past = graph.on("1").at(&ids[3]).state().await.unwrap().unwrap();
    assert_eq!(past.log.len(), 12);
    let forked = graph.on("1").at(&ids[3]).invoke(say("fork")).await.unwrap().state;
    assert_eq!(forked.log.len(), 14);
    assert_eq!(graph.on("1").state().await.unwrap().unwrap().log, forked.log);
}

#[tokio::test]
async fn what_could_not_be_read_again_is_not_saved() {
    let deep = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    let graph = asking(memory());
    for depth in 100..140 {
        let id = format!("{depth} deep");
        let thread = graph.on(&id);
        thread.invoke(say("begun")).await.unwrap();
        let text = json!({ "type": "human", "id": "m", "content": "\"[{", "more": deep(depth) });
        let messages = Some(vec![serde_json::from_value(text).unwrap()]);
        let saved = thread.invoke(ChatUpdate { messages, ..ChatUpdate::default() }).await;
        let error = saved.as_ref().err().map(ToString::to_string);
        assert!(error.is_none() || depth > 120, "{depth} deep: {error:?}");
        assert_eq!(saved.is_err(), depth > 122, "{depth} deep");
        let state = thread.state().await.unwrap().unwrap();
        assert_eq!(state.messages.len(), usize::from(saved.is_ok()));
        thread.invoke(say("on")).await.unwrap();
    }
}

/// Floats are read as they were written, to the last bit.
#[tokio::test]
async fn a_float_stays_the_same() {
    #[derive(Debug, Clone, Default, State, Serialize, Deserialize)]
    #[state(derive(Clone, Serialize, Deserialize))]
    struct Measured {
        values: Vec<f64>,
    }
    async fn nothing(_: &Measured, _: Ctx) -> Result<MeasuredUpdate, BoxError> {
        Ok(MeasuredUpdate::default())
    }
    let graph = StateGraph::new().node("nothing", nothing).edge(START, "nothing");
    let graph = graph.checkpointer(memory()).compile().unwrap();
    // From the largest down to those that are too small to be normal.
    let values: Vec<f64> =
        std::iter::successors(Some(f64::MAX / 3.0), |last| Some(last / 1.7)).take(2700).collect();
    assert!(values.iter().any(|value| value.is_subnormal()));
    let update = MeasuredUpdate { values: Some(values.clone()) };
    graph.on("t").invoke(update).await.unwrap();
    let read = graph.on("t").state().await.unwrap().unwrap().values;
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&read), bits(&values));
}

/// JSON has neither NaN nor infinities: `serde_json` would write null, which no `f64` is read from.
#[tokio::test]
async fn a_number_that_json_lacks_is_refused_by_its_field() {
    #[derive(Debug, Clone, Default, State, Serialize, Deserialize)]
    #[state(derive(Clone, Serialize, Deserialize))]
    struct Game {
        score: f64,
        best: Option<f64>,
        all: Vec<(String, Option<f32>)>,
    }
    async fn halve(game: &Game, _: Ctx) -> Result<GameUpdate, BoxError> {
        let halved = if game.score > 1e300 { f64::NAN } else { game.score / 2.0 };
        Ok(GameUpdate { score: Some(halved), ..GameUpdate::default() })
    }
    let graph = StateGraph::<Game>::new().node("halve", halve).edge(START, "halve");
    let graph = graph.checkpointer(memory()).compile().unwrap();
    let thread = graph.on("1");
    let none =
        GameUpdate { best: Some(None), all: Some(vec![("a".into(), None)]), score: Some(8.0) };
    thread.invoke(none).await.unwrap();
    let default = GameUpdate::default;
    for (field, update) in [
        ("score", GameUpdate { score: Some(f64::INFINITY), ..default() }),
        ("best", GameUpdate { best: Some(Some(f64::NEG_INFINITY)), ..default() }),
        ("all", GameUpdate { all: Some(vec![("a".into(), Some(f32::NAN))]), ..default() }),
        // Its node makes NaN of it.
        ("score", GameUpdate { score: Some(2e300), ..default() }),
    ] {
        let is_of_node = update.score == Some(2e300);
        let refused = thread.invoke(update).await.unwrap_err();
        let GraphError::Checkpointer(refused) = refused else { panic!("{refused}") };
        let expected = format!("Cannot save the field '{field}': it has NaN or an infinity");
        assert!(refused.to_string().starts_with(&expected), "{refused}");
        let left = thread.state().await.unwrap().unwrap();
        let score = if is_of_node { 2e300 } else { 4.0 };
        assert_eq!((left.score, left.best, left.all.len()), (score, None, 1), "{field}");
    }
    let update = GameUpdate { score: Some(1.0), ..default() };
    assert!((thread.invoke(update).await.unwrap().state.score - 0.5).abs() < f64::EPSILON);
}

/// A value whose serde panics: 1 when it is written, 2 when it is read.
#[derive(Debug, Clone, Default, PartialEq)]
struct Odd(u8);

impl Serialize for Odd {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        assert_ne!(self.0, 1, "cannot be written");
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Odd {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = u8::deserialize(deserializer)?;
        assert_ne!(read, 2, "cannot be read");
        Ok(Self(read))
    }
}

#[tokio::test]
async fn a_state_whose_serde_panics_is_an_error_of_the_checkpointer() {
    #[derive(Debug, Clone, Default, State, Serialize, Deserialize)]
    #[state(derive(Clone, Serialize, Deserialize))]
    struct Held {
        odd: Odd,
    }
    async fn same(held: &Held, _: Ctx) -> Result<HeldUpdate, BoxError> {
        Ok(HeldUpdate { odd: Some(held.odd.clone()) })
    }
    let graph = StateGraph::<Held>::new().node("same", same).edge(START, "same");
    let graph = graph.checkpointer(memory()).compile().unwrap();
    let thread = graph.on("1");
    let put = async |odd| thread.invoke(HeldUpdate { odd: Some(Odd(odd)) }).await;
    put(0).await.unwrap();
    let refused = put(1).await.unwrap_err();
    let GraphError::Checkpointer(refused) = refused else { panic!("{refused}") };
    assert!(refused.to_string().contains("cannot be written"), "{refused}");
    assert_eq!(thread.state().await.unwrap().unwrap().odd, Odd(0));
    put(2).await.unwrap();
    assert!(matches!(thread.state().await, Err(GraphError::Checkpointer(_))));
    assert!(matches!(put(3).await, Err(GraphError::Checkpointer(_))));
    thread.delete().await.unwrap();
    put(4).await.unwrap();
}

#[test]
fn a_delta_of_a_field_that_the_state_lacks_is_refused() {
    let compile = |field: &str| {
        let graph = StateGraph::<Chat>::new().node("done", done).edge(START, "done");
        let saver = SqliteSaver::in_memory().unwrap().delta("log", 5).delta(field, 50);
        graph.checkpointer(Arc::new(saver)).compile()
    };
    let GraphError::Checkpointer(refused) = compile("mesages").unwrap_err() else { panic!() };
    assert_eq!(
        refused.to_string(),
        "delta(\"mesages\"): the state has no such field. Its fields are 'messages', 'log', 'title'."
    );
    assert!(compile("messages").is_ok());
}

/// A service's run that is killed at each attempt ends: a database counts the attempts.
#[tokio::test]
async fn attempts_to_continue_are_counted() {
    struct Wait(Arc<Notify>);
    impl Node<Chat> for Wait {
        async fn run(&self, _: &Chat, _: Ctx) -> Result<Command<Chat>, BoxError> {
            self.0.notify_one();
            std::future::pending().await
        }
    }
    let (saver, waits) = (memory(), Arc::new(Notify::new()));
    let process = || {
        let graph = StateGraph::<Chat>::new().node("wait", Wait(waits.clone())).edge(START, "wait");
        Service::new(graph.checkpointer(saver.clone()).compile().unwrap()).unwrap()
    };
    let killed = async |work: RunWork| {
        tokio::select! {
            () = work => panic!("its node waits"),
            () = waits.notified() => {}
        }
    };
    let body = br#"{ "threadId": "1", "runId": "r", "messages": [] }"#;
    let posted = process().answer(ServiceRequest::new("POST", "/").body(body)).await;
    killed(posted.work.unwrap()).await;
    for _ in 0..50 {
        killed(process().recover("1").await.unwrap().expect("it goes on")).await;
    }
    assert!(process().recover("1").await.unwrap().is_none());
    let left = process().graph().on("1").outcome().await.unwrap().unwrap();
    assert_eq!(left.next, ["wait".into()]);
}
