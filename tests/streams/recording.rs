//! The recordings that the package's tests fold too, and what is to be checked of a thread.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use threadfold::{Json, RunStatus, Thread};

/// A recorded conversation with a server.
pub struct Recording {
    pub name: String,
    pub turns: Vec<Turn>,
}

/// A run: its request, the parts of its stream, and the server's state after it.
pub struct Turn {
    pub request: Value,
    pub parts: Vec<Value>,
    pub state: Value,
}

/// Reads all recordings of a protocol.
pub fn recordings(protocol: &str) -> Vec<Recording> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/peers/recorded").join(protocol);
    let files = folder.read_dir().unwrap().map(|file| file.unwrap().path());
    let mut paths: Vec<PathBuf> = files.collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Recording {
    let recording: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let part = |part: &Value| match part["m"].as_u64() {
        // The metadata that LangGraph repeats with every token is kept once.
        Some(at) => {
            let mut part = part.clone();
            let fields = part.as_object_mut().unwrap();
            fields.remove("m");
            let shared = &recording["shared"][usize::try_from(at).unwrap()];
            fields.insert("data".into(), json!([fields["data"], shared]));
            part
        }
        None => part.clone(),
    };
    let turns = recording["turns"].as_array().unwrap().iter().map(|turn| Turn {
        request: turn["request"].clone(),
        parts: turn["parts"].as_array().unwrap().iter().map(part).collect(),
        state: turn["state"].clone(),
    });
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    Recording { name, turns: turns.collect() }
}

/// A state with its messages apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    pub messages: Value,
    pub fields: Value,
}

impl Held {
    /// Reads a thread's or a server's state.
    pub fn of(state: &Value) -> Self {
        let mut fields = state.clone();
        let messages = fields.as_object_mut().and_then(|fields| fields.remove("messages"));
        Self { messages: messages.unwrap_or_else(|| json!([])), fields }
    }

    pub fn confirmed(thread: &mut Thread<Json>) -> Self {
        Self::of(&thread.confirmed().try_into().unwrap())
    }

    pub fn shown(thread: &mut Thread<Json>) -> Self {
        Self::of(&thread.state().try_into().unwrap())
    }

    pub fn ids(&self) -> Vec<&str> {
        let messages = self.messages.as_array().unwrap();
        messages.iter().filter_map(|message| message["id"].as_str()).collect()
    }
}

/// The thread equals the server's state, and nothing is pending.
pub fn assert_in_sync(thread: &mut Thread<Json>, server: &Held, place: &str) {
    let confirmed = Held::confirmed(thread);
    assert_eq!(confirmed, *server, "{place}");
    assert_eq!(Held::shown(thread), confirmed, "{place}");
    assert_eq!(thread.pending().count(), 0, "{place}");
    let status = thread.run().status;
    assert!(matches!(status, RunStatus::Ready | RunStatus::Interrupted), "{place}: {status:?}");
}

/// After a run that failed: everything that the server kept is there, in its order. Earlier messages
/// that it has not kept are not shown.
pub fn assert_all_kept(
    thread: &mut Thread<Json>,
    server: Option<&Held>,
    before: &Held,
    place: &str,
) {
    assert_eq!(thread.run().status, RunStatus::Error, "{place}");
    let Some(server) = server else { return };
    let kept = server.ids();
    let shown = Held::shown(thread);
    let ids = shown.ids();
    let still: Vec<&str> = ids.iter().copied().filter(|id| kept.contains(id)).collect();
    assert_eq!(still, kept, "{place}");
    assert!(before.ids().iter().all(|id| kept.contains(id) || !ids.contains(id)), "{place}");
}

pub fn empty_thread() -> Thread<Json> {
    Thread::new(None, &json!({}).into()).unwrap()
}

/// An update that adds messages.
pub fn adds(messages: &[Value]) -> Json {
    json!({ "messages": messages }).into()
}
