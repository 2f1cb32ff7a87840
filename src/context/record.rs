//! The record of a compaction: all that is stored about a context besides the full track.

use crate::value::{Found, Kind, Scalar, Value};

use super::call_fields::{fields, id_of, is_kind, with_fields};

/// A summary that replaces the older messages for a model: deepagents' `_summarization_event`,
/// field for field, plus two ids. The ids stay right when messages in front are removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Record<V> {
    /// How many messages of the full track are not sent any more.
    pub cutoff_index: usize,
    /// The id of the first message that is sent. It counts before the index.
    pub cutoff_id: Option<String>,
    /// The id of the last message that the summary replaces. If the first message after the cut is
    /// gone, those after this one are sent.
    pub summarized_id: Option<String>,
    /// The message sent in their place.
    pub summary_message: Option<V>,
    /// Where the older messages are kept as a file, if anywhere.
    pub file_path: Option<String>,
    /// How many messages there were when the summary was made.
    pub created_at_index: Option<usize>,
    /// The message before which tool results are cleared and arguments truncated.
    pub edited_before: Option<Boundary>,
    /// The id of the message in front of that one: where that one is gone, edits apply up to and
    /// with this one.
    pub edited_id: Option<String>,
}

/// A message, by its id or, if it has none, its position. As the message before which a context is
/// edited, store it and move it only when something is due. Then the start of the context stays the
/// same, and a provider's prompt cache holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Boundary {
    /// Its id; no message if none has it.
    Id(String),
    /// Its position in the full track.
    Index(usize),
}

impl Boundary {
    pub(super) fn position<V: Value>(&self, messages: &V) -> usize {
        match self {
            Self::Index(index) => (*index).min(messages.len()),
            Self::Id(id) => {
                let mut ids = messages.items().map(|message| id_of(&*message));
                ids.position(|own| own.as_deref() == Some(id)).unwrap_or(0)
            }
        }
    }
}

impl<V: Value> Record<V> {
    /// Reads a state's `_summarization_event`; `None` for anything but a valid record.
    ///
    /// ```
    /// use serde_json::json;
    /// use threadfold::context::Record;
    ///
    /// let event = json!({ "cutoff_index": 3, "summary_message": { "type": "human", "content": "Before." } });
    /// let record = Record::read(&event).unwrap();
    /// assert_eq!(record.cutoff_index, 3);
    /// assert_eq!(Record::read(&record.write()), Some(record));
    /// ```
    #[must_use]
    pub fn read(event: &V) -> Option<Self> {
        let summary = event.get_owned("summary_message")?;
        Some(Self {
            cutoff_index: index_in(event, "cutoff_index")?,
            cutoff_id: event.text_of("cutoff_id"),
            summarized_id: event.text_of("summarized_id"),
            summary_message: (!summary.is_null()).then_some(summary),
            file_path: event.text_of("file_path"),
            created_at_index: index_in(event, "created_at_index"),
            edited_before: match event.text_of("edited_before") {
                Some(id) => Some(Boundary::Id(id)),
                None => index_in(event, "edited_before").map(Boundary::Index),
            },
            edited_id: event.text_of("edited_id"),
        })
    }

    /// Writes it as a state has it.
    #[must_use]
    pub fn write(&self) -> V {
        let number = |index: usize| V::parse_json(&index.to_string()).unwrap_or_else(V::null);
        let text = |text: &Option<String>| text.as_deref().map_or_else(V::null, V::string);
        let mut event = V::object()
            .with("cutoff_index", number(self.cutoff_index))
            .with("summary_message", self.summary_message.clone().unwrap_or_else(V::null))
            .with("file_path", text(&self.file_path));
        if let Some(made) = self.created_at_index {
            event = event.with("created_at_index", number(made));
        }
        let ids = [("cutoff_id", &self.cutoff_id), ("summarized_id", &self.summarized_id)];
        for (key, id) in ids {
            if let Some(id) = id {
                event = event.with(key, V::string(id));
            }
        }
        event = match &self.edited_before {
            Some(Boundary::Id(id)) => event.with("edited_before", V::string(id)),
            Some(Boundary::Index(index)) => event.with("edited_before", number(*index)),
            None => event,
        };
        match &self.edited_id {
            Some(id) => event.with("edited_id", V::string(id)),
            None => event,
        }
    }

    /// Returns the summary, without the words around it.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        let content = fields(self.summary_message.as_ref()?).text_of("content")?;
        let intro = [INTRO, HISTORY].into_iter().find_map(|intro| content.strip_prefix(intro));
        let framed = || {
            let inner = content.strip_prefix(FRAME)?.split_once("<summary>\n")?.1;
            inner.strip_suffix("\n</summary>")
        };
        Some(intro.or_else(framed).unwrap_or(&content).to_owned())
    }

    /// The position of the first message that is sent. `None` if the messages on both sides of the
    /// cut are gone, as when a conversation is rewound to before it. Then the record is about
    /// another list, and nothing may be left out.
    pub(super) fn cutoff(&self, messages: &V) -> Option<usize> {
        // One that leaves nothing out is about any list.
        if self.cutoff_index == 0 {
            return Some(0);
        }
        if self.cutoff_id.is_none() && self.summarized_id.is_none() {
            return Some(self.cutoff_index.min(messages.len()));
        }
        between(messages, self.cutoff_id.as_deref(), self.summarized_id.as_deref())
    }

    /// The position of the message before which messages are edited; 0 if both that and the one in
    /// front of it are gone.
    pub(super) fn boundary(&self, messages: &V) -> usize {
        let first = match &self.edited_before {
            Some(Boundary::Id(id)) => Some(id.as_str()),
            Some(Boundary::Index(index)) if self.edited_id.is_none() => {
                return (*index).min(messages.len());
            }
            _ => None,
        };
        between(messages, first, self.edited_id.as_deref()).unwrap_or(0)
    }
}

impl<V: Value> Record<V> {
    /// Returns whether it is the same record: its summary the same message.
    pub(super) fn same(&self, other: &Self) -> bool {
        let summaries = (&self.summary_message, &other.summary_message);
        let is_same_summary = match summaries {
            (Some(own), Some(other)) => own.same(other),
            (own, other) => own.is_none() && other.is_none(),
        };
        is_same_summary
            && self.cutoff_index == other.cutoff_index
            && self.created_at_index == other.created_at_index
            && self.edited_before == other.edited_before
            && [
                (&self.cutoff_id, &other.cutoff_id),
                (&self.summarized_id, &other.summarized_id),
                (&self.file_path, &other.file_path),
                (&self.edited_id, &other.edited_id),
            ]
            .iter()
            .all(|(own, other)| own == other)
    }

    /// How many messages from the start on determine its cuts and edits, with the positions that it
    /// now has. Its messages may still come: no list is that long yet.
    pub(super) fn settled(&self, messages: &V, cutoff: usize, edge: usize) -> usize {
        let known = |at: usize, first: Option<&str>, last: Option<&str>, index: usize| {
            let id_at = |at: usize| messages.at(at).and_then(|message| id_of(&*message));
            match (first, last) {
                (Some(first), _) if id_at(at).as_deref() == Some(first) => at + 1,
                (None, Some(last))
                    if at.checked_sub(1).and_then(id_at).as_deref() == Some(last) =>
                {
                    at
                }
                (None, None) if index <= messages.len() => index,
                _ => usize::MAX,
            }
        };
        let cut = match self.cutoff_index {
            0 => 0,
            index => known(cutoff, self.cutoff_id.as_deref(), self.summarized_id.as_deref(), index),
        };
        let (first, index) = match &self.edited_before {
            Some(Boundary::Id(id)) => (Some(id.as_str()), 0),
            Some(Boundary::Index(index)) => (None, *index),
            None => (None, 0),
        };
        let edited = known(edge, first, self.edited_id.as_deref(), index);
        let made = known(0, None, None, self.created_at_index.unwrap_or(0));
        cut.max(edited).max(made)
    }
}

const INTRO: &str = "Here is a summary of the conversation to date:\n\n";
const HISTORY: &str = "[对话历史摘要]\n";
const FRAME: &str = "You are in the middle of a conversation that has been summarized.\n\n";

/// Makes the message of a summary, as `LangChain`'s middleware and deepagents do.
#[must_use]
pub fn summary_message<V: Value>(summary: &str, file_path: Option<&str>) -> V {
    let content = match file_path {
        None => [INTRO, summary].concat(),
        Some(path) => format!(
            "{FRAME}The full conversation history has been saved to {path} should you need to refer \
             back to it for details.\n\nA condensed summary follows:\n\n<summary>\n{summary}\n</summary>"
        ),
    };
    let source = V::object().with("lc_source", V::string("summarization"));
    V::object()
        .with("type", V::string("human"))
        .with("content", V::string(&content))
        .with("additional_kwargs", source)
}

/// Whether a message of a list is the summary made for that place.
pub(super) fn is_summary<V: Value>(message: &V) -> bool {
    let own = fields(message);
    let source = own.get("additional_kwargs").and_then(|more| more.text_of("lc_source"));
    source.as_deref() == Some("summarization")
        || own.text_of("content").is_some_and(|content| content.starts_with(HISTORY))
}

/// The position of the message with the id `first`; if it is gone, the one after the message with
/// the id `last`.
fn between<V: Value>(messages: &V, first: Option<&str>, last: Option<&str>) -> Option<usize> {
    let place = |id: &str| messages.items().position(|one| id_of(&*one).as_deref() == Some(id));
    first.and_then(place).or_else(|| last.and_then(place).map(|last| last + 1))
}

fn index_in<V: Value>(event: &V, key: &str) -> Option<usize> {
    match event.get(key)?.scalar()? {
        Scalar::Integer(index) => usize::try_from(index).ok(),
        _ => None,
    }
}

/// Returns a message without the blocks of reasoning that are bound to the history before it, by
/// deepagents' rules. A model refuses such blocks after another history.
pub(super) fn without_reasoning<V: Value>(message: &V) -> V {
    let own = fields(message);
    let content = own.get("content").map(Found::into_owned);
    let Some(content) = content.filter(|content| content.kind() == Kind::Array) else {
        return message.clone();
    };
    if !is_kind(message, "ai") {
        return message.clone();
    }
    let about = own.get_owned("response_metadata").unwrap_or_else(V::null);
    let provider = about.get("model_provider").filter(|provider| !provider.is_null());
    let name = about.text_of("model_name").unwrap_or_default().to_lowercase();
    let is_claude = match provider.as_ref().and_then(|provider| provider.text()).as_deref() {
        Some("anthropic") => true,
        Some("bedrock" | "bedrock_converse") => {
            name.contains("claude") || name.contains("anthropic")
        }
        _ => false,
    };
    if provider.is_some() && !is_claude {
        return message.clone();
    }
    let is_bound = |block: &V| match block.text_of("type").as_deref() {
        Some("thinking" | "redacted_thinking" | "reasoning_content") => true,
        Some("reasoning") => is_claude,
        _ => false,
    };
    let rest: Vec<V> =
        content.items().filter(|block| !is_bound(block)).map(Found::into_owned).collect();
    if rest.len() == content.len() {
        return message.clone();
    }
    with_fields(message.clone(), |own| own.with("content", V::array(rest)))
}
