//! The paths that a service answers.

/// A request's path.
#[derive(Debug, PartialEq, Eq)]
pub enum ServicePath {
    /// `…/capabilities`.
    Capabilities,
    /// `…/threads/ID`.
    Thread(String),
    /// `…/threads/ID/runs/ID`.
    Run(String, String),
    /// Any other.
    Other,
}

impl ServicePath {
    /// Returns the methods that it is asked by.
    pub fn methods(&self) -> &'static str {
        match self {
            Self::Capabilities | Self::Thread(_) => "GET",
            Self::Run(..) => "GET or DELETE",
            Self::Other => "POST",
        }
    }

    pub fn read(path: &str) -> Self {
        let mut parts = path.rsplit('/');
        let mut last = || parts.next().unwrap_or_default();
        let (d, c, b, a) = (last(), last(), last(), last());
        match (a, b, c, d) {
            ("threads", thread, "runs", run) if !thread.is_empty() && !run.is_empty() => {
                Self::Run(decoded(thread), decoded(run))
            }
            (_, _, "threads", thread) if !thread.is_empty() => Self::Thread(decoded(thread)),
            (_, _, _, "capabilities") => Self::Capabilities,
            _ => Self::Other,
        }
    }
}

/// Decodes `%XX`. Anything else stays as it is.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = after.get(if byte.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8(bytes).unwrap_or_else(|_| part.to_owned())
}

#[cfg(test)]
mod tests {
    use super::ServicePath;

    #[test]
    fn paths_are_read_from_their_end() {
        let run = |thread: &str, run: &str| ServicePath::Run(thread.into(), run.into());
        assert_eq!(ServicePath::read("/agent/threads/a%2Fb/runs/r%"), run("a/b", "r%"));
        assert_eq!(ServicePath::read("threads/%C3%A4"), ServicePath::Thread("ä".into()));
        assert_eq!(ServicePath::read("/agent/capabilities"), ServicePath::Capabilities);
        for other in ["", "/", "/agent", "/threads/", "/threads/a/runs/", "/runs/r"] {
            assert_eq!(ServicePath::read(other), ServicePath::Other, "{other}");
        }
    }
}
