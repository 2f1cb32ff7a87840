//! One server event into the confirmed state.

use super::event::Event;
use super::pending::{Status, update_of};
use super::reconcile::{Staying, is_one_of, reconcile};
use super::{MESSAGES, Run, Thread, drift};
use crate::error::Error;
use crate::message;
use crate::message_list::Compared;
use crate::patch::apply_patch;
use crate::reducer::messages::{MessageRules, add_messages, read_list};
use crate::schema::{Field, Lifetime};
use crate::value::{Found, Kind, Value};

impl<V: Value> Thread<V> {
    /// Folds one server event. Gives the difference, as a JSON Patch, between what was predicted
    /// and what a snapshot says, if there is one.
    ///
    /// # Errors
    /// [`Error::UnknownMessage`] for text of a message that is not there, those of the reducers, of
    /// [`apply_patch`], and [`Error::InvalidValue`]; the state is then as it was.
    pub fn receive(&mut self, event: Event<V>) -> Result<Option<V>, Error> {
        let mut drift = Vec::new();
        if let Event::Text { id, text } = event {
            self.messages.append(&id, &text)?;
            self.changed();
            return Ok(None);
        }
        let mut before = self.before();
        match event {
            Event::Text { .. } => {}
            Event::RunStarted { id } => {
                self.start_run(id);
                // What the server had said is no news, when it is about to be said again.
                before = self.fields.clone();
            }
            Event::RunFinished => self.end_run(None),
            Event::RunFailed { error } => self.end_run(Some(&error)),
            Event::Message { message, after, streaming } => {
                self.receive_message(&message, after.as_ref(), streaming)?;
            }
            Event::MessageFinished { id } => self.finish_message(&id),
            Event::Messages { messages, client_roles } => {
                self.take_messages(messages, client_roles.as_ref(), &mut drift)?;
            }
            Event::Update { update } => self.receive_update(&update)?,
            Event::Values { values } => {
                update_of(&values, "values")?;
                let fields = self.fields_of(&values)?;
                if let Some(messages) = values.get(MESSAGES).map(Found::into_owned) {
                    self.take_messages(messages, None, &mut drift)?;
                }
                self.take_fields(fields, &mut drift);
            }
            Event::State { values } => {
                update_of(&values, "a state")?;
                let fields = self.fields_of(&values)?;
                self.take_fields(fields, &mut drift);
            }
            Event::Delta { operations } => {
                let patched = apply_patch(&self.fields, &operations)?;
                update_of(&patched, "a patched state")?;
                self.fields = patched;
            }
        }
        self.look_for_pending(&before);
        Ok((!drift.is_empty()).then(|| V::array(drift)))
    }

    fn start_run(&mut self, id: Option<V>) {
        let again = match (&self.run, &id) {
            (Some(Run { id: Some(last), .. }), Some(id)) => last.same(id),
            _ => false,
        };
        self.streaming.clear();
        self.predicted.clear();
        self.predicted_fields.clear();
        for pending in self.pending.iter_mut().filter(|it| it.status == Status::Pending) {
            pending.status = Status::Sent;
        }
        if let Some(run) = self.run.as_mut().filter(|_| again) {
            run.active = true;
            (self.woven, self.written) = (None, None);
            let local = run.local.clone();
            let (messages, fields) = run.start.clone();
            self.messages.set(messages);
            self.fields = fields;
            for update in local {
                // One that needs what the run has not said yet is passed over.
                if self.fold(&update).is_err() && !V::intact() {
                    V::forget_failure();
                }
            }
            // Whatever held them is to be said again.
            for pending in &mut self.pending {
                (pending.seen, pending.over) = (false, false);
                for write in &mut pending.writes {
                    write.held = write.held_before;
                }
            }
            return;
        }
        self.pending.retain(|pending| !pending.over);
        for pending in &mut self.pending {
            for write in &mut pending.writes {
                write.held_before = write.held;
            }
        }
        let start = (self.messages.snapshot(), self.fields.clone());
        self.run = Some(Run { id, active: true, start, local: Vec::new() });
    }

    fn end_run(&mut self, error: Option<&V>) {
        if let Some(run) = self.run.as_mut() {
            run.active = false;
        }
        self.streaming.clear();
        for pending in &mut self.pending {
            if pending.seen && !pending.over && !pending.is_held() {
                (self.woven, self.written) = (None, None);
            }
            pending.over |= pending.seen;
            if let Some(error) = error.filter(|_| !pending.seen) {
                pending.status = Status::Failed;
                pending.error = Some(error.clone());
            }
        }
    }

    fn receive_message(
        &mut self,
        message: &V,
        after: Option<&V>,
        streaming: bool,
    ) -> Result<(), Error> {
        if message.kind() != Kind::Object {
            return Err(Error::message("it is no object"));
        }
        let id = message.get("id").map(Found::into_owned);
        let mut place = after.and_then(|after| self.messages.find(after));
        while let Some(next) = place.map(|at| at + 1)
            && self.messages.item(next).is_some_and(|it| message::is_kind(&it, "tool"))
        {
            place = Some(next);
        }
        let is_new = id.as_ref().is_some_and(|id| self.messages.find(id).is_none());
        let known = if is_new { self.as_pending(message.clone()) } else { message.clone() };
        self.messages.put(known, place.map(|place| place as usize + 1))?;
        if let Some(id) = id {
            let known = is_one_of(Some(&id), &self.streaming);
            if streaming && !known {
                self.streaming.push(id);
            } else if !streaming {
                self.finish_message(&id);
            }
        }
        if is_new {
            self.match_renamed(message, None);
        }
        Ok(())
    }

    fn finish_message(&mut self, id: &V) {
        self.streaming.retain(|streaming| !streaming.same(id));
        if !is_one_of(Some(id), &self.predicted) {
            self.predicted.push(id.clone());
        }
    }

    /// A pending message that comes back as it was written stays the object that it was.
    fn as_pending(&self, message: V) -> V {
        let Some(id) = message.get("id").map(Found::into_owned) else { return message };
        let mut edits = self.pending.iter().flat_map(|pending| &pending.edits);
        let own = edits.find_map(|edit| edit.message.as_ref().filter(|_| edit.id.same(&id)));
        match own {
            Some(own) => message.reuse(own),
            None => message,
        }
    }

    /// A server that gives a pending message an id of its own: the first new message in the same
    /// run with the content of one that is pending is that one.
    fn match_renamed(&mut self, message: &V, within: Option<&Compared>) {
        let messages = &self.messages;
        let named =
            |id: &V| messages.find(id).is_some() || within.is_some_and(|it| messages.names(it, id));
        let mut sent =
            self.pending.iter().filter(|pending| pending.status == Status::Sent && !pending.over);
        let Some(old) = sent.find_map(|pending| pending.find_renamed(message, &named)) else {
            return;
        };
        if let Some(new) = message.get("id") {
            self.woven = None;
            for pending in &mut self.pending {
                pending.rename(&old, &new);
            }
        }
    }

    fn receive_update(&mut self, update: &V) -> Result<(), Error> {
        self.fold(update)?;
        if let Some(messages) = update.get(MESSAGES) {
            let one = messages.kind() != Kind::Array;
            let list = if one { V::array([messages.into_owned()]) } else { messages.into_owned() };
            for item in list.items() {
                if let Some(id) = item.get("id") {
                    self.finish_message(&id);
                }
            }
        }
        for key in update.keys() {
            self.predict_field(&key);
        }
        Ok(())
    }

    /// A field is predicted whose reducer is known, and that lasts.
    fn predict_field(&mut self, key: &str) {
        let lasts = |field: &Field<V>| field.lifetime == Lifetime::Kept;
        let known = !self.open && self.schema.field(key).is_some_and(lasts);
        if known && key != MESSAGES && !self.predicted_fields.iter().any(|one| one == key) {
            self.predicted_fields.push(key.to_owned());
        }
    }

    fn take_messages(
        &mut self,
        messages: V,
        client_roles: Option<&V>,
        drift: &mut Vec<V>,
    ) -> Result<(), Error> {
        if messages.kind() != Kind::Array {
            return Err(Error::value("messages", "a list"));
        }
        let (mut snapshot, removals) = read_list(messages.own_list(), MessageRules::LangGraph)?;
        let mut compared = self.messages.compare(&snapshot);
        if !removals.is_empty() || compared.twice {
            // No list that a reducer leaves: one of each id, and nothing that is removed.
            let none = V::array([]);
            snapshot = add_messages(none, snapshot, MessageRules::LangGraph)?;
            compared = self.messages.compare(&snapshot);
        }
        if !V::intact() {
            return Err(Error::value("messages", "readable"));
        }
        drift::of_messages(&self.messages, &self.predicted, &snapshot, drift);
        self.predicted.clear();
        if !self.pending.is_empty() {
            let new = (0..).zip(&compared.places).filter(|(_, place)| place.is_none());
            for (at, _) in new {
                let Some(item) = snapshot.at(at).map(Found::into_owned) else { continue };
                self.match_renamed(&item, Some(&compared));
                let known = self.as_pending(item.clone());
                if !known.same(&item) {
                    snapshot = snapshot.splice(at, 1, Some(known));
                }
            }
        }
        if snapshot.is_empty() && !self.messages.is_empty() {
            // All was removed, and with it what the run had taken along.
            for pending in self.pending.iter_mut().filter(|it| it.status == Status::Sent) {
                pending.seen |= pending.writes.is_empty();
            }
        }
        let staying = Staying { streaming: &self.streaming, client_roles };
        let messages = reconcile(&self.messages, &snapshot, compared, &staying);
        self.messages.set(messages);
        Ok(())
    }

    /// A snapshot's fields. What the server never shows stays.
    fn fields_of(&self, values: &V) -> Result<V, Error> {
        let mut next = values.clone().without(MESSAGES);
        for (key, field) in self.schema.fields() {
            if !field.output
                && next.get(key).is_none()
                && let Some(own) = self.fields.get(key)
            {
                let own = own.into_owned();
                next = next.with(key, own);
            }
        }
        let next = next.reuse(&self.fields);
        if V::intact() { Ok(next) } else { Err(Error::value("a state", "readable")) }
    }

    fn take_fields(&mut self, fields: V, drift: &mut Vec<V>) {
        drift::of_fields(&self.fields, &self.predicted_fields, &fields, drift);
        self.predicted_fields.clear();
        self.fields = fields;
    }
}
