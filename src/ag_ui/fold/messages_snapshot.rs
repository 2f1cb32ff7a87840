//! Snapshots of the messages.

use std::collections::HashSet;

use super::{Done, Folding, cleaned, is_role};
use crate::ag_ui::event::Event;
use crate::message::{Ids, Kinds, is_ag_ui_role};
use crate::reducer::messages::read_list;
use crate::stream::StreamError;
use crate::thread::ThreadEvent;
use crate::value::{Json, Kind, Value};

impl Folding<'_> {
    pub(super) fn messages_snapshot(&mut self, event: &Event, messages: &[Json]) -> Done {
        let mut snapshot = self.left_out(event, messages)?;
        snapshot.extend(messages.iter().map(cleaned));
        let roles: HashSet<&str> = snapshot.iter().filter_map(|it| it["role"].as_str()).collect();
        let mut client_roles: Vec<Json> =
            roles.iter().filter(|role| !is_ag_ui_role(role)).map(|role| (*role).into()).collect();
        let types = Activities::of(event);
        let is_gone = |message: &Json| {
            let role = message["role"].as_str().unwrap_or_default();
            let is_unknown = roles.contains(role) && !is_ag_ui_role(role);
            let activity_type = message["activityType"].as_str().unwrap_or_default();
            is_unknown || (role == "activity" && types.has(activity_type))
        };
        let gone = self.lacking(&snapshot, is_gone);
        let reconcilable: Json =
            snapshot.iter().filter(|it| has_known_role(it)).map(plain).collect();
        if !gone.is_empty() {
            // Nothing is removed before a snapshot that is refused.
            let read = read_list(reconcilable.clone(), Ids::Keep, Kinds::Any);
            read.map_err(|error| StreamError::of(event.event_type(), error))?;
            let update = Json::from([("messages", gone.into())]);
            self.send(event, ThreadEvent::Update { update })?;
        }
        if !roles.contains("reasoning") {
            client_roles.push("reasoning".into());
        }
        if types.stay(&roles) {
            client_roles.push("activity".into());
        }
        self.fold.calls.forget();
        self.put_sent(event, &snapshot, &client_roles)?;
        let client_roles = Some(client_roles.into());
        self.send(
            event,
            ThreadEvent::Messages { messages: reconcilable, client_roles, partial: false },
        )?;
        self.put_unknown(event, &snapshot)
    }

    /// Confirms those of a snapshot's messages that the run sent and confirmed lacks, where they are
    /// shown. So a message that stays on screen stays after them.
    fn put_sent(&mut self, event: &Event, snapshot: &[Json], client_roles: &[Json]) -> Done {
        let has_role = |it: &Json| client_roles.iter().any(|role| role.equals(&it["role"]));
        if !self.messages().iter().any(has_role) {
            return Ok(());
        }
        let shown = self.thread.state()["messages"].clone();
        let is_new = |it: &Json| it["id"].as_str().is_some_and(|id| self.message(id).is_none());
        let pending: HashSet<&str> =
            shown.iter().filter(|it| is_new(it)).filter_map(|it| it["role"].as_str()).collect();
        let is_sent = |it: &&Json| {
            let role = it["role"].as_str();
            role.is_some_and(|role| pending.contains(role)) && is_known(it) && is_new(it)
        };
        let sent: Vec<Json> = snapshot.iter().filter(is_sent).cloned().collect();
        for message in sent {
            self.send(event, ThreadEvent::Message { message, after: None, streaming: false })?;
        }
        Ok(())
    }

    /// Puts the messages that the reducer does not know, as the snapshot has them.
    fn put_unknown(&mut self, event: &Event, snapshot: &[Json]) -> Done {
        let mut before = None;
        for message in snapshot {
            let id = message["id"].as_str();
            let known = id.and_then(|id| self.message(id));
            if !is_known(message) && !known.is_some_and(|known| known.equals(message)) {
                self.put(event, message.clone(), before)?;
            }
            before = id;
        }
        Ok(())
    }

    /// Returns removals of these messages, of those that the snapshot lacks.
    fn lacking(&mut self, snapshot: &[Json], is_gone: impl Fn(&Json) -> bool) -> Vec<Json> {
        let kept: HashSet<&str> = snapshot.iter().filter_map(|it| it["id"].as_str()).collect();
        let messages = self.messages();
        let gone = messages.iter().filter(|it| is_gone(it)).filter_map(|it| it["id"].as_str());
        let removal = |id: &str| Json::from([("type", "remove".into()), ("id", id.into())]);
        gone.filter(|id| !kept.contains(id)).map(removal).collect()
    }

    /// Returns the thread's messages up to the one after which a snapshot begins: a server may leave
    /// out the ones that a client has. An error if they are others: their number is another one, or the
    /// snapshot has one of them.
    fn left_out(&mut self, event: &Event, told: &[Json]) -> Result<Vec<Json>, StreamError> {
        let said = event.metadata.as_ref().map_or(&Json::NULL, |it| &it["threadfold"]);
        let after = &said["after"];
        if after.is_null() {
            return Ok(Vec::new());
        }
        let messages = self.messages();
        let on_screen = |it: &&Json| is_role(it, "reasoning") || is_role(it, "activity");
        let mut own: Vec<Json> = messages.iter().filter(|it| !on_screen(it)).cloned().collect();
        let Some(at) = own.iter().position(|it| it["id"].same(after)) else {
            return Err(super::unknown_message(event, after.as_str().unwrap_or_default()));
        };
        own.truncate(at + 1);
        let told: HashSet<&str> = told.iter().filter_map(|it| it["id"].as_str()).collect();
        let is_told = |it: &Json| it["id"].as_str().is_some_and(|id| told.contains(id));
        let keeps = &said["keeps"];
        let is_number = keeps.is_null() || keeps.as_u64() == u64::try_from(own.len()).ok();
        if is_number && !own.iter().any(is_told) {
            return Ok(own);
        }
        let after = after.as_str().unwrap_or_default();
        let reason =
            format!("The server's messages up to '{after}' are others. Ask for all of them.");
        Err(StreamError::new("INVALID_ARGUMENT", event.event_type(), reason))
    }
}

/// The activity types that a snapshot lists completely, by the metadata of `@ag-ui/client`.
enum Activities {
    /// It does not say.
    Undeclared,
    All,
    These(Vec<String>),
}

impl Activities {
    fn of(event: &Event) -> Self {
        let own = event.metadata.as_ref().and_then(|it| it.get("@ag-ui/client"));
        let Some(own) = own else { return Self::Undeclared };
        if own.kind() != Kind::Object {
            return Self::These(Vec::new());
        }
        match own.get("authoritativeActivityTypes") {
            None => Self::Undeclared,
            Some(types) if types.is_null() => Self::All,
            Some(types) => {
                let names: Option<Vec<String>> =
                    types.iter().map(|it| it.as_str().map(str::to_owned)).collect();
                Self::These(names.unwrap_or_default())
            }
        }
    }

    fn has(&self, activity_type: &str) -> bool {
        matches!(self, Self::These(types) if types.iter().any(|it| it == activity_type))
    }

    /// Whether activities that the snapshot lacks stay.
    fn stay(&self, roles: &HashSet<&str>) -> bool {
        match self {
            Self::Undeclared => !roles.contains("activity"),
            Self::All => false,
            Self::These(_) => true,
        }
    }
}

fn has_known_role(message: &Json) -> bool {
    message["role"].as_str().is_some_and(is_ag_ui_role)
}

/// Whether the thread's reducer keeps a message as it is. With a `type` it would be in LangChain's
/// form.
fn is_known(message: &Json) -> bool {
    has_known_role(message) && message.get("type").is_none()
}

fn plain(message: &Json) -> Json {
    message.clone().without("type")
}
