//! The nodes of an agent's graph.

use std::fmt;
use std::sync::Arc;

use super::beside::note_files;
use super::call::Shared;
use super::middleware::Hook;
use super::model::{ModelRequest, SharedModel};
use super::saver::Saver;
use super::state::{AgentState, AgentUpdate};
use super::structured::ResponseFormat;
use super::tool::{Tool, ToolOutput, ToolRequest};
use super::turn::{Turn, answer, with_own_ids};
use crate::graph::{BoxError, Command, Ctx, Node};
use crate::typed::Message;
use crate::value::{Bulk as _, Kind, Value as _};

/// The node `model`: asks the model, through the middlewares.
pub(super) struct ModelStep {
    pub ask: Shared<ModelRequest, Message>,
    pub model: SharedModel,
    pub system_prompt: Option<String>,
    pub format: Option<ResponseFormat>,
    pub tools: Arc<[Tool]>,
}

impl Node<AgentState> for ModelStep {
    async fn run(&self, state: &AgentState, ctx: Ctx) -> Result<Command<AgentState>, BoxError> {
        let request = ModelRequest {
            system_prompt: self.system_prompt.clone(),
            messages: state.messages.clone(),
            tools: self.tools.clone(),
            response_format: self.format.clone(),
            state: state.clone(),
            ctx,
            model: self.model.clone(),
        };
        let message = with_own_ids(self.ask.call(request).await?);
        let update = match &self.format {
            Some(format) => format.update(message),
            None => message.into(),
        };
        Ok(Command::update(update.of_node()))
    }
}

/// The node `tools`: runs the call that it is sent. Sent none, it runs the open ones of the last message.
pub(super) struct ToolStep {
    pub run: Shared<ToolRequest, ToolOutput>,
    pub tools: Arc<[Tool]>,
    pub saver: Saver,
}

impl Node<AgentState> for ToolStep {
    async fn run(&self, state: &AgentState, ctx: Ctx) -> Result<Command<AgentState>, BoxError> {
        let calls = if let Some(call) = &state.call {
            vec![call]
        } else {
            let turn = Turn::last(&state.messages);
            turn.message.ok_or(NoModelMessage)?;
            turn.open_calls()
        };
        let seen = AgentState { call: None, ..state.clone() };
        let mut all = AgentUpdate::default().of_node();
        for call in calls {
            let (tools, state) = (self.tools.clone(), seen.clone());
            let request =
                ToolRequest::new(call.clone(), tools, state, ctx.clone(), self.saver.clone());
            let more = match self.run.call(request).await? {
                ToolOutput::Update(update) => update,
                ToolOutput::Message(message) => message.into(),
                ToolOutput::Content(content) => {
                    answer(call, content, false).with_name(&call.name).into()
                }
            };
            note_files(&ctx, call, more.files.as_ref());
            all = both(all, more);
        }
        Ok(Command::update(all))
    }
}

/// The tools have nothing to run: there is no message of the model yet.
#[derive(Debug)]
struct NoModelMessage;

impl fmt::Display for NoModelMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("No AIMessage found in input")
    }
}

impl std::error::Error for NoModelMessage {}

/// Puts two updates of one node together.
fn both(mut all: AgentUpdate, more: AgentUpdate) -> AgentUpdate {
    if let Some(messages) = more.messages {
        all.messages.get_or_insert_default().extend(messages);
    }
    if let Some(mut fields) = more.fields {
        all.fields.get_or_insert_default().append(&mut fields);
    }
    all.todos = more.todos.or(all.todos);
    all.structured_response = more.structured_response.or(all.structured_response);
    all.files = match (all.files, more.files) {
        (Some(files), Some(more)) if files.kind() == Kind::Object => {
            Some(files.overlay(&more, false))
        }
        (files, more) => more.or(files),
    };
    all
}

/// A hook of a middleware.
pub(super) struct HookStep(pub Hook);

impl Node<AgentState> for HookStep {
    async fn run(&self, state: &AgentState, ctx: Ctx) -> Result<Command<AgentState>, BoxError> {
        let update = self.0.run.call((state.clone(), ctx)).await?;
        Ok(Command::update(update.of_node()))
    }
}
