//! What a server says, in the words of a thread.

/// One server event, adapted from whatever protocol it came in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<V> {
    /// A run begins, and takes along what is pending.
    RunStarted {
        /// The run's id, if it has one.
        id: Option<V>,
        /// Whether this is the last run joined again from its start: then the thread goes back to
        /// where that began. Unsaid, it is if it has the id of the last run and that has not ended.
        /// Unless this is false, a run that began without an id and has not ended takes the id.
        joined: Option<bool>,
    },
    /// The run has ended well; whatever it took along is over.
    RunFinished,
    /// The run has failed; what it took along and the server does not have is marked failed.
    RunFailed {
        /// What the server said.
        error: V,
    },
    /// A whole message as it is now, used as it is given.
    Message {
        /// The message, with an id.
        message: V,
        /// A new one is placed behind the message of this id and its tool results; else last.
        after: Option<V>,
        /// Whether more of it is to come.
        streaming: bool,
    },
    /// Text for the end of a message's content.
    Text {
        /// The message's id.
        id: V,
        /// The text.
        text: V,
    },
    /// A streamed message is whole.
    MessageFinished {
        /// The message's id.
        id: V,
    },
    /// All messages as the server has them: reconciled.
    Messages {
        /// The messages.
        messages: V,
        /// A list of the roles whose messages stay when the snapshot lacks them.
        client_roles: Option<V>,
        /// Whether the snapshot says nothing about messages that it lacks: they stay.
        partial: bool,
    },
    /// A node's partial update, folded by the fields' reducers.
    Update {
        /// The update.
        update: V,
    },
    /// The whole state, messages among it: reconciled.
    Values {
        /// The state.
        values: V,
        /// Whether it says nothing about messages that it lacks: they stay.
        partial: bool,
    },
    /// The whole state but for the messages.
    State {
        /// The fields.
        values: V,
    },
    /// A JSON Patch of the state but for the messages, which have events of their own.
    Delta {
        /// Its operations.
        operations: V,
    },
}
