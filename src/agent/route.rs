//! The next stop of an agent's loop.

/// Where a middleware wants to go instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// Asks the model again.
    Model,
    /// Runs the open calls.
    Tools,
    /// Ends the run.
    End,
}

/// A call of the model's last message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its id, as a number of the host's.
    pub id: u32,
    /// Whether it is the answer itself: a tool that is not run.
    pub is_answer: bool,
}

/// The next step of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The model is asked again.
    Model,
    /// The loop ends.
    End,
    /// All tools of the last message, as a middleware asked.
    Tools,
    /// These calls are run, by their positions.
    Calls(Vec<u32>),
}

/// The facts of a turn once the model has answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn<'a> {
    /// Where a middleware wants to go.
    pub jump: Option<Jump>,
    /// The calls of the last model message, if there is one.
    pub calls: Option<&'a [Call]>,
    /// The ids that the results after it answer.
    pub answered: &'a [u32],
    /// Whether the answer has the form that was asked for.
    pub is_structured: bool,
}

/// Decides where an agent goes after the model, as LangChain's does.
///
/// ```
/// use threadfold::unstable::agent::route::{after_model, Call, Next, Turn};
///
/// let calls = [Call { id: 1, is_answer: false }, Call { id: 2, is_answer: false }];
/// let turn = Turn { calls: Some(&calls), answered: &[1], ..Turn::default() };
/// assert_eq!(after_model(&turn), Next::Calls(vec![1]));
/// assert_eq!(after_model(&Turn::default()), Next::End);
/// ```
#[must_use]
pub fn after_model(turn: &Turn<'_>) -> Next {
    match turn.jump {
        Some(Jump::Model) => return Next::Model,
        Some(Jump::Tools) => return Next::Tools,
        Some(Jump::End) => return Next::End,
        None => {}
    }
    let calls = turn.calls.unwrap_or_default();
    let mut pending = Vec::new();
    for (at, call) in (0..).zip(calls) {
        if !call.is_answer && !turn.answered.contains(&call.id) {
            pending.push(at);
        }
    }
    if !pending.is_empty() {
        return Next::Calls(pending);
    }
    // Every call was answered without being run: the model must receive the answers.
    if calls.is_empty() || turn.is_structured { Next::End } else { Next::Model }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: Call = Call { id: 7, is_answer: true };
    const CALL: Call = Call { id: 8, is_answer: false };

    #[test]
    fn a_jump_goes_before_all_else() {
        let turn = Turn { jump: Some(Jump::End), calls: Some(&[CALL]), ..Turn::default() };
        assert_eq!(after_model(&turn), Next::End);
    }

    #[test]
    fn answered_calls_go_back_to_the_model() {
        let turn = Turn { calls: Some(&[CALL]), answered: &[8], ..Turn::default() };
        assert_eq!(after_model(&turn), Next::Model);
    }

    #[test]
    fn an_answer_is_not_run() {
        let turn = Turn { calls: Some(&[ANSWER, CALL]), is_structured: true, ..Turn::default() };
        assert_eq!(after_model(&turn), Next::Calls(vec![1]));
        let turn = Turn { calls: Some(&[ANSWER]), is_structured: true, ..Turn::default() };
        assert_eq!(after_model(&turn), Next::End);
        let turn = Turn { calls: Some(&[ANSWER]), ..Turn::default() };
        assert_eq!(after_model(&turn), Next::Model);
    }
}
