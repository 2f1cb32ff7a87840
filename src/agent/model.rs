//! Models, and the requests to them.

use std::fmt;
use std::sync::Arc;

use super::call::Shared;
use super::state::AgentState;
use super::structured::ResponseFormat;
use super::tool::Tool;
use crate::graph::sendable::{MaybeSend, MaybeSync};
use crate::graph::{BoxError, Ctx};
use crate::typed::{Message, MessageList};

/// A request to a model, on its way through the middlewares.
#[derive(Clone)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The first instructions, which are not among the messages.
    pub system_prompt: Option<String>,
    /// The conversation.
    pub messages: MessageList<Message>,
    /// The tools that the model may call.
    pub tools: Arc<[Tool]>,
    /// The form of the agent's answer, if it has one.
    pub response_format: Option<ResponseFormat>,
    /// The state at the start of the step.
    pub state: AgentState,
    /// The context of the node `model`.
    pub ctx: Ctx,
    /// The model that answers.
    pub model: SharedModel,
}

impl fmt::Debug for ModelRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelRequest").field("messages", &self.messages).finish_non_exhaustive()
    }
}

impl ModelRequest {
    /// Returns this request with more text in its system prompt.
    #[must_use]
    pub fn with_instructions(mut self, more: &str) -> Self {
        self.system_prompt = Some(match self.system_prompt {
            Some(prompt) => [&*prompt, "\n\n", more].concat(),
            None => more.to_owned(),
        });
        self
    }
}

/// A chat model: it answers a request with a message, which may call tools.
///
/// An `async fn(ModelRequest) -> Result<Message, E>` is one, too.
pub trait Model: MaybeSend + MaybeSync {
    /// The reason why it fails.
    type Error: Into<BoxError>;

    /// Answers a request.
    ///
    /// # Errors
    /// Its own.
    fn answer(
        &self,
        request: ModelRequest,
    ) -> impl Future<Output = Result<Message, Self::Error>> + MaybeSend;
}

impl<F, Running, E> Model for F
where
    F: Fn(ModelRequest) -> Running + MaybeSend + MaybeSync,
    Running: Future<Output = Result<Message, E>> + MaybeSend,
    E: Into<BoxError>,
{
    type Error = E;

    fn answer(
        &self,
        request: ModelRequest,
    ) -> impl Future<Output = Result<Message, E>> + MaybeSend {
        self(request)
    }
}

/// A model of any type.
#[derive(Clone)]
pub struct SharedModel(Shared<ModelRequest, Message>);

impl fmt::Debug for SharedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedModel").finish_non_exhaustive()
    }
}

impl SharedModel {
    /// Shares a model.
    pub fn new(model: impl Model + 'static) -> Self {
        let model = Arc::new(model);
        Self(Arc::new(move |request: ModelRequest| {
            let model = Arc::clone(&model);
            async move { model.answer(request).await.map_err(Into::into) }
        }))
    }

    /// Answers a request.
    pub(super) async fn answer(self, request: ModelRequest) -> Result<Message, BoxError> {
        self.0.call(request).await
    }
}
