//! The native tests, in one program: to compile and link each file's by itself takes three times as long.
//! `cargo test --test all contract::` runs those of one file.
#![cfg(not(target_arch = "wasm32"))]

mod add_messages;
mod agent;
mod context_count;
mod context_cuts;
mod context_decisions;
mod context_edits;
mod context_estimate;
mod context_forms;
mod context_laws;
mod contract;
mod errors;
mod examples;
mod graph;
mod heaps;
mod identified;
mod json;
mod json_read;
mod laws;
mod patch;
mod recorded;
mod schema;
mod seeded;
mod streams;
mod thread;
mod typed_message;
mod typed_message_list;
mod typed_page;
mod typed_signatures;
mod typed_state;
mod typed_wire;

/// A file that is not among these modules would never run.
#[test]
fn every_file_is_a_module() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let modules = include_str!("all.rs");
    for entry in folder.read_dir().expect("there are tests") {
        let path = entry.expect("it can be read").path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("it has a name");
        if !["all", "boundary"].contains(&name) {
            assert!(modules.contains(&format!("\nmod {name};\n")), "tests/all.rs lacks {name}");
        }
    }
}
