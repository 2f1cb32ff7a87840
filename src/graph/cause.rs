//! The cause of a failed run.

use std::error::Error;

use super::caught::{Panicked, caught, caught_text};
use super::error::GraphError;

impl GraphError {
    /// Returns the error of the innermost graph: a node may run a graph, which fails.
    pub(crate) fn innermost(&self) -> &Self {
        let mut own = self;
        while let Self::Node { error, .. } = own
            && let Some(inner) = error.downcast_ref::<Self>()
        {
            own = inner;
        }
        own
    }

    /// Whether a node, a branch or a reducer has panicked.
    pub(crate) fn has_panicked(&self) -> bool {
        match self {
            Self::Node { error, .. } => error.is::<Panicked>(),
            Self::Merge { error, .. } => error.source().is_some_and(<dyn Error>::is::<Panicked>),
            _ => false,
        }
    }

    /// Returns the cause: of the innermost graph, its node's own error or its reducer's reason.
    pub(crate) fn cause_text(&self) -> String {
        match self.innermost() {
            Self::Node { error, .. } => caught_text(&**error),
            merge @ Self::Merge { error, .. } => {
                let mut text = merge.to_string();
                let mut reason: Option<&(dyn Error + 'static)> = Some(error);
                while let Some(own) = reason {
                    text = [text, caught_text(own)].join(": ");
                    reason = caught(|| own.source()).ok().flatten();
                }
                text
            }
            other => other.to_string(),
        }
    }
}
