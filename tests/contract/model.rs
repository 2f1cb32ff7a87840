//! The contract of a thread as plain code: no index, no cache, no optimization.
//!
//! **Confirmed** is the fold of what the server sent. **Pending** is the list of updates that the
//! server does not have yet. The **view** is the confirmed state with pending applied, computed
//! when it is read. An update has a part for each message it adds, changes or removes, and one for
//! each other field it writes. Each of the thirteen rules has one function, or a few. Those about
//! updates and runs are below, the view's in `model/view.rs`. The server's messages are in
//! `model/server.rs`, a run's stream is in `model/stream.rs`.

mod server;
mod state;
mod stream;
mod update;
mod view;

pub use state::{Change, Local, Message, State, Write};
pub use stream::RunStatus;
pub use update::{Does, Edit, Part, Status, Update};

use state::{field, find, fold, ids, position};
use update::{
    edit_is_acknowledged, is_acknowledged, note_bases, removed, rest_of, write_all,
    write_is_acknowledged,
};

#[derive(Clone, Debug)]
struct Run {
    id: Option<String>,
    number: usize,
    active: bool,
    /// The confirmed state when the run began; `None` once something was added after its end.
    start: Option<State>,
    /// The ids of its messages then.
    had: Vec<String>,
    /// The incomplete messages of earlier runs then.
    left: Vec<String>,
    /// The server's values then.
    said: State,
    /// Local additions since.
    local: Vec<Local>,
    /// Updates it sent that are done.
    over: Vec<Update>,
    spoke_of_messages: bool,
    spoke_of_fields: bool,
}

impl Run {
    /// A run that ended, and whose start was not received.
    fn unseen() -> Self {
        Self {
            id: None,
            number: 0,
            active: false,
            start: None,
            had: Vec::new(),
            left: Vec::new(),
            said: State::default(),
            local: Vec::new(),
            over: Vec::new(),
            spoke_of_messages: false,
            spoke_of_fields: false,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Model {
    pub confirmed: State,
    pub updates: Vec<Update>,
    run: Option<Run>,
    made: usize,
    streaming: Vec<String>,
    broken: Vec<String>,
    left: Vec<String>,
    /// The ids of the messages that updates wrote, in the order of all edits so far.
    seats: Vec<Option<String>>,
    pub stream: stream::Stream,
}

impl Model {
    // -- 1. Sent: a run sends every update that is pending when it starts. --

    fn run_starts(&mut self, id: Option<&str>) {
        // Messages that a failed run cut off are shown until now.
        let broken = std::mem::take(&mut self.broken);
        self.confirmed.messages.retain(|message| !broken.contains(&message.id));
        // Messages left by a run that never ended stay, but they may be incomplete.
        self.left.append(&mut self.streaming);
        // An update that the server has completely is done.
        let confirmed = self.confirmed.clone();
        self.updates.retain(|update| update.manual || !is_acknowledged(update, &confirmed));
        let number = self.run_number() + 1;
        // An update that is done has no position, unless it stands before one that was sent.
        let parts = |sent: bool| {
            let updates = self.updates.iter().filter(move |it| it.had.is_some() || !sent);
            updates.flat_map(|it| &it.edits).map(|part| part.write.seat)
        };
        let last_sent = parts(true).max();
        let open: Vec<usize> = parts(false).collect();
        for (at, seat) in self.seats.iter_mut().enumerate() {
            if Some(at) > last_sent && !open.contains(&at) {
                *seat = None;
            }
        }
        for update in &mut self.updates {
            // An update sent by a run that never ended keeps its base.
            update.taken = !update.manual && update.status != Status::Failed;
            if update.taken && update.status == Status::Pending {
                note_bases(update, &confirmed);
                update.had = Some(ids(&confirmed.messages));
                (update.status, update.sent_in) = (Status::Sent, number);
            }
        }
        self.run = Some(Run {
            id: id.map(ToOwned::to_owned),
            number,
            active: true,
            had: ids(&confirmed.messages),
            start: Some(confirmed),
            left: self.left.clone(),
            said: State::default(),
            local: Vec::new(),
            over: Vec::new(),
            spoke_of_messages: false,
            spoke_of_fields: false,
        });
    }

    /// Runs count from 1.
    fn run_number(&self) -> usize {
        self.run.as_ref().map_or(0, |run| run.number)
    }

    // -- 2. Acknowledged: derived at each read, see `model/update.rs`. --

    pub fn pending(&self) -> impl Iterator<Item = &Update> {
        self.updates.iter().filter(|update| !is_acknowledged(update, &self.confirmed))
    }

    // -- 3. A run finishes: the updates it sent are done. --

    /// Returns the predicted view if the server's snapshot contradicts it.
    fn run_ends(&mut self) -> Option<State> {
        self.streaming.clear();
        let predicted = self.view();
        let run = self.run.as_mut().filter(|run| run.active)?;
        run.active = false;
        let (messages, fields) = (run.spoke_of_messages, run.spoke_of_fields);
        let over = |update: &Update| update.taken && update.status == Status::Sent;
        let confirmed = self.confirmed.clone();
        let open = |update: &&Update| over(update) && !is_acknowledged(update, &confirmed);
        let contradicted = self.updates.iter().filter(open).any(|update| {
            let edit = |it: &Part<_, _>| !edit_is_acknowledged(it, &confirmed);
            let write = |it: &Part<_, _>| !write_is_acknowledged(it, &confirmed);
            messages && update.edits.iter().any(edit) || fields && update.writes.iter().any(write)
        });
        // Without a snapshot, the server took it as it was.
        if !messages {
            self.confirmed.messages = self.laid_over(&over);
        }
        if !fields {
            let taken: Vec<Update> = self.updates.iter().filter(|it| over(it)).cloned().collect();
            write_all(&mut self.confirmed, &taken, &confirmed);
        }
        let (over, rest) = self.updates.drain(..).partition(over);
        self.updates = rest;
        self.run.as_mut()?.over = over;
        self.move_bases(&confirmed);
        self.forget_gone();
        contradicted.then_some(predicted)
    }

    // -- 4. A run fails: updates it sent that the server does not have completely are failed. --

    fn run_fails(&mut self) {
        self.broken.append(&mut self.streaming);
        let confirmed = self.confirmed.clone();
        let Some(run) = self.run.as_mut().filter(|run| run.active) else { return };
        run.active = false;
        let sent = |update: &Update| update.taken && update.status == Status::Sent;
        let over = |update: &Update| sent(update) && is_acknowledged(update, &confirmed);
        (run.over, self.updates) = self.updates.drain(..).partition(over);
        for update in self.updates.iter_mut().filter(|update| sent(update)) {
            update.status = Status::Failed;
        }
    }

    /// A message is incomplete as long as it is there.
    fn forget_gone(&mut self) {
        for ids in [&mut self.streaming, &mut self.broken, &mut self.left] {
            ids.retain(|id| position(&self.confirmed.messages, id).is_some());
        }
    }

    /// Returns the ids of incomplete messages: those streaming, or left when streaming stopped.
    pub fn streaming(&self) -> Vec<&String> {
        let mut partial: Vec<_> =
            self.streaming.iter().chain(&self.broken).chain(&self.left).collect();
        // Keep only those of messages that are there.
        partial.retain(|id| position(&self.confirmed.messages, id).is_some());
        partial.sort();
        partial.dedup();
        partial
    }

    // -- 5. The caller settles, fails, retries or rolls back. --

    /// Confirms the update's changes, where they were shown.
    pub fn settle(&mut self, serial: usize) {
        let Some(at) = self.place(serial) else { return };
        let confirmed = self.confirmed.clone();
        let shown = |part: &Part<Edit, _>| self.shown_seat(&part.write.message.id);
        let seats: Vec<_> = self.updates[at].edits.iter().map(shown).collect();
        let update = self.updates.remove(at);
        let open = |(part, _): &(&Part<Edit, _>, _)| !edit_is_acknowledged(part, &confirmed);
        let parts: Vec<_> = update.edits.iter().zip(seats).filter(open).collect();
        // One by one; removals come last, for others may stand after those messages.
        for (part, seat) in parts.iter().filter(|(part, _)| part.write.does != Does::Remove) {
            self.take_message(&part.write, seat.as_ref());
        }
        for (part, _) in parts.iter().filter(|(part, _)| part.write.does == Does::Remove) {
            self.confirmed.messages.retain(|it| it.id != part.write.message.id);
        }
        write_all(&mut self.confirmed, std::slice::from_ref(&update), &confirmed);
        self.move_bases(&confirmed);
        self.forget_gone();
        self.keep_local(rest_of(update, &confirmed));
    }

    /// Marks it failed, unless the server has it.
    pub fn fail(&mut self, serial: usize) {
        if let Some(at) = self.lacking(serial) {
            self.updates[at].status = Status::Failed;
        }
    }

    /// Makes it pending again as if it were made now, unless the server has it.
    pub fn retry(&mut self, serial: usize) {
        if let Some(at) = self.lacking(serial) {
            let update = &mut self.updates[at];
            (update.status, update.had) = (Status::Pending, None);
            for part in &mut update.edits {
                (part.base, part.write.again) = (None, None);
            }
            update.writes.iter_mut().for_each(|part| part.base = None);
            if update.manual {
                note_bases(update, &self.confirmed);
            }
        }
    }

    /// Returns the place of an update that the server does not have.
    fn lacking(&self, serial: usize) -> Option<usize> {
        self.place(serial).filter(|at| !is_acknowledged(&self.updates[*at], &self.confirmed))
    }

    /// One update's confirmation says nothing about another: the base goes along.
    fn move_bases(&mut self, before: &State) {
        let now = &self.confirmed;
        for part in self.updates.iter_mut().flat_map(|update| &mut update.edits) {
            let id = &part.write.message.id;
            if part.base == Some(find(before, id)) {
                part.base = Some(find(now, id));
            }
        }
        for part in self.updates.iter_mut().flat_map(|update| &mut update.writes) {
            if part.base.as_ref() == Some(field(before, part.write.key)) {
                part.base = Some(field(now, part.write.key).clone());
            }
        }
    }

    pub fn rollback(&mut self, serial: usize) {
        if let Some(at) = self.place(serial) {
            let gone = self.updates.remove(at);
            // Messages that the server has stay where they are.
            for Part { write, .. } in gone.edits {
                if position(&self.confirmed.messages, &write.message.id).is_none() {
                    self.seats[write.seat] = None;
                }
            }
        }
    }

    fn place(&self, serial: usize) -> Option<usize> {
        self.updates.iter().position(|update| update.serial == serial)
    }

    // -- 6. Replay: a run rejoined from its start goes back to its save point. --

    fn replay(&mut self) {
        let back = self.run.as_ref().and_then(|run| run.start.clone());
        let (Some(run), Some(start)) = (self.run.as_mut(), back) else { return };
        run.active = true;
        (run.spoke_of_messages, run.spoke_of_fields) = (false, false);
        self.confirmed = start.clone();
        self.updates.append(&mut run.over);
        for part in self.updates.iter_mut().flat_map(|update| &mut update.edits) {
            part.write.again = part.write.again.filter(|number| *number != run.number);
        }
        self.updates.sort_by_key(|update| update.serial);
        for update in self.updates.iter_mut().filter(|update| update.taken) {
            // One that an earlier run sent first keeps its base.
            if update.had.is_none() || update.sent_in == run.number {
                note_bases(update, &start);
                update.had = Some(run.had.clone());
                update.sent_in = run.number;
            }
            update.status = Status::Sent;
        }
        self.streaming.clear();
        self.broken.clear();
        self.left.clone_from(&run.left);
        for local in run.local.clone() {
            let before = self.confirmed.clone();
            // A removal of what the run has not sent yet is skipped.
            let mut there = ids(&before.messages);
            let mut local = local;
            local.messages.retain(|change| match change {
                Change::Put(message) => {
                    there.push(message.id.clone());
                    true
                }
                Change::Remove(id) => {
                    let known = there.contains(id);
                    there.retain(|one| one != id);
                    known
                }
                Change::RemoveAll => true,
            });
            fold(&mut self.confirmed, &local);
            self.forget_gone();
            if local.settled {
                self.move_bases(&before);
            }
        }
    }

    pub fn update(&mut self, local: Local) -> bool {
        let done = fold(&mut self.confirmed, &local);
        if done {
            self.forget_gone();
            self.keep_local(local);
        }
        done
    }

    fn keep_local(&mut self, local: Local) {
        self.changed_here(&local);
        match self.run.as_mut() {
            Some(run) if run.active => run.local.push(local),
            Some(run) => run.start = None,
            None => {}
        }
    }

    // -- 10 and 11, drift and listeners, are not part of the state: see their own tests. --

    // -- The user's actions. --

    /// Shows an update; returns false and changes nothing when it removes a message that is not
    /// shown.
    pub fn optimistic(&mut self, messages: &[Change], fields: &[Write], manual: bool) -> bool {
        let mut shown = ids(&self.view().messages);
        let known = ids(&self.confirmed.messages);
        let mut edits: Vec<Edit> = Vec::new();
        for change in messages {
            let (id, message) = match change {
                Change::Put(message) => (message.id.clone(), message.clone()),
                Change::Remove(id) => (id.clone(), removed(id)),
                Change::RemoveAll => {
                    edits =
                        shown.drain(..).map(|id| Edit::of(Does::Remove, removed(&id))).collect();
                    continue;
                }
            };
            let is_shown = shown.contains(&id);
            // Removed with all others, it is written anew.
            let gone = edits.iter().position(|it| it.message.id == id && !it.named);
            gone.map(|at| edits.remove(at));
            let does = match change {
                Change::Remove(_) if !is_shown => return false,
                Change::Remove(_) => Does::Remove,
                _ if is_shown => Does::Change,
                _ if gone.is_some() || known.contains(&id) => Does::Move,
                _ => Does::Add,
            };
            shown.push(id);
            edits.push(Edit { named: true, ..Edit::of(does, message) });
        }
        edits.iter_mut().for_each(|edit| self.seat(edit));
        let edits = edits.into_iter().map(|write| Part { write, base: None }).collect();
        let writes = fields.iter().map(|write| Part { write: write.clone(), base: None });
        self.made += 1;
        let mut update = Update {
            serial: self.made,
            manual,
            status: Status::Pending,
            edits,
            writes: writes.collect(),
            taken: false,
            had: None,
            sent_in: 0,
        };
        if manual {
            note_bases(&mut update, &self.confirmed);
        }
        self.updates.push(update);
        true
    }
}
