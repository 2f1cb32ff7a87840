//! The crossings between JavaScript and the core: runs in Node and in a browser.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod graph;

use std::cell::{Cell, RefCell};

use js_sys::{Function, Object, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{RawMessageList, RawSchema};

#[wasm_bindgen(module = "/src/slots.js")]
extern "C" {
    fn hold(value: &JsValue) -> i32;
    fn value(handle: i32) -> JsValue;
    fn root(value: &JsValue) -> i32;
    #[wasm_bindgen(js_name = call, catch)]
    fn enter(entry: &mut dyn FnMut() -> JsValue) -> Result<JsValue, JsValue>;

    type Arena;
    #[wasm_bindgen(constructor)]
    fn new() -> Arena;
    #[wasm_bindgen(method, js_name = call, catch)]
    fn enter(
        this: &Arena,
        entry: &mut dyn FnMut() -> JsValue,
        keep: &mut dyn FnMut(),
    ) -> Result<JsValue, JsValue>;
}

/// Evaluates an expression.
fn js(expression: &str) -> JsValue {
    js_sys::eval(&format!("({expression})")).unwrap()
}

/// Whether a function, given as an expression, returns something truthy for a value.
fn holds(predicate: &str, of: &JsValue) -> bool {
    js(predicate).unchecked_into::<Function>().call1(&JsValue::UNDEFINED, of).unwrap().is_truthy()
}

fn get(of: &JsValue, key: &str) -> JsValue {
    Reflect::get(of, &key.into()).unwrap()
}

/// The number of a field that is input and output.
const SHOWN: i32 = 3;

/// Returns an entry point's answer, or its error.
fn call(mut entry: impl FnMut() -> i32) -> Result<JsValue, JsValue> {
    enter(&mut || value(entry()))
}

fn add_messages(left: &JsValue, right: &JsValue) -> Result<JsValue, JsValue> {
    call(|| crate::add_messages(hold(left), hold(right), 0))
}

fn apply_patch(document: &JsValue, operations: &JsValue) -> Result<JsValue, JsValue> {
    call(|| crate::apply_patch(hold(document), hold(operations)))
}

/// A list and its values.
struct List {
    raw: RawMessageList,
    arena: Arena,
}

impl List {
    fn new(messages: &JsValue) -> Self {
        let arena = Arena::new();
        let mut raw = None;
        let mut make = || {
            raw = Some(RawMessageList::new(0));
            JsValue::UNDEFINED
        };
        arena.enter(&mut make, &mut || {}).unwrap();
        let mut list = Self { raw: raw.unwrap(), arena };
        list.update(messages).unwrap();
        list
    }

    fn call(&mut self, work: impl Fn(&mut RawMessageList) -> i32) -> Result<JsValue, JsValue> {
        let raw = RefCell::new(&mut self.raw);
        let mut keep = || {
            raw.borrow_mut().ask(4, 0, 0);
        };
        self.arena.enter(&mut || value(work(&mut raw.borrow_mut())), &mut keep)
    }

    fn update(&mut self, messages: &JsValue) -> Result<JsValue, JsValue> {
        self.call(|raw| raw.ask(1, hold(messages), 0))
    }

    fn append(&mut self, id: &JsValue, text: &JsValue) -> Result<JsValue, JsValue> {
        self.call(|raw| raw.ask(2, hold(id), hold(text)))
    }

    fn snapshot(&mut self) -> JsValue {
        self.call(|raw| raw.ask(0, 0, 0)).unwrap()
    }
}

/// A schema of one field with this reducer and default.
fn reducing(key: &str, functions: &str) -> RawSchema {
    let mut schema = RawSchema::empty();
    let (key, name) = (hold(&key.into()), hold(&"it".into()));
    schema.add(key, 9, SHOWN, root(&js(functions)), 0, name);
    schema
}

fn merge(schema: &RawSchema, state: &JsValue, update: &JsValue) -> Result<JsValue, JsValue> {
    call(|| schema.apply(0, hold(state), hold(update)))
}

fn code(error: &JsValue) -> String {
    get(error, "code").as_string().unwrap()
}

#[wasm_bindgen_test]
fn messages_go_through_as_the_objects_they_are() {
    let left =
        js("[{ type: 'human', id: '1', content: 'a', at: new Date(0), big: 1n, none: undefined }]");
    let right = js("[{ type: 'ai', id: '2', content: 'b' }]");
    let merged = add_messages(&left, &right).unwrap();
    assert!(holds("(merged) => Array.isArray(merged) && merged.length === 2", &merged));
    assert!(Object::is(&get(&merged, "0"), &get(&left, "0")));
    assert!(Object::is(&get(&merged, "1"), &get(&right, "0")));
}

#[wasm_bindgen_test]
fn a_string_becomes_a_human_message_with_a_uuid() {
    let merged = add_messages(&js("[]"), &js("'hi'")).unwrap();
    assert!(holds(
        "([m]) => m.type === 'human' && m.content === 'hi' && /^[0-9a-f-]{36}$/.test(m.id)",
        &merged
    ));
}

#[wasm_bindgen_test]
fn an_instance_that_is_given_an_id_stays_of_its_class_and_the_original_has_none() {
    let instance = js("new (class HumanMessage {
        type = 'human'; content = 'a'; lc_kwargs = { content: 'a' }; _getType() { return this.type; }
    })()");
    let merged = add_messages(&js("[]"), &instance).unwrap();
    assert!(holds(
        "([m]) => m.constructor.name === 'HumanMessage' && m.lc_kwargs.id === m.id",
        &merged
    ));
    assert!(holds("(m) => m.id === undefined && !('id' in m.lc_kwargs)", &instance));
}

#[wasm_bindgen_test]
fn an_error_has_a_code_and_a_sentence() {
    let error = add_messages(&js("[]"), &js("{ type: 'remove', id: 'zz' }")).unwrap_err();
    assert_eq!(code(&error), "UNKNOWN_MESSAGE");
    assert!(holds("(e) => e instanceof Error && e.message.includes(\"('zz')\")", &error));
}

#[wasm_bindgen_test]
fn what_a_getter_throws_is_the_cause_and_the_next_call_is_not_hurt() {
    let hostile = js("[{ get id() { throw new Error('mine'); } }]");
    let error = add_messages(&js("[]"), &hostile).unwrap_err();
    assert_eq!(code(&error), "UNREADABLE_VALUE");
    assert!(holds("(e) => e.cause.message === 'mine'", &error));
    assert!(add_messages(&js("[]"), &js("'hi'")).is_ok());
}

#[wasm_bindgen_test]
fn a_patch_copies_the_path_and_shares_the_rest() {
    let document =
        js("globalThis.threadfoldDocument = { a: { b: [1, { c: 2 }] }, rest: { of: 'it' } }");
    let patched = apply_patch(
        &document,
        &js(
            "[{ op: 'replace', path: '/a/b/1/c', value: 3 }, { op: 'add', path: '/a/b/-', value: 4 }]",
        ),
    );
    assert!(holds(
        "(p) => JSON.stringify(p.a) === '{\"b\":[1,{\"c\":3},4]}' && p.rest === threadfoldDocument.rest
            && threadfoldDocument.a.b.length === 2 && threadfoldDocument.a.b[1].c === 2",
        &patched.unwrap(),
    ));
}

#[wasm_bindgen_test]
fn a_copied_value_is_not_changed_by_later_operations() {
    let patch = js("[
        { op: 'add', path: '/a/x', value: 1 },
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'add', path: '/b/y', value: 2 },
    ]");
    let patched = apply_patch(&js("{ a: {} }"), &patch).unwrap();
    assert!(holds(
        "(p) => JSON.stringify(p) === '{\"a\":{\"x\":1},\"b\":{\"x\":1,\"y\":2}}'",
        &patched
    ));
}

#[wasm_bindgen_test]
fn a_list_appends_in_place_until_somebody_looks() {
    let mut list = List::new(&js("[{ type: 'ai', id: '1', content: '' }]"));
    let (id, text) = (JsValue::from("1"), JsValue::from("a"));
    list.append(&id, &text).unwrap();
    let first = list.snapshot();
    assert!(Object::is(&first, &list.snapshot()));
    list.append(&id, &text).unwrap();
    let second = list.snapshot();
    assert!(holds("([m]) => m.content === 'a'", &first));
    assert!(holds("([m]) => m.content === 'aa'", &second));
}

#[wasm_bindgen_test]
fn a_list_keeps_its_messages_and_nothing_else_from_call_to_call() {
    let mut list =
        List::new(&js("[{ type: 'ai', id: '1', content: '' }, { type: 'human', id: '2' }]"));
    let before = list.snapshot();
    let (id, text) = (JsValue::from("1"), JsValue::from("a"));
    let most = Cell::new(0);
    for _ in 0..1000 {
        list.append(&id, &text).unwrap();
        list.snapshot();
        let slot = |_: &mut RawMessageList| {
            most.set(most.get().max(hold(&id)));
            0
        };
        list.call(slot).unwrap();
    }
    assert!(most.get() < 100, "{} values are held", most.get());
    let after = list.snapshot();
    assert!(holds("([m]) => m.content === 'a'.repeat(1000)", &after));
    assert!(Object::is(&get(&before, "1"), &get(&after, "1")));
}

#[wasm_bindgen_test]
fn a_list_is_as_it_was_after_an_error() {
    let mut list = List::new(&js("[{ type: 'ai', id: '1', content: 'a' }]"));
    let before = list.snapshot();
    let update = js("[{ type: 'ai', id: '2', content: 'b' }, { type: 'remove', id: 'zz' }]");
    assert_eq!(code(&list.update(&update).unwrap_err()), "UNKNOWN_MESSAGE");
    assert_eq!(code(&list.append(&"zz".into(), &"a".into()).unwrap_err()), "UNKNOWN_MESSAGE");
    assert_eq!(code(&list.append(&"1".into(), &JsValue::NULL).unwrap_err()), "INVALID_ARGUMENT");
    assert!(Object::is(&before, &list.snapshot()));
}

#[wasm_bindgen_test]
fn a_schema_folds_with_a_function_of_the_callers() {
    let schema = reducing("sum", "{ reducer: (a, b) => a + b, initial: () => 1 }");
    let updates = js("[{ sum: 2 }, { sum: 3 }]");
    let state = call(|| schema.apply(1, hold(&js("{}")), hold(&updates))).unwrap();
    assert!(holds("(s) => s.sum === 6", &state));
}

#[wasm_bindgen_test]
fn what_a_reducer_throws_is_the_cause() {
    let schema = reducing("x", "{ reducer: () => { throw 'no'; } }");
    let error = merge(&schema, &js("{ x: 1 }"), &js("{ x: 2 }")).unwrap_err();
    assert_eq!(code(&error), "REDUCER_FAILED");
    assert!(holds("(e) => e.cause === 'no'", &error));
    assert!(merge(&schema, &js("{}"), &js("{ x: 2 }")).is_ok());
}

#[wasm_bindgen_test]
fn a_field_that_does_not_change_keeps_its_value_and_its_state() {
    let mut schema = RawSchema::empty();
    schema.add(hold(&"files".into()), 3, SHOWN, 0, 0, 0);
    schema.add(hold(&"log".into()), 4, SHOWN, 0, 0, 0);
    let state = js("{ files: { '/a': { content: 'a' } }, log: [1] }");
    let merged = merge(&schema, &state, &js("{ files: { '/b': null }, log: [] }")).unwrap();
    assert!(Object::is(&state, &merged));
}
