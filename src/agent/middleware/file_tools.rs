//! The tools over an agent's files, and their arguments.

use serde_json::{Value, json};

use crate::agent::files::{
    Answer, Clock, Grep, Lines, delete, edit, glob, grep, list, normal_path, now, read, write,
};
use crate::agent::state::AgentUpdate;
use crate::agent::tool::{Tool, ToolOutput, ToolRequest, refused};
use crate::agent::turn::answer;
use crate::error::Error;
use crate::value::Json;

/// A tool over files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileTool {
    List,
    Read,
    Write,
    Edit,
    Delete,
    Glob,
    Grep,
}

use FileTool as T;

pub(super) const ALL: [FileTool; 7] =
    [T::List, T::Read, T::Write, T::Edit, T::Delete, T::Glob, T::Grep];

impl FileTool {
    pub(super) fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub(super) fn is_changing(self) -> bool {
        matches!(self, T::Write | T::Edit | T::Delete)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            T::List => "ls",
            T::Read => "read_file",
            T::Write => "write_file",
            T::Edit => "edit_file",
            T::Delete => "delete",
            T::Glob => "glob",
            T::Grep => "grep",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            T::List => "Lists the files and folders in a folder.",
            T::Read => {
                "Reads a file: up to 100 lines, from line `offset` on, unless `limit` says otherwise."
            }
            T::Write => "Writes a file: a new one, or in the place of the one that is there.",
            T::Edit => {
                "Replaces a text in a file. `old_string` has to be exact, and in the file once, unless \
                 `replace_all` is true."
            }
            T::Delete => "Deletes a file, or a folder with all that is in it.",
            T::Glob => {
                "Finds files by a pattern such as `*.md` or `src/**/*.ts`, the newest first."
            }
            T::Grep => {
                "Finds the lines that have a text, literally. `glob` says in which files, `max_count` how \
                 many lines at most."
            }
        }
    }

    /// The JSON schema of its arguments: those that it needs, and the others.
    fn schema(self) -> Value {
        let (text, integer) = (json!({ "type": "string" }), json!({ "type": "integer" }));
        let (maybe, number) =
            (json!({ "type": ["string", "null"] }), json!({ "type": ["integer", "null"] }));
        let modes = json!({ "type": "string", "enum": MODES });
        let (required, properties) = match self {
            T::List => (1, json!({ "path": text })),
            T::Read => (1, json!({ "file_path": text, "offset": integer, "limit": integer })),
            T::Write => (2, json!({ "file_path": text, "content": text })),
            T::Edit => {
                let all = json!({ "type": "boolean" });
                (
                    3,
                    json!({ "file_path": text, "old_string": text, "new_string": text, "replace_all": all }),
                )
            }
            T::Delete => (1, json!({ "file_path": text })),
            T::Glob => (1, json!({ "pattern": text, "path": maybe })),
            T::Grep => (
                1,
                json!({
                    "pattern": text, "path": maybe, "glob": maybe, "output_mode": modes, "max_count": number,
                }),
            ),
        };
        let needed = ["pattern", "path", "file_path", "content", "old_string", "new_string"];
        let needed = needed.iter().filter(|name| properties.get(**name).is_some());
        let needed = needed.take(required).collect::<Vec<_>>();
        json!({ "type": "object", "required": needed, "properties": properties })
    }

    /// Makes the tool, which shows so many characters at most.
    pub(super) fn tool(self, own: Option<String>, room: Option<usize>, clock: Clock) -> Tool {
        let description = own.unwrap_or_else(|| self.description().to_owned());
        let run = move |args: Value, request: ToolRequest| {
            let output = self.run(&args, &request, room, &clock);
            async move { Ok::<_, Error>(output) }
        };
        Tool::new(self.name(), description, run).with_schema(self.schema())
    }

    fn run(
        self,
        args: &Value,
        request: &ToolRequest,
        room: Option<usize>,
        clock: &Clock,
    ) -> ToolOutput {
        let ToolRequest { call, state, .. } = request;
        let Answer { text, is_error, files } = match self.answer(args, &state.files, room, clock) {
            Ok(Ok(answer) | Err(answer)) => answer,
            Err(Unfit(why)) => return refused(call, &why).into(),
        };
        let message = answer(call, text, is_error).with_name(&call.name);
        match files {
            None => message.into(),
            files => AgentUpdate { files, ..AgentUpdate::from(message) }.into(),
        }
    }

    /// Answers a call: the inner error is the answer to an invalid path, the outer that to invalid
    /// arguments.
    fn answer(
        self,
        args: &Value,
        files: &Json,
        room: Option<usize>,
        clock: &Clock,
    ) -> Result<Result<Answer, Answer>, Unfit> {
        let args = Args(args);
        let path = |name| args.text(name).map(normal_path);
        Ok(match self {
            T::List => path("path")?.map(|path| list(files, &path)),
            T::Read => {
                let offset = args.number("offset")?.unwrap_or(0);
                let limit = args.number("limit")?.unwrap_or(100);
                path("file_path")?.map(|path| read(files, &path, Lines { offset, limit }, room))
            }
            T::Write => {
                let content = args.text("content")?;
                path("file_path")?.map(|path| write(files, &path, content, &now(clock)))
            }
            T::Edit => {
                let texts = [args.text("old_string")?, args.text("new_string")?];
                let all = args.flag("replace_all")?;
                path("file_path")?.map(|path| edit(files, &path, texts, all, &now(clock)))
            }
            T::Delete => path("file_path")?.map(|path| delete(files, &path)),
            T::Glob => {
                let pattern = args.text("pattern")?;
                let path = args.maybe("path")?.map(normal_path).transpose();
                path.map(|path| glob(files, pattern, path.as_deref()))
            }
            T::Grep => {
                let (pattern, glob) = (args.text("pattern")?, args.maybe("glob")?);
                let (mode, most) = (args.mode()?, args.number("max_count")?.unwrap_or(1000));
                let path = args.maybe("path")?.map(normal_path).transpose();
                path.map(|path| {
                    grep(files, Grep { pattern, path: path.as_deref(), glob, mode, most })
                })
            }
        })
    }
}

const MODES: [&str; 3] = ["files_with_matches", "content", "count"];

/// Arguments that do not fit, in LangChain's words.
struct Unfit(String);

/// The arguments of a call.
struct Args<'a>(&'a Value);

impl<'a> Args<'a> {
    fn given(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<&'a str, Unfit> {
        match self.0.get(name) {
            None => Err(Unfit(format!("{name}: Field required"))),
            Some(value) => value
                .as_str()
                .ok_or_else(|| Unfit(format!("{name}: Input should be a valid string"))),
        }
    }

    fn maybe(&self, name: &str) -> Result<Option<&'a str>, Unfit> {
        self.given(name).map(|_| self.text(name)).transpose()
    }

    fn number(&self, name: &str) -> Result<Option<i64>, Unfit> {
        let read = |value: &Value| {
            value.as_i64().ok_or_else(|| Unfit(format!("{name}: Input should be a valid integer")))
        };
        self.given(name).map(read).transpose()
    }

    fn flag(&self, name: &str) -> Result<bool, Unfit> {
        let read = |value: &Value| {
            value.as_bool().ok_or_else(|| Unfit(format!("{name}: Input should be a valid boolean")))
        };
        self.given(name).map_or(Ok(false), read)
    }

    fn mode(&self) -> Result<&'a str, Unfit> {
        let Some(mode) = self.maybe("output_mode")? else { return Ok("files_with_matches") };
        if MODES.contains(&mode) {
            return Ok(mode);
        }
        let says = "Input should be 'files_with_matches', 'content' or 'count'";
        Err(Unfit(format!("output_mode: {says}")))
    }
}
