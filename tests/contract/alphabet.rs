//! Everything that can happen to a thread, as letters: server events and user actions, applied to
//! the model and to a thread.

use serde_json::json;
use threadfold::{Field, FieldReducer, MessageRules, Schema, Thread, ThreadEvent, Value};

use super::model::{Change, Local, Message, Model, State, Update, Write};

/// One letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// A user's message.
    Add(&'static str),
    /// A user's message, and the topic.
    AddWithTopic(&'static str),
    /// A user's message with the text of the first one.
    AddSame,
    /// Another text for a message.
    Edit(&'static str),
    Remove(&'static str),
    WriteLog,
    /// The topic, sent by a call of its own.
    ManualTopic,
    Start,
    Finish,
    Fail,
    Join,
    /// A snapshot that includes the sent messages.
    Has,
    /// One that lacks it.
    Lacks,
    /// A partial snapshot: messages that it lacks stay.
    Partial,
    /// The first message's text under an id of the server's.
    Renamed,
    Echo(&'static str),
    Stream,
    Whole,
    Settle(usize),
    FailUpdate(usize),
    Retry(usize),
    Rollback(usize),
    /// By hand, the first update ever made, also when the server has it.
    First(Hand),
    /// Another text for a message, sent by a call of its own.
    ManualEdit,
    /// A message taken away by a call of its own.
    ManualRemove,
    /// All messages taken away, and two written again.
    Rewrite,
    /// A node's update: the first message as it was, and the first sent one under another id.
    NodeUpdate,
    /// A node removes a message.
    NodeRemoves(&'static str),
    Reload,
    Update,
    /// A start under the last run's id, which does not say whether it joins that run; with the id
    /// of a part.
    StartAgain(Option<&'static str>),
    /// A start without an id.
    Unnamed,
    /// The run finishes, and waits for an answer.
    Interrupt,
    /// The run finishes because the user stopped it.
    Stopped,
    Disconnect,
    /// A node's update of the log, as the part of this id.
    Part(&'static str),
}

/// The caller's actions on an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    Settle,
    Fail,
    Retry,
    Rollback,
}

use Letter::{
    Add, AddSame, AddWithTopic, Disconnect, Echo, Edit, Fail, FailUpdate, Finish, First, Has,
    Interrupt, Join, Lacks, ManualEdit, ManualRemove, ManualTopic, NodeRemoves, NodeUpdate, Part,
    Partial, Reload, Remove, Renamed, Retry, Rewrite, Rollback, Settle, Start, StartAgain, Stopped,
    Stream, Unnamed, Whole, WriteLog,
};

/// The letters about messages.
pub const MESSAGES: &[Letter] = &[
    Add("1"),
    AddWithTopic("2"),
    Edit("0"),
    Remove("0"),
    Start,
    Finish,
    Fail,
    Join,
    Has,
    Lacks,
    Renamed,
    Stream,
    Settle(0),
    Retry(0),
    Rollback(0),
    Reload,
];

/// The letters about fields.
pub const FIELDS: &[Letter] = &[
    AddWithTopic("2"),
    WriteLog,
    ManualTopic,
    Start,
    Finish,
    Fail,
    Join,
    Has,
    Lacks,
    Settle(0),
    FailUpdate(0),
    Retry(0),
    Rollback(0),
    Reload,
    Letter::Update,
];

/// The letters about a run's stream.
pub const STREAM: &[Letter] = &[
    AddWithTopic("1"),
    Start,
    StartAgain(None),
    StartAgain(Some("1")),
    Unnamed,
    Join,
    Finish,
    Interrupt,
    Stopped,
    Fail,
    Disconnect,
    Part("1"),
    Part("2"),
    Has,
    Settle(0),
    Reload,
    Letter::Update,
];

/// All letters, for random words.
pub const ALL: &[Letter] = &[
    Add("1"),
    Add("2"),
    Add("3"),
    AddWithTopic("2"),
    AddWithTopic("4"),
    Edit("0"),
    Edit("1"),
    Edit("a"),
    Remove("0"),
    Remove("1"),
    Remove("a"),
    WriteLog,
    ManualTopic,
    Start,
    Start,
    Finish,
    Fail,
    Join,
    Has,
    Lacks,
    Partial,
    Renamed,
    Echo("1"),
    Echo("2"),
    Echo("3"),
    Stream,
    Stream,
    Whole,
    Settle(0),
    Settle(1),
    FailUpdate(0),
    FailUpdate(1),
    Retry(0),
    Retry(1),
    Rollback(0),
    Rollback(1),
    Rollback(2),
    Reload,
    Letter::Update,
    AddSame,
    First(Hand::Settle),
    First(Hand::Fail),
    First(Hand::Retry),
    First(Hand::Rollback),
    ManualEdit,
    ManualRemove,
    NodeUpdate,
    NodeRemoves("1"),
    NodeRemoves("0"),
    Rewrite,
];

fn message(kind: &'static str, id: &str, content: &str) -> Message {
    Message { id: id.to_owned(), kind, content: content.to_owned(), call: None }
}

/// A letter's messages, the same for model and thread.
struct Said {
    messages: Vec<Message>,
    topic: Option<Vec<String>>,
    log: Option<Vec<String>>,
}

fn said(letter: Letter) -> Said {
    let own = |text: &str| Some(vec![text.to_owned()]);
    match letter {
        Has => Said {
            messages: vec![
                message("human", "0", "old"),
                message("human", "1", "1"),
                message("ai", "a", "Hi"),
            ],
            topic: own("t"),
            log: own("x"),
        },
        Lacks => Said { messages: vec![message("human", "0", "old")], topic: None, log: None },
        _ => Said {
            messages: vec![message("human", "2", "2")],
            topic: own("server's"),
            log: own("y"),
        },
    }
}

/// Returns an update's changes and writes, the same for model and thread.
fn written(letter: Letter) -> (Vec<Change>, Vec<Write>) {
    let topic = Write { key: "topic", value: "t".to_owned() };
    match letter {
        Add(id) => (vec![Change::Put(message("human", id, id))], vec![]),
        AddWithTopic(id) => (vec![Change::Put(message("human", id, id))], vec![topic]),
        AddSame => (vec![Change::Put(message("human", "5", "1"))], vec![]),
        Edit(id) => (vec![Change::Put(message("human", id, "edited"))], vec![]),
        ManualEdit => (vec![Change::Put(message("human", "0", "edited"))], vec![]),
        ManualRemove => (vec![Change::Remove("0".to_owned())], vec![]),
        Rewrite => {
            let put = |id| Change::Put(message("human", id, "again"));
            (vec![Change::RemoveAll, put("1"), put("0")], vec![])
        }
        Remove(id) => (vec![Change::Remove(id.to_owned())], vec![]),
        WriteLog => (vec![], vec![Write { key: "log", value: "x".to_owned() }]),
        ManualTopic => (vec![], vec![topic]),
        _ => (
            vec![Change::Put(message("human", "l", "local"))],
            vec![Write { key: "log", value: "l".to_owned() }],
        ),
    }
}

/// Makes the model before the first letter: the server has one message, and an empty log.
pub fn model() -> Model {
    let mut model = Model::default();
    model.confirmed.messages.push(message("human", "0", "old"));
    model.confirmed.log = Some(Vec::new());
    model
}

impl Letter {
    /// Applies it to the model; returns the view that the server contradicted at a run's end, if
    /// any.
    pub fn to_model(self, model: &mut Model, runs: &mut usize) -> Option<State> {
        let nth = |model: &Model, nth: usize| model.pending().nth(nth).map(|it: &Update| it.serial);
        match self {
            Add(_) | AddSame | AddWithTopic(_) | Edit(_) | Remove(_) | WriteLog | ManualTopic
            | ManualEdit | ManualRemove | Rewrite => {
                let (messages, fields) = written(self);
                model.optimistic(&messages, &fields, self.is_manual());
            }
            Start => {
                *runs += 1;
                model.start(Some(&format!("r{runs}")), Some(false), None);
            }
            StartAgain(part) => model.start(Some(&format!("r{runs}")), None, part),
            Unnamed => model.start(None, None, None),
            Finish => return model.finishes(false, false),
            Interrupt => return model.finishes(true, false),
            Stopped => return model.finishes(false, true),
            Fail => model.fails(),
            Disconnect | Reload => model.disconnects(),
            Part(id) => {
                if model.part(id) {
                    model.node_log(id);
                }
            }
            Join => model.start(Some(&format!("r{runs}")), Some(true), None),
            Has | Lacks | Partial => {
                let Said { messages, topic, log } = said(self);
                model.messages(&messages, self == Partial);
                if self != Partial {
                    model.server_says_messages();
                }
                model.fields(topic, log);
                model.server_says(&["topic", "log"]);
            }
            Renamed => model.message(&message("human", "server's", "1"), false),
            Echo(id) => model.message(&message("human", id, id), false),
            Stream => {
                model.message(&message("ai", "a", ""), true);
                model.text("a", "H");
            }
            Whole => model.message(&message("ai", "a", "Hi"), false),
            Settle(at) => nth(model, at).into_iter().for_each(|serial| model.settle(serial)),
            FailUpdate(at) => nth(model, at).into_iter().for_each(|serial| model.fail(serial)),
            Retry(at) => nth(model, at).into_iter().for_each(|serial| model.retry(serial)),
            Rollback(at) => nth(model, at).into_iter().for_each(|serial| model.rollback(serial)),
            First(Hand::Settle) => model.settle(1),
            First(Hand::Fail) => model.fail(1),
            First(Hand::Retry) => model.retry(1),
            First(Hand::Rollback) => model.rollback(1),
            NodeUpdate => model.node_update(&node_update()),
            NodeRemoves(id) => model.node_removes(id),
            Letter::Update => {
                let (messages, fields) = written(self);
                model.update(Local { messages, fields, settled: false });
            }
        }
        if self.is_received() {
            model.connects();
        }
        None
    }

    /// Whether the server sent something but a start.
    fn is_received(self) -> bool {
        matches!(
            self,
            Has | Lacks | Partial | Renamed | Echo(_) | Stream | Whole | NodeUpdate | Part(_)
        )
    }

    fn is_manual(self) -> bool {
        matches!(self, ManualTopic | ManualEdit | ManualRemove)
    }

    /// Applies it to a thread; returns the drift.
    pub fn to_thread<V: Heap>(self, thread: &mut Thread<V>, runs: &mut usize) -> Option<V> {
        let hear = |thread: &mut Thread<V>, event| thread.receive(event).unwrap();
        let event = match self {
            Add(_) | AddSame | AddWithTopic(_) | Edit(_) | Remove(_) | WriteLog | ManualTopic
            | ManualEdit | ManualRemove | Rewrite => {
                let update = update_of(written(self));
                let show =
                    if self.is_manual() { Thread::optimistic_manual } else { Thread::optimistic };
                // Removing an unknown message is refused.
                let _ = show(thread, V::of(update));
                return None;
            }
            Start => {
                *runs += 1;
                ThreadEvent::RunStarted {
                    id: Some(V::of(json!(format!("r{runs}")))),
                    joined: Some(false),
                }
            }
            Join => ThreadEvent::RunStarted {
                id: Some(V::of(json!(format!("r{runs}")))),
                joined: Some(true),
            },
            StartAgain(part) => {
                let id = Some(V::of(json!(format!("r{runs}"))));
                let start = ThreadEvent::RunStarted { id, joined: None };
                return thread.receive_at(part_of(part), start).unwrap();
            }
            Unnamed => ThreadEvent::RunStarted { id: None, joined: None },
            Part(id) => {
                let update = V::of(json!({ "log": [id] }));
                return thread
                    .receive_at(part_of(Some(id)), ThreadEvent::Update { update })
                    .unwrap();
            }
            Interrupt => {
                let interrupts = Some(V::of(json!(["i"])));
                ThreadEvent::RunFinished { interrupts, stopped: false, folded: false }
            }
            Stopped => ThreadEvent::RunFinished { interrupts: None, stopped: true, folded: false },
            Disconnect => ThreadEvent::Disconnected { error: None },
            Finish => ThreadEvent::run_finished(),
            Fail => ThreadEvent::RunError { error: V::of(json!("down")) },
            Has | Lacks | Partial => {
                let Said { messages, topic, log } = said(self);
                let mut values =
                    json!({ "messages": messages.iter().map(dict).collect::<Vec<_>>() });
                topic.into_iter().for_each(|topic| values["topic"] = json!(topic[0]));
                log.into_iter().for_each(|log| values["log"] = json!(log));
                ThreadEvent::Values { values: V::of(values), partial: self == Partial }
            }
            Renamed => whole(&message("human", "server's", "1")),
            Echo(id) => whole(&message("human", id, id)),
            Stream => {
                let message = V::of(dict(&message("ai", "a", "")));
                hear(thread, ThreadEvent::Message { message, after: None, streaming: true });
                ThreadEvent::Text { id: V::of(json!("a")), text: V::of(json!("H")) }
            }
            Whole => whole(&message("ai", "a", "Hi")),
            Settle(at) | FailUpdate(at) | Retry(at) | Rollback(at) => {
                let id = thread.pending().nth(at).map(|update| update.id.clone());
                if let Some(id) = id {
                    match self {
                        Settle(_) => drop(thread.settle(&id).unwrap()),
                        FailUpdate(_) => drop(thread.fail(&id, V::of(json!("no")))),
                        Retry(_) => drop(thread.retry(&id)),
                        _ => drop(thread.rollback(&id)),
                    }
                }
                return None;
            }
            First(hand) => {
                match hand {
                    Hand::Settle => drop(thread.settle("update-1").unwrap()),
                    Hand::Fail => drop(thread.fail("update-1", V::of(json!("no")))),
                    Hand::Retry => drop(thread.retry("update-1")),
                    Hand::Rollback => drop(thread.rollback("update-1")),
                }
                return None;
            }
            NodeUpdate => {
                let messages = node_update().iter().map(dict).collect::<Vec<_>>();
                ThreadEvent::Update { update: V::of(json!({ "messages": messages })) }
            }
            NodeRemoves(id) => {
                let removal = json!({ "type": "remove", "id": id });
                let update = V::of(json!({ "messages": [removal] }));
                // That of an unknown message is refused.
                let _ = thread.receive(ThreadEvent::Update { update });
                return None;
            }
            Reload => {
                let kept = thread.to_json().to_json().to_string();
                let record = V::of(serde_json::from_str(&kept).unwrap());
                *thread = Thread::from_json(Some(schema()), &record).unwrap();
                return None;
            }
            Letter::Update => {
                thread.update(V::of(update_of(written(self)))).unwrap();
                return None;
            }
        };
        hear(thread, event)
    }
}

fn part_of<V: Heap>(id: Option<&str>) -> threadfold::StreamPosition<V> {
    threadfold::StreamPosition { id: id.map(|id| V::of(json!(id))), key: None }
}

fn node_update() -> [Message; 2] {
    [message("human", "0", "old"), message("human", "server's", "1")]
}

fn whole<V: Heap>(message: &Message) -> ThreadEvent<V> {
    ThreadEvent::Message { message: V::of(dict(message)), after: None, streaming: false }
}

fn dict(message: &Message) -> serde_json::Value {
    json!({ "type": message.kind, "id": message.id, "content": message.content })
}

fn update_of((messages, fields): (Vec<Change>, Vec<Write>)) -> serde_json::Value {
    let mut update = json!({});
    if !messages.is_empty() {
        let messages = messages.iter().map(|change| match change {
            Change::Put(message) => dict(message),
            Change::Remove(id) => json!({ "type": "remove", "id": id }),
            Change::RemoveAll => json!({ "type": "remove", "id": "__remove_all__" }),
        });
        update["messages"] = messages.collect();
    }
    for Write { key, value } in fields {
        update[key] = if key == "log" { json!([value]) } else { json!(value) };
    }
    update
}

/// A heap that letters are applied in.
pub trait Heap: Value {
    fn of(json: serde_json::Value) -> Self;
    fn to_json(&self) -> serde_json::Value;
}

impl Heap for serde_json::Value {
    fn of(json: serde_json::Value) -> Self {
        json
    }

    fn to_json(&self) -> serde_json::Value {
        self.clone()
    }
}

impl Heap for threadfold::Json {
    fn of(json: serde_json::Value) -> Self {
        json.into()
    }

    fn to_json(&self) -> serde_json::Value {
        self.try_into().unwrap()
    }
}

pub fn schema<V>() -> Schema<V> {
    Schema::new(vec![
        ("messages".to_owned(), Field::new(FieldReducer::Messages(MessageRules::LangGraph))),
        ("topic".to_owned(), Field::new(FieldReducer::Replace)),
        ("log".to_owned(), Field::new(FieldReducer::Append)),
    ])
    .unwrap()
}

pub fn thread<V: Heap>() -> Thread<V> {
    let values = V::of(json!({ "messages": [dict(&message("human", "0", "old"))], "log": [] }));
    Thread::new(Some(schema()), &values).unwrap()
}
