//! A track that followed a list's changes knows of repairs what one knows that was given the list.

#![allow(clippy::unwrap_used)]

use proptest::collection::vec;
use proptest::prelude::*;

use super::cut::{Row, Track};

#[derive(Debug, Clone)]
enum Message {
    Ai(Vec<u32>, u32),
    Tool(Option<u32>),
    Other,
}

impl Message {
    fn row(&self) -> Row<'_> {
        match self {
            Self::Ai(calls, valid) => Row::Ai { calls, valid: *valid },
            Self::Tool(id) => Row::Tool(*id),
            Self::Other => Row::Other,
        }
    }
}

fn any_message() -> impl Strategy<Value = Message> {
    prop_oneof![
        3 => (vec(0_u32..4, 0..4), 0_u32..4).prop_map(|(calls, valid)| Message::Ai(calls, valid)),
        4 => prop::option::of(0_u32..4).prop_map(Message::Tool),
        2 => Just(Message::Other),
    ]
}

fn track_of(messages: &[Message]) -> Track {
    let mut track = Track::default();
    for message in messages {
        track.push(message.row());
    }
    track
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn repairs_of_a_list_that_changed(steps in vec((vec(any_message(), 0..8), 0_u32..10), 1..5)) {
        let mut messages = Vec::new();
        let mut followed = Track::default();
        for (more, length) in steps {
            for message in more {
                followed.push(message.row());
                messages.push(message);
            }
            followed.truncate(length);
            messages.truncate(length as usize);
            let anew = track_of(&messages);
            prop_assert_eq!(followed.is_whole(), anew.is_whole());
            prop_assert_eq!(followed.repair(false), anew.repair(false));
            prop_assert_eq!(followed.repair(true), anew.repair(true));
        }
    }
}
