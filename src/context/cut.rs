//! Where a conversation can be cut so that no tool result loses its call.
//!
//! A result belongs to the nearest message before it that calls its id. A cut `c` keeps the
//! messages from `c` on. It splits a call and its result if it is between them. It is safe if it
//! splits no two.

use crate::value::ByNumber;

/// No message, no call.
pub const NONE: u32 = u32::MAX;

/// The facts about a message that a decision needs. Ids of calls are small numbers.
#[derive(Debug, Clone, Copy)]
pub enum Row<'a> {
    /// A model's message.
    Ai {
        /// The ids of its calls.
        calls: &'a [u32],
        /// How many of them, from the first on, could be parsed.
        valid: u32,
    },
    /// A tool's result, and the id of the call it answers, if given.
    Tool(Option<u32>),
    /// Any other message.
    Other,
}

/// The safe cuts of a list of messages that grows at its end.
///
/// To cut anywhere, a list is walked from its end down a chain of cuts. Each message adds a cut
/// that points to the next lower one that is safe at that time. Nothing in the chain changes
/// afterwards, so taking messages off the end is free. Jump pointers make each walk O(log n).
#[derive(Debug, Clone)]
pub struct Track {
    messages: Vec<Message>,
    calls: Vec<Call>,
    /// For each id the last call of it.
    latest: ByNumber,
    /// For each cut from 0 to the number of messages.
    cuts: Vec<Cut>,
    /// The messages at which [`super::repair`] has something to do.
    faults: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    /// An AI message's first call; the call that a result belongs to.
    pub(super) call: u32,
    /// The AI message that is last but for results: this one, or one before it.
    last_ai: u32,
    /// How many calls of an AI message have no result, and how many of those could be parsed.
    open: u32,
    open_valid: u32,
    pub(super) role: Role,
    /// Whether it needs repair, as far as is known.
    faulty: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Ai,
    /// The first result of its call, in its place after it.
    InPlace,
    /// The first result of its call, elsewhere.
    Displaced,
    /// A result without a call, or a second one.
    Orphan,
    Other,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    id: u32,
    pub(super) ai: u32,
    /// Its position among the calls of its message, the invalid ones after the others.
    position: u32,
    valid: bool,
    result: u32,
    /// The call that had this id before.
    shadowed: u32,
}

#[derive(Debug, Clone, Copy)]
struct Cut {
    below: u32,
    /// Some lower cut further down.
    jump: u32,
    depth: u32,
}

impl Default for Track {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            calls: Vec::new(),
            latest: ByNumber::default(),
            cuts: vec![Cut { below: 0, jump: 0, depth: 0 }],
            faults: 0,
        }
    }
}

impl Track {
    /// Returns the number of messages.
    #[must_use]
    pub(super) fn len(&self) -> u32 {
        index(self.messages.len())
    }

    /// Adds a message at the end.
    pub fn push(&mut self, row: Row<'_>) {
        let at = self.len();
        let before = self.last_ai();
        match row {
            Row::Ai { calls, valid } => self.push_ai(at, calls, valid),
            Row::Tool(id) => self.push_result(at, before, id),
            Row::Other => self.push_message(Role::Other, NONE, NONE),
        }
        self.settle(before);
    }

    fn push_ai(&mut self, at: u32, calls: &[u32], valid: u32) {
        let first = index(self.calls.len());
        let mut open_valid = 0;
        for (position, id) in (0..).zip(calls) {
            let shadowed = self.latest.get(*id).unwrap_or(NONE);
            // Called twice in one message, an id is one call: it takes one result.
            if self.call(shadowed).is_some_and(|call| call.ai == at) {
                continue;
            }
            let valid = position < valid;
            open_valid += u32::from(valid);
            self.latest.insert(*id, index(self.calls.len()));
            self.calls.push(Call { id: *id, ai: at, position, valid, result: NONE, shadowed });
        }
        let open = index(self.calls.len()) - first;
        self.push_message(Role::Ai, first, at);
        if let Some(message) = self.messages.last_mut() {
            (message.open, message.open_valid) = (open, open_valid);
        }
        self.settle(at);
    }

    fn push_result(&mut self, at: u32, last_ai: u32, id: Option<u32>) {
        let number = id.and_then(|id| self.latest.get(id)).unwrap_or(NONE);
        let Some(call) = self.calls.get_mut(number as usize) else {
            self.push_message(Role::Orphan, NONE, last_ai);
            self.settle(at);
            return;
        };
        let (ai, first, valid) = (call.ai, call.result == NONE, call.valid);
        if first {
            call.result = at;
            self.opened(ai, valid, -1);
        }
        let role = match at.checked_sub(1).and_then(|before| self.message(before)) {
            _ if !first => Role::Orphan,
            Some(Message { role: Role::Ai, .. }) if ai + 1 == at => Role::InPlace,
            Some(Message { role: Role::InPlace, call, .. })
                if self.call(*call).is_some_and(|call| call.ai == ai) =>
            {
                Role::InPlace
            }
            _ => Role::Displaced,
        };
        self.push_message(role, number, last_ai);
        self.settle(at);
        self.settle(ai);
    }

    /// Adds the facts of a message, and the cut after it.
    fn push_message(&mut self, role: Role, call: u32, last_ai: u32) {
        let owner = if role == Role::Ai { None } else { self.call(call).map(|call| call.ai) };
        let at = self.len();
        let below = owner.map_or(at, |ai| self.lower(at, ai));
        self.push_cut(below);
        self.messages.push(Message { call, last_ai, open: 0, open_valid: 0, role, faulty: false });
    }

    fn push_cut(&mut self, below: u32) {
        let parent = self.node(below);
        let next = self.node(parent.jump);
        // The jumps of both are equally long: one over both is next.
        let even = parent.depth - next.depth == next.depth - self.node(next.jump).depth;
        let jump = if even { next.jump } else { below };
        self.cuts.push(Cut { below, jump, depth: parent.depth + 1 });
    }

    /// Keeps the first `length` messages.
    pub fn truncate(&mut self, length: u32) {
        while self.len() > length {
            self.pop();
        }
    }

    fn pop(&mut self) {
        let Some(message) = self.messages.pop() else { return };
        self.cuts.pop();
        self.faults -= u32::from(message.faulty);
        match message.role {
            Role::Ai => {
                while self.calls.len() > message.call as usize {
                    let Some(call) = self.calls.pop() else { break };
                    self.latest.insert(call.id, call.shadowed);
                }
            }
            Role::InPlace | Role::Displaced => {
                if let Some(call) = self.calls.get_mut(message.call as usize) {
                    call.result = NONE;
                    let (ai, valid) = (call.ai, call.valid);
                    self.opened(ai, valid, 1);
                    self.settle(ai);
                }
            }
            Role::Orphan | Role::Other => {}
        }
        self.settle(self.last_ai());
    }

    /// Returns the largest safe cut that keeps all messages from `target` on, and a call that waits
    /// for its result: 0 if it keeps all.
    #[must_use]
    pub fn cut(&self, target: u32) -> u32 {
        self.lower(self.len(), target.min(self.pending()))
    }

    /// Returns the smallest safe cut from `target` on that keeps a call that waits for its result.
    #[must_use]
    pub fn next_cut(&self, target: u32) -> Option<u32> {
        let mut at = self.lower(self.len(), self.pending());
        if at < target {
            return None;
        }
        while at > 0 {
            let cut = self.node(at);
            at = match (cut.jump, cut.below) {
                (jump, _) if jump >= target => jump,
                (_, below) if below >= target => below,
                _ => break,
            };
        }
        Some(at)
    }

    /// Returns all safe cuts, in descending order.
    pub fn cuts(&self) -> impl Iterator<Item = u32> + '_ {
        let below = |at: &u32| (*at > 0).then(|| self.node(*at).below);
        std::iter::successors(Some(self.len()), below)
    }

    /// Returns the position of an AI message with a call that waits for its result: nothing follows
    /// it but results. Returns the number of messages if there is none.
    #[must_use]
    pub fn pending(&self) -> u32 {
        let last = self.last_ai();
        if self.message(last).is_some_and(|ai| ai.open_valid > 0) { last } else { self.len() }
    }

    /// Whether the messages need no repair.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.faults == 0
    }

    /// The calls of an AI message without a result, by their positions in its row.
    pub(super) fn open_calls(&self, ai: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.message(ai).map_or(NONE, |message| message.call);
        let calls = self.calls.iter().skip(first as usize).take_while(move |call| call.ai == ai);
        calls.filter(|call| call.result == NONE).map(|call| call.position)
    }

    /// Returns the first safe cut at or below `limit` on the chain down from the cut `at`.
    fn lower(&self, mut at: u32, limit: u32) -> u32 {
        while at > limit {
            let cut = self.node(at);
            at = if cut.jump > limit { cut.jump } else { cut.below };
        }
        at
    }

    fn node(&self, cut: u32) -> Cut {
        self.cuts.get(cut as usize).copied().unwrap_or(Cut { below: 0, jump: 0, depth: 0 })
    }

    pub(super) fn messages(&self) -> &[Message] {
        &self.messages
    }

    fn message(&self, at: u32) -> Option<&Message> {
        self.messages.get(at as usize)
    }

    pub(super) fn is_result(&self, at: u32) -> bool {
        let role = self.message(at).map(|message| message.role);
        matches!(role, Some(Role::InPlace | Role::Displaced | Role::Orphan))
    }

    /// The nearest message before a result with a call of its id that could be parsed, unless it is
    /// this id.
    pub(super) fn caller(&self, result: u32, except: u32) -> Option<u32> {
        let mut call = self.call(self.message(result)?.call)?;
        while !call.valid {
            call = self.call(call.shadowed)?;
        }
        (call.id != except).then_some(call.ai)
    }

    pub(super) fn call(&self, number: u32) -> Option<&Call> {
        self.calls.get(number as usize)
    }

    /// The AI message that nothing but results follow.
    fn last_ai(&self) -> u32 {
        self.messages.last().map_or(NONE, |message| message.last_ai)
    }

    /// Counts a call of an AI message that has no result any more, or has one now.
    fn opened(&mut self, ai: u32, valid: bool, by: i32) {
        if let Some(message) = self.messages.get_mut(ai as usize) {
            message.open = message.open.saturating_add_signed(by);
            message.open_valid = message.open_valid.saturating_add_signed(by * i32::from(valid));
        }
    }

    /// Notes whether a message needs repair, after any change.
    fn settle(&mut self, at: u32) {
        let pending = self.pending() == at;
        let Some(message) = self.messages.get_mut(at as usize) else { return };
        let faulty = match message.role {
            Role::Ai => message.open > 0 && !pending,
            Role::Displaced | Role::Orphan => true,
            Role::InPlace | Role::Other => false,
        };
        self.faults += u32::from(faulty);
        self.faults -= u32::from(message.faulty);
        message.faulty = faulty;
    }
}

/// A position as the number that it crosses to JavaScript as.
pub(super) fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}
