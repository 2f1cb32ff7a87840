//! Threads against the contract's model: every word of up to three letters, and random long ones.
//!
//! `THREADFOLD_THOROUGH=1`, as in CI, says every word of up to five, and more random ones. `THREADFOLD_SEED` and `THREADFOLD_RUNS` make the random words other ones, or more.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
// A model is to be read, not to be fast.
#![allow(
    clippy::format_push_string,
    clippy::needless_for_each,
    clippy::needless_pass_by_value,
    clippy::option_map_unit_fn,
    clippy::redundant_closure_for_method_calls,
    clippy::similar_names,
    clippy::single_match_else
)]

mod alphabet;
mod model;
mod words;

use alphabet::{ALL, FIELDS, Letter, MESSAGES, STREAM};
use threadfold::Json;
use words::{Answer, differs, every_word, random_answer, random_words};

/// The lengths up to which every word is tested. Those of four are the ones that CI tries in wasm.
fn lengths() -> &'static [usize] {
    if thorough() { &[4, 5] } else { &[3] }
}

#[test]
fn every_word_about_messages_is_the_models() {
    lengths().iter().for_each(|length| check_all("messages", MESSAGES, *length));
}

#[test]
fn every_word_about_fields_is_the_models() {
    lengths().iter().for_each(|length| check_all("fields", FIELDS, *length));
}

#[test]
fn every_word_about_a_stream_is_the_models() {
    check_all("stream", STREAM, 3);
}

fn thorough() -> bool {
    std::env::var("THREADFOLD_THOROUGH").is_ok_and(|it| it == "1")
}

fn check_all(name: &str, letters: &'static [Letter], length: usize) {
    let shared = std::thread::spawn(move || every_word::<Json>(letters, length));
    let Answer { words, digest } = every_word::<serde_json::Value>(letters, length);
    let shared = shared.join().unwrap();
    assert_eq!((shared.words, shared.digest), (words, digest), "{name}: the two heaps agree");
    println!("{name}: {words} words of up to {length} letters, 0 differences, digest {digest:08x}");
    assert_known(&format!("{name}, {length} letters"), words, digest);
}

#[test]
fn random_words_are_the_models() {
    let number = |name: &str, or: u64| std::env::var(name).map_or(or, |it| it.parse().unwrap());
    let usual = if thorough() { 20_000 } else { 100 };
    let (seed, runs) = (number("THREADFOLD_SEED", 7), number("THREADFOLD_RUNS", usual));
    random_words::<Json>(ALL, seed, runs);
    random_words::<serde_json::Value>(ALL, seed, runs / 4);
    let all: Vec<Letter> = ALL.iter().chain(STREAM).copied().collect();
    random_words::<Json>(&all, seed, runs);
    println!("{runs} random words from seed {seed}, 0 differences");
}

#[test]
fn random_words_have_one_answer_in_every_heap() {
    let (runs, seed) = (if thorough() { 2_000 } else { 500 }, 7);
    let digest = random_answer::<Json>(ALL, seed, runs);
    assert_eq!(digest, random_answer::<serde_json::Value>(ALL, seed, runs), "the two heaps agree");
    println!("random: {runs} words from seed {seed}, digest {digest:08x}");
    assert_known(&format!("random, {runs} words"), runs, digest);
}

/// The results that the thread in wasm must match, too.
fn assert_known(name: &str, words: u64, digest: u32) {
    let known: serde_json::Value = serde_json::from_str(include_str!("answers.json")).unwrap();
    let answer = serde_json::json!({ "words": words, "digest": format!("{digest:08x}") });
    assert_eq!(known[name], answer, "tests/contract/answers.json has other {name}");
}

/// Cases that take more than three letters.
#[test]
fn words_about_a_run_that_ends_well() {
    use Letter::{
        Add, AddWithTopic, Edit, FailUpdate, Finish, Lacks, Remove, Rollback, Start, Whole,
    };
    let words: &[&[Letter]] = &[
        // The server sent its fields without the topic: its value stands.
        &[AddWithTopic("2"), Start, Lacks, Finish],
        // It sent nothing, and a run submitted an edit of a message that it never had: the failed
        // update goes after that message.
        &[Add("1"), Edit("1"), Add("3"), Start, Rollback(0), FailUpdate(1), Finish],
        // It also goes after a message that was accepted at its new place.
        &[Whole, Remove("0"), Edit("0"), Add("3"), Start, FailUpdate(2), Finish],
    ];
    for word in words {
        assert_eq!(differs::<Json>(word), None, "{word:?}");
    }
}

/// Words that once failed, here or in the package before this contract.
#[test]
fn words_of_old() {
    use Letter::{
        Add, AddSame, AddWithTopic, Echo, Edit, Fail, Finish, Has, Join, Lacks, NodeRemoves,
        NodeUpdate, Reload, Remove, Renamed, Retry, Rollback, Settle, Start, StartAgain, Stream,
        Whole,
    };
    let words: &[&[Letter]] = &[
        // Two of one text, the first echoed under its own id: the second stays.
        &[Add("1"), Add("2"), Start, Echo("1"), Renamed, Finish],
        // An empty snapshot and then an error: the question failed, it is not done.
        &[Add("1"), Start, Lacks, Fail],
        // A question typed before the history came goes below it.
        &[Add("1"), Start, Has, Finish],
        // A message written after one that is rolled back stays where it was.
        &[Add("1"), AddWithTopic("2"), Start, Echo("1"), Stream, Rollback(0)],
        &[Edit("0"), Add("1"), Start, Stream, Finish],
        // A run that never ended, and the next one.
        &[Add("1"), Start, Echo("1"), Start, Lacks, Finish],
        &[Add("1"), Start, Stream, Start, Stream, Finish, Join],
        &[Remove("0"), Start, Lacks, Fail, Retry(0), Start, Has],
        // A removed message comes again, settled after the server put something between.
        &[Whole, Remove("a"), Edit("a"), Join, Has, Settle(1)],
        // A removed message is sent again, unchanged: it is not removed.
        &[Echo("1"), Remove("1"), Start, Echo("1"), Finish],
        &[Echo("1"), Remove("1"), Start, Echo("1"), Lacks, Echo("1"), Fail],
        // The message after which one stood is gone, and comes back once another run has begun.
        &[AddWithTopic("4"), Echo("3"), Start, Has, Add("3"), Start, Echo("3")],
        // A message takes the server's id also in the place of an update that is over.
        &[
            AddWithTopic("1"),
            Has,
            AddSame,
            NodeRemoves("1"),
            StartAgain(Some("1")),
            Lacks,
            Fail,
            AddWithTopic("1"),
            Start,
            NodeUpdate,
        ],
        // An update settled meanwhile takes the server's id, too, when the run is replayed.
        &[Add("1"), Edit("1"), Start, Settle(1), Lacks, Renamed, StartAgain(None)],
        &[Add("1"), Edit("1"), Start, Settle(1), Lacks, Renamed, Reload, Fail, Join],
        // The leftovers of a run that never ended are gone with a snapshot.
        &[Start, Stream, Start, Lacks, Finish, Start],
        // Gone with a removal that is settled, it is complete when it comes back.
        &[Stream, Remove("a"), Edit("a"), Join, Settle(0), Edit("a"), Settle(1)],
        &[
            Has,
            Remove("1"),
            Edit("1"),
            Start,
            Add("1"),
            Add("3"),
            Lacks,
            Settle(1),
            Echo("1"),
            Settle(1),
        ],
    ];
    for word in words {
        assert_eq!(differs::<Json>(word), None, "{word:?}");
    }
}
