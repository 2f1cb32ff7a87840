//! Folding one server event into the confirmed state.

use super::event::ThreadEvent;
use super::parts::StreamPosition;
use super::run::Starts;
use super::snapshot::Snapshot;
use super::standing::RunStatus;
use super::{MESSAGES, Thread, messages_in};
use crate::error::Error;
use crate::message::{self, Kinds};
use crate::patch::apply_patch;
use crate::schema::{Field, Lifetime};
use crate::state::fields_in;
use crate::value::{Kind, Value};

impl<V: Value> Thread<V> {
    /// Folds one server event. Returns the drift as a JSON Patch: the difference between the
    /// prediction and a snapshot, if any.
    ///
    /// # Errors
    /// `UNKNOWN_MESSAGE` for text of a message that does not exist, those of the reducers,
    /// of [`apply_patch`], and `INVALID_ARGUMENT`; the state is then unchanged.
    pub fn receive(&mut self, event: ThreadEvent<V>) -> Result<Option<V>, Error> {
        self.receive_at(StreamPosition { id: None, key: None }, event)
    }

    /// Folds the event of a stream's part, once: one of the run's last 256 parts that comes again
    /// changes nothing.
    ///
    /// # Errors
    /// Those of [`Thread::receive`].
    ///
    /// ```
    /// use threadfold::{ThreadEvent, StreamPosition, RunStatus, Thread, json};
    ///
    /// let mut thread = Thread::new(None, &json!({}))?;
    /// let part = |id: &str| StreamPosition { id: Some(json!(id)), key: None };
    /// thread.receive_at(part("1"), ThreadEvent::RunStarted { id: Some(json!("r")), joined: None })?;
    /// let message = json!({ "type": "ai", "id": "a", "content": "" });
    /// let begins = ThreadEvent::Message { message, after: None, streaming: true };
    /// thread.receive_at(part("2"), begins)?;
    /// for _ in 0..2 {
    ///     let text = ThreadEvent::Text { id: json!("a"), text: json!("Hi") };
    ///     thread.receive_at(part("3"), text)?;
    /// }
    /// assert_eq!(thread.state()["messages"][0]["content"], "Hi");
    /// assert_eq!(thread.run().status, RunStatus::Streaming);
    /// assert_eq!(thread.run().last_event_id, Some(json!("3")));
    /// # Ok::<(), threadfold::Error>(())
    /// ```
    pub fn receive_at(
        &mut self,
        part: StreamPosition<V>,
        event: ThreadEvent<V>,
    ) -> Result<Option<V>, Error> {
        if !V::intact() {
            return Err(Error::value("an event", "readable"));
        }
        if let ThreadEvent::Disconnected { error } = event {
            self.disconnected(error);
            return Ok(None);
        }
        let starts = match &event {
            ThreadEvent::RunStarted { id, joined } => {
                let repeats = *joined != Some(false) && id.is_some() && self.is_run(id.as_ref());
                Some((self.starts(id.as_ref(), *joined), repeats))
            }
            _ => None,
        };
        let is_new = self.is_new(part, starts);
        let folded =
            if is_new { self.fold_event(event, starts.map(|(starts, _)| starts))? } else { None };
        if !is_new || starts.is_none() {
            self.connected();
        }
        Ok(folded)
    }

    /// Folds the event of a stream's part that changes a streaming message in place: `change` keeps its
    /// id and its kind. Returns false if the thread has no such message, or an update of its own has
    /// it; then nothing has changed.
    pub(crate) fn receive_growth(
        &mut self,
        part: &StreamPosition<V>,
        id: &V,
        change: impl FnOnce(V) -> V,
    ) -> bool {
        let Some(position) = self.messages.find(id).filter(|_| !self.is_edited(id)) else {
            return false;
        };
        if self.is_new(part.clone(), None) {
            self.messages.grow(position, change);
            self.message_changed(position);
            self.acknowledge_message(id, true);
            self.streams(id);
        }
        self.connected();
        true
    }

    /// Notes that a message streams.
    fn streams(&mut self, id: &V) {
        self.streaming.insert(id);
        self.predicted.remove(id);
        self.broken.remove(id);
        self.left.remove(id);
    }

    fn fold_event(
        &mut self,
        event: ThreadEvent<V>,
        starts: Option<Starts>,
    ) -> Result<Option<V>, Error> {
        let mut drift = Vec::new();
        match event {
            ThreadEvent::Disconnected { .. } => {}
            ThreadEvent::Text { id, text } => {
                let position = self.messages.append_to(&id, &text)?;
                self.message_changed(position);
                self.acknowledge_message(&id, true);
            }
            ThreadEvent::RunStarted { id, .. } => {
                let starts = starts.unwrap_or(Starts::Another);
                self.start_run(starts, id.filter(|id| id.kind() == Kind::String));
            }
            ThreadEvent::RunFinished { interrupts, stopped, folded } => {
                self.finish_run(folded, &mut drift);
                self.ended_unseen();
                self.standing.finish(interrupts);
                self.server_took(stopped);
            }
            ThreadEvent::RunError { error } => {
                self.fail_run(&error);
                self.ended_unseen();
                self.standing.set(RunStatus::Error, Some(error));
            }
            ThreadEvent::Message { message, after, streaming } => {
                self.receive_message(&message, after.as_ref(), streaming)?;
            }
            ThreadEvent::MessageFinished { id } => {
                if self.messages.find(&id).is_some() {
                    self.finish_message(&id);
                }
            }
            ThreadEvent::Messages { messages, client_roles, partial } => {
                let snapshot = Snapshot { messages, client_roles, partial };
                self.take_messages(snapshot, &mut drift)?;
            }
            ThreadEvent::Update { update } => self.receive_update(&update)?,
            ThreadEvent::Values { values, partial } => {
                fields_in(&values, "values")?;
                let fields = self.fields_of(&values)?;
                if let Some(messages) = values.get_owned(MESSAGES) {
                    let snapshot = Snapshot { messages, client_roles: None, partial };
                    self.take_messages(snapshot, &mut drift)?;
                }
                self.take_fields(fields, &mut drift);
                self.server_has_shown(&values);
            }
            ThreadEvent::State { values, own } => {
                fields_in(&values, "a state")?;
                let fields = self.fields_of(&values)?;
                self.take_fields(fields, &mut drift);
                match own {
                    Some(own) => own.items().for_each(|key| self.server.own.insert(&key)),
                    None => self.server_has_shown(&values),
                }
            }
            ThreadEvent::Delta { operations } => {
                let patched = apply_patch(&self.fields, &operations)?;
                fields_in(&patched, "a patched state")?;
                if patched.get(MESSAGES).is_some() {
                    return Err(Error::value("a delta", "of other fields than 'messages'"));
                }
                self.set_fields(patched.reuse_patched(&self.fields));
                self.server_has_patched(&operations);
            }
        }
        Ok((!drift.is_empty()).then(|| V::array(drift)))
    }

    /// Notes that the message at a position is another object now.
    fn message_changed(&mut self, position: u32) {
        (self.view.fresh, self.confirmed.fresh) = (false, false);
        let Some(woven) = self.woven.as_mut() else { return };
        if !woven.changed.contains(&position) {
            woven.changed.push(position);
        }
        if woven.changed.len() > 16 {
            self.woven = None;
        }
    }

    fn receive_message(
        &mut self,
        message: &V,
        after: Option<&V>,
        streaming: bool,
    ) -> Result<(), Error> {
        if message.kind() != Kind::Object {
            return Err(Error::message_field("", "an object"));
        }
        let plain = message::plain(message);
        let message = plain.as_ref().unwrap_or(message);
        let Some(id) = message.get_owned("id").filter(|id| id.kind() == Kind::String) else {
            return Err(Error::message_field(".id", "a string"));
        };
        let mut echoed = None;
        if let Some(position) = self.messages.find(&id) {
            let own = self.messages.item(position);
            if self.messages.put(self.as_pending(message.clone()), None)? {
                // A message that no longer is a tool result separates the following ones from their
                // call.
                let stays = |own: V| message::kind_of(&own) == message::kind_of(message);
                self.behind = self.behind.filter(|_| own.is_some_and(stays));
                self.message_changed(position);
            }
        } else {
            self.match_renamed(message, None);
            let known = self.as_pending(message.clone());
            let place = match after {
                Some(after) => self.place_behind(after),
                None => self.shown_place(&id),
            };
            let (head, behind) = (self.places.head, self.behind);
            let stays = after.is_none() && !self.places.is_loose;
            let place_shown = place.filter(|_| stays);
            let woven = place_shown.and_then(|place| self.woven_with(&known, place));
            self.messages.put(known, place.map(|place| place as usize))?;
            self.woven = None;
            (self.view.fresh, self.confirmed.fresh) = (false, false);
            // Everything after it has moved.
            let moved = place.is_some_and(|place| place as usize + 1 < self.messages.len());
            self.places.head = match (after, place) {
                (None, Some(_)) if stays => head,
                _ if moved => None,
                _ => head.filter(|head| head.stays_with(self.messages.len())),
            };
            self.behind = if moved && after.is_none() { None } else { behind };
            echoed = woven;
        }
        self.acknowledge_message(&id, true);
        if echoed.is_some() {
            self.woven = echoed;
        }
        if streaming {
            self.streams(&id);
        } else {
            self.finish_message(&id);
        }
        Ok(())
    }

    /// Returns the position after the message with this id and the tool results that follow it.
    fn place_behind(&mut self, after: &V) -> Option<u32> {
        let first = self.messages.find(after)?;
        let is_result = |at: u32| {
            self.messages.item(at).is_some_and(|it| message::kind_of(&it) == Some("tool"))
        };
        // Directly after the last insertion, if nothing moved since.
        let known = self.behind.filter(|[one, at]| *one == first && is_result(*at));
        let mut place = known.map_or(first, |[_, at]| at) + 1;
        while is_result(place) {
            place += 1;
        }
        self.behind = Some([first, place]);
        Some(place)
    }

    fn finish_message(&mut self, id: &V) {
        self.streaming.remove(id);
        self.broken.remove(id);
        self.left.remove(id);
        if self.messages.find(id).is_some() {
            self.predicted.insert(id);
        } else {
            self.predicted.remove(id);
        }
    }

    fn receive_update(&mut self, update: &V) -> Result<(), Error> {
        let list = messages_in(update);
        let new = self.messages.compare(&list);
        self.acknowledge();
        self.fold(update, Kinds::Any)?;
        self.acknowledge_removed();
        for (item, place) in list.items().zip(&new.places) {
            let Some(id) = item.get_owned("id") else { continue };
            // A removal leaves no message of its id.
            if self.messages.find(&id).is_some() {
                if place.is_none() {
                    self.match_renamed(&item, Some(&new));
                }
                self.acknowledge_message(&id, true);
            }
            self.finish_message(&id);
        }
        let keys = update.keys();
        for key in &keys {
            self.predict_field(key);
        }
        self.server_has(&keys);
        Ok(())
    }

    /// Only a field that lasts and whose reducer is known is predicted.
    fn predict_field(&mut self, key: &str) {
        let lasts = |field: &Field<V>| field.lifetime == Lifetime::Kept;
        if self.rules.schema.field(key).is_some_and(lasts) && key != MESSAGES {
            self.predicted_fields.insert(&V::string(key));
        }
    }

    pub(super) fn forget_predictions(&mut self) {
        self.predicted.clear();
        self.predicted_fields.clear();
    }
}
