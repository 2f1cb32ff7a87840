//! The reducers of tools, todos and files as JSON.

use super::files::merge_files;
use super::kind::FieldKind;
use super::todos::replace_todos;
use super::tools::{Prefer, merge_tools};
use super::{Reducer, TryReducer};
use crate::error::Error;
use crate::value::Value;

/// Joins tool definitions, one for each name: [`merge_tools`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergeTools(pub Prefer);

/// Merges files by path; null deletes one: [`merge_files`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergeFiles;

/// Checks a todo list and replaces the whole one: [`replace_todos`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplaceTodos;

macro_rules! over_json {
    ($( $Reducer:ident, like $twin:literal, by $merge:expr, is $kind:expr );* $(;)?) => { $(
        /// `merge` ignores an update that `try_merge` refuses.
        impl<V: Value> Reducer<V> for $Reducer {
            const TWIN: &'static str = $twin;

            fn merge(&self, current: V, update: V) -> V {
                self.try_merge(current.clone(), update).unwrap_or(current)
            }

            fn kind(&self) -> FieldKind {
                let kind: fn(&Self) -> FieldKind = $kind;
                kind(self)
            }
        }

        impl<V: Value> TryReducer<V> for $Reducer {
            fn try_merge(&self, current: V, update: V) -> Result<V, Error> {
                let merge: fn(&Self, V, V) -> Result<V, Error> = $merge;
                merge(self, current, update)
            }
        }
    )* };
}

over_json! {
    MergeTools, like "tools", by |by, left, right| merge_tools(left, right, by.0),
        is |by| FieldKind::Tools(by.0);
    MergeFiles, like "files", by |_, left, right| merge_files(left, right), is |_| FieldKind::Files;
    ReplaceTodos, like "todos", by |_, left, right| replace_todos(left, right),
        is |_| FieldKind::Todos;
}
