//! What crosses between JavaScript and the core, and what does not: run in Node and in a browser.

use js_sys::{Array, Function, Object, Reflect};
use threadfold::wasm::{self, RawMessageList, RawSchema};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

const NONE: &JsValue = &JsValue::UNDEFINED;

/// A JavaScript value, by the expression that makes it.
fn js(expression: &str) -> JsValue {
    Function::new_no_args(&format!("return ({expression});")).call0(NONE).unwrap()
}

/// What a JavaScript function says of a value.
fn holds(predicate: &str, of: &JsValue) -> bool {
    js(predicate).unchecked_into::<Function>().call1(NONE, of).unwrap().is_truthy()
}

fn code(error: &JsValue) -> String {
    Reflect::get(error, &"code".into()).unwrap().as_string().unwrap()
}

#[wasm_bindgen_test]
fn messages_go_through_as_the_objects_they_are() {
    let left =
        js("[{ type: 'human', id: '1', content: 'a', at: new Date(0), big: 1n, none: undefined }]");
    let right = js("[{ type: 'ai', id: '2', content: 'b' }]");
    let merged = Array::from(&wasm::add_messages(left.clone(), right.clone(), NONE).unwrap());
    assert_eq!(merged.length(), 2);
    assert!(Object::is(&merged.get(0), &Array::from(&left).get(0)));
    assert!(Object::is(&merged.get(1), &Array::from(&right).get(0)));
}

#[wasm_bindgen_test]
fn a_string_becomes_a_human_message_with_a_uuid() {
    let merged = wasm::add_messages(js("[]"), js("'hi'"), NONE).unwrap();
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
    let merged = wasm::add_messages(js("[]"), instance.clone(), NONE).unwrap();
    assert!(holds(
        "([m]) => m.constructor.name === 'HumanMessage' && m.lc_kwargs.id === m.id",
        &merged
    ));
    assert!(holds("(m) => m.id === undefined && !('id' in m.lc_kwargs)", &instance));
}

#[wasm_bindgen_test]
fn an_error_has_a_code_and_a_sentence() {
    let error = wasm::add_messages(js("[]"), js("{ type: 'remove', id: 'zz' }"), NONE).unwrap_err();
    assert_eq!(code(&error), "UNKNOWN_MESSAGE_REMOVED");
    assert!(holds("(e) => e instanceof Error && e.message.includes(\"('zz')\")", &error));
}

#[wasm_bindgen_test]
fn what_a_getter_throws_is_the_cause_and_the_next_call_is_not_hurt() {
    let hostile = js("[{ get id() { throw new Error('mine'); } }]");
    let error = wasm::add_messages(js("[]"), hostile, NONE).unwrap_err();
    assert_eq!(code(&error), "UNREADABLE_VALUE");
    assert!(holds("(e) => e.cause.message === 'mine'", &error));
    assert!(wasm::add_messages(js("[]"), js("'hi'"), NONE).is_ok());
}

#[wasm_bindgen_test]
fn a_patch_copies_the_path_and_shares_the_rest() {
    let document =
        js("globalThis.threadfoldDocument = { a: { b: [1, { c: 2 }] }, rest: { of: 'it' } }");
    let patched = wasm::apply_patch(
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
fn a_copied_value_is_not_changed_by_what_follows_in_the_patch() {
    let patch = js("[
        { op: 'add', path: '/a/x', value: 1 },
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'add', path: '/b/y', value: 2 },
    ]");
    let patched = wasm::apply_patch(&js("{ a: {} }"), &patch).unwrap();
    assert!(holds(
        "(p) => JSON.stringify(p) === '{\"a\":{\"x\":1},\"b\":{\"x\":1,\"y\":2}}'",
        &patched
    ));
}

#[wasm_bindgen_test]
fn a_list_appends_in_place_until_somebody_looks() {
    let mut list = RawMessageList::new(js("[{ type: 'ai', id: '1', content: '' }]"), NONE).unwrap();
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
fn a_list_is_as_it_was_after_an_error() {
    let mut list =
        RawMessageList::new(js("[{ type: 'ai', id: '1', content: 'a' }]"), NONE).unwrap();
    let before = list.snapshot();
    let update = js("[{ type: 'ai', id: '2', content: 'b' }, { type: 'remove', id: 'zz' }]");
    assert_eq!(code(&list.update(update).unwrap_err()), "UNKNOWN_MESSAGE_REMOVED");
    assert_eq!(code(&list.append(&"zz".into(), &"a".into()).unwrap_err()), "UNKNOWN_MESSAGE");
    assert_eq!(code(&list.append(&"1".into(), &JsValue::NULL).unwrap_err()), "INVALID_VALUE");
    assert!(Object::is(&before, &list.snapshot()));
}

#[wasm_bindgen_test]
fn a_schema_folds_with_a_function_of_the_callers() {
    let schema = RawSchema::new(&js(
        "{ sum: { kind: 'reducer', reducer: (a, b) => a + b, default: () => 1 } }",
    ));
    let state = schema.unwrap().step(js("{}"), &js("[{ sum: 2 }, { sum: 3 }]")).unwrap();
    assert!(holds("(s) => s.sum === 6", &state));
}

#[wasm_bindgen_test]
fn what_a_reducer_throws_is_the_cause() {
    let schema =
        RawSchema::new(&js("{ x: { kind: 'reducer', reducer: () => { throw 'no'; } } }")).unwrap();
    let error = schema.merge(js("{ x: 1 }"), &js("{ x: 2 }")).unwrap_err();
    assert_eq!(code(&error), "REDUCER_FAILED");
    assert!(holds("(e) => e.cause === 'no'", &error));
    assert!(schema.merge(js("{}"), &js("{ x: 2 }")).is_ok());
}

#[wasm_bindgen_test]
fn a_field_that_does_not_change_keeps_its_value_and_its_state() {
    let schema =
        RawSchema::new(&js("{ files: { kind: 'files' }, log: { kind: 'append' } }")).unwrap();
    let state = js("{ files: { '/a': { content: 'a' } }, log: [1] }");
    let same = schema.merge(state.clone(), &js("{ files: { '/b': null }, log: [] }")).unwrap();
    assert!(Object::is(&state, &same));
}
