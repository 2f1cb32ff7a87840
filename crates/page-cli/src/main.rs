//! `threadfold-page` compiles a crate for a page and writes one module of JavaScript, with its wasm in
//! it and its types beside it. Importing the module makes it ready.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use wasm_bindgen_cli_support::Bindgen;

mod module;

const USAGE: &str =
    "usage: threadfold-page [--out FOLDER] [--name NAME] [--wasm FILE] [CARGO OPTIONS]
Run it in the folder of your crate. It writes FOLDER/NAME.js and FOLDER/NAME.d.ts.
  --out FOLDER   where to; `pkg` if left out
  --name NAME    the name of the files; that of the crate, with _ for -, if left out
  --wasm FILE    a wasm that cargo has built already
Everything else goes to `cargo rustc`, such as `-p shop` or `--features page`.";

/// Small code, in this order of importance. A profile of yours does not need to say so.
const SMALL: [(&str, &str); 4] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "z"),
    ("CARGO_PROFILE_RELEASE_LTO", "true"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1"),
    ("CARGO_PROFILE_RELEASE_PANIC", "abort"),
];

const TARGET: &str = "wasm32-unknown-unknown";

#[derive(Default)]
struct Options {
    out: Option<PathBuf>,
    name: Option<String>,
    wasm: Option<PathBuf>,
    cargo: Vec<OsString>,
}

fn main() -> ExitCode {
    let mut options = Options::default();
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        let value = match argument.to_str() {
            Some("-h" | "--help") => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            Some("--out" | "--name" | "--wasm") => arguments.next(),
            _ => {
                options.cargo.push(argument);
                continue;
            }
        };
        let Some(value) = value else {
            eprintln!("{} needs a value.\n{USAGE}", argument.display());
            return ExitCode::from(2);
        };
        match argument.to_str() {
            Some("--out") => options.out = Some(value.into()),
            Some("--name") => options.name = Some(value.to_string_lossy().into_owned()),
            _ => options.wasm = Some(value.into()),
        }
    }
    match build(options) {
        Ok(says) => {
            println!("{says}");
            ExitCode::SUCCESS
        }
        Err(says) => {
            eprintln!("threadfold-page: {says}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the module, and returns what it made.
fn build(options: Options) -> Result<String, String> {
    let wasm = options.wasm.map_or_else(|| compile(&options.cargo), Ok)?;
    let stem = wasm.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = options.name.unwrap_or(stem);
    let out = options.out.unwrap_or_else(|| "pkg".into());
    let bound = out.join(format!(".{name}"));
    let made = bind(&wasm, &bound, &name);
    let made = made.and_then(|()| {
        let path = bound.join(format!("{name}_bg.wasm"));
        optimise(&path, &out);
        let bytes = read(&path)?;
        let glue = text(&bound.join(format!("{name}.js")))?;
        let types = text(&bound.join(format!("{name}.d.ts")))?;
        write(&out.join(format!("{name}.js")), &module::script(&glue, &bytes)?)?;
        write(&out.join(format!("{name}.d.ts")), &module::types(&types)?)?;
        // Node reads the folder as modules, whatever the project around it is.
        let package = out.join("package.json");
        if !package.exists() {
            write(&package, "{ \"type\": \"module\" }\n")?;
        }
        Ok(format!(
            "{}: {} KiB of wasm",
            out.join(format!("{name}.js")).display(),
            bytes.len() / 1024
        ))
    });
    // Left over in no case; an error in removing it changes nothing.
    let _ = fs::remove_dir_all(&bound);
    made
}

/// Compiles the crate in this folder, and returns the path of its wasm.
fn compile(options: &[OsString]) -> Result<PathBuf, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Builds a cdylib alone, whatever Cargo.toml says: cargo skips link-time optimisation beside an rlib.
    cargo.args(["rustc", "--lib", "--crate-type", "cdylib", "--release", "--target", TARGET]);
    cargo.arg("--message-format=json-render-diagnostics").args(options);
    for (name, value) in SMALL {
        if std::env::var_os(name).is_none() {
            cargo.env(name, value);
        }
    }
    let output = cargo.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(remedy(output.status.code(), options));
    }
    // The last wasm is the crate's own.
    let messages = String::from_utf8_lossy(&output.stdout);
    let mut files = messages
        .split('"')
        .filter(|part| Path::new(part).extension().is_some_and(|it| it == "wasm"));
    let path = files.next_back().map(|path| path.replace("\\\\", "\\").into());
    path.ok_or_else(|| "cargo did not say where it put the wasm".to_owned())
}

/// Returns the remedy for a failure that cargo has printed.
fn remedy(code: Option<i32>, options: &[OsString]) -> String {
    if !has_target() {
        return format!("the target is not installed: run `rustup target add {TARGET}`");
    }
    // A crate that does not compile is another code.
    if code == Some(1) && !options.is_empty() {
        let options = options.join(OsStr::new(" "));
        return format!(
            "unknown option in `{}`: threadfold-page has --out, --name and --wasm, and cargo rustc the rest",
            options.display()
        );
    }
    "cargo failed".to_owned()
}

/// Whether rustc has the target's standard library. If rustc does not say, it is not what failed.
fn has_target() -> bool {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let output = rustc.args(["--print", "target-libdir", "--target", TARGET]).output();
    output.map_or(true, |output| {
        let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        path.is_empty() || Path::new(&path).exists()
    })
}

/// Writes the JavaScript around a wasm, and that wasm bound to it.
fn bind(wasm: &Path, folder: &Path, name: &str) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    bindgen
        .typescript(true)
        // A default path would be an address, which some bundlers follow.
        .omit_default_module_path(true)
        .remove_producers_section(true)
        .remove_name_section(true)
        // A panic leaves the stack where it was: `from` of the npm package starts anew after one.
        .reset_state_function(true)
        .input_path(wasm)
        .out_name(name);
    let bound = bindgen.web(true).and_then(|bindgen| bindgen.generate(folder));
    bound.map_err(|error| format!("wasm-bindgen cannot bind {}: {error:?}", wasm.display()))
}

/// Makes the wasm smaller by binaryen's wasm-opt, if there is one. It is on the PATH, or npm has
/// installed `binaryen` in a folder around this one or the output.
fn optimise(wasm: &Path, out: &Path) {
    let folders = [Path::new("."), out].map(|folder| folder.canonicalize().unwrap_or_default());
    let installed = folders.iter().flat_map(|folder| folder.ancestors());
    let installed =
        installed.map(|folder| folder.join("node_modules").join(".bin").join("wasm-opt"));
    let programs = std::iter::once(PathBuf::from("wasm-opt")).chain(installed);
    let features = ["bulk-memory", "mutable-globals", "nontrapping-float-to-int", "sign-ext"];
    let features = features.into_iter().chain(["reference-types", "multivalue"]);
    let features = features.map(|name| format!("--enable-{name}")).collect::<Vec<_>>();
    for program in programs {
        let mut command = Command::new(&program);
        command.arg(wasm).arg("-o").arg(wasm).arg("-Oz").args(&features);
        command.args(["--strip-debug", "--strip-producers", "--strip-target-features"]);
        match command.stdout(Stdio::null()).status() {
            Ok(status) if status.success() => return,
            Ok(_) => {
                eprintln!(
                    "threadfold-page: {} failed; the wasm is left as it is.",
                    program.display()
                );
                return;
            }
            Err(_) => {}
        }
    }
    eprintln!("threadfold-page: without wasm-opt the wasm is larger: install binaryen.");
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
