//! The typed layer's signatures, as programs write them: each line here is one that a program relies on.
#![allow(clippy::unwrap_used)]

use threadfold::graph::{Agent, UpdateAgent};
use threadfold::reducer::{AddMessages, REPLACE, Reducer, ReducerFn, TryReducer};
use threadfold::typed::{AssistantMessage, SystemMessage, ToolMessage, UserMessage, add_messages};
use threadfold::{Error, Message, MessageKind, State};

/// Takes every update: one method.
struct Loudest;

impl Reducer<String> for Loudest {
    fn merge(&self, current: String, update: String) -> String {
        let marks = |text: &str| text.matches('!').count();
        if marks(&update) > marks(&current) { update } else { current }
    }
}

/// Refuses some updates: a method more.
struct Upwards;

impl Reducer<u8> for Upwards {
    fn merge(&self, current: u8, update: u8) -> u8 {
        current.max(update)
    }
}

impl TryReducer<u8> for Upwards {
    fn try_merge(&self, current: u8, update: u8) -> Result<u8, Error> {
        let reason = || format!("{update} is less than {current}");
        if update < current { Err(Error::reducer(reason())) } else { Ok(update) }
    }
}

static SUM: ReducerFn<fn(u64, u64) -> u64> = ReducerFn(|sum, more| sum + more);

#[derive(Debug, Clone, Default, PartialEq, State)]
#[state(derive(Debug, Clone, Default, PartialEq))]
struct Ticket {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
    #[reducer(Loudest)]
    cry: String,
    #[reducer(REPLACE)]
    title: String,
    #[reducer(SUM)]
    tokens: u64,
    #[reducer(Upwards)]
    urgency: u8,
}

fn message(id: &str, kind: MessageKind) -> Message {
    Message { id: Some(id.to_owned()), kind }
}

fn ticket() -> Ticket {
    let messages = vec![message("q", MessageKind::User("Where is my parcel?".into()))];
    Ticket { messages, urgency: 3, ..Ticket::default() }
}

#[test]
fn a_message_is_its_id_and_its_kind() {
    let text = String::from("It left.");
    let kinds = [
        MessageKind::System("Be brief.".into()),
        MessageKind::System(String::from("Be brief.").into()),
        MessageKind::User("Where?".into()),
        MessageKind::User(String::from("Where?").into()),
        MessageKind::Assistant("It left.".into()),
        MessageKind::Assistant(text.clone().into()),
        MessageKind::Tool("It left.".into()),
        MessageKind::Tool(text.into()),
    ];
    for pair in kinds.chunks(2) {
        assert_eq!(pair.first(), pair.last());
    }
    for kind in kinds {
        let message = Message { id: None, kind };
        let wire = serde_json::to_string(&message).unwrap();
        assert_eq!(serde_json::from_str::<Message>(&wire).unwrap(), message);
        assert_eq!(
            &message.text().into_owned(),
            match &message.kind {
                MessageKind::System(SystemMessage { content, .. })
                | MessageKind::User(UserMessage { content, .. })
                | MessageKind::Assistant(AssistantMessage { content, .. })
                | MessageKind::Tool(ToolMessage { content, .. }) => match content {
                    threadfold::Content::Text(text) => text,
                    threadfold::Content::Blocks(_) => panic!("it was made from text"),
                },
                _ => panic!("it is a message"),
            }
        );
    }
    assert_eq!(message("q", MessageKind::Remove), Message::remove("q"));
}

#[test]
fn a_reducer_takes_every_update_and_may_have_a_sibling_that_refuses() {
    assert_eq!(Loudest.merge("oh!".into(), "oh".into()), "oh!");
    assert_eq!(SUM.merge(1, 2), 3);
    assert_eq!(REPLACE.merge("draft".into(), "final".into()), "final");
    let written: &ReducerFn<fn(String, String) -> String> = &REPLACE;
    assert_eq!(written.merge("a".into(), "b".into()), "b");
    assert_eq!((Upwards.merge(3, 2), Upwards.try_merge(3, 4).unwrap()), (3, 4));

    let gone = || vec![message("?", MessageKind::Remove)];
    let kept: Vec<Message> = AddMessages.merge(ticket().messages, gone());
    assert_eq!(kept, ticket().messages);
    let refused: Result<Vec<Message>, Error> = AddMessages.try_merge(kept, gone());
    assert_eq!(refused.unwrap_err().code(), "UNKNOWN_MESSAGE");

    let more = vec![
        message("?", MessageKind::Remove),
        message("a", MessageKind::Assistant("In Oslo.".into())),
    ];
    let list: Vec<Message> = add_messages(ticket().messages, more);
    assert_eq!(
        list.iter().map(Message::text).collect::<Vec<_>>(),
        ["Where is my parcel?", "In Oslo."]
    );
}

#[test]
fn a_state_merges_always_and_tries_whole_or_not_at_all() {
    let lower = TicketUpdate { cry: Some("Help!".into()), urgency: Some(1), ..Default::default() };
    let merged: Ticket = ticket().merge(lower.clone());
    assert_eq!((&*merged.cry, merged.urgency), ("Help!", 3), "what Upwards refuses is ignored");
    let tried: Result<Ticket, Error> = ticket().try_merge(lower.clone());
    let tried = anyhow::Error::new(tried.unwrap_err());
    assert_eq!(format!("{tried:#}"), "The reducer of 'urgency' failed: 1 is less than 3");
    let mut kept = ticket();
    kept.update(lower).unwrap_err();
    assert_eq!(kept, ticket());

    let whole = TicketUpdate {
        messages: Some(vec![message("a", MessageKind::Assistant("In Oslo.".into()))]),
        cry: Some("!".into()),
        title: Some("Parcel".into()),
        tokens: Some(7),
        urgency: Some(9),
    };
    let merged = ticket().merge(whole.clone());
    assert_eq!(merged.messages.len(), 2);
    assert_eq!((&*merged.title, merged.tokens, merged.urgency), ("Parcel", 7, 9));
    kept.update(whole.clone()).unwrap();
    assert_eq!(ticket().try_merge(whole).unwrap(), merged);
    assert_eq!(kept, merged);
}

/// A reason of its own. It does not implement `std::error::Error`.
#[derive(Debug, PartialEq)]
struct Asleep;

/// Merges by itself.
struct Courier;

impl Agent for Courier {
    type State = Ticket;
    type Error = Asleep;

    async fn run(&self, ticket: Ticket) -> Result<Ticket, Asleep> {
        let said = vec![message("c", MessageKind::Assistant("On my way.".into()))];
        Ok(Ticket { messages: add_messages(ticket.messages, said), ..ticket })
    }
}

/// Returns its part of the state.
struct Desk;

impl UpdateAgent for Desk {
    type State = Ticket;
    type Error = Asleep;

    async fn update(&self, ticket: &Ticket) -> Result<TicketUpdate, Asleep> {
        let title = ticket.messages.first().ok_or(Asleep)?.text().into_owned();
        Ok(TicketUpdate { title: Some(title), ..Default::default() })
    }
}

#[tokio::test]
async fn an_agent_runs_or_returns_its_part() {
    let ticket = Courier.run(ticket()).await.unwrap();
    let update = Desk.update(&ticket).await.unwrap();
    let merged = ticket.clone().merge(update);
    assert_eq!((&*merged.title, merged.messages.len()), ("Where is my parcel?", 2));
    assert_eq!(Desk.run(ticket).await.unwrap(), merged, "one that returns its part runs, too");
    assert_eq!(Desk.run(Ticket::default()).await, Err(Asleep));
}
