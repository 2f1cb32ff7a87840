//! The parts of an agent that is to be compiled.

use super::middleware::{HumanInTheLoop, Middleware};
use super::model::SharedModel;
use super::saver::Saver;
use super::structured::ResponseFormat;
use super::sub_agent::SubAgent;
use super::tool::Tool;

#[derive(Debug)]
pub(super) struct Parts {
    pub model: SharedModel,
    pub tools: Vec<Tool>,
    pub middleware: Vec<Middleware>,
    pub system_prompt: Option<String>,
    pub format: Option<ResponseFormat>,
    pub sub_agents: Vec<SubAgent>,
    pub approval: Option<HumanInTheLoop>,
    /// Whether it has deepagents' middlewares.
    pub is_deep: bool,
    pub saver: Saver,
}

impl Parts {
    pub fn new(model: SharedModel) -> Self {
        Self {
            model,
            tools: Vec::new(),
            middleware: Vec::new(),
            system_prompt: None,
            format: None,
            sub_agents: Vec::new(),
            approval: None,
            is_deep: false,
            saver: Saver::default(),
        }
    }
}
