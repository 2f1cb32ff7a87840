//! The file tools' answers and their effect on the files, and results that are moved to files.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use threadfold::agent::{
    AgentState, AgentUpdate, Filesystem, Tool, ToolOutput, ToolRequest, create_agent,
};
use threadfold::typed::ToolMessage;
use threadfold::{Json, Message, MessageKind};

use super::{Raised, equal, replay, run, scripted, shown};

/// Files whose every write is a moment later than the one before.
fn filesystem() -> Filesystem {
    let ticks = AtomicU64::new(0);
    Filesystem::new().clock(move || {
        let tick = ticks.fetch_add(5, Ordering::Relaxed);
        UNIX_EPOCH + Duration::from_millis(1_800_000_000_000 + tick)
    })
}

fn given(files: &Value) -> AgentState {
    let mut update = AgentUpdate::from("go");
    update.files = Some(files.clone().into());
    update.into()
}

fn contents(files: &Json) -> Value {
    let contents = files
        .entries()
        .map(|(path, file)| (path.to_owned(), json!(file["content"].as_str().unwrap_or_default())));
    Value::Object(contents.collect())
}

/// Messages of these kinds. A list that Python shows as its repr is JSON.
fn those(messages: &Value, kinds: &[&str]) -> Value {
    let mut all = messages.as_array().cloned().unwrap_or_default();
    all.retain(|message| kinds.iter().any(|kind| message["type"] == *kind));
    for message in &mut all {
        if let Some(list) = message["content"].as_str().filter(|text| text.starts_with("['")) {
            message["content"] = list.replace('\'', "\"").replace(", ", ",").into();
        }
    }
    all.into()
}

#[test]
fn the_file_tools_answer_and_write_as_deepagents_do() {
    replay("files", |record| {
        let agent = create_agent(scripted(&record["in"]["replies"])).middleware(filesystem());
        let agent = agent.compile().map_err(|error| error.to_string())?;
        let outcome = run(agent.invoke(given(&record["in"]["files"])));
        let state = outcome.map_err(|error| error.to_string())?.state;
        let out = &record["out"];
        let messages = those(&shown(&state.messages), &["tool"]);
        equal(&messages, &those(&out["messages"], &["tool"]), "messages")?;
        equal(&contents(&state.files), &out["files"], "files")
    });
}

/// Returns what it is given: as it is, or in an update with a message and a file of its own.
async fn give(args: Value, request: ToolRequest) -> Result<ToolOutput, Raised> {
    let content = args["content"].clone();
    let result = ToolMessage::new(
        threadfold::Content::try_from(content).map_err(|error| Raised(error.to_string()))?,
        request.call.id.clone().unwrap_or_default(),
    );
    let result = Message::from(MessageKind::Tool(result));
    if args["update"] != true {
        return Ok(result.with_name("give").into());
    }
    let mut update = AgentUpdate::from(vec![result, Message::user("x".repeat(99))]);
    if args["write"] == true {
        update.files = Some(json!({ "/mine": { "content": "mine" } }).into());
    }
    Ok(update.into())
}

#[test]
fn long_results_go_to_files_as_deepagents_moves_them() {
    replay("large_results", |record| {
        let limit = record["in"]["limit"].as_u64().and_then(|limit| usize::try_from(limit).ok());
        let agent = create_agent(scripted(&record["in"]["replies"]))
            .tool(Tool::new("give", "Gives it back.", give))
            .middleware(filesystem().evict_above(limit));
        let agent = agent.compile().map_err(|error| error.to_string())?;
        let outcome = run(agent.invoke(given(&record["in"]["files"])));
        let state = outcome.map_err(|error| error.to_string())?.state;
        let (out, kinds) = (&record["out"], ["human", "tool"]);
        let messages = those(&shown(&state.messages), &kinds);
        equal(&messages, &those(&out["messages"], &kinds), "messages")?;
        equal(&contents(&state.files), &out["files"], "files")
    });
}

/// The answer of a tool over these files.
fn answer_of(name: &str, args: &Value, files: &Value, limit: Option<usize>) -> Message {
    let call = json!({ "id": "c1", "name": name, "args": args });
    let replies = json!([{ "content": "", "tool_calls": [call] }]);
    let agent = create_agent(scripted(&replies)).middleware(filesystem().evict_above(limit));
    let state = run(agent.compile().expect("an agent").invoke(given(files))).expect("a run").state;
    Message::clone(state.messages.iter().nth(2).expect("an answer"))
}

#[test]
fn read_file_shows_the_lines_that_deepagents_shows() {
    replay("read_file", |record| {
        let given = &record["in"];
        let files = json!({ "/a": { "content": given["content"] } });
        let limit = given["limit"].as_u64().and_then(|limit| usize::try_from(limit).ok());
        let message = answer_of("read_file", &given["args"], &files, limit);
        let whole = json!(message);
        equal(&json!([whole["status"], whole["content"]]), &record["out"], "answer")
    });
}

/// The text of the answer over files with these texts.
fn text_of(name: &str, args: &Value, texts: &[(&str, &str)]) -> String {
    let files = texts.iter().map(|(path, text)| (path.to_string(), json!({ "content": text })));
    let files = Value::Object(files.collect());
    answer_of(name, args, &files, Some(20_000)).text().into_owned()
}

// As deepagents 0.7.32 answers, but for the words of the notes.
#[test]
fn grep_shows_so_many_lines_and_says_that_there_are_more() {
    let texts = [("/b.md", "one\ntwo one"), ("/a.md", "one")];
    let args = json!({ "pattern": "one", "output_mode": "content", "max_count": 2 });
    let text = text_of("grep", &args, &texts);
    assert!(text.starts_with("/b.md:\n  1: one\n  2: two one\n\nNote: there are more matches."));
    let args = json!({ "pattern": "one", "output_mode": "count", "max_count": 3, "glob": null });
    assert_eq!(text_of("grep", &args, &texts), "/a.md: 1\n/b.md: 2");
    let args = json!({ "pattern": "one", "max_count": 0 });
    assert_eq!(text_of("grep", &args, &texts), "max_count should be 1 or more.");
    let literal = |pattern: &str| text_of("grep", &json!({ "pattern": pattern }), &[("/a", "one")]);
    for pattern in ["a|b", "a.*", "a.+", "\\d", "\\("] {
        assert!(literal(pattern).starts_with("No matches found\n\nNote: grep matches literal"));
    }
    for pattern in ["a.b", "f(x)", "^a$", "[0]"] {
        assert_eq!(literal(pattern), "No matches found");
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused_in_langchains_words() {
    for (name, args, why) in [
        ("ls", json!({ "path": null }), "path: Input should be a valid string"),
        ("ls", json!({}), "path: Field required"),
        (
            "read_file",
            json!({ "file_path": "/a", "limit": "2" }),
            "limit: Input should be a valid integer",
        ),
        (
            "grep",
            json!({ "pattern": "a", "output_mode": "x" }),
            "output_mode: Input should be 'files",
        ),
    ] {
        let text = text_of(name, &args, &[("/a", "one")]);
        assert!(text.starts_with("Error invoking tool") && text.contains(why), "{text}");
    }
}

#[test]
fn long_answers_are_cut_and_say_so() {
    let paths: Vec<_> = (0..1000).map(|n| format!("/{}{n}", "long".repeat(25))).collect();
    let texts: Vec<_> = paths.iter().map(|path| (path.as_str(), "one")).collect();
    let cut = "... [results truncated, try being more specific with your parameters]";
    for (name, args) in [("ls", json!({ "path": "/" })), ("glob", json!({ "pattern": "*" }))] {
        let text = text_of(name, &args, &texts);
        assert!(text.chars().count() <= 80_000);
        let list: Vec<String> = serde_json::from_str(&text).expect("a list");
        assert_eq!(list.last().map(String::as_str), Some(cut));
    }
    let text = text_of("grep", &json!({ "pattern": "one" }), &texts);
    assert_eq!((text.chars().count(), text.ends_with(&format!("\n{cut}"))), (80_000, true));
}

#[test]
fn no_pattern_of_a_models_takes_long() {
    let deep = format!("/{}x", "a/".repeat(40));
    for (pattern, path) in [
        (format!("{}b", "*a".repeat(30)), format!("/{}", "a".repeat(60))),
        (format!("{}y", "**/a/".repeat(30)), deep),
        ("{a,b}".repeat(30), "/a".to_owned()),
        (format!("{}b{}", "{a,".repeat(1000), "}".repeat(1000)), "/c".to_owned()),
        (format!("{{{}}}{}", "a,".repeat(900), "x".repeat(100_000)), "/a".to_owned()),
    ] {
        let text = text_of("glob", &json!({ "pattern": pattern }), &[(&path, "one")]);
        assert!(text == "No files found" || text.contains("Pattern limit exceeded"), "{text}");
    }
}

#[test]
fn patterns_name_what_ripgreps_name() {
    let paths = ["/a.ts", "/src/a.ts", "/src/bc.ts", "/src/.a.ts", "/.git/a.ts"];
    let texts = paths.map(|path| (path, ""));
    for (pattern, found) in [
        ("{a,b{c,d}}.ts", &["/a.ts", "/src/a.ts", "/src/bc.ts"][..]),
        ("/src/{a}.ts", &[]),
        ("/src/*.{ts,md}", &["/src/a.ts", "/src/bc.ts"]),
        ("**/[!b]*.ts", &["/a.ts", "/src/a.ts"]),
        ("**/[a-b]*.ts", &["/a.ts", "/src/a.ts", "/src/bc.ts"]),
        ("[z-a].ts", &[]),
        ("[.ts", &[]),
        ("{a.ts", &[]),
    ] {
        let text = text_of("glob", &json!({ "pattern": pattern }), &texts);
        let mut listed: Vec<String> = serde_json::from_str(&text).unwrap_or_default();
        listed.retain(|path| !path.starts_with("/.git"));
        listed.sort();
        assert_eq!(listed, found, "{pattern}");
    }
}
