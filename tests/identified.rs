//! Updates get their ids before they are folded, so that to fold them again gives the same.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::{Value, json};
use threadfold::reducer::{AddMessages, Append, Reducer};
use threadfold::typed::MessageList;
use threadfold::{Message, MessageRules, State};

#[derive(Debug, Clone, Default, PartialEq, State)]
#[state(derive(Debug, Clone, PartialEq))]
struct Chat {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
    #[reducer(AddMessages)]
    #[update(Vec<Message>)]
    long: MessageList<Message>,
    #[reducer(MessageRules::DeepAgents)]
    others: Vec<Message>,
    #[reducer(AddMessages)]
    json: Value,
    #[reducer(Append)]
    log: String,
}

#[test]
fn a_states_update_gets_the_ids_that_its_reducers_give() {
    let hi = || Some(vec![Message::user("hi"), Message::user("you").with_id("2")]);
    let start = Chat { json: json!([]), ..Chat::default() };
    let mut update = ChatUpdate {
        messages: hi(),
        long: hi(),
        others: hi(),
        json: Some(json!([{ "role": "user", "content": "hi" }])),
        log: Some("text".to_owned()),
    };
    Chat::identify(&mut update);
    let same = update.clone();
    Chat::identify(&mut update);
    assert_eq!(update, same);
    assert_eq!(start.clone().merge(update.clone()), start.clone().merge(update.clone()));
    let chat = start.merge(update.clone());
    assert_eq!(Some(&chat.messages), update.messages.as_ref());
    assert!(chat.messages.iter().all(|message| message.id.is_some()));
    assert_eq!(chat.others[0].id, None);
    assert_eq!(Some(&chat.json), update.json.as_ref());
}

#[test]
fn what_is_no_list_of_messages_stays() {
    let mut wrong = json!([{ "no": "message" }]);
    Reducer::<Value>::identify(&AddMessages, &mut wrong);
    assert_eq!(wrong, json!([{ "no": "message" }]));
}
