//! Applies words of letters to a model and to a thread, and compares both after each.

use threadfold::unstable::said;
use threadfold::value::Found;
use threadfold::{Thread, diff};

use super::alphabet::{Heap, Letter, STREAM, model, thread};
use super::model::{Does, Model, RunStatus, State, Status};

/// The outcome of many words.
pub struct Answer {
    pub words: u64,
    /// One number for everything shown.
    pub digest: u32,
}

/// Applies every word of up to this many letters.
pub fn every_word<V: Heap>(letters: &[Letter], length: usize) -> Answer {
    let mut answer = Answer { words: 0, digest: 0 };
    let mut word = Vec::with_capacity(length);
    longer::<V>(letters, length, &mut word, &model(), 0, &mut answer);
    answer
}

fn longer<V: Heap>(
    letters: &[Letter],
    length: usize,
    word: &mut Vec<Letter>,
    before: &Model,
    runs: usize,
    answer: &mut Answer,
) {
    for letter in letters {
        word.push(*letter);
        let (mut model, mut runs) = (before.clone(), runs);
        let predicted = letter.to_model(&mut model, &mut runs);
        let stream = stream_of_model(&model);
        let shown = of_model(&model);
        let mut thread = thread::<V>();
        let mut said = 0;
        let mut drift = None;
        for letter in word.iter() {
            drift = letter.to_thread(&mut thread, &mut said);
        }
        let own = of_thread(&mut thread);
        assert_eq!(own, shown, "after {word:?}");
        assert_eq!(stream_of_thread(&thread), stream, "after {word:?}");
        check_drift(predicted.as_ref(), &model, drift.as_ref(), word);
        answer.words += 1;
        let own = if letters == STREAM { own + &stream } else { own };
        answer.digest = digest(answer.digest, &own);
        if word.len() < length {
            longer::<V>(letters, length, word, &model, runs, answer);
        }
        word.pop();
    }
}

/// Applies words of up to forty letters, comparing after each letter or only at the end; shrinks a
/// word that fails.
pub fn random_words<V: Heap>(letters: &[Letter], seed: u64, runs: u64) {
    for run in 0..runs {
        let mut word = random_word(letters, seed, run);
        if differs::<V>(&word).is_none() {
            continue;
        }
        while let Some(at) = (0..word.len()).find(|at| {
            let mut shorter = word.clone();
            shorter.remove(*at);
            differs::<V>(&shorter).is_some()
        }) {
            word.remove(at);
        }
        panic!("seed {seed}, run {run}: {word:?}\n{}", differs::<V>(&word).unwrap_or_default());
    }
}

/// Returns one number for the states after each letter of this many random words.
pub fn random_answer<V: Heap>(letters: &[Letter], seed: u64, runs: u64) -> u32 {
    let mut all = 0;
    for run in 0..runs {
        let (mut thread, mut starts) = (thread::<V>(), 0);
        for letter in random_word(letters, seed, run) {
            letter.to_thread(&mut thread, &mut starts);
            all = digest(all, &of_thread(&mut thread));
        }
    }
    all
}

fn random_word(letters: &[Letter], seed: u64, run: u64) -> Vec<Letter> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ run);
    let length = 2 + random.below(39);
    (0..length).map(|_| letters[random.below(letters.len())]).collect()
}

/// Describes where a thread differs from the model.
pub fn differs<V: Heap>(word: &[Letter]) -> Option<String> {
    let (mut model, mut thread) = (model(), thread::<V>());
    let (mut model_runs, mut thread_runs) = (0, 0);
    for (at, letter) in word.iter().enumerate() {
        let predicted = letter.to_model(&mut model, &mut model_runs);
        let drift = letter.to_thread(&mut thread, &mut thread_runs);
        let (own, shown) = (of_thread(&mut thread), of_model(&model));
        let own = own + &stream_of_thread(&thread);
        let shown = shown + &stream_of_model(&model);
        let (drift, expected) = drifts(predicted.as_ref(), &model, drift.as_ref());
        if *letter == Letter::Finish && drift != expected {
            return Some(format!("after {at}: the drift {drift:?}, the model's {expected:?}"));
        }
        if own != shown {
            return Some(format!(
                "after {at} ({letter:?}):\n the thread {own}\n the model  {shown}"
            ));
        }
    }
    // To look must change nothing: the same word without a look until its end.
    let (mut blind, mut runs) = (self::thread::<V>(), 0);
    for letter in word {
        letter.to_thread(&mut blind, &mut runs);
    }
    let (seen, unseen) = (of_thread(&mut thread), of_thread(&mut blind));
    (seen != unseen).then(|| format!("looked at {seen}\n not looked at {unseen}"))
}

/// At a run's end, drift turns the prediction into the view.
fn check_drift<V: Heap>(
    predicted: Option<&State>,
    model: &Model,
    drift: Option<&V>,
    word: &[Letter],
) {
    if *word.last().unwrap() == Letter::Finish {
        let (drift, expected) = drifts(predicted, model, drift);
        assert_eq!(drift, expected, "the drift after {word:?}");
    }
}

/// The actual drift, and the expected one.
fn drifts<V: Heap>(
    predicted: Option<&State>,
    model: &Model,
    drift: Option<&V>,
) -> (Vec<String>, Vec<String>) {
    let expected = predicted.map(|predicted| diff(&json(predicted), &json(&model.view())));
    let expected = expected.filter(|patch| patch.as_array().is_some_and(|patch| !patch.is_empty()));
    (sorted(drift.map(Heap::to_json)), sorted(expected))
}

/// Returns the operations in an order independent of that of the fields.
fn sorted(patch: Option<serde_json::Value>) -> Vec<String> {
    let operations = patch.iter().flat_map(|patch| patch.as_array().into_iter().flatten());
    let mut operations: Vec<String> = operations.map(ToString::to_string).collect();
    operations.sort();
    operations
}

fn json(state: &State) -> serde_json::Value {
    let messages = state.messages.iter();
    let messages: Vec<_> = messages
        .map(|it| serde_json::json!({ "type": it.kind, "id": it.id, "content": it.content }))
        .collect();
    let mut json = serde_json::json!({ "messages": messages });
    state.topic.iter().for_each(|topic| json["topic"] = topic[0].clone().into());
    state.log.iter().for_each(|log| json["log"] = serde_json::json!(log));
    json
}

fn of_model(model: &Model) -> String {
    let mut text = String::new();
    let mut tell = |state: &State| {
        let field = |field: &Option<Vec<String>>| {
            field.as_ref().map_or_else(|| "-".to_owned(), |values| values.join(","))
        };
        for message in &state.messages {
            text.push_str(&format!("{}:{} ", message.id, message.content));
        }
        text.push_str(&format!("{} {} | ", field(&state.topic), field(&state.log)));
    };
    tell(&model.view());
    tell(&model.confirmed);
    for update in model.pending() {
        let status = match update.status {
            Status::Pending => "pending",
            Status::Sent => "sent",
            Status::Failed => "failed",
        };
        text.push_str(status);
        for part in update.edits.iter().filter(|part| part.write.named) {
            let sign = if part.write.does == Does::Remove { "-" } else { "+" };
            text.push_str(&format!(" {sign}{}", part.write.message.id));
        }
        for part in &update.writes {
            text.push_str(&format!(" {}", part.write.key));
        }
        text.push(';');
    }
    let mut streaming: Vec<_> = model.streaming().into_iter().map(String::as_str).collect();
    streaming.sort_unstable();
    text + &streaming.join(",")
}

fn of_thread<V: Heap>(thread: &mut Thread<V>) -> String {
    let mut text = String::new();
    let mut tell = |state: V| {
        let owned = |value: Option<V::Found<'_>>| value.map(Found::into_owned);
        for message in owned(state.get("messages")).unwrap().items() {
            let of = |key: &str| message.text_of(key).unwrap_or_default();
            text.push_str(&format!("{}:{} ", of("id"), of("content")));
        }
        let topic = state.text_of("topic").unwrap_or_else(|| "-".to_owned());
        let log = owned(state.get("log")).map_or_else(
            || "-".to_owned(),
            |log| {
                log.items().map(|it| it.text().unwrap().into_owned()).collect::<Vec<_>>().join(",")
            },
        );
        text.push_str(&format!("{topic} {log} | "));
    };
    tell(thread.state());
    tell(thread.confirmed());
    for pending in thread.pending() {
        text.push_str(&pending.status.to_string());
        let messages = pending.update.get("messages").map(Found::into_owned);
        for message in messages.iter().flat_map(|messages| messages.items()) {
            if message.text_of("id").as_deref() == Some("__remove_all__") {
                continue;
            }
            let removes = message.text_of("type").as_deref() == Some("remove");
            text.push_str(if removes { " -" } else { " +" });
            text.push_str(&message.text_of("id").unwrap_or_default());
        }
        for key in pending.update.keys().iter().filter(|key| *key != "messages") {
            text.push_str(&format!(" {key}"));
        }
        text.push(';');
    }
    let streaming = thread.incomplete_ids();
    let mut streaming: Vec<_> =
        streaming.items().map(|it| it.text().unwrap().into_owned()).collect();
    streaming.sort_unstable();
    text + &streaming.join(",")
}

/// The run's status, and the server's values.
fn stream_of_model(model: &Model) -> String {
    let stream = &model.stream;
    let status = match stream.status {
        RunStatus::Ready => "ready",
        RunStatus::Submitted => "submitted",
        RunStatus::Streaming => "streaming",
        RunStatus::Error => "error",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Disconnected => "disconnected",
    };
    let mut text = format!(" | {} {status}", model.run_id().unwrap_or("-"));
    text.push_str(if stream.interrupts { " i " } else { " - " });
    text.push_str(stream.last_event_id.as_deref().unwrap_or("-"));
    for message in &stream.said.messages {
        text.push_str(&format!(" {}", message.id));
    }
    for field in [&stream.said.topic, &stream.said.log] {
        let said = field.as_ref().map_or_else(|| "-".to_owned(), |values| values.join(","));
        text.push_str(&format!(" {said}"));
    }
    text
}

fn stream_of_thread<V: Heap>(thread: &Thread<V>) -> String {
    let run = thread.run();
    let text_of = |value: Option<&V>| {
        value.map_or_else(|| "-".to_owned(), |value| value.text().unwrap().into_owned())
    };
    let mut text = format!(" | {} {}", text_of(run.id.as_ref()), run.status);
    text.push_str(if run.interrupts.is_some() { " i " } else { " - " });
    text.push_str(&text_of(run.last_event_id.as_ref()));
    for message in said(thread, "messages").unwrap().items() {
        text.push_str(&format!(" {}", message.text_of("id").unwrap()));
    }
    text.push_str(&format!(" {}", text_of(said(thread, "topic").as_ref())));
    let log = said(thread, "log").map(|log| {
        log.items().map(|it| it.text().unwrap().into_owned()).collect::<Vec<_>>().join(",")
    });
    text.push_str(&format!(" {}", log.unwrap_or_else(|| "-".to_owned())));
    text
}

/// FNV-1a over the states, continued from the last: easy to write in any language.
fn digest(before: u32, text: &str) -> u32 {
    let start = before ^ 0x811c_9dc5;
    text.bytes().fold(start, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Numbers from a seed: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }
}
