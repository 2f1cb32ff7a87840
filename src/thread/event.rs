//! The server's events, as a thread takes them.

/// One server event, adapted from any protocol.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ThreadEvent<V> {
    /// A run begins and sends the pending updates.
    RunStarted {
        /// The run's id, if it has one.
        id: Option<V>,
        /// Whether this start rejoins the last run: the thread then goes back to where that run
        /// began. By default it does if the id is the last run's and that has not ended. Unless
        /// this is false, an open run that began without an id takes this id.
        joined: Option<bool>,
    },
    /// The run has finished; the updates it sent are done.
    RunFinished {
        /// The interrupts that the run waits for. With any, it is interrupted.
        interrupts: Option<V>,
        /// Whether the user stopped it: the server may lack some of its messages.
        stopped: bool,
        /// Whether the run's updates have what it was sent: nothing of that is folded again.
        folded: bool,
    },
    /// The run has failed; sent updates that the server does not have are marked failed.
    RunError {
        /// The server's error.
        error: V,
    },
    /// The connection broke. The run may continue on the server, and you can rejoin it.
    Disconnected {
        /// Why it broke.
        error: Option<V>,
    },
    /// A whole message as it is now, used unchanged.
    Message {
        /// The message, with an id.
        message: V,
        /// Inserts a new message after the message with this id and its tool results; last without
        /// it.
        after: Option<V>,
        /// Whether the message is incomplete.
        streaming: bool,
    },
    /// Text to append to a message's content.
    Text {
        /// The message's id.
        id: V,
        /// The text.
        text: V,
    },
    /// A streamed message is complete.
    MessageFinished {
        /// The message's id.
        id: V,
    },
    /// All messages as the server has them, to be reconciled.
    Messages {
        /// The messages.
        messages: V,
        /// A list of roles: their messages stay even if the snapshot lacks them.
        client_roles: Option<V>,
        /// Whether the snapshot is partial: messages that it lacks stay.
        partial: bool,
    },
    /// A node's partial update, folded with the fields' reducers.
    Update {
        /// The update.
        update: V,
    },
    /// The whole state including messages, to be reconciled.
    Values {
        /// The state.
        values: V,
        /// Whether it is partial: messages that it lacks stay.
        partial: bool,
    },
    /// The whole state without messages.
    State {
        /// The fields.
        values: V,
        /// A list of the fields that you changed, if you set the state yourself. The server has
        /// none of them: see "Said" of the contract.
        own: Option<V>,
    },
    /// A JSON Patch of the state without messages, which have their own events.
    Delta {
        /// Its operations.
        operations: V,
    },
}

impl<V> ThreadEvent<V> {
    /// The end of a run that waits for nothing.
    #[must_use]
    pub fn run_finished() -> Self {
        Self::RunFinished { interrupts: None, stopped: false, folded: false }
    }
}
