//! The decisions about the conversations of a file: js-tests/unit/context/decisions.test.ts asks
//! TypeScript's plan for the same.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};
use threadfold::context::ClearOptions;
use threadfold::context::Context;
use threadfold::context::CountOptions;
use threadfold::context::Record;
use threadfold::context::TruncateOptions;
use threadfold::context::{Approximate, CountTokens, Estimated};
use threadfold::context::{Counter, TrimOptions};
use threadfold::context::{Policy, Size};

/// The policies of js-tests/unit/context/decisions.mjs.
fn context(policy: &str) -> Context<'static, Value> {
    static APPROXIMATE: LazyLock<Approximate> =
        LazyLock::new(|| Approximate(CountOptions::default()));
    let size = |tokens, messages| Size { tokens, messages, fraction: None };
    let of = |policy| Context::new(policy, &Estimated);
    let at = |tokens, keep: Size| Policy {
        trigger: vec![Size::tokens(tokens)],
        keep: Some(keep),
        ..Policy::default()
    };
    match policy {
        "messages" => of(Policy { trigger: vec![Size::messages(6)], ..Policy::default() }),
        "tokens" => Context::new(at(60.0, Size::tokens(25.0)), &*APPROXIMATE),
        "either, and a system prompt" => {
            let system = json!({ "type": "system", "content": "Be brief." });
            of(Policy {
                trigger: vec![size(Some(80.0), Some(4)), Size::fraction(0.5)],
                max_input_tokens: Some(200.0),
                overhead: Estimated.count(&system).unwrap(),
                apart: 1,
                ..Policy::default()
            })
        }
        "results cleared first" => Context {
            clear: Some(ClearOptions { keep: 1, ..ClearOptions::default() }),
            ..of(at(70.0, size(Some(40.0), Some(4))))
        },
        "results and arguments first" => Context {
            clear: Some(ClearOptions {
                keep: 0,
                clear_tool_inputs: true,
                ..ClearOptions::default()
            }),
            truncate: Some(TruncateOptions {
                tools: &["f"],
                max_length: 4,
                keep: Size::messages(2),
                ..TruncateOptions::default()
            }),
            ..of(Policy { trigger: vec![Size::tokens(90.0)], ..Policy::default() })
        },
        "scaled" => of(Policy { scaled: true, ..at(90.0, Size::tokens(50.0)) }),
        "window" => of(Policy {
            trigger: vec![Size::messages(7), Size::tokens(81.0)],
            keep: Some(size(Some(60.0), Some(3))),
            front_counts: true,
            ..Policy::default()
        }),
        other => panic!("{other} is no policy"),
    }
}

/// Views a conversation after each message, as `looksAt` of decisions.mjs does.
fn looks(policy: &str, messages: &[Value]) -> Vec<Value> {
    let context = context(policy);
    let mut record: Option<Record<Value>> = None;
    let mut dues = 0;
    let look = |last: usize| {
        let view = context.view(&json!(messages[..=last]), record.as_ref()).unwrap();
        let sent = view.messages.as_array().unwrap().len();
        let mut said = json!({ "sent": sent, "tokens": view.tokens });
        let Some(due) = view.due else { return said };
        // A window has no summary.
        let next = due.record((policy != "window").then_some("They talked."), None);
        let mut all = next.write();
        let fields = all.as_object_mut().unwrap();
        for other in ["summary_message", "file_path", "created_at_index"] {
            fields.remove(other);
        }
        fields.insert("summarize".to_owned(), json!(due.messages.as_array().unwrap().len()));
        said["due"] = all;
        if dues % 3 < 2 {
            record = Some(next);
        }
        dues += 1;
        said
    };
    (0..messages.len()).map(look).collect()
}

/// A whole number is one in either form.
fn plain(look: &Value) -> Value {
    let mut look = look.clone();
    look["tokens"] = json!(look["tokens"].as_f64());
    look
}

#[test]
fn decides_as_recorded_and_as_typescript_does() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/unit/context/decisions.json");
    let cases: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let mut due = 0;
    for case in cases.as_array().unwrap() {
        let (policy, messages) =
            (case["policy"].as_str().unwrap(), case["messages"].as_array().unwrap());
        let recorded = case["looks"].as_array().unwrap();
        due += recorded.iter().filter(|look| look.get("due").is_some()).count();
        for (at, (own, wanted)) in looks(policy, messages).iter().zip(recorded).enumerate() {
            assert_eq!(plain(own), plain(wanted), "{policy}, {:?}", &messages[..=at]);
        }
    }
    assert!(due > 300, "{due}");
}

#[test]
fn contexts_and_trimmers_are_send() {
    fn is_sent<T: Send>() {}
    is_sent::<Context<'_, Value>>();
    is_sent::<TrimOptions<'_>>();
    is_sent::<Counter<'_, Value>>();
}
