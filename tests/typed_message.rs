//! The typed message and its JSON.
#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::{Value, json};
use threadfold::{Content, Message, MessageKind, ToolCall};

fn read(json: Value) -> Message {
    serde_json::from_value(json).unwrap()
}

#[test]
fn every_kind_is_written_in_langchains_form() {
    let call = ToolCall::new("c1", "search", json!({ "q": "rust" }));
    let written = [
        (Message::system("s").with_id("1"), json!({ "type": "system", "id": "1", "content": "s" })),
        (Message::user("u"), json!({ "type": "human", "content": "u" })),
        (Message::tool("t", "c1"), json!({ "type": "tool", "content": "t", "tool_call_id": "c1" })),
        (
            Message::assistant("").with_tool_calls([call]),
            json!({
                "type": "ai", "content": "",
                "tool_calls": [{ "name": "search", "args": { "q": "rust" }, "id": "c1", "type": "tool_call" }],
            }),
        ),
        (Message::remove("1"), json!({ "type": "remove", "id": "1" })),
        (Message::remove_all(), json!({ "type": "remove", "id": "__remove_all__" })),
    ];
    for (message, json) in written {
        assert_eq!(json!(message), json);
        assert_eq!(read(json), message);
    }
}

#[test]
fn unknown_fields_are_kept_in_their_order() {
    let text = r#"{"type":"ai","id":"1","content":"hi","name":"bot","tool_calls":[{"name":"f","args":{},"id":"c","type":"tool_call","index":0}],"usage_metadata":{"total_tokens":3},"additional_kwargs":{},"zebra":1,"apple":2}"#;
    let message: Message = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&message).unwrap(), text);
    let MessageKind::Assistant { extra, .. } = &message.kind else { panic!("{message:?}") };
    assert_eq!(extra.get("apple"), Some(&json!(2)));
}

#[test]
fn roles_chunks_and_ag_ui_names_are_read() {
    assert_eq!(read(json!({ "role": "user", "content": "u" })), Message::user("u"));
    assert_eq!(read(json!({ "type": "assistant", "content": "a" })), Message::assistant("a"));
    assert_eq!(
        read(json!({ "type": "ToolMessageChunk", "content": "t", "tool_call_id": "c" })),
        Message::tool("t", "c")
    );
    assert_eq!(
        read(json!({ "role": "tool", "id": "1", "content": "t", "toolCallId": "c" })),
        Message::tool("t", "c").with_id("1")
    );
    let calls = json!([{ "id": "c", "type": "function", "function": { "name": "f", "arguments": "{\"x\":1}" } }]);
    assert_eq!(
        read(json!({ "role": "assistant", "id": "1", "toolCalls": calls })),
        Message::assistant("").with_id("1").with_tool_calls([ToolCall::new(
            "c",
            "f",
            json!({ "x": 1 })
        )])
    );
    assert_eq!(read(json!("hi")), Message::user("hi"));
}

#[test]
fn a_developers_message_is_a_marked_system_message() {
    let message = read(json!({ "role": "developer", "content": "d", "id": "1" }));
    let MessageKind::System { extra, .. } = &message.kind else { panic!("{message:?}") };
    assert_eq!(extra.get("additional_kwargs"), Some(&json!({ "__openai_role__": "developer" })));
}

#[test]
fn the_text_of_blocks_leaves_out_what_is_no_text() {
    let content = json!([{ "type": "text", "text": "a" }, { "type": "image_url" }, "b"]);
    let message = read(json!({ "type": "human", "content": content }));
    assert!(matches!(message.content(), Some(Content::Blocks(blocks)) if blocks.len() == 3));
    assert_eq!(message.text(), "ab");
    assert_eq!(Message::remove_all().text(), "");
}

#[test]
fn what_has_no_typed_form_says_so() {
    let error = serde_json::from_value::<Message>(json!({ "type": "function", "content": "" }));
    assert_eq!(error.unwrap_err().to_string(), "Not a message: 'function' has no typed form.");
    for garbage in [
        json!({ "type": "human", "content": 7 }),
        json!({ "type": "human", "content": "", "id": 7 }),
        json!({ "type": "tool", "content": "" }),
        json!({ "type": "ai", "content": "", "tool_calls": [7] }),
        json!({ "type": "remove" }),
        json!({ "role": "activity", "id": "1", "content": {} }),
    ] {
        assert!(serde_json::from_value::<Message>(garbage.clone()).is_err(), "{garbage}");
    }
}
