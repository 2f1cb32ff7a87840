//! Paths in one form.

use super::Answer;

/// Returns the path in one form: absolute, without empty names and dots.
///
/// # Errors
/// The answer to the model, for a path that leaves the folder or is Windows'.
pub(in crate::agent) fn normal_path(given: &str) -> Result<String, Answer> {
    let names = || given.split(['/', '\\']);
    if names().any(|name| name == "..") || given.starts_with('~') {
        return Err(Answer::error(&format!("Path traversal not allowed: {given}")));
    }
    let mut start = given.chars();
    if start.next().is_some_and(|drive| drive.is_ascii_alphabetic()) && start.next() == Some(':') {
        return Err(Answer::error(&format!(
            "Windows absolute paths are not supported: {given}. Please use virtual paths starting with / \
             (e.g., /workspace/file.txt)"
        )));
    }
    let names = names().filter(|name| !name.is_empty() && *name != ".").collect::<Vec<_>>();
    Ok(match names.is_empty() {
        false => ["/", &names.join("/")].concat(),
        true if given.starts_with('/') => "/".to_owned(),
        // Python's normpath leaves a dot of an empty path.
        true => "/.".to_owned(),
    })
}
