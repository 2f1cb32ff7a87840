//! The goto of a node, besides its update.

use std::fmt;

use crate::State;

/// Where a graph begins.
pub const START: &str = "__start__";
/// Where a branch ends.
pub const END: &str = "__end__";

/// Where to go.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Target<S> {
    /// A node, or [`END`]. However many go there in one step, it runs once.
    Node(String),
    /// A task of its own: the node runs on this state instead of the graph's.
    Send(String, S),
}

impl<S> From<&str> for Target<S> {
    fn from(node: &str) -> Self {
        Self::Node(node.to_owned())
    }
}

/// The result of a branch: a node's name, a [`Target`], or several.
pub trait IntoTargets<S> {
    /// Returns the targets, in order.
    #[doc(hidden)]
    fn into_targets(self) -> Vec<Target<S>>;
}

impl<S> IntoTargets<S> for &str {
    fn into_targets(self) -> Vec<Target<S>> {
        vec![self.into()]
    }
}

impl<S> IntoTargets<S> for String {
    fn into_targets(self) -> Vec<Target<S>> {
        vec![Target::Node(self)]
    }
}

impl<S> IntoTargets<S> for Target<S> {
    fn into_targets(self) -> Vec<Target<S>> {
        vec![self]
    }
}

impl<S, T: IntoTargets<S>> IntoTargets<S> for Vec<T> {
    fn into_targets(self) -> Vec<Target<S>> {
        self.into_iter().flat_map(T::into_targets).collect()
    }
}

impl<S, T: IntoTargets<S>, const N: usize> IntoTargets<S> for [T; N] {
    fn into_targets(self) -> Vec<Target<S>> {
        self.into_iter().flat_map(T::into_targets).collect()
    }
}

/// An update and where to go, in addition to the node's edges.
///
/// ```
/// use threadfold::State;
/// use threadfold::graph::Command;
///
/// #[derive(Debug, Clone, Default, State)]
/// #[state(derive(Debug, Clone))]
/// struct Count {
///     #[reducer(|sum, more| sum + more)]
///     n: u32,
/// }
///
/// let command = Command::<Count>::update(CountUpdate { n: Some(1) }).goto("again");
/// assert_eq!(command.goto.len(), 1);
/// ```
pub struct Command<S: State> {
    /// The node's part of the state.
    pub update: Option<S::Update>,
    /// Where to go.
    pub goto: Vec<Target<S>>,
}

impl<S: State> Command<S> {
    /// Makes a command without an update.
    #[must_use]
    pub fn new() -> Self {
        Self { update: None, goto: Vec::new() }
    }

    /// Makes a command of an update.
    #[must_use]
    pub fn update(update: S::Update) -> Self {
        Self { update: Some(update), goto: Vec::new() }
    }

    /// Adds where to go.
    #[must_use]
    pub fn goto(mut self, targets: impl IntoTargets<S>) -> Self {
        self.goto.extend(targets.into_targets());
        self
    }

    /// Adds a task of its own: the node runs on this state.
    #[must_use]
    pub fn send(self, node: &str, state: S) -> Self {
        self.goto(Target::Send(node.to_owned(), state))
    }
}

impl<S: State> Default for Command<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: State> Clone for Command<S>
where
    S::Update: Clone,
{
    fn clone(&self) -> Self {
        Self { update: self.update.clone(), goto: self.goto.clone() }
    }
}

impl<S: State + fmt::Debug> fmt::Debug for Command<S>
where
    S::Update: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command").field("update", &self.update).field("goto", &self.goto).finish()
    }
}
