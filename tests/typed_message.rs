//! The typed message and its JSON.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::{Value, json};
use threadfold::typed::{AssistantMessage, Extra, Streamed, SystemMessage, add_messages};
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
    let MessageKind::Assistant(AssistantMessage { extra, .. }) = &message.kind else {
        panic!("{message:?}")
    };
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
    // A role wins, as in LangChain. AG-UI's field names are those of messages without a type.
    assert_eq!(read(json!({ "type": "ai", "role": "user", "content": "u" })), Message::user("u"));
    let typed = json!({ "type": "ai", "content": "a", "toolCalls": calls });
    assert_eq!(again(&typed)["toolCalls"], calls);
    assert_eq!(again(&typed).get("tool_calls"), None);
}

#[test]
fn a_developers_message_is_a_marked_system_message() {
    let message = read(json!({ "role": "developer", "content": "d", "id": "1" }));
    let MessageKind::System(SystemMessage { extra, .. }) = &message.kind else {
        panic!("{message:?}")
    };
    assert_eq!(extra.get("additional_kwargs"), Some(&json!({ "__openai_role__": "developer" })));
}

#[test]
fn the_text_of_blocks_leaves_out_other_content() {
    let content = json!([{ "type": "text", "text": "a" }, { "type": "image_url" }, "b"]);
    let message = read(json!({ "type": "human", "content": content }));
    assert!(matches!(message.content(), Some(Content::Blocks(blocks)) if blocks.len() == 3));
    assert_eq!(message.text(), "ab");
    assert_eq!(Message::remove_all().text(), "");
}

/// Reads and writes again.
fn again(json: &Value) -> Value {
    serde_json::to_value(read(json.clone())).unwrap()
}

#[test]
fn nothing_is_dropped_on_the_way_in_and_out() {
    let call = json!({ "name": "f", "args": {}, "id": "c", "type": "tool_call" });
    for dict in [
        json!({ "type": "ai", "id": "1", "content": "", "tool_calls": [], "invalid_tool_calls": [] }),
        json!({ "type": "ai", "id": null, "content": "hi", "name": null, "example": false }),
        json!({ "type": "ai", "content": null, "tool_calls": null }),
        json!({ "type": "ai", "content": [], "tool_calls": [call] }),
        json!({ "type": "ai", "content": "", "tool_calls": [{ "name": null, "args": null, "id": null, "type": "tool_call", "index": 0 }] }),
        json!({ "type": "tool", "content": null, "tool_call_id": "c", "artifact": null, "status": "success" }),
        json!({ "type": "system", "content": null, "name": null }),
        json!({ "type": "human", "content": "u", "name": "bob", "additional_kwargs": {} }),
        json!({ "type": "function", "name": "f", "content": "r", "id": null }),
        json!({ "type": "chat", "role": "critic", "content": "c", "id": "1" }),
        json!({ "role": "activity", "id": "1", "activityType": "plan", "content": { "steps": [] } }),
        json!({ "role": "reasoning", "id": "1", "content": "because" }),
        json!({ "type": "hologram", "content": 7, "tool_calls": {}, "name": 3 }),
    ] {
        assert_eq!(again(&dict), dict);
    }
}

#[test]
fn what_came_empty_gives_way_to_a_value() {
    let mut message =
        read(json!({ "type": "ai", "id": null, "content": null, "name": null, "tool_calls": [] }));
    message.append("hi").unwrap();
    message = message.with_id("1").with_tool_calls([ToolCall::new("c", "f", json!({}))]);
    message = message.with_name("bot");
    let call = json!({ "name": "f", "args": {}, "id": "c", "type": "tool_call" });
    assert_eq!(
        serde_json::to_string(&message).unwrap(),
        json!({ "type": "ai", "id": "1", "content": "hi", "name": "bot", "tool_calls": [call] })
            .to_string()
    );
}

#[test]
fn a_kind_that_is_not_known_yet_fails_no_list() {
    let list = json!([
        { "type": "human", "id": "1", "content": "Why?" },
        { "role": "reasoning", "id": "2", "content": "Because" },
        { "role": "activity", "id": "3", "activityType": "plan", "content": { "steps": [1] } },
        { "type": "function", "id": "4", "name": "f", "content": "r" },
        { "type": "hologram", "id": "5", "beam": [1, 2] },
    ]);
    let messages: Vec<Message> = serde_json::from_value(list.clone()).unwrap();
    assert_eq!(json!(messages), list);
    let names: Vec<_> = messages.iter().map(|message| message.kind.name()).collect();
    assert_eq!(names, ["human", "reasoning", "activity", "function", "hologram"]);
    let texts: Vec<_> = messages.iter().map(Message::text).collect();
    assert_eq!(texts, ["Why?", "Because", "", "r", ""]);
    let MessageKind::Other(fields) = &messages[4].kind else { panic!("{:?}", messages[4]) };
    assert_eq!(fields.get("beam"), Some(&json!([1, 2])));
    assert_eq!(messages[4].content(), None);

    let update = vec![read(json!({ "role": "reasoning", "id": "2", "content": "Since" }))];
    let merged = add_messages(messages, update);
    assert_eq!((merged.len(), merged[1].text()), (5, "Since".into()));
}

#[test]
fn every_kind_has_a_name() {
    for (message, name) in [
        (Message::system(""), "system"),
        (Message::user(""), "human"),
        (Message::assistant(""), "ai"),
        (Message::tool("", "c"), "tool"),
        (Message::remove_all(), "remove"),
    ] {
        assert_eq!(message.kind.name(), name);
    }
}

#[test]
fn arguments_that_are_not_json_yet_stay_text() {
    let partial = r#"{"q":"ru"#;
    for (call, args) in [
        (
            json!({ "id": "c", "type": "function", "function": { "name": "f", "arguments": partial } }),
            json!(partial),
        ),
        (json!({ "id": "c", "function": { "name": "f", "arguments": "" } }), json!("")),
        (
            json!({ "id": "c", "function": { "name": "f", "arguments": "{\"q\":1}" } }),
            json!({ "q": 1 }),
        ),
        (json!({ "id": "c", "function": { "name": "f" } }), json!({})),
        (json!({ "id": "c", "name": "f", "args": partial, "type": "tool_call" }), json!(partial)),
        (json!({ "id": "c", "name": "f" }), json!({})),
    ] {
        for calls in ["tool_calls", "toolCalls"] {
            let message = json!({ "role": "assistant", "id": "1", "content": "", calls: [call] });
            let made = Message::assistant("").with_id("1").with_tool_calls([ToolCall::new(
                "c",
                "f",
                args.clone(),
            )]);
            assert_eq!(read(message), made);
            assert_eq!(read(json!(made)), made);
        }
    }
    let call = json!({ "id": "c", "encryptedValue": "x", "function": { "name": "f", "arguments": "{}", "strict": true } });
    let call: ToolCall = serde_json::from_value(call).unwrap();
    assert_eq!(call.extra.get("encryptedValue"), Some(&json!("x")));
    assert_eq!(call.extra.get("strict"), Some(&json!(true)));
}

#[test]
fn text_is_added_at_the_end() {
    let text = |block: &str| json!({ "type": "text", "text": block });
    for (before, after) in [
        (json!("a"), json!("ab")),
        (json!(null), json!("b")),
        (json!([]), json!([text("b")])),
        (json!([text("a")]), json!([text("ab")])),
        (json!(["a"]), json!(["a", text("b")])),
        (json!([{ "type": "text", "text": 1 }]), json!([{ "type": "text", "text": 1 }, text("b")])),
        (
            json!([{ "type": "image", "text": "a" }]),
            json!([{ "type": "image", "text": "a" }, text("b")]),
        ),
        (json!([{ "type": "text" }]), json!([{ "type": "text" }, text("b")])),
    ] {
        for kind in ["human", "system", "ai", "tool", "reasoning"] {
            let mut message = read(json!({ "type": kind, "content": before, "tool_call_id": "c" }));
            message.append("b").unwrap();
            assert_eq!(json!(message)["content"], after, "{kind}");
        }
    }
    let mut activity = read(json!({ "role": "activity", "content": { "steps": [] } }));
    let before = activity.clone();
    // Its contents are kept: only an error reports that it takes no text.
    assert_eq!(activity.append("b").unwrap_err().code(), "INVALID_ARGUMENT");
    assert_eq!(activity, before);
    assert_eq!(Message::remove("1").append("b").unwrap_err().code(), "INVALID_ARGUMENT");
}

#[test]
fn extra_fields_are_set_and_found() {
    let mut extra = Extra::default();
    assert_eq!(extra.insert("a", json!(1)), None);
    assert_eq!(extra.insert("a", json!(2)), Some(json!(1)));
    assert_eq!(extra.iter().collect::<Vec<_>>(), [(&"a".to_owned(), &json!(2))]);
    assert_eq!(Extra::from(serde_json::Map::new()), Extra::default());
}

#[test]
fn content_comes_from_text_and_from_blocks() {
    assert_eq!(Message::user("a".to_owned()), Message::user("a"));
    let blocks = vec![json!({ "type": "text", "text": "a" })];
    let message = Message::user(blocks.clone());
    assert_eq!(message.content(), Some(&Content::Blocks(blocks.clone())));
    assert_eq!(Value::from(Content::Blocks(blocks.clone())), json!(blocks));
    // Only an assistant calls tools.
    assert_eq!(
        Message::user("a").with_tool_calls([ToolCall::new("c", "f", json!({}))]),
        Message::user("a")
    );
}

#[test]
fn an_invalid_message_is_explained() {
    for (garbage, reason) in [
        (json!({ "type": "human", "content": 7 }), "content is a string or a list of blocks"),
        (json!({ "type": "human", "content": "", "id": 7 }), "message.id should be a string"),
        (json!({ "role": "activity", "id": 7 }), "id is a string"),
        (json!({ "type": "human", "content": "", "name": 7 }), "name is a string"),
        (
            json!({ "type": "tool", "content": "" }),
            "message.tool_call_id should be the id of the call that it answers",
        ),
        (json!({ "type": "tool", "content": "", "tool_call_id": 7 }), "tool_call_id is a string"),
        (json!({ "type": "ai", "content": "", "tool_calls": [7] }), "a tool call is an object"),
        (json!({ "type": "ai", "content": "", "tool_calls": {} }), "tool_calls is a list"),
        (json!({ "type": "ai", "content": "", "tool_calls": [{ "name": 7 }] }), "name is a string"),
        (json!({ "type": "remove" }), "message.id should be a string"),
        (
            json!({ "content": "" }),
            "message should be an object with a type or a role, a string or a [role, content] pair",
        ),
        (
            json!(7),
            "message should be an object with a type or a role, a string or a [role, content] pair",
        ),
    ] {
        let error = serde_json::from_value::<Message>(garbage.clone()).unwrap_err();
        assert!(error.to_string().ends_with(&format!("{reason}.")), "{garbage}: {error}");
    }
}

#[test]
fn serialised_messages_are_read() {
    let constructor = |class: &str, kwargs: Value| json!({ "lc": 1, "type": "constructor", "id": ["langchain_core", "messages", class], "kwargs": kwargs });
    let human = constructor("HumanMessage", json!({ "content": "hi", "id": "1" }));
    assert_eq!(read(human), Message::user("hi").with_id("1"));
    let removal = constructor("RemoveMessage", json!({ "id": "1", "content": "" }));
    assert_eq!(read(removal), Message::remove("1"));
    let call = json!({ "id": "c", "function": { "name": "f", "arguments": "{\"q" } });
    let ai = constructor("AIMessageChunk", json!({ "content": "", "tool_calls": [call] }));
    assert_eq!(
        read(ai),
        Message::assistant("").with_tool_calls([ToolCall::new("c", "f", json!("{\"q"))])
    );
}

#[test]
fn content_alone_is_read() {
    let text: Content = serde_json::from_str("\"hi\"").unwrap();
    assert_eq!(text, Content::from("hi"));
    let blocks: Content = serde_json::from_value(json!([{ "type": "text", "text": "a" }])).unwrap();
    assert_eq!(blocks.text(), "a");
    assert!(serde_json::from_str::<Content>("7").is_err());
}
