//! The laws of a state on both sides, natively and in wasm: in Node and in Chromium.
//! `node scripts/test.mjs page` runs this file in all three, and compares what they say.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use threadfold::State;
use threadfold::reducer::kind::FieldKind;
use threadfold::typed::page::PageState;

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

// A team's own state.
#[path = "../../../js-tests/hosts/page/shop/src/lib.rs"]
mod shop;

use shop::{Shop, ShopUpdate};

/// Random numbers, the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits ^ (bits >> 31)) % end
    }

    fn of(&mut self, values: &[Value]) -> Value {
        let at = self.below(values.len() as u64);
        values.iter().cycle().nth(usize::try_from(at).unwrap()).unwrap().clone()
    }

    fn list(&mut self, most: u64, mut item: impl FnMut(&mut Self) -> Value) -> Value {
        (0..self.below(most + 1)).map(|_| item(self)).collect()
    }
}

/// Any JSON, mostly wrong where it is put.
fn junk(random: &mut Random) -> Value {
    let item = json!({ "sku": "a", "qty": 1, "note": null });
    random.of(&[
        json!(null),
        json!(true),
        json!(-2),
        json!(1.5),
        json!(7),
        json!(4_294_967_296_u64),
        json!(""),
        json!("a"),
        json!([]),
        json!([null]),
        json!([item, {}]),
        json!([{ "sku": "a", "qty": -2 }]),
        json!([["a", 1, null]]),
        json!([["a", 1, null, 2]]),
        json!({}),
        json!({ "is": "paid" }),
        json!({ "is": "sent", "codes": [1, -1] }),
        json!({ "is": "sent", "codes": {} }),
        json!({ "is": "lost" }),
        json!(["paid", { "at": 1 }]),
        json!([{ "sku": "a", "qty": 1, "note": 1, "more": [] }]),
        json!({ "sku": "a", "qty": 2 }),
    ])
}

/// One entry of one map, whose key it mostly cannot have.
fn shelved(random: &mut Random) -> Value {
    const MAPS: [&str; 10] =
        ["number", "signed", "long", "flag", "letter", "sku", "count", "open", "season", "price"];
    const KEYS: [&str; 32] = [
        "",
        "a",
        "ab",
        "\u{1F980}",
        "true",
        "false",
        "True",
        "null",
        "summer",
        "Summer",
        "0",
        "7",
        "255",
        "256",
        "-7",
        "-0",
        "+7",
        "07",
        " 7",
        "7 ",
        "7.0",
        "7.5",
        "1e3",
        "0.1",
        "1e400",
        ".5",
        "NaN",
        "Infinity",
        "9007199254740993",
        "-9223372036854775808",
        "18446744073709551616",
        "{}",
    ];
    let keys = KEYS.map(Value::from);
    let key = random.of(&keys);
    let key = key.as_str().unwrap();
    match random.of(&MAPS.map(Value::from)).as_str() {
        Some(_) if random.below(8) == 0 => json!({ "nested": { "-7": [{ key: 1 }] } }),
        Some(map) => json!({ map: { key: random.below(3) } }),
        None => json!({}),
    }
}

/// An update of some fields. Now and then one of the team's own fields gets what it cannot take.
fn update(random: &mut Random) -> Value {
    let mut update = json!({});
    for _ in 0..=random.below(3) {
        let id = |random: &mut Random| random.of(&["1".into(), "2".into(), "3".into()]);
        let sku = |random: &mut Random| random.of(&["a".into(), "b".into(), "ü \u{1F980}".into()]);
        let (key, value) = match random.below(13) {
            0 => ("messages", random.list(2, |random| match random.below(4) {
                0 => json!({ "type": "remove", "id": id(random) }),
                1 => json!({ "type": "ai", "id": id(random), "content": "hello" }),
                _ => json!({ "type": "human", "id": id(random), "content": "hi" }),
            })),
            1 => ("todos", random.list(2, |random| {
                json!({ "content": "plan", "status": random.of(&["pending".into(), "later".into()]) })
            })),
            2 => ("tools", random.list(2, |random| json!({ "name": id(random), "at": random.below(3) }))),
            3 => ("files", json!({ id(random).as_str().unwrap(): random.of(&[json!(null), json!({ "content": "a" })]) })),
            4 | 5 => ("cart", random.list(3, |random| {
                json!({ "sku": sku(random), "qty": random.below(3), "note": random.of(&[json!(null), json!("n")]) })
            })),
            6 => ("spentCents", random.of(&[json!(0.5), json!(-3), json!(1_000_000)])),
            7 => ("coupon", random.of(&[json!(null), json!("SPRING")])),
            8 => ("log", random.list(2, |random| sku(random))),
            9 => ("views", sku(random)),
            10 | 11 => ("shelves", shelved(random)),
            _ => ("status", random.of(&[
                json!({ "is": "open" }), json!({ "is": "paid", "at": 3 }), json!({ "is": "sent", "codes": [1, 2] }),
            ])),
        };
        update[key] = value;
    }
    if random.below(4) == 0 {
        let own = random.of(&[
            "cart".into(),
            "spentCents".into(),
            "views".into(),
            "status".into(),
            "shelves".into(),
        ]);
        update[own.as_str().unwrap()] = junk(random);
    }
    update
}

/// The updates of one thread.
fn word(seed: u64) -> Vec<Value> {
    let mut random = Random(seed);
    (0..=random.below(5)).map(|_| update(&mut random)).collect()
}

/// As a service folds: a struct, and updates that are structs. One that fails changes nothing.
fn typed(word: &[Value]) -> Value {
    let mut state = Shop::default();
    for update in word {
        if let Ok(update) = serde_json::from_value::<ShopUpdate>(update.clone()) {
            // An error leaves the state as it was.
            let _ = state.update(update);
        }
    }
    plain(serde_json::to_value(state).unwrap())
}

/// A state with each number as JavaScript has it, and without the fields that start as null here.
fn plain(mut state: Value) -> Value {
    for (name, empty) in [("todos", json!([])), ("tools", json!([])), ("files", json!({}))] {
        if state.get(name).is_some_and(Value::is_null) {
            state[name] = empty;
        }
    }
    floats(&mut state);
    state
}

/// Makes each number the one that JavaScript has.
fn floats(value: &mut Value) {
    match value {
        Value::Number(number) => *value = json!(number.as_f64()),
        Value::Array(items) => items.iter_mut().for_each(floats),
        Value::Object(fields) => fields.values_mut().for_each(floats),
        _ => {}
    }
}

#[test]
fn a_field_alone_is_folded_as_in_the_whole_state() {
    let mut refused = 0;
    for seed in 0..runs() {
        let mut state = Shop::default();
        for update in word(seed) {
            for (at, name) in Shop::NAMES.iter().enumerate() {
                let Some(write) = update.get(*name) else { continue };
                if Shop::kind(at) != FieldKind::Own {
                    continue;
                }
                let now = serde_json::to_value(&state).unwrap()[*name].clone();
                let alone = Shop::fold(at, now, write.clone(), serde_json::value::Serializer);
                let whole = serde_json::from_value::<ShopUpdate>(json!({ *name: write }));
                let whole = whole.is_ok_and(|update| state.update(update).is_ok());
                let value = serde_json::to_value(&state).unwrap()[*name].clone();
                assert_eq!(alone.ok(), whole.then_some(value), "{name}, {seed}: {write}");
                refused += u64::from(!whole);
            }
        }
    }
    assert!(refused > 0, "the words are worth walking");
}

/// In wasm the npm package folds each word, too. Everywhere the states of all words make one number.
#[test]
fn native_wasm_and_npm_agree() {
    let mut digest = 0xCBF2_9CE4_8422_2325_u64;
    let mut refused = 0;
    for seed in 0..runs() {
        let word = word(seed);
        let state = typed(&word);
        refused += word
            .iter()
            .filter(|update| serde_json::from_value::<ShopUpdate>((*update).clone()).is_err())
            .count();
        #[cfg(target_arch = "wasm32")]
        {
            let npm = page::fold(&json!(word).to_string());
            let npm = plain(serde_json::from_str(&npm).unwrap());
            assert_eq!(npm, state, "{seed}: {}", json!(word));
        }
        for byte in state.to_string().bytes() {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
    assert!(refused > 0, "the words are worth walking");
    say(&format!("digest of {} words: {digest:x}", runs()));
}

/// The page that runs these tests: js-tests/hosts/page/laws.mjs.
#[cfg(target_arch = "wasm32")]
mod page {
    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = laws)]
        pub fn fold(word: &str) -> String;
        #[wasm_bindgen(js_namespace = laws)]
        pub fn runs() -> f64;
        #[wasm_bindgen(js_namespace = laws)]
        pub fn say(text: &str);
    }
}

#[cfg(target_arch = "wasm32")]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a count")]
fn runs() -> u64 {
    page::runs() as u64
}

#[cfg(target_arch = "wasm32")]
fn say(text: &str) {
    page::say(text);
}

#[cfg(not(target_arch = "wasm32"))]
fn runs() -> u64 {
    std::env::var("THREADFOLD_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(500)
}

#[cfg(not(target_arch = "wasm32"))]
fn say(text: &str) {
    println!("{text}");
}
