//! The list of typed items that takes updates one by one.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::seeded;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use threadfold::reducer::{AddMessages, Reducer, TryReducer};
use threadfold::typed::{Identified, MessageList, Streamed};
use threadfold::{Error, Message, MessageRules, REMOVE_ALL_MESSAGES, State};

use MessageRules::{DeepAgents, LangGraph};

/// An item of a program's own.
#[derive(Debug, Clone, PartialEq)]
struct Note {
    id: Option<String>,
    text: String,
    removal: bool,
}

fn note(id: &str, text: &str) -> Note {
    Note { id: Some(id.to_owned()), text: text.to_owned(), removal: false }
}

fn removal(id: &str) -> Note {
    Note { removal: true, ..note(id, "") }
}

impl Identified for Note {
    fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    fn set_id(&mut self, id: String) {
        self.id = Some(id);
    }

    fn is_removal(&self) -> bool {
        self.removal
    }
}

impl Streamed for Note {
    fn append(&mut self, text: &str) -> Result<(), Error> {
        if self.removal {
            return Err(Error::reducer("no text"));
        }
        self.text.push_str(text);
        Ok(())
    }
}

fn texts(list: &MessageList<Note>) -> Vec<&str> {
    list.iter().map(|note| note.text.as_str()).collect()
}

#[test]
fn what_is_added_replaced_and_removed_is_found() {
    let mut list = MessageList::new(vec![note("1", "a"), note("2", "b")]).unwrap();
    list.update(vec![note("3", "c"), note("1", "A"), removal("2")]).unwrap();
    assert_eq!(texts(&list), ["A", "c"]);
    assert_eq!((list.len(), list.is_empty()), (2, false));
    assert_eq!(list.get("1").map(|note| &*note.text), Some("A"));
    assert_eq!(list.get("2"), None);
    assert_eq!(list.get("4"), None);
    list.update(vec![removal(REMOVE_ALL_MESSAGES)]).unwrap();
    assert_eq!((list.len(), list.is_empty(), list.get("1")), (0, true, None));
    assert_eq!(list.iter().count(), 0);
}

#[test]
fn a_failing_update_changes_nothing() {
    let mut list = MessageList::new(vec![note("1", "a")]).unwrap();
    let before = list.clone();
    let unknown = list.update(vec![note("3", "c"), removal("2")]).unwrap_err().to_string();
    assert!(unknown.ends_with("doesn't exist ('2')"), "{unknown}");
    assert_eq!(list, before);
    assert_eq!(list.get("3"), None);
    assert!(MessageList::new(vec![removal("2")]).is_err());
    let mut lenient = MessageList::empty(DeepAgents);
    lenient.update(vec![removal("2")]).unwrap();
    assert!(lenient.is_empty());
}

#[test]
fn a_copy_never_changes_and_shares_what_is_the_same() {
    let mut list = MessageList::new(vec![note("1", "a"), note("2", "b")]).unwrap();
    let first = list.clone();
    list.append("2", "c").unwrap();
    list.update(vec![note("3", "d")]).unwrap();
    let second = list.clone();
    list.update(vec![removal("1")]).unwrap();
    assert_eq!(texts(&first), ["a", "b"]);
    assert_eq!(texts(&second), ["a", "bc", "d"]);
    assert_eq!(texts(&list), ["bc", "d"]);
    let same = |one: Option<&Arc<Note>>, other: Option<&Arc<Note>>| {
        Arc::ptr_eq(one.unwrap(), other.unwrap())
    };
    assert!(same(first.first(), second.first()));
    assert!(same(second.iter().nth(1), list.first()));
    assert!(same(second.last(), list.last()));
    // It can be changed by itself.
    let mut other = first.clone();
    other.update(vec![removal("2"), note("4", "e")]).unwrap();
    assert_eq!((texts(&other), texts(&first)), (vec!["a", "e"], vec!["a", "b"]));
    assert_ne!(other, first);
}

#[test]
fn its_items_are_read_from_both_ends() {
    let list = MessageList::new(vec![note("1", "a"), note("2", "b"), note("3", "c")]).unwrap();
    assert_eq!(list.iter().len(), 3);
    let back: Vec<_> = list.iter().rev().map(|note| &*note.text).collect();
    assert_eq!(back, ["c", "b", "a"]);
    let all: Vec<_> = (&list).into_iter().map(|note| &*note.text).collect();
    assert_eq!(all, ["a", "b", "c"]);
    assert!(format!("{:?}", list.iter()).contains('3'));
}

#[test]
fn it_is_written_and_read_as_its_items() {
    let messages = vec![Message::user("hi").with_id("1"), Message::assistant("Hello").with_id("2")];
    let list = MessageList::new(messages.clone()).unwrap();
    let json = serde_json::to_string(&list).unwrap();
    assert_eq!(json, serde_json::to_string(&messages).unwrap());
    assert_eq!(serde_json::from_str::<MessageList<Message>>(&json).unwrap(), list);
    let removal: MessageList<Message> =
        serde_json::from_str(r#"[{"type":"remove","id":"9"}]"#).unwrap();
    assert_eq!(removal, [Message::remove("9")], "an update is read as it is");
    assert!(serde_json::from_str::<MessageList<Message>>("[7]").is_err());
}

#[test]
fn text_goes_into_an_item_that_nobody_else_has_where_it_is() {
    let mut list = MessageList::new(vec![note("1", "")]).unwrap();
    let place = |list: &MessageList<Note>| std::ptr::from_ref(list.get("1").unwrap());
    let before = place(&list);
    list.append("1", "a").unwrap();
    assert_eq!(place(&list), before);
    let kept = list.clone();
    list.append("1", "b").unwrap();
    assert_ne!(place(&list), before);
    // A copy of the list holds the item, too.
    drop(kept);
    let before = place(&list);
    let copy = list.clone();
    list.append("1", "c").unwrap();
    assert_ne!(place(&list), before);
    assert_eq!((&*list.get("1").unwrap().text, &*copy.get("1").unwrap().text), ("abc", "ab"));
}

#[test]
fn text_for_a_missing_message_or_one_without_text_is_refused() {
    let mut list = MessageList::default();
    assert_eq!(list.append("1", "a").unwrap_err().code(), "UNKNOWN_MESSAGE");
    list.update(vec![note("0", "a"), removal("0")]).unwrap();
    assert_eq!(list.append("0", "a").unwrap_err().code(), "UNKNOWN_MESSAGE");
}

#[test]
fn what_is_gone_is_let_go_of() {
    let mut list = MessageList::default();
    for at in 0..500 {
        let id = at.to_string();
        list.update(vec![note(&id, "a")]).unwrap();
        list.update(vec![removal(&id)]).unwrap();
    }
    list.update(vec![note("last", "b")]).unwrap();
    assert_eq!(texts(&list), ["b"]);
    assert_eq!(list.get("last").map(|note| &*note.text), Some("b"));
    assert!(list.get("499").is_none());
}

#[test]
fn a_list_has_a_debug_form() {
    let list = MessageList::new(vec![note("1", "a")]).unwrap();
    assert!(format!("{list:?}").contains("text: \"a\""));
}

fn notes() -> impl Strategy<Value = Vec<Note>> {
    let id = option::weighted(0.9, (0..6u8).prop_map(|id| id.to_string()));
    let put = (id, "[a-z]{1,2}").prop_map(|(id, text)| Note { id, text, removal: false });
    let gone = prop_oneof![
        6 => (0..6u8).prop_map(|id| id.to_string()),
        1 => Just(REMOVE_ALL_MESSAGES.to_owned()),
    ];
    vec(prop_oneof![3 => put, 1 => gone.prop_map(|id| removal(&id))], 0..6)
}

#[derive(Debug, Clone)]
enum Command {
    Update(Vec<Note>),
    Append(u8),
    Look,
}

fn commands() -> impl Strategy<Value = Vec<Command>> {
    let command = prop_oneof![
        4 => notes().prop_map(Command::Update),
        2 => (0..8u8).prop_map(Command::Append),
        2 => Just(Command::Look),
    ];
    vec(command, 0..24)
}

/// Without the ids that were made up.
fn shown<'a>(notes: impl IntoIterator<Item = &'a Note>) -> Vec<Note> {
    let known = |id: &String| id.len() < 36;
    notes
        .into_iter()
        .map(|note| Note { id: note.id.clone().filter(known), ..note.clone() })
        .collect()
}

proptest! {
    #![proptest_config(seeded::config(2_000))]

    /// The list against a plain one, folded by the rules as a reducer.
    #[test]
    fn it_is_the_list_that_add_messages_makes(
        commands in commands(),
        rules in prop_oneof![Just(LangGraph), Just(DeepAgents)],
    ) {
        let mut list = MessageList::empty(rules);
        let mut model: Vec<Note> = Vec::new();
        let mut looks = Vec::new();
        for command in commands {
            match command {
                Command::Update(update) => {
                    let ours = list.update(update.clone());
                    match rules.try_merge(model.clone(), update) {
                        Ok(merged) => {
                            ours.unwrap();
                            model = merged;
                        }
                        Err(error) => prop_assert_eq!(ours.unwrap_err(), error),
                    }
                }
                Command::Append(id) => {
                    let id = id.to_string();
                    let known = model.iter_mut().rev().find(|note| note.id.as_deref() == Some(&*id));
                    prop_assert_eq!(list.append(&id, "+").is_ok(), known.is_some());
                    if let Some(note) = known {
                        note.text.push('+');
                    }
                }
                Command::Look => {
                    let look = list.clone();
                    prop_assert_eq!(shown(look.iter().map(|note| &**note)), shown(&model));
                    looks.push((look, shown(&model)));
                }
            }
            prop_assert_eq!(list.len(), model.len());
        }
        for (look, then) in looks {
            prop_assert_eq!(shown(look.iter().map(|note| &**note)), then);
        }
    }

    /// In a state, a list is folded as a `Vec` of the same items, whatever they are.
    #[test]
    fn as_a_reducers_value_it_is_the_vec(left in notes(), right in notes(), rules in prop_oneof![Just(LangGraph), Just(DeepAgents)]) {
        let list = || left.iter().cloned().collect::<MessageList<Note>>();
        let wanted = rules.merge(left.clone(), right.clone());
        prop_assert_eq!(shown_list(&rules.merge(list(), right.clone())), shown(&wanted));
        prop_assert_eq!(shown_list(&rules.merge(list(), MessageList::from(right.clone()))), shown(&wanted));
        let tried = rules.try_merge(left.clone(), right.clone()).map(|items| shown(&items));
        let of_vec = rules.try_merge(list(), right.clone()).map(|list| shown_list(&list));
        prop_assert_eq!(&of_vec, &tried);
        let of_list = rules.try_merge(list(), MessageList::from(right.clone()));
        prop_assert_eq!(&of_list.map(|list| shown_list(&list)), &tried);
        // Once more: the ids that were given are known.
        let (once, twice) = (rules.merge(list(), right.clone()), rules.merge(wanted, right.clone()));
        prop_assert_eq!(shown_list(&rules.merge(once, right.clone())), shown(&twice));
    }
}

fn shown_list(list: &MessageList<Note>) -> Vec<Note> {
    shown(list.iter().map(|note| &**note))
}

#[test]
fn items_without_an_id_get_one_by_which_they_are_found() {
    let nameless = Note { id: None, ..note("", "a") };
    let mut list: MessageList<Note> = [nameless.clone(), note("1", "b")].into_iter().collect();
    assert_eq!(list, [nameless.clone(), note("1", "b")], "as they are, until an update");
    list.update(vec![note("2", "c")]).unwrap();
    let given = list.first().and_then(|first| first.id.clone()).unwrap();
    list.update(vec![removal(&given)]).unwrap();
    assert_eq!(list, vec![note("1", "b"), note("2", "c")]);
    let mut deep = MessageList::empty(DeepAgents);
    deep.extend([nameless.clone()]);
    deep.update(vec![note("1", "b")]).unwrap();
    assert_eq!(deep, [nameless, note("1", "b")]);
}

#[test]
fn it_is_a_collection() {
    let mut list = MessageList::from(vec![note("1", "a"), note("1", "b"), removal("?")]);
    list.extend(vec![note("2", "c")]);
    list.extend(list.clone().iter().take(1).cloned());
    let all = [note("1", "a"), note("1", "b"), removal("?"), note("2", "c"), note("1", "a")];
    assert_eq!(list, all);
    assert_eq!(list, *all.as_slice());
    assert_ne!(list, MessageList::from(all.iter().rev().cloned().collect::<Vec<_>>()));
    assert_ne!(list, all[1..].to_vec());
    let mut taken = list.clone().into_iter();
    assert_eq!(taken.size_hint(), (5, Some(5)));
    assert!(Arc::ptr_eq(&taken.next().unwrap(), list.first().unwrap()));
    assert_eq!(taken.next_back().as_deref(), Some(&note("1", "a")));
    assert_eq!(taken.rev().map(|note| note.text.clone()).collect::<Vec<_>>(), ["c", "", "b"]);
    let kept: MessageList<Note> = list.iter().filter(|note| !note.removal).cloned().collect();
    assert_eq!(kept.len(), 4);
}

/// A state whose messages are such a list.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize, State)]
#[state(derive(Debug, Clone, serde::Serialize, serde::Deserialize))]
struct Talk {
    #[reducer(AddMessages)]
    messages: MessageList<Message>,
    #[reducer(AddMessages)]
    #[update(Vec<Message>)]
    notes: MessageList<Message>,
}

#[test]
fn an_update_of_it_is_a_list_of_items_as_they_are() {
    let wire =
        r#"{"messages":[{"type":"human","id":"1","content":"hi"},{"type":"remove","id":"2"}]}"#;
    let update: TalkUpdate = serde_json::from_str(wire).unwrap();
    assert_eq!(serde_json::to_string(&update).unwrap(), wire);
    let mut talk = Talk::default();
    assert_eq!(talk.update(update.clone()).unwrap_err().code(), "UNKNOWN_MESSAGE");
    assert_eq!(talk, Talk::default());
    talk = talk.merge(update);
    talk = talk.merge(TalkUpdate {
        messages: Some([Message::assistant("hello").with_id("2")].into_iter().collect()),
        notes: Some(vec![Message::user("note").with_id("n")]),
    });
    assert_eq!(
        talk.messages,
        [Message::user("hi").with_id("1"), Message::assistant("hello").with_id("2")]
    );
    assert_eq!(talk.notes.len(), 1);
    let wire = serde_json::to_string(&talk).unwrap();
    assert_eq!(serde_json::from_str::<Talk>(&wire).unwrap(), talk);
}

#[derive(Debug, Clone, Default, State)]
struct Chat {
    #[reducer(AddMessages)]
    #[update(Vec<Message>)]
    messages: MessageList<Message>,
    #[reducer(DeepAgents)]
    #[update(Vec<Message>)]
    others: MessageList<Message>,
    n: u32,
}

#[test]
fn it_is_a_field_of_a_state() {
    let hi = || Some(vec![Message::user("hi").with_id("1")]);
    let mut chat = Chat::default();
    chat.update(ChatUpdate { messages: hi(), others: hi(), n: None }).unwrap();
    // By the rules of the field's reducer.
    let gone = || Some(vec![Message::remove("9")]);
    let refused = chat.update(ChatUpdate { messages: gone(), n: Some(1), ..ChatUpdate::default() });
    assert!(refused.unwrap_err().to_string().ends_with("doesn't exist ('9')"));
    chat.update(ChatUpdate { others: gone(), ..ChatUpdate::default() }).unwrap();
    assert_eq!((chat.messages.len(), chat.others.len(), chat.n), (1, 1, 0));
    let nameless = Some(vec![Message::user("who?")]);
    chat.update(ChatUpdate { messages: nameless.clone(), others: nameless, n: None }).unwrap();
    // A merge that cannot refuse ignores it.
    let same = LangGraph.merge(chat.messages.clone(), gone().unwrap());
    assert_eq!(same, chat.messages);
    let has_id = |list: &MessageList<Message>| list.last().unwrap().id.is_some();
    assert_eq!((has_id(&chat.messages), has_id(&chat.others)), (true, false));
}
