//! The states that a graph can run on.

use crate::State;

/// A [`State`] that a graph can run on: threads may share it, and its updates can be copied.
///
/// A graph keeps the updates of a step until all its nodes have ended, and a checkpoint has them, too.
/// So the update derives `Clone`: `#[state(derive(Clone))]`. Do not implement this trait: every such
/// state has it.
///
/// ```
/// use threadfold::State;
/// use threadfold::graph::StateGraph;
///
/// #[derive(Clone, State)]
/// #[state(derive(Clone))]
/// struct Chat {
///     title: String,
/// }
///
/// let graph = StateGraph::<Chat>::new();
/// ```
///
/// ```compile_fail,E0277
/// # use threadfold::State;
/// # use threadfold::graph::StateGraph;
/// #[derive(Clone, State)]
/// struct Chat {
///     title: String,
/// }
///
/// let graph = StateGraph::<Chat>::new(); // says: add `#[state(derive(Clone))]` to `Chat`
/// ```
#[diagnostic::on_unimplemented(
    message = "a graph cannot run on `{Self}`",
    label = "expected a state whose updates can be copied",
    note = "a graph keeps updates until a step ends: add `#[state(derive(Clone))]` to `{Self}`",
    note = "`{Self}` and its update are also `Send`, `Sync` and `'static`"
)]
pub trait GraphState: State<Update: Clone + Send + Sync + 'static> + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<S> GraphState for S
where
    S: State + Send + Sync + 'static,
    S::Update: Clone + Send + Sync + 'static,
{
}
