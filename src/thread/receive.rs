//! One server event into the confirmed state.

use std::borrow::Cow;

use super::event::Event;
use super::pending::{Pending, Status, update_of};
use super::reconcile::{Staying, is_one_of, reconcile};
use super::{MESSAGES, Run, Thread, drift};
use crate::error::Error;
use crate::message;
use crate::message_list::Compared;
use crate::patch::apply_patch;
use crate::reducer::messages::{MessageRules, read_list};
use crate::schema::{Field, Lifetime};
use crate::value::{Kind, Value};

impl<V: Value> Thread<V> {
    /// Folds one server event. Gives the difference, as a JSON Patch, between what was predicted
    /// and what a snapshot says, if there is one.
    ///
    /// # Errors
    /// [`Error::UnknownMessage`] for text of a message that is not there, those of the reducers, of
    /// [`apply_patch`], and [`Error::InvalidValue`]; the state is then as it was.
    pub fn receive(&mut self, event: Event<V>) -> Result<Option<V>, Error> {
        let mut drift = Vec::new();
        match event {
            Event::Text { id, text } => {
                self.messages.append(&id, &text)?;
                self.changed();
                return Ok(None);
            }
            Event::RunStarted { id } => self.start_run(id)?,
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
                if let Some(messages) = values.get(MESSAGES).map(Cow::into_owned) {
                    self.take_messages(messages, None, &mut drift)?;
                }
                self.take_fields(values.without(MESSAGES), &mut drift);
            }
            Event::State { values } => {
                update_of(&values, "a state")?;
                self.take_fields(values.without(MESSAGES), &mut drift);
            }
            Event::Delta { operations } => {
                let patched = apply_patch(&self.fields, &operations)?;
                update_of(&patched, "a patched state")?;
                self.fields = patched;
            }
        }
        self.changed();
        self.look_for_pending();
        Ok((!drift.is_empty()).then(|| V::array(drift)))
    }

    fn start_run(&mut self, id: Option<V>) -> Result<(), Error> {
        let again = match (&self.run, &id) {
            (Some(Run { id: Some(last), .. }), Some(id)) => last.same(id),
            _ => false,
        };
        self.streaming.clear();
        self.predicted.clear();
        self.predicted_fields.clear();
        if let Some(run) = self.run.as_mut().filter(|_| again) {
            run.active = true;
            let local = run.local.clone();
            let (messages, fields) = run.start.clone();
            self.messages.set(messages);
            self.fields = fields;
            for update in &local {
                self.fold(update)?;
            }
        } else {
            let start = (self.messages.snapshot(), self.fields.clone());
            self.run = Some(Run { id, active: true, start, local: Vec::new() });
        }
        for pending in self.pending.iter_mut().filter(|it| it.status == Status::Pending) {
            pending.status = Status::Sent;
        }
        Ok(())
    }

    fn end_run(&mut self, error: Option<&V>) {
        if let Some(run) = self.run.as_mut() {
            run.active = false;
        }
        self.streaming.clear();
        self.pending.retain(|pending| !pending.seen);
        if let Some(error) = error {
            for pending in &mut self.pending {
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
        let id = message.get("id").map(Cow::into_owned);
        let mut place = after.and_then(|after| self.messages.find(after));
        while let Some(next) = place.map(|at| at + 1)
            && self.messages.item(next).is_some_and(|it| message::is_kind(&it, "tool"))
        {
            place = Some(next);
        }
        let is_new = id.as_ref().is_some_and(|id| self.messages.find(id).is_none());
        self.messages.put(message.clone(), place)?;
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

    /// A server that gives a pending message an id of its own: the first new message in the same
    /// run with the content of one that is pending is that one.
    fn match_renamed(&mut self, message: &V, within: Option<&Compared>) {
        let messages = &self.messages;
        let sent = |pending: &&mut Pending<V>| pending.status == Status::Sent;
        for pending in self.pending.iter_mut().filter(sent) {
            pending.look_for_messages(messages);
            let named = |id: &V| {
                messages.find(id).is_some() || within.is_some_and(|it| messages.names(it, id))
            };
            if pending.take_renamed(message, &named) {
                return;
            }
        }
    }

    fn receive_update(&mut self, update: &V) -> Result<(), Error> {
        self.fold(update)?;
        if let Some(messages) = update.get(MESSAGES) {
            let one = messages.kind() != Kind::Array;
            let list =
                if one { V::array(vec![messages.into_owned()]) } else { messages.into_owned() };
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
        let (snapshot, _) = read_list(messages.own_list(), MessageRules::LangGraph)?;
        if !V::intact() {
            return Err(Error::value("messages", "readable"));
        }
        drift::of_messages(&self.messages, &self.predicted, &snapshot, drift);
        self.predicted.clear();
        if self.pending.iter().any(|pending| pending.status == Status::Sent) {
            let compared = self.messages.compare(&snapshot);
            for (item, place) in snapshot.items().zip(&compared.places) {
                if place.is_none() {
                    self.match_renamed(&item, Some(&compared));
                }
            }
        }
        let staying = Staying { streaming: &self.streaming, client_roles };
        let messages = reconcile(&mut self.messages, &snapshot, &staying);
        self.messages.set(messages);
        Ok(())
    }

    /// A snapshot's fields in the place of those there are. What the server never shows stays.
    fn take_fields(&mut self, values: V, drift: &mut Vec<V>) {
        drift::of_fields(&self.fields, &self.predicted_fields, &values, drift);
        self.predicted_fields.clear();
        let mut next = values;
        for (key, field) in self.schema.fields() {
            if !field.output
                && next.get(key).is_none()
                && let Some(own) = self.fields.get(key)
            {
                let own = own.into_owned();
                next = next.with(key, own);
            }
        }
        if V::intact() {
            self.fields = next.reuse(&self.fields);
        }
    }
}
