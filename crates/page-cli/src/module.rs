//! The module: wasm-bindgen's JavaScript with the wasm in it, which starts itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Returns the module of a glue and its wasm.
pub fn script(glue: &str, wasm: &[u8]) -> Result<String, String> {
    if glue.contains("from './snippets/") || glue.contains("from \"./snippets/") {
        return Err(
            "modules of JavaScript in the crate's dependencies cannot be inlined".to_owned()
        );
    }
    // Nobody calls them: the module is ready once it is imported.
    let own = |line: &&str| !line.starts_with("export { initSync");
    let mut script = glue.lines().filter(own).collect::<Vec<_>>().join("\n");
    let pages = pages(glue);
    if pages.is_empty() {
        return Err(
            "the crate has no `threadfold_page::page!(State)`, or a feature hides it".to_owned()
        );
    }
    let _ = write!(
        script,
        "\ninitSync({{ module: Uint8Array.from(atob(\"{}\"), (sign) => sign.charCodeAt(0)) }});\n",
        base64(wasm)
    );
    if glue.contains("function __wbg_reset_state") {
        for page in pages {
            let _ = writeln!(script, "{page}.reset = __wbg_reset_state;");
        }
    }
    Ok(script)
}

/// Returns the types without those of functions that the module does not export. Two states that share a
/// type declare it once.
pub fn types(all: &str) -> Result<String, String> {
    let ends = ["\nexport type InitInput", "\nexport function __wbg_reset_state"];
    let own = ends
        .iter()
        .fold(all, |types, end| types.split_once(end).map_or(types, |(own, _)| own))
        .trim_end();
    let mut declared = BTreeMap::new();
    let mut lines = Vec::new();
    for line in own.lines() {
        let name = line.strip_prefix("export type ").and_then(|rest| rest.split(' ').next());
        let Some(name) = name.filter(|_| line.ends_with(';')) else {
            lines.push(line);
            continue;
        };
        match declared.insert(name, line) {
            None => lines.push(line),
            Some(first) if first == line => {}
            Some(_) => {
                return Err(format!(
                    "two types are called {name} in TypeScript: rename one by #[page(name = \"…\")]"
                ));
            }
        }
    }
    Ok(lines.join("\n"))
}

/// Returns the classes that `page!` has made: those with `static fold(at, now, update)`.
fn pages(glue: &str) -> Vec<&str> {
    let classes = glue.split("\nexport class ").skip(1);
    classes
        .filter(|class| {
            let body = class.split("\n}\n").next().unwrap_or_default();
            body.contains("static fold(at, now, update)")
        })
        .filter_map(|class| class.split([' ', '{']).next())
        .collect()
}

/// Returns bytes as text.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let sign = |bits: u32| SIGNS.get(bits as usize & 63).map_or('=', |sign| char::from(*sign));
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        text.push(sign(bits >> 18));
        text.push(sign(bits >> 12));
        text.push(if chunk.len() > 1 { sign(bits >> 6) } else { '=' });
        text.push(if chunk.len() > 2 { sign(bits) } else { '=' });
    }
    text
}
