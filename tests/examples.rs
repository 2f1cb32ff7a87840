//! Runs the programs of `examples/rust`.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

#[test]
fn every_example_runs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/rust");
    let mut ran = 0;
    for file in folder.read_dir().unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let name = path.file_stem().unwrap();
        let run = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--example"])
            .arg(name)
            .output()
            .unwrap();
        assert!(run.status.success(), "{name:?}: {}", String::from_utf8_lossy(&run.stderr));
        ran += 1;
    }
    assert_eq!(ran, 6);
}
