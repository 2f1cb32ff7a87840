//! A state in a page: which half folds a field, how it starts, and its types in TypeScript.
#![allow(clippy::unwrap_used, dead_code)]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::Serializer};
use threadfold::reducer::kind::FieldKind;
use threadfold::reducer::{
    AddMessages, Append, MergeFiles, MergeTools, Replace, ReplaceTodos, TryReducerFn,
};
use threadfold::typed::Identified;
use threadfold::typed::page::{FoldError, PageState};
use threadfold::{Error, Json, Message, MessageRules, PageType, Prefer, State};

/// An item with an id; not a message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, PageType)]
struct Note {
    id: Option<String>,
}

impl Identified for Note {
    fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    fn set_id(&mut self, id: String) {
        self.id = Some(id);
    }
}

/// A text by its length.
mod length {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &str, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(value.len() as u64)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        u8::deserialize(deserializer).map(|length| "x".repeat(length.into()))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, State)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
#[state(derive(Debug, Serialize, Deserialize), page)]
struct Every {
    #[reducer(AddMessages)]
    typed_messages: Vec<Message>,
    #[reducer(MessageRules::DeepAgents)]
    messages: Value,
    #[reducer(AddMessages)]
    notes: Vec<Note>,
    #[reducer(MergeTools(Prefer::Last))]
    tools: Json,
    #[reducer(ReplaceTodos)]
    todos: Value,
    #[reducer(MergeFiles)]
    files: Value,
    title: Option<String>,
    #[reducer(Replace)]
    #[serde(with = "length")]
    #[page(type = "number")]
    size: String,
    #[reducer(Append)]
    log: Vec<u8>,
    #[reducer(Append)]
    #[update(Option<u8>)]
    one_by_one: Vec<u8>,
    #[reducer(Append)]
    text: String,
    #[reducer(TryReducerFn(divided))]
    left: u32,
    #[serde(with = "length")]
    #[reducer(|now: String, more: String| now + &more)]
    #[page(type = "number")]
    long: String,
    #[serde(skip)]
    cached: Value,
}

impl Default for Every {
    fn default() -> Self {
        serde_json::from_value(json!({
            "TYPED-MESSAGES": [], "MESSAGES": [], "NOTES": [{ "id": "1" }], "TOOLS": [], "TODOS": [], "FILES": {},
            "TITLE": "none", "SIZE": 3, "LOG": [1], "ONE-BY-ONE": [], "TEXT": "a", "LEFT": 8, "LONG": 2,
        }))
        .unwrap()
    }
}

fn divided(now: u32, by: u32) -> Result<u32, Error> {
    now.checked_div(by).ok_or_else(|| Error::reducer("by nothing"))
}

fn at(name: &str) -> usize {
    Every::NAMES.iter().position(|known| *known == name).unwrap()
}

#[test]
fn a_ready_made_reducer_names_its_field() {
    let kinds: Vec<_> =
        Every::NAMES.iter().enumerate().map(|(at, name)| (*name, Every::kind(at))).collect();
    assert_eq!(
        kinds,
        [
            ("TYPED-MESSAGES", FieldKind::Messages(MessageRules::LangGraph)),
            ("MESSAGES", FieldKind::Messages(MessageRules::DeepAgents)),
            ("NOTES", FieldKind::Own),
            ("TOOLS", FieldKind::Tools(Prefer::Last)),
            ("TODOS", FieldKind::Todos),
            ("FILES", FieldKind::Files),
            ("TITLE", FieldKind::Replace),
            ("SIZE", FieldKind::Replace),
            ("LOG", FieldKind::Append),
            ("ONE-BY-ONE", FieldKind::Own),
            ("TEXT", FieldKind::Own),
            ("LEFT", FieldKind::Own),
            ("LONG", FieldKind::Own),
        ]
    );
}

#[test]
fn the_names_are_those_on_the_wire() {
    let wire = serde_json::to_value(Every::default()).unwrap();
    let keys: Vec<_> = wire.as_object().unwrap().keys().collect();
    assert_eq!(keys, Every::NAMES);
}

#[test]
fn a_field_starts_as_in_default_if_npm_does_not_start_it() {
    let initial = |name| Every::initial(at(name), Serializer).unwrap();
    for (name, value) in
        [("TITLE", json!("none")), ("SIZE", json!(3)), ("LOG", json!([1])), ("LONG", json!(2))]
    {
        assert_eq!(initial(name), value);
    }
    assert_eq!(initial("TODOS"), json!(null));
}

#[test]
fn a_field_is_folded_in_its_own_shape_or_says_why_not() {
    let fold = |name, now, update| Every::fold(at(name), now, update, Serializer);
    assert_eq!(fold("LONG", json!(2), json!(3)).ok(), Some(json!(5)));
    assert_eq!(fold("ONE-BY-ONE", json!([1]), json!(2)).ok(), Some(json!([1, 2])));
    assert_eq!(fold("LEFT", json!(8), json!(2)).ok(), Some(json!(4)));
    assert!(matches!(fold("LEFT", json!("8"), json!(2)), Err(FoldError::Now(_))));
    assert!(matches!(fold("LEFT", json!(8), json!(-2)), Err(FoldError::Update(_))));
    assert!(matches!(fold("LEFT", json!(8), json!(0)), Err(FoldError::Reducer(_))));
    assert!(matches!(fold("TODOS", json!([]), json!([])), Err(FoldError::Foreign)));
}

#[derive(Debug, Serialize, Deserialize, PageType)]
#[serde(rename_all = "kebab-case")]
enum Plain {
    InTime,
    Late(u32),
    Twice(u32, String),
    #[serde(rename = "Gone")]
    Lost {
        since_when: bool,
    },
    #[serde(skip)]
    Hidden,
}

#[derive(Debug, Serialize, Deserialize, PageType)]
#[serde(tag = "type", content = "of", rename_all = "camelCase", rename_all_fields = "PascalCase")]
enum Adjacent {
    NotYet,
    MuchMore { some_thing: u8 },
}

#[derive(Debug, Serialize, Deserialize, PageType)]
#[serde(untagged)]
enum Either {
    Text(String),
    Both { text: String },
}

#[derive(Debug, Serialize, Deserialize, PageType)]
struct Tree {
    #[page(recursive)]
    children: Vec<Tree>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<u32>,
    #[serde(flatten)]
    either: Either,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, PageType)]
#[page(name = "Id")]
struct Key(String);

#[derive(Debug, Serialize, Deserialize, PageType)]
struct Paged<T> {
    items: Vec<T>,
    by_key: BTreeMap<Key2, (T, bool)>,
}

type Key2 = String;

fn declared<T: PageType>() -> Vec<&'static str> {
    (0..T::NEEDS.len()).map(|at| T::NEEDS.at(at)).collect()
}

#[test]
fn a_type_is_the_one_that_serde_makes() {
    assert_eq!(
        declared::<Plain>(),
        ["export type Plain = \"in-time\" | { readonly \"late\": number } | \
          { readonly \"twice\": readonly [number, string] } | \
          { readonly \"Gone\": { readonly \"since_when\": boolean } };"]
    );
    assert_eq!(
        declared::<Adjacent>(),
        ["export type Adjacent = { readonly \"type\": \"notYet\" } | \
          { readonly \"type\": \"muchMore\"; readonly \"of\": { readonly \"SomeThing\": number } };"]
    );
    let either = "export type Either = string | { readonly \"text\": string };";
    assert_eq!(
        declared::<Tree>(),
        [
            either,
            "export type Tree = { readonly \"children\": ReadonlyArray<Tree>; \
             readonly \"parent\"?: number | null } & (Either);"
        ]
    );
    assert_eq!(declared::<Key>(), ["export type Id = string;"]);
    assert_eq!(<Option<Key>>::NAME.as_str(), "Id | null");
}

#[test]
fn a_generic_type_stands_where_it_is_used() {
    assert_eq!(
        <Paged<Either>>::NAME.as_str(),
        "({ readonly \"items\": ReadonlyArray<Either>; \
         readonly \"by_key\": { readonly [key in string]?: readonly [Either, boolean] } })"
    );
    assert_eq!(declared::<Paged<Either>>().len(), 1);
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, PageType)]
struct Flag(bool);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, PageType)]
#[serde(transparent)]
struct Marked {
    flag: Box<Flag>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, PageType)]
#[page(type = "`${number}`")]
struct Digits(u32);

#[derive(Debug, Serialize, Deserialize, PageType)]
#[serde(tag = "is")]
struct Named {
    a: u8,
}

#[test]
fn a_struct_with_a_tag_has_it_when_written() {
    assert_eq!(
        declared::<Named>(),
        ["export type Named = { readonly \"a\": number } & { readonly \"is\"?: string };"]
    );
    assert_eq!(wire(Named { a: 1 }), json!({ "is": "Named", "a": 1 }));
    assert!(serde_json::from_value::<Named>(json!({ "a": 1 })).is_ok());
}

#[test]
fn a_key_of_a_map_is_a_text_or_a_number() {
    let key = |name: &str| format!("{{ readonly [key in {name}]?: number }}");
    let flags = "\"true\" | \"false\"";
    assert_eq!(<BTreeMap<bool, u8>>::NAME.as_str(), key(flags));
    assert_eq!(<BTreeMap<Flag, u8>>::NAME.as_str(), key(flags));
    assert_eq!(<BTreeMap<Marked, u8>>::NAME.as_str(), key(flags));
    assert_eq!(<BTreeMap<Box<u32>, u8>>::NAME.as_str(), key("number"));
    assert_eq!(<BTreeMap<Key, u8>>::NAME.as_str(), key("Id"));
    assert_eq!(<BTreeMap<Digits, u8>>::NAME.as_str(), key("Digits"));
    let json = wire(BTreeMap::from([(Marked { flag: Box::new(Flag(true)) }, 1)]));
    assert_eq!(json, json!({ "true": 1 }));
}

/// A tree that needs another type beside itself.
#[derive(Debug, Serialize, Deserialize, PageType)]
struct Menu {
    parts: BTreeMap<Key, Vec<Menu>>,
    next: Option<Box<Menu>>,
}

#[test]
fn a_type_that_contains_itself_needs_no_mark() {
    assert_eq!(
        declared::<Menu>(),
        [
            "export type Id = string;",
            "export type Menu = { readonly \"parts\": { readonly [key in Id]?: ReadonlyArray<Menu> }; \
             readonly \"next\": Menu | null };"
        ]
    );
}

fn wire(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

/// Serde itself agrees with the types above.
#[test]
fn the_wire_agrees() {
    assert_eq!(wire(Plain::Twice(1, "a".to_owned())), json!({ "twice": [1, "a"] }));
    assert_eq!(wire(Plain::Lost { since_when: true }), json!({ "Gone": { "since_when": true } }));
    assert_eq!(
        wire(Adjacent::MuchMore { some_thing: 1 }),
        json!({ "type": "muchMore", "of": { "SomeThing": 1 } })
    );
    assert_eq!(wire(Adjacent::NotYet), json!({ "type": "notYet" }));
    let either = Either::Both { text: "a".to_owned() };
    let tree = Tree { children: Vec::new(), parent: None, either };
    assert_eq!(wire(tree), json!({ "children": [], "text": "a" }));
    assert_eq!(wire(Key("a".to_owned())), json!("a"));
}
