//! Summarizes a conversation that grows too long for the model.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::looks::{Look, Looks};
use super::{Hook, Middleware, Next};
use crate::agent::model::{Model, ModelRequest, SharedModel};
use crate::agent::state::{AgentState, AgentUpdate};
use crate::context::{
    ClearOptions, Context, CountTokens, Due, Estimated, Policy, Record, Size, TruncateOptions, View,
};
use crate::graph::{BoxError, Ctx};
use crate::typed::{Message, MessageList};
use crate::value::{Found as _, Json, Value as _};

/// The field of the state with the record: deepagents' name.
const RECORD: &str = "_summarization_event";

const PROMPT: &str = "Summarize the conversation below for the assistant that goes on with it and no longer \
                      sees it. Keep what the user wants, what was decided and why, facts, names, numbers and \
                      paths, what is done and what is still open. Leave out pleasantries. Answer with the \
                      summary only.";

/// Summarizes a conversation that grows too long for the model, by a [`Context`]. The messages of
/// the state stay complete: each request is made of them and a small record in the state.
///
/// By default all but the last six messages are summarized once there are 170,000 tokens, as in
/// deepagents.
///
/// ```
/// use threadfold::Message;
/// use threadfold::agent::{ModelRequest, Summarization, create_agent};
/// use threadfold::context::{Policy, Size};
/// use threadfold::graph::MemorySaver;
///
/// async fn model(request: ModelRequest) -> Result<Message, std::io::Error> {
///     Ok(Message::assistant(format!("I see {} messages.", request.messages.len())))
/// }
///
/// # async fn run() -> Result<(), threadfold::graph::BoxError> {
/// let summary = Summarization::new(|_| async { Ok::<_, std::io::Error>(Message::assistant("They met.")) });
/// let policy = Policy { trigger: vec![Size::messages(5)], keep: Some(Size::messages(2)), ..Policy::default() };
/// let agent = create_agent(model).middleware(summary.policy(policy)).checkpointer(MemorySaver::new()).compile()?;
/// let thread = agent.on("1");
/// for text in ["One?", "Two?"] {
///     thread.invoke(text.into()).await?;
/// }
/// let state = thread.invoke("Three?".into()).await?.state;
/// assert_eq!(state.messages.len(), 6);
/// let last = state.messages.last().map(|last| last.text().into_owned());
/// assert_eq!(last.as_deref(), Some("I see 3 messages.")); // the summary, and the last two
/// # Ok(())
/// # }
/// # let mut run = Box::pin(run());
/// # let waker = std::task::Waker::noop();
/// # assert!(matches!(run.as_mut().poll(&mut std::task::Context::from_waker(waker)), std::task::Poll::Ready(Ok(()))));
/// ```
#[derive(Clone)]
pub struct Summarization {
    model: SharedModel,
    prompt: String,
    policy: Policy,
    counter: Arc<dyn CountTokens<Json>>,
    clear: Option<ClearOptions<'static>>,
    truncate: Option<TruncateOptions<'static>>,
}

impl fmt::Debug for Summarization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summarization").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl Summarization {
    /// Makes one whose summaries this model writes.
    pub fn new(model: impl Model + 'static) -> Self {
        Self::by(SharedModel::new(model))
    }

    pub(in crate::agent) fn by(model: SharedModel) -> Self {
        let (trigger, keep) = (vec![Size::tokens(170_000.0)], Some(Size::messages(6)));
        Self {
            model,
            prompt: PROMPT.to_owned(),
            policy: Policy { trigger, keep, ..Policy::default() },
            counter: Arc::new(Estimated),
            clear: None,
            truncate: None,
        }
    }

    /// Sets when to summarize, and how much to keep. An invalid policy fails the run.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets how messages are counted; by default they are [`Estimated`].
    #[must_use]
    pub fn counter(mut self, counter: impl CountTokens<Json> + 'static) -> Self {
        self.counter = Arc::new(counter);
        self
    }

    /// Sets the instructions to the model that summarizes, which come before the conversation.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// Clears old tool results before anything is summarized.
    #[must_use]
    pub fn clear(mut self, options: ClearOptions<'static>) -> Self {
        self.clear = Some(options);
        self
    }

    /// Truncates long arguments of old calls before anything is summarized.
    #[must_use]
    pub fn truncate(mut self, options: TruncateOptions<'static>) -> Self {
        self.truncate = Some(options);
        self
    }

    /// Looks at a conversation: the messages for the model, and the compaction due.
    fn view(&self, look: &mut Look) -> Result<View<Json>, BoxError> {
        let mut context = Context::new(self.policy.clone(), &*self.counter);
        (context.clear, context.truncate) = (self.clear, self.truncate);
        look.view(&context)
    }

    /// Records the compaction that is due before the model is called.
    async fn compacted(
        &self,
        looks: &Looks,
        state: AgentState,
        ctx: Ctx,
    ) -> Result<AgentUpdate, BoxError> {
        let mut look = looks.of(&state.messages, state.fields.get(RECORD))?;
        let due = self.view(&mut look)?.due;
        let before = look.record().and_then(Record::summary);
        looks.keep(look);
        let Some(due) = due else { return Ok(AgentUpdate::default()) };
        let summary = if due.messages.is_empty() {
            None
        } else {
            Some(self.summarized(&due, before, state, ctx).await?)
        };
        let record = due.record(summary.as_deref(), None);
        Ok(AgentUpdate::default().with_field(RECORD, Value::try_from(record.write())?))
    }

    /// Asks the model for a summary.
    async fn summarized(
        &self,
        due: &Due<Json>,
        before: Option<String>,
        state: AgentState,
        ctx: Ctx,
    ) -> Result<String, BoxError> {
        let before = before.map(|summary| format!("Summary so far:\n{summary}"));
        let lines = due.messages.items().map(|message| line_of(&message.into_owned()));
        let text = before.into_iter().chain(lines).collect::<Vec<_>>().join("\n");
        let asked = format!("{}\n\n<messages>\n{text}\n</messages>", self.prompt);
        let request = ModelRequest {
            system_prompt: None,
            messages: MessageList::new(vec![Message::user(asked)])?,
            tools: Arc::default(),
            response_format: None,
            state,
            ctx,
            model: self.model.clone(),
        };
        Ok(self.model.clone().answer(request).await?.text().trim().to_owned())
    }

    /// Sends the model the conversation as the record has it.
    async fn sent(
        &self,
        looks: &Looks,
        mut request: ModelRequest,
        next: Next<ModelRequest, Message>,
    ) -> Result<Message, BoxError> {
        let mut look = looks.of(&request.messages, request.state.fields.get(RECORD))?;
        let view = self.view(&mut look)?;
        if let Some(sent) = look.typed(&view.messages)? {
            request.messages = sent;
        }
        drop(view);
        looks.keep(look);
        next.call(request).await
    }
}

impl From<Summarization> for Middleware {
    fn from(given: Summarization) -> Self {
        let given = Arc::new((given, Looks::default()));
        let own = Arc::clone(&given);
        let compact = move |state: AgentState, ctx: Ctx| {
            let given = Arc::clone(&given);
            async move { given.0.compacted(&given.1, state, ctx).await }
        };
        Self::new("SummarizationMiddleware").before_model(Hook::new(compact)).wrap_model(
            move |request: ModelRequest, next| {
                let own = Arc::clone(&own);
                async move { own.0.sent(&own.1, request, next).await }
            },
        )
    }
}

/// A message as the model that summarizes reads it.
fn line_of(message: &Json) -> String {
    let kind = message["type"].as_str().or(message["role"].as_str()).unwrap_or_default();
    let content = &message["content"];
    let text = match content.as_str() {
        Some(text) => text.to_owned(),
        None => content.iter().filter_map(|block| block["text"].as_str()).collect(),
    };
    let calls = message["tool_calls"].iter();
    let calls = calls.map(|call| {
        format!("[calls {}({})]", call["name"].as_str().unwrap_or_default(), call["args"])
    });
    let parts = std::iter::once(text).chain(calls).filter(|part| !part.is_empty());
    format!("{kind}: {}", parts.collect::<Vec<_>>().join(" "))
}
