//! Files that the calls of one step write at the same time.

use std::collections::HashMap;

use super::state::AgentUpdate;
use crate::graph::Ctx;
use crate::graph::step_memo::FinishedUpdate;
use crate::typed::ToolCall;
use crate::value::{Json, Value as _};

/// The call that wrote a file: its task and its id.
type Writer = (u32, Option<String>);

/// The files that calls of the step have written, each as its first writer left it.
struct Written(HashMap<String, (Option<Writer>, Json)>);

impl Written {
    /// Begins with the files of tasks that finished before the step was stopped.
    fn begin(finished: &[FinishedUpdate]) -> Self {
        let mut written = Self(HashMap::new());
        for update in finished.iter().filter_map(|update| update.downcast_ref::<AgentUpdate>()) {
            written.add(update.files.as_ref(), None);
        }
        written
    }

    fn add(&mut self, files: Option<&Json>, writer: Option<&Writer>) {
        for (path, file) in files.into_iter().flat_map(Json::entries) {
            let made = || (writer.cloned(), file.clone());
            self.0.entry(path.to_owned()).or_insert_with(made);
        }
    }
}

fn writer(ctx: &Ctx, call: &ToolCall) -> Writer {
    (ctx.task(), call.id.clone())
}

/// Notes the files that a call has written, for the others of its step.
pub(super) fn note_files(ctx: &Ctx, call: &ToolCall, files: Option<&Json>) {
    if files.is_some() {
        let own = writer(ctx, call);
        ctx.with_memo(Written::begin, |written| written.add(files, Some(&own)));
    }
}

/// Keeps what other calls of the step have written to the same paths: the file of this one is put
/// beside it. Returns the changes, and the notes to the model about them.
pub(super) fn kept_beside(
    ctx: &Ctx,
    call: &ToolCall,
    before: &Json,
    changes: &Json,
) -> (Json, Vec<String>) {
    let own = writer(ctx, call);
    let id = call.id.as_deref().unwrap_or_default();
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '-';
    let suffix = id.replace(|sign| !is_plain(sign), "_");
    ctx.with_memo(Written::begin, |written| {
        let mut notes = Vec::new();
        let mut kept = changes.clone();
        for (path, file) in changes.entries() {
            let theirs = written.0.get(path).filter(|(writer, _)| writer.as_ref() != Some(&own));
            let Some((_, theirs)) = theirs else { continue };
            if theirs["content"] == file["content"] && theirs.is_null() == file.is_null() {
                continue;
            }
            kept = kept.without(path);
            let who = format!("Note: another call changed {path} at the same time");
            if file.is_null() {
                notes.push(format!("{who}, so it was not deleted."));
                continue;
            }
            let is_taken = |path: &str| {
                written.0.contains_key(path)
                    || [before, &kept].iter().any(|own| own.get(path).is_some())
            };
            let beside = free_path(&format!("{path}.{suffix}"), is_taken);
            notes.push(format!("{who}. This one's is in {beside}: merge the two."));
            kept = kept.with(&beside, file.clone());
        }
        written.add(Some(&kept), Some(&own));
        (kept, notes)
    })
}

/// A path at which there is no file: models may give the ids of calls again.
fn free_path(path: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_u64..).map(|count| format!("{path}-{count}"));
    let mut paths = std::iter::once(path.to_owned()).chain(numbered);
    paths.find(|path| !is_taken(path)).unwrap_or_default()
}
