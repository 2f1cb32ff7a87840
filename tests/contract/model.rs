//! The contract of a thread as plain code: no index, no cache, no optimization.
//!
//! **Confirmed** is the fold of what the server sent. **Pending** is the list of updates that the
//! server does not have yet. The **view** is the confirmed state with pending applied, computed
//! when it is read. An update has a part for each message it adds, changes or removes, and one for
//! each other field it writes. Each of the thirteen rules has one function below, or a few; those
//! about a run's stream are in `model/stream.rs`.
//!
//! Two fields stand for all: updates replace `topic` and append to `log`. A message is an id, a
//! kind and a text.

mod stream;

pub use stream::RunStatus;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub id: String,
    pub kind: &'static str,
    pub content: String,
    /// The id of the call that a tool's result answers.
    pub call: Option<&'static str>,
}

/// A field's value; `None` when it is missing.
pub type Field = Option<Vec<String>>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub messages: Vec<Message>,
    pub topic: Field,
    pub log: Field,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Pending,
    Sent,
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    Add,
    Change,
    /// No longer shown when written, though the server has it: goes to the end again.
    Move,
    Remove,
}

/// An update's change under one key, and its base: the server's value under the key when a run sent
/// it.
#[derive(Clone, Debug)]
pub struct Part<W, B> {
    pub write: W,
    pub base: Option<B>,
}

#[derive(Clone, Debug)]
pub struct Edit {
    pub does: Does,
    pub message: Message,
    seat: usize,
    /// For a sent removal: the number of the run in which the server sent the message again.
    again: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Write {
    pub key: &'static str,
    pub value: String,
}

#[derive(Clone, Debug)]
pub struct Update {
    pub serial: usize,
    pub manual: bool,
    pub status: Status,
    pub edits: Vec<Part<Edit, Option<Message>>>,
    pub writes: Vec<Part<Write, Field>>,
    /// Whether the last run sent it.
    taken: bool,
    /// The ids that the server had when the update was sent.
    had: Option<Vec<String>>,
    /// The number of the run that sent it first.
    sent_in: usize,
}

#[derive(Clone, Debug)]
struct Run {
    id: Option<String>,
    number: usize,
    active: bool,
    /// The confirmed state when the run began; `None` once something was added after its end.
    start: Option<State>,
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
            said: State::default(),
            local: Vec::new(),
            over: Vec::new(),
            spoke_of_messages: false,
            spoke_of_fields: false,
        }
    }
}

/// Makes a local, authoritative update.
#[derive(Clone, Debug, Default)]
pub struct Local {
    pub messages: Vec<Change>,
    pub fields: Vec<Write>,
    /// Whether it was a pending update.
    pub settled: bool,
}

#[derive(Clone, Debug)]
pub enum Change {
    Put(Message),
    Remove(String),
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
    /// The ids of the messages that updates added, in the order of all edits so far.
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
        if self.updates.iter().all(|update| update.had.is_none()) {
            // An update that is done has no position.
            self.seats.clear();
            let mut updates = std::mem::take(&mut self.updates);
            let edits = updates.iter_mut().flat_map(|update| &mut update.edits);
            edits.for_each(|part| self.seat(&mut part.write));
            self.updates = updates;
        }
        let number = self.run_number() + 1;
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
            start: Some(confirmed),
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

    // -- 2. Acknowledged: derived at each read, see `edit_is_acknowledged`,
    // `write_is_acknowledged`. --

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
            self.take_messages(&over);
        }
        if !fields {
            let taken: Vec<Update> = self.updates.iter().filter(|it| over(it)).cloned().collect();
            write_all(&mut self.confirmed, &taken, &confirmed);
        }
        let (over, rest) = self.updates.drain(..).partition(over);
        self.updates = rest;
        self.run.as_mut()?.over = over;
        self.move_bases(&confirmed);
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
        self.take_messages(&|update| update.serial == serial);
        let update = self.updates.remove(at);
        write_all(&mut self.confirmed, std::slice::from_ref(&update), &confirmed);
        self.move_bases(&confirmed);
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
                update.had = Some(ids(&start.messages));
                update.sent_in = run.number;
            }
            update.status = Status::Sent;
        }
        self.streaming.clear();
        self.broken.clear();
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
            });
            fold(&mut self.confirmed, &local);
            if local.settled {
                self.move_bases(&before);
            }
        }
    }

    pub fn update(&mut self, local: Local) -> bool {
        let done = fold(&mut self.confirmed, &local);
        if done {
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

    // -- 7. Place: the end; once sent, directly after the server's last message. --

    pub fn view(&self) -> State {
        let mut view = State { messages: self.laid_over(&|_| true), ..self.confirmed.clone() };
        write_all(&mut view, &self.updates, &self.confirmed);
        view
    }

    /// Returns the confirmed messages with the parts of these updates applied that the server does
    /// not have.
    fn laid_over(&self, chosen: &dyn Fn(&Update) -> bool) -> Vec<Message> {
        let confirmed = &self.confirmed.messages;
        let mut list: Vec<Option<Message>> = confirmed.iter().cloned().map(Some).collect();
        // New messages, each with the confirmed position it goes before; sent ones come first
        // there.
        let mut new: Vec<(usize, bool, Message)> = Vec::new();
        for update in self.updates.iter().filter(|update| chosen(update)) {
            for part in &update.edits {
                if edit_is_acknowledged(part, &self.confirmed) {
                    continue;
                }
                let Edit { does, message, .. } = &part.write;
                let at = position(confirmed, &message.id).filter(|_| *does != Does::Add);
                let own = new.iter().position(|(_, _, it)| it.id == message.id);
                match (does, own, at) {
                    (Does::Remove, own, at) => {
                        own.map(|own| new.remove(own));
                        at.map(|at| list[at] = None);
                    }
                    (_, Some(own), _) => {
                        new[own].2 = message.clone();
                        if let Some(at) = at {
                            list[at] = None;
                        }
                    }
                    (Does::Add | Does::Change, None, Some(at)) => list[at] = Some(message.clone()),
                    (_, None, at) => {
                        at.map(|at| list[at] = None);
                        let place = self.place_of(update, &part.write);
                        new.push((
                            place.unwrap_or(confirmed.len()),
                            place.is_none(),
                            message.clone(),
                        ));
                    }
                }
            }
        }
        new.sort_by_key(|(place, unsent, _)| (*place, *unsent));
        for (place, _, message) in new.into_iter().rev() {
            list.insert(place, Some(message));
        }
        list.into_iter().flatten().collect()
    }

    /// Returns the confirmed position before which a sent update's new message goes. It goes after
    /// the last remaining message that the server had then, and after earlier updates' messages
    /// that the server put there.
    fn place_of(&self, update: &Update, edit: &Edit) -> Option<usize> {
        let had = update.had.as_ref()?;
        let confirmed = &self.confirmed.messages;
        let mut place =
            had.iter().rev().find_map(|id| position(confirmed, id)).map_or(0, |at| at + 1);
        for id in self.seats[..edit.seat].iter().flatten() {
            if position(confirmed, id) == Some(place) {
                place += 1;
            }
        }
        Some(place)
    }

    /// Confirms these updates' changes of messages, where they are shown.
    fn take_messages(&mut self, chosen: &dyn Fn(&Update) -> bool) {
        let messages = self.laid_over(chosen);
        for part in self.updates.iter().filter(|it| chosen(it)).flat_map(|it| &it.edits) {
            let id = &part.write.message.id;
            let stays =
                edit_is_acknowledged(part, &self.confirmed) || part.write.does == Does::Remove;
            let there =
                part.write.does == Does::Change && position(&self.confirmed.messages, id).is_some();
            if !stays && !there {
                self.seats[part.write.seat] = Some(id.clone());
            }
        }
        self.confirmed.messages = messages;
    }

    fn seat(&mut self, edit: &mut Edit) {
        edit.seat = self.seats.len();
        self.seats.push((edit.does == Does::Add).then(|| edit.message.id.clone()));
    }

    // -- 8. A server that renames: the first new message of the same kind and content. --

    fn match_renamed(&mut self, message: &Message, said: &[Message]) {
        let knows =
            |update: &Update| update.edits.iter().any(|it| it.write.message.id == message.id);
        if !self.run.as_ref().is_some_and(|run| run.active) || self.updates.iter().any(knows) {
            return;
        }
        let known = ids(&self.confirmed.messages);
        let sent = self.updates.iter_mut().filter(|it| it.taken);
        let mut added = sent.flat_map(|it| &mut it.edits).filter(|it| it.write.does == Does::Add);
        let renamed = added.find(|part| {
            let own = &part.write.message;
            let named = known.contains(&own.id) || position(said, &own.id).is_some();
            !named && (own.kind, &own.content) == (message.kind, &message.content)
        });
        let Some(part) = renamed else { return };
        let (seat, old) = (part.write.seat, part.write.message.id.clone());
        self.seats[seat] = Some(message.id.clone());
        // Everything else that the user did with the message stays with it.
        for part in self.updates.iter_mut().flat_map(|update| &mut update.edits) {
            if part.write.message.id == old {
                part.write.message.id.clone_from(&message.id);
            }
        }
    }

    // -- 9. A snapshot reconciles, it does not overwrite. --

    /// Reconciles all messages or, if partial, some. The snapshot's order wins.
    pub fn messages(&mut self, said: &[Message], partial: bool) {
        for message in said {
            if position(&self.confirmed.messages, &message.id).is_none() {
                self.match_renamed(message, said);
            }
        }
        if let Some(run) = self.run.as_mut() {
            run.spoke_of_messages |= !partial;
        }
        let old = std::mem::take(&mut self.confirmed.messages);
        // The snapshot's version of the message: under its id, or a tool result for the same call.
        let said_as = |own: &Message| {
            let is_new = |it: &Message| position(&old, &it.id).is_none();
            let same = |it: &&Message| {
                it.id == own.id || own.call.is_some() && it.call == own.call && is_new(it)
            };
            said.iter().find(same).map(|it| it.id.clone())
        };
        let mut list = said.to_vec();
        let mut ahead: Vec<String> = Vec::new();
        let mut previous: Option<String> = None;
        let mut behind_streamed = false;
        for (at, own) in old.iter().enumerate() {
            if let Some(there) = list.iter_mut().find(|it| it.id == own.id) {
                // A streaming message is not set back.
                let grown = own.content.starts_with(&there.content) && own.content != there.content;
                if self.is_streamed(&own.id) && grown {
                    *there = own.clone();
                    ahead.push(own.id.clone());
                }
                (previous, behind_streamed) = (Some(own.id.clone()), false);
            } else if let Some(id) = said_as(own) {
                (previous, behind_streamed) = (Some(id), false);
            } else if self.is_streamed(&own.id) || partial && behind_streamed {
                // It stays before its old successor.
                let next = old[at..].iter().find_map(said_as);
                let place = next.and_then(|next| position(&list, &next)).unwrap_or(list.len());
                list.insert(place, own.clone());
                behind_streamed = true;
            } else if partial {
                // It stays after its old predecessor.
                let place =
                    previous.as_ref().and_then(|id| position(&list, id)).map_or(0, |at| at + 1);
                list.insert(place, own.clone());
                previous = Some(own.id.clone());
            }
        }
        self.confirmed.messages = list;
        self.broken.retain(|id| position(said, id).is_none() || ahead.contains(id));
        self.left.retain(|id| position(said, id).is_none() || ahead.contains(id));
    }

    pub fn fields(&mut self, topic: Field, log: Field) {
        if let Some(run) = self.run.as_mut() {
            run.spoke_of_fields = true;
        }
        (self.confirmed.topic, self.confirmed.log) = (topic, log);
    }

    /// Takes a whole message as it is now; a new one that a run sent goes where it is shown.
    pub fn message(&mut self, message: &Message, streaming: bool) {
        match position(&self.confirmed.messages, &message.id) {
            Some(at) => self.confirmed.messages[at] = message.clone(),
            None => {
                self.match_renamed(message, &[]);
                let edits =
                    self.updates.iter().flat_map(|it| it.edits.iter().map(move |part| (it, part)));
                let mut own = edits.filter(|(_, part)| part.write.message.id == message.id);
                let first = own.next().filter(|(_, part)| part.write.does == Does::Add);
                let place = first.and_then(|(update, part)| self.place_of(update, &part.write));
                let end = self.confirmed.messages.len();
                self.confirmed.messages.insert(place.unwrap_or(end), message.clone());
            }
        }
        self.says(&message.id);
        self.streaming.retain(|id| *id != message.id);
        self.broken.retain(|id| *id != message.id);
        self.left.retain(|id| *id != message.id);
        if streaming {
            self.streaming.push(message.id.clone());
        }
    }

    /// Folds a node's update; its messages are put or appended.
    pub fn node_update(&mut self, messages: &[Message]) {
        let known = self.confirmed.messages.clone();
        for message in messages {
            match position(&self.confirmed.messages, &message.id) {
                Some(at) => self.confirmed.messages[at] = message.clone(),
                None => self.confirmed.messages.push(message.clone()),
            }
        }
        for message in messages {
            if position(&known, &message.id).is_none() {
                self.match_renamed(message, messages);
            }
            self.says(&message.id);
            for ids in [&mut self.streaming, &mut self.broken, &mut self.left] {
                ids.retain(|id| *id != message.id);
            }
        }
    }

    pub fn text(&mut self, id: &str, text: &str) -> bool {
        let found = self.confirmed.messages.iter_mut().find(|message| message.id == id);
        let found = found.map(|message| message.content.push_str(text)).is_some();
        if found {
            self.says(id);
        }
        found
    }

    /// A message that the server says itself is not the one that an update has removed.
    fn says(&mut self, id: &str) {
        let number = self.run_number();
        for part in self.updates.iter_mut().flat_map(|update| &mut update.edits) {
            let removes = part.write.does == Does::Remove && part.write.message.id == id;
            if removes && part.base.is_some() {
                part.write.again = Some(number);
            }
        }
    }

    fn is_streamed(&self, id: &str) -> bool {
        self.streaming.iter().chain(&self.broken).any(|one| one == id)
    }

    // -- 10 and 11, drift and listeners, are not part of the state: see their own tests. --

    // -- The user's actions. --

    /// Shows an update; returns false and changes nothing when it removes a message that is not
    /// shown.
    pub fn optimistic(&mut self, messages: &[Change], fields: &[Write], manual: bool) -> bool {
        let mut shown = ids(&self.view().messages);
        let known = ids(&self.confirmed.messages);
        let mut edits: Vec<Part<Edit, Option<Message>>> = Vec::new();
        for change in messages {
            let (id, message) = match change {
                Change::Put(message) => (message.id.clone(), message.clone()),
                Change::Remove(id) => (id.clone(), removed(id)),
            };
            let is_shown = shown.contains(&id);
            let does = match change {
                Change::Remove(_) if !is_shown => return false,
                Change::Remove(_) => Does::Remove,
                Change::Put(_) if is_shown => Does::Change,
                Change::Put(_) if known.contains(&id) => Does::Move,
                Change::Put(_) => Does::Add,
            };
            shown.push(id);
            let mut edit = Edit { does, message, seat: 0, again: None };
            self.seat(&mut edit);
            edits.push(Part { write: edit, base: None });
        }
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

/// Whether the server has an edit. It has an added message when its list has the id. It has any
/// other sent part when its value under the key differs from the base.
fn edit_is_acknowledged(part: &Part<Edit, Option<Message>>, confirmed: &State) -> bool {
    let id = &part.write.message.id;
    let now = confirmed.messages.iter().find(|message| message.id == *id);
    match part.write.does {
        Does::Add => now.is_some(),
        _ if part.write.again.is_some() => true,
        _ => part.base.as_ref().is_some_and(|base| base.as_ref() != now),
    }
}

fn write_is_acknowledged(part: &Part<Write, Field>, confirmed: &State) -> bool {
    part.base.as_ref().is_some_and(|base| base != field(confirmed, part.write.key))
}

fn is_acknowledged(update: &Update, confirmed: &State) -> bool {
    update.edits.iter().all(|part| edit_is_acknowledged(part, confirmed))
        && update.writes.iter().all(|part| write_is_acknowledged(part, confirmed))
}

fn note_bases(update: &mut Update, confirmed: &State) {
    for part in &mut update.edits {
        part.base = Some(find(confirmed, &part.write.message.id));
    }
    for part in &mut update.writes {
        part.base = Some(field(confirmed, part.write.key).clone());
    }
}

fn find(state: &State, id: &str) -> Option<Message> {
    state.messages.iter().find(|message| message.id == id).cloned()
}

fn field<'a>(state: &'a State, key: &str) -> &'a Field {
    if key == "topic" { &state.topic } else { &state.log }
}

/// Applies one write: replaces `topic`, appends to `log`.
fn write(state: &mut State, write: &Write) {
    let value = write.value.clone();
    match write.key {
        "topic" => state.topic = Some(vec![value]),
        _ => state.log.get_or_insert_default().push(value),
    }
}

/// Applies the writes of these updates that the server does not have.
fn write_all(state: &mut State, updates: &[Update], confirmed: &State) {
    for part in updates.iter().flat_map(|update| &update.writes) {
        if !write_is_acknowledged(part, confirmed) {
            write(state, &part.write);
        }
    }
}

/// Folds a local update, whole or not at all.
fn fold(state: &mut State, local: &Local) -> bool {
    let mut next = state.clone();
    for change in &local.messages {
        match change {
            Change::Put(message) => match position(&next.messages, &message.id) {
                Some(at) => next.messages[at] = message.clone(),
                None => next.messages.push(message.clone()),
            },
            Change::Remove(id) => match position(&next.messages, id) {
                Some(at) => drop(next.messages.remove(at)),
                None => return false,
            },
        }
    }
    local.fields.iter().for_each(|one| write(&mut next, one));
    *state = next;
    true
}

/// Returns the rest of an update that the server does not have.
fn rest_of(update: Update, confirmed: &State) -> Local {
    let edits = update.edits.into_iter().filter(|part| !edit_is_acknowledged(part, confirmed));
    let messages = edits.map(|Part { write: Edit { does, message, .. }, .. }| match does {
        Does::Remove => Change::Remove(message.id),
        _ => Change::Put(message),
    });
    let writes = update.writes.into_iter().filter(|part| !write_is_acknowledged(part, confirmed));
    let fields = writes.map(|part| part.write).collect();
    Local { messages: messages.collect(), fields, settled: true }
}

fn ids(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.id.clone()).collect()
}

fn position(messages: &[Message], id: &str) -> Option<usize> {
    messages.iter().position(|message| message.id == id)
}

fn removed(id: &str) -> Message {
    Message { id: id.to_owned(), kind: "remove", content: String::new(), call: None }
}
