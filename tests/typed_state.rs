//! The typed state and its update.
#![allow(clippy::unwrap_used, clippy::panic, clippy::needless_pass_by_value)]

use serde::{Deserialize, Serialize};
use serde_json::json;
use threadfold::reducer::{
    AddMessages, Append, MergeFiles, MergeTools, Reducer, ReducerFn, Replace, ReplaceTodos,
    TryReducer, TryReducerFn,
};
use threadfold::typed::Identified;
use threadfold::{Error, Message, MessageRules, Prefer, State};

/// An agent's state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, State)]
#[serde(default)]
#[state(derive(Debug, Clone, Serialize, Deserialize))]
struct Agent {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
    #[reducer(MessageRules::DeepAgents)]
    notes: Vec<Message>,
    #[reducer(MergeTools(Prefer::Last))]
    tools: serde_json::Value,
    #[reducer(ReplaceTodos)]
    todos: serde_json::Value,
    #[reducer(MergeFiles)]
    files: serde_json::Value,
    #[reducer(Append)]
    #[update(Option<String>)]
    log: Vec<String>,
    #[reducer(Replace)]
    title: Option<String>,
    #[serde(rename = "turnsTaken")]
    #[reducer(TryReducerFn(add))]
    turns: u32,
}

#[derive(Debug, Clone, State)]
struct Other {
    x: i32,
}

fn add(sum: u32, more: u32) -> Result<u32, Error> {
    sum.checked_add(more).ok_or_else(|| Error::reducer("too many turns"))
}

fn agent() -> Agent {
    Agent { messages: vec![Message::user("hi").with_id("1")], turns: 1, ..Default::default() }
}

#[test]
fn each_field_is_folded_by_its_reducer() {
    let update = AgentUpdate {
        messages: Some(vec![Message::remove("1"), Message::user("hello").with_id("2")]),
        notes: Some(vec![Message::remove("unknown")]),
        tools: Some(json!([{ "name": "search" }])),
        todos: Some(json!([{ "content": "plan", "status": "pending" }])),
        files: Some(json!({ "/a.md": { "content": "a" }, "/b.md": null })),
        log: Some(Some("one".to_owned())),
        title: Some(Some("Title".to_owned())),
        turns: Some(2),
    };
    let state = agent().merge(update);
    assert_eq!(state.messages, [Message::user("hello").with_id("2")]);
    assert_eq!(state.notes, []);
    assert_eq!(state.tools, json!([{ "name": "search" }]));
    assert_eq!(state.todos, json!([{ "content": "plan", "status": "pending" }]));
    assert_eq!(state.files, json!({ "/a.md": { "content": "a" } }));
    assert_eq!(
        (state.log, state.title, state.turns),
        (vec!["one".to_owned()], Some("Title".to_owned()), 3)
    );
}

#[test]
fn what_an_update_does_not_write_stays() {
    assert_eq!(agent().merge(AgentUpdate::default()), agent());
    assert_eq!(Other { x: 1 }.merge(OtherUpdate { x: Some(2) }).x, 2);
}

#[test]
fn a_failing_update_changes_nothing() {
    let mut state = agent();
    let update = AgentUpdate {
        messages: Some(vec![Message::user("never")]),
        turns: Some(u32::MAX),
        ..Default::default()
    };
    let refused = anyhow::Error::new(state.update(update).unwrap_err());
    assert_eq!(format!("{refused:#}"), "The reducer of 'turnsTaken' failed: too many turns");
    assert_eq!(state, agent());
}

#[test]
fn as_json_absence_writes_nothing_and_null_writes() {
    let update: AgentUpdate =
        serde_json::from_value(json!({ "title": null, "turnsTaken": 4 })).unwrap();
    assert_eq!(update.title, Some(None));
    assert!(update.messages.is_none());
    assert_eq!(serde_json::to_value(&update).unwrap(), json!({ "title": null, "turnsTaken": 4 }));
    assert!(serde_json::from_value::<AgentUpdate>(json!({ "messages": null })).is_err());
}

#[test]
fn a_state_goes_through_json_and_may_lack_fields() {
    let text = serde_json::to_string(&agent()).unwrap();
    assert_eq!(serde_json::from_str::<Agent>(&text).unwrap(), agent());
    assert_eq!(serde_json::from_str::<Agent>("{}").unwrap(), Agent::default());
}

/// An item of a program's own.
#[derive(Debug, Clone, Default, PartialEq)]
struct Note {
    id: Option<String>,
    text: String,
}

impl Note {
    fn new(id: &str, text: &str) -> Self {
        Self { id: Some(id.to_owned()), text: text.to_owned() }
    }
}

impl Identified for Note {
    fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    fn set_id(&mut self, id: String) {
        self.id = Some(id);
    }
}

/// Any kind of note, and types and bounds of its own.
#[derive(Debug, Clone, Default, State)]
#[state(update = Written, derive(Debug))]
struct Generic<N: Identified, T>
where
    T: Ord,
{
    #[reducer(AddMessages)]
    notes: Vec<N>,
    #[reducer(|highest, next| if next > highest { next } else { highest })]
    highest: T,
    #[reducer(Append)]
    #[update(&'static str)]
    text: String,
    #[reducer(ReducerFn(|_, new| new))]
    latest: Option<T>,
}

#[test]
fn a_state_may_be_generic() {
    let mut state = Generic { highest: 3, ..Generic::default() };
    let update = Written {
        notes: Some(vec![Note::new("1", "a")]),
        highest: Some(2),
        text: Some("Hel"),
        latest: Some(Some(7)),
    };
    state.update(update).unwrap();
    let update = Written { text: Some("lo"), highest: Some(5), ..Written::default() };
    let state = state.merge(update);
    assert_eq!(state.notes, [Note::new("1", "a")]);
    assert_eq!((state.highest, &*state.text, state.latest), (5, "Hello", Some(7)));
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, State)]
#[serde(rename_all = "camelCase")]
#[state(derive(Serialize, Deserialize))]
struct Parcel<T> {
    last_content: Option<T>,
}

#[test]
fn a_generic_update_goes_through_json() {
    let update: ParcelUpdate<u8> = serde_json::from_value(json!({ "lastContent": 7 })).unwrap();
    assert_eq!(json!(update), json!({ "lastContent": 7 }));
    let parcel = Parcel::default().merge(update);
    assert_eq!(parcel, Parcel { last_content: Some(7) });
    let update: ParcelUpdate<u8> = serde_json::from_value(json!({ "lastContent": null })).unwrap();
    assert_eq!(parcel.merge(update), Parcel::default());
}

/// Says when it is copied.
#[derive(Debug, Default)]
struct Costly(Vec<u8>);

impl Clone for Costly {
    fn clone(&self) -> Self {
        panic!("it is copied")
    }
}

#[derive(Debug, Clone, Default, State)]
struct Uncopied {
    kept: Costly,
    replaced: Costly,
    #[reducer(AddMessages)]
    messages: Vec<Unclonable>,
    #[reducer(Append)]
    list: Vec<Costly>,
    #[reducer(TryReducerFn(add))]
    turns: u32,
}

/// A message that says when it is copied.
#[derive(Debug)]
struct Unclonable(Message);

impl Clone for Unclonable {
    fn clone(&self) -> Self {
        panic!("it is copied")
    }
}

impl Identified for Unclonable {
    fn id(&self) -> Option<&str> {
        self.0.id.as_deref()
    }

    fn set_id(&mut self, id: String) {
        self.0.id = Some(id);
    }

    fn is_removal(&self) -> bool {
        self.0.is_removal()
    }
}

#[test]
fn an_update_in_place_copies_no_message_and_no_list() {
    let mut state = Uncopied::default();
    for id in ["1", "2"] {
        let update = UncopiedUpdate {
            replaced: Some(Costly(vec![1])),
            messages: Some(vec![Unclonable(Message::user("hi").with_id(id))]),
            list: Some(vec![Costly(vec![2])]),
            turns: Some(1),
            kept: None,
        };
        state.update(update).unwrap();
    }
    assert_eq!((state.messages.len(), state.list.len(), state.turns), (2, 2, 2));
    // Whole or not at all, whichever of the fields refuses.
    let removal = || Some(vec![Unclonable(Message::remove("unknown"))]);
    let list = || Some(vec![Costly(Vec::new())]);
    for update in [
        UncopiedUpdate { list: list(), messages: removal(), ..UncopiedUpdate::default() },
        UncopiedUpdate { list: list(), turns: Some(u32::MAX), ..UncopiedUpdate::default() },
    ] {
        state.update(update).unwrap_err();
        assert_eq!((state.messages.len(), state.list.len(), state.turns), (2, 2, 2));
        assert!(state.kept.0.is_empty() && state.replaced.0 == [1]);
    }
}

#[test]
fn what_takes_every_update_infers_its_types() {
    assert_eq!(ReducerFn(|_, new| new).merge(1, 2), 2);
    assert_eq!(ReducerFn(|sum, more| sum + more).merge(1, 2), 3);
    assert_eq!(Replace.merge(Some("a"), None), None);
    assert_eq!(Append.merge("a".to_owned(), "b".to_owned()), "ab");
}

#[test]
fn append_accepts_the_standard_librarys_collections() {
    use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
    assert_eq!(Append.merge(vec![1], [2, 3]), [1, 2, 3]);
    assert_eq!(Append.merge(VecDeque::from([1]), Some(2)), [1, 2]);
    assert_eq!(Append.merge(BTreeSet::from([1]), [1, 2]), BTreeSet::from([1, 2]));
    assert_eq!(Append.merge(HashSet::from([1]), [1, 2]), HashSet::from([1, 2]));
    let (a, b) = ([("k", 1), ("l", 1)], [("k", 2)]);
    let both = [("k", 2), ("l", 1)];
    assert_eq!(Append.merge(BTreeMap::from(a), b), BTreeMap::from(both));
    assert_eq!(Append.merge(HashMap::from(a), b), HashMap::from(both));

    let mut list = vec![1];
    Append.merge_in_place(&mut list, [2]);
    assert_eq!(list, [1, 2]);
    let mut text = "a".to_owned();
    Append.merge_in_place(&mut text, "b");
    assert_eq!(text, "ab");
}

mod elsewhere {
    pub use threadfold as fold;
}

/// A state of a program that knows threadfold by another name.
#[derive(Debug, Clone, Default, elsewhere::fold::State)]
#[state(crate = crate::typed_state::elsewhere::fold, derive(Deserialize))]
struct Renamed<T> {
    /// The one thing it knows.
    pub(crate) last: Option<T>,
    #[reducer(move |_, new| new)]
    r#type: String,
}

#[test]
fn threadfold_may_have_another_name() {
    let update: RenamedUpdate<u8> =
        serde_json::from_value(json!({ "last": 1, "type": "x" })).unwrap();
    let mut state = Renamed::default();
    state.update(update).unwrap();
    assert_eq!((state.last, &*state.r#type), (Some(1), "x"));
}

/// A handwritten state copies itself: a refused update leaves it unchanged, too.
#[derive(Debug, Clone, PartialEq)]
struct ByHand(u32);

impl State for ByHand {
    type Update = u32;

    fn merge(self, update: u32) -> Self {
        Self(self.0.saturating_add(update))
    }

    fn try_merge(self, update: u32) -> Result<Self, Error> {
        add(self.0, update).map(Self)
    }
}

#[test]
fn a_state_may_be_written_by_hand() {
    let mut state = ByHand(1);
    state.update(2).unwrap();
    assert_eq!(state, ByHand(3));
    assert_eq!(state.update(u32::MAX).unwrap_err().code(), "REDUCER_FAILED");
    assert_eq!(state, ByHand(3));
}

#[test]
fn every_reducer_folds_in_two_halves_as_in_one() {
    fn both<T: Clone + PartialEq + std::fmt::Debug, U: Clone>(
        reducer: impl TryReducer<T, U>,
        current: T,
        update: U,
        wanted: T,
    ) {
        let mut place = current.clone();
        reducer.prepare(&mut place, update.clone()).unwrap()();
        assert_eq!(place, wanted);
        assert_eq!(reducer.try_merge(current.clone(), update.clone()).unwrap(), wanted);
        always(reducer, current, update, wanted);
    }
    fn always<T: Clone + PartialEq + std::fmt::Debug, U: Clone>(
        reducer: impl Reducer<T, U>,
        current: T,
        update: U,
        wanted: T,
    ) {
        let mut place = current.clone();
        reducer.merge_in_place(&mut place, update.clone());
        assert_eq!(place, wanted);
        assert_eq!(reducer.merge(current, update), wanted);
    }
    let message = |id: &str| Message::user(id).with_id(id);
    let (old, new) = (vec![message("1"), message("2")], vec![message("3"), Message::remove("1")]);
    let after = vec![message("2"), message("3")];
    both(AddMessages, old.clone(), new.clone(), after.clone());
    both(MessageRules::DeepAgents, old, [new, vec![Message::remove("?")]].concat(), after);
    let (old, new) = (json!([message("1")]), json!([message("2")]));
    let after = json!([message("1"), message("2")]);
    both(AddMessages, old.clone(), new.clone(), after.clone());
    both(MessageRules::LangGraph, old, new, after);
    always(Replace, 1, 2, 2);
    always(Append, "a".to_owned(), "b", "ab".to_owned());
    both(MergeFiles, json!({ "/a": 1 }), json!({ "/a": null, "/b": 2 }), json!({ "/b": 2 }));
    both(MergeTools(Prefer::Last), json!([]), json!([{ "name": "a" }]), json!([{ "name": "a" }]));
    let todo = json!([{ "content": "a", "status": "pending" }]);
    both(ReplaceTodos, json!([]), todo.clone(), todo);
    both(TryReducerFn(add), 1, 2, 3);
    always(ReducerFn(|_, new| new), 1, 2, 2);
    let mut place = json!([]);
    assert!(ReplaceTodos.prepare(&mut place, json!(null)).is_err());
    assert!(AddMessages.prepare(&mut vec![message("1")], vec![Message::remove("?")]).is_err());
}

#[test]
fn reducers_have_a_debug_form() {
    assert_eq!(format!("{:?}", ReducerFn(|a: u8, _: u8| a)), "ReducerFn { .. }");
    assert_eq!(format!("{:?}", TryReducerFn(add)), "TryReducerFn { .. }");
}

fn below_ten(sum: u32, more: u32) -> u32 {
    assert!(more < 10, "too many");
    sum + more
}

/// A reducer that folds in place, and may panic half-way.
struct Halves;

impl Reducer<Vec<u32>, u32> for Halves {
    fn merge(&self, mut current: Vec<u32>, update: u32) -> Vec<u32> {
        self.merge_in_place(&mut current, update);
        current
    }

    fn merge_in_place(&self, current: &mut Vec<u32>, update: u32) {
        current.push(update);
        assert!(update < 10, "too many");
        current.push(update);
    }
}

#[derive(Debug, Clone, Default, PartialEq, State)]
struct Guarded {
    title: String,
    #[reducer(Append)]
    #[update(Vec<u32>)]
    log: Vec<u32>,
    #[reducer(|sum: u32, more: u32| below_ten(sum, more))]
    closure: u32,
    #[reducer(ReducerFn(below_ten))]
    value: u32,
    #[reducer(below_ten)]
    function: u32,
    #[reducer(Halves)]
    #[update(u32)]
    halves: Vec<u32>,
}

#[test]
fn an_update_that_panics_changes_nothing() {
    let update = |panics: usize| {
        let amount = |at: usize| Some(if at == panics { 10 } else { 1 });
        GuardedUpdate {
            title: Some("new".to_owned()),
            log: Some(vec![1]),
            closure: amount(0),
            value: amount(1),
            function: amount(2),
            halves: amount(3),
        }
    };
    let mut state = Guarded::default();
    for panics in 0..4 {
        let call = std::panic::AssertUnwindSafe(|| state.update(update(panics)));
        assert!(std::panic::catch_unwind(call).is_err());
        assert_eq!(state, Guarded::default(), "{panics}");
    }
    state.update(update(4)).unwrap();
    let title = "new".to_owned();
    let expected =
        Guarded { title, log: vec![1], closure: 1, value: 1, function: 1, halves: vec![1, 1] };
    assert_eq!(state, expected);
}
