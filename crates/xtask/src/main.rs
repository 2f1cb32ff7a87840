//! wasm-bindgen as the build calls it. Its own command-line tool takes minutes to compile, for
//! options, servers and web drivers that the build does not need.

use std::process::ExitCode;

use wasm_bindgen_cli_support::{Bindgen, EncodeInto};

const USAGE: &str = "usage: xtask (package|tests) WASM FOLDER NAME";

/// Writes the JavaScript around a wasm, and that wasm bound to it, into a folder.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, wasm, folder, name] = arguments.as_slice() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    // Every browser and Node that the package supports has it.
    bindgen.encode_into(EncodeInto::Always);
    match kind.as_str() {
        // Without a default path to the wasm there is no `import.meta.url`, which bundlers follow and CommonJS lacks.
        // Keep the names of functions: scripts/build/panics.mjs needs them.
        "package" => bindgen.typescript(true).omit_default_module_path(true).keep_debug(true),
        // Like wasm-bindgen's own test runner: tests are exports, reached through `__wasm`.
        "tests" => bindgen.debug(true).export_wasm(true).emit_start(false).typescript(false),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let bound = bindgen
        .web(true)
        .and_then(|bindgen| bindgen.input_path(wasm).out_name(name).generate(folder));
    match bound {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wasm-bindgen cannot bind {wasm}: {error:?}");
            ExitCode::FAILURE
        }
    }
}
