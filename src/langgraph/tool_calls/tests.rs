//! A message in parts is read on: what is remembered between two parts changes nothing.
#![allow(clippy::unwrap_used)]

use serde_json::{Value as Owned, json};

use super::ToolCalls;
use crate::langgraph::wire::Wire;
use crate::value::{Json, Value};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn one(&mut self, choices: &[Owned]) -> Owned {
        choices[self.below(choices.len())].clone()
    }

    /// Makes an item of a list. `odd` items have the values that one list rarely has.
    fn item(&mut self, odd: bool, text: &str) -> Owned {
        let at = self.below(24);
        let id = format!("c{at}");
        let said = if self.below(40) == 0 { "{" } else { " " };
        let mut item = json!({ "index": at, "id": id, "name": "t", text: said });
        if self.below(20) == 0 {
            item["id"] = Owned::Null;
        }
        if odd {
            let index = [
                json!(0),
                json!(0.0),
                json!(-0.0),
                json!("0"),
                json!("i"),
                Owned::Null,
                json!([0]),
            ];
            item["index"] = self.one(&index);
            item["id"] = self.one(&[
                json!("c0"),
                json!("c1"),
                json!(""),
                json!(3),
                json!(true),
                Owned::Null,
                json!({}),
            ]);
            item["type"] = self.one(&[
                "tool_call_chunk".into(),
                "text".into(),
                "text_delta".into(),
                Owned::Null,
            ]);
        }
        item
    }

    fn part(&mut self, odd: usize) -> Wire {
        let list = |random: &mut Self, text: &str| -> Vec<Owned> {
            let count = random.below(3);
            (0..count)
                .map(|_| {
                    let odd = random.below(100) < odd;
                    random.item(odd, text)
                })
                .collect()
        };
        let (chunks, blocks) = (list(self, "args"), list(self, "text"));
        let part = json!({ "type": "AIMessageChunk", "id": "a", "content": blocks, "tool_call_chunks": chunks });
        Wire::read(&part.into()).unwrap()
    }
}

#[test]
fn a_message_that_is_read_on_is_the_one_that_is_read_anew() {
    let (mut long, mut touched) = (0, 0);
    for seed in 0..60 {
        let mut random = Random(seed);
        let odd = [0, 5, 60][random.below(3)];
        let (mut calls, mut message, mut earlier) = (ToolCalls::default(), None::<Json>, None);
        for _ in 0..60 {
            let part = random.part(odd);
            touched += usize::from(calls.own.is_some());
            // A thread may have set the message back.
            let before = if random.below(8) == 0 { earlier.clone() } else { message.clone() };
            let own = calls.joined(before.as_ref(), &part).ok();
            let anew = ToolCalls::default().joined(before.as_ref(), &part).ok();
            assert_eq!(own, anew, "{before:?} {part:?}");
            earlier = std::mem::replace(&mut message, own.or(before));
        }
        long += usize::from(message.is_some_and(|it| it["tool_call_chunks"].len() > 16));
    }
    assert!(long > 10 && touched > 200, "{long} long messages, {touched} parts that were read on");
}
