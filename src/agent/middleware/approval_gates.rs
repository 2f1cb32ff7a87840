//! The calls that wait for a person's yes, and their description.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::agent::approval::Decision;
use crate::typed::ToolCall;

/// The tools whose calls need a yes.
#[derive(Debug, Clone, Default)]
pub(super) struct Gates(HashMap<String, Asked>);

/// The decisions that the calls of a tool allow.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub decisions: Vec<Decision>,
    description: Option<String>,
}

impl Gates {
    pub fn add(&mut self, tool: &str, decisions: Vec<Decision>) {
        self.0.insert(tool.to_owned(), Asked { decisions, description: None });
    }

    pub fn describe(&mut self, tool: &str, description: String) {
        if let Some(asked) = self.0.get_mut(tool) {
            asked.description = Some(description);
        }
    }

    /// Returns the gate of a tool, if its calls need a yes.
    pub fn get(&self, tool: &str) -> Option<&Asked> {
        self.0.get(tool)
    }
}

impl Asked {
    /// Describes a call to the person who decides.
    pub fn request(&self, call: &ToolCall) -> Value {
        let usual = || {
            let args = serde_json::to_string_pretty(&call.args).unwrap_or_default();
            format!("Tool execution requires approval\n\nTool: {}\nArgs: {args}", call.name)
        };
        let description = self.description.clone().unwrap_or_else(usual);
        json!({ "name": call.name, "args": call.args, "description": description })
    }
}
