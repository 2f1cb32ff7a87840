//! The paths that a pattern such as `src/**/*.{ts,tsx}` names.
//!
//! A model writes the pattern: none may take long.

/// The most patterns that `{a,b}` may make of one, as in wcmatch.
const MOST: usize = 1000;
const LONGEST: usize = 10_000;

/// A pattern like those of ripgrep's `--glob`. A pattern without a slash names files in any folder;
/// `**` stands for any number of folders. Only a pattern that begins with a dot finds names that do.
pub(super) struct Glob {
    all: Vec<Vec<Segment>>,
    is_anchored: bool,
}

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// The sentence for the model about a pattern that leaves its folder, is too long or stands for
    /// too many.
    pub fn read(pattern: &str) -> Result<Self, String> {
        if pattern.split(['/', '\\']).any(|name| name == "..") {
            return Err(format!("Path traversal not allowed in glob pattern '{pattern}'"));
        }
        let bare = pattern.trim_start_matches('/');
        if bare.chars().nth(LONGEST).is_some() {
            return Err(format!(
                "Pattern limit exceeded: the glob pattern has more than {LONGEST} characters."
            ));
        }
        let all = alternatives(bare).ok_or_else(|| {
            format!(
                "Pattern limit exceeded: the glob pattern stands for more than {MOST} patterns."
            )
        })?;
        let all = all.iter().map(|one| one.split('/').map(Segment::read).collect()).collect();
        Ok(Self { all, is_anchored: pattern.contains('/') })
    }

    pub fn is_match(&self, path: &str) -> bool {
        let parts: Vec<&str> = if self.is_anchored {
            path.split('/').collect()
        } else {
            path.rsplit('/').take(1).collect()
        };
        self.all.iter().any(|segments| is_match(segments, &parts))
    }
}

/// An open brace: the complete choices, and the one being read.
struct Open {
    done: Vec<String>,
    current: Vec<String>,
}

impl Open {
    fn new() -> Self {
        Self { done: Vec::new(), current: vec![String::new()] }
    }
}

/// Returns a pattern for each choice of `{a,b}`, braces within braces too; `None` if there are too
/// many.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let pieces = pieces_of(pattern);
    let choices = choices_in(&pieces);
    let mut open = vec![Open::new()];
    for (piece, is_choice) in pieces.iter().zip(choices) {
        let mut top = open.pop()?;
        match *piece {
            "{" if is_choice => {
                open.push(top);
                top = Open::new();
            }
            "," if is_choice => {
                top.done.append(&mut top.current);
                top.current.push(String::new());
            }
            "}" if is_choice => {
                top.done.append(&mut top.current);
                let all = top.done;
                top = open.pop()?;
                if top.current.len().saturating_mul(all.len()) > MOST {
                    return None;
                }
                let with = |text: &String| all.iter().map(|one| [text, &**one].concat()).collect();
                top.current = top.current.iter().flat_map::<Vec<_>, _>(with).collect();
            }
            _ => top.current.iter_mut().for_each(|text| text.push_str(piece)),
        }
        if top.done.len() > MOST {
            return None;
        }
        open.push(top);
    }
    open.into_iter().next().map(|open| open.current)
}

/// Splits a pattern into braces, commas and what is between them.
fn pieces_of(pattern: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while !rest.is_empty() {
        let end = rest.find(['{', '}', ',']).map_or(rest.len(), |at| at.max(1));
        let Some((piece, more)) = rest.split_at_checked(end) else { break };
        pieces.push(piece);
        rest = more;
    }
    pieces
}

/// Returns which pieces are braces that have a comma, or their commas: others stand for themselves.
fn choices_in(pieces: &[&str]) -> Vec<bool> {
    let mut found = vec![false; pieces.len()];
    let mut open: Vec<Vec<usize>> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        match *piece {
            "{" => open.push(vec![at]),
            "," => {
                if let Some(places) = open.last_mut() {
                    places.push(at);
                }
            }
            "}" => {
                let Some(mut places) = open.pop().filter(|places| places.len() > 1) else {
                    continue;
                };
                places.push(at);
                for place in places {
                    if let Some(is_choice) = found.get_mut(place) {
                        *is_choice = true;
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// A segment of a path.
enum Segment {
    /// Any number of folders.
    Folders,
    Name {
        may_be_hidden: bool,
        tokens: Vec<Token>,
    },
}

enum Token {
    /// Any characters.
    Star,
    /// Any character.
    Any,
    Is(char),
    In(Set),
    Never,
}

/// A set such as `[!a-z]`.
struct Set {
    is_negated: bool,
    ranges: Vec<(char, char)>,
}

impl Token {
    fn takes(&self, sign: char) -> bool {
        match self {
            Self::Any => true,
            Self::Is(own) => *own == sign,
            Self::In(Set { is_negated, ranges }) => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&sign)) != *is_negated
            }
            Self::Star | Self::Never => false,
        }
    }

    /// Reads the inside of brackets. A range that is upside down names nothing.
    fn set(inside: &[char]) -> Self {
        let (is_negated, inside) = match inside {
            [] => return Self::Never,
            ['!' | '^', inside @ ..] => (true, inside),
            inside => (false, inside),
        };
        let mut ranges = Vec::new();
        let mut rest = inside;
        while let [from, more @ ..] = rest {
            rest = more;
            match more {
                ['-', to, more @ ..] if from <= to => {
                    ranges.push((*from, *to));
                    rest = more;
                }
                ['-', _, ..] => return Self::Never,
                _ => ranges.push((*from, *from)),
            }
        }
        Self::In(Set { is_negated, ranges })
    }
}

impl Segment {
    fn read(name: &str) -> Self {
        if name == "**" {
            return Self::Folders;
        }
        let signs: Vec<char> = name.chars().collect();
        let mut tokens = Vec::new();
        let mut rest = &*signs;
        while let [sign, more @ ..] = rest {
            rest = more;
            tokens.push(match sign {
                '*' => {
                    while let ['*', more @ ..] = rest {
                        rest = more;
                    }
                    Token::Star
                }
                '?' => Token::Any,
                '[' => match set_end(more) {
                    Some(end) => {
                        let (inside, more) = more.split_at(end);
                        rest = more.get(1..).unwrap_or_default();
                        Token::set(inside)
                    }
                    None => Token::Is('['),
                },
                sign => Token::Is(*sign),
            });
        }
        Self::Name { may_be_hidden: !name.starts_with(['*', '?', '[']), tokens }
    }
}

/// Returns the length of the inside of brackets; `None` if they are not closed. A bracket that
/// closes at once stands for itself if there is another.
fn set_end(after: &[char]) -> Option<usize> {
    let start = usize::from(matches!(after, ['!' | '^', ..]));
    let close = |from: usize| {
        let rest = after.get(from..)?;
        rest.iter().position(|sign| *sign == ']').map(|at| from + at)
    };
    match close(start)? {
        first if first == start => Some(close(start + 1).unwrap_or(first)),
        first => Some(first),
    }
}

/// Follows at once all places of the path that the segments so far may have come to.
fn is_match(segments: &[Segment], parts: &[&str]) -> bool {
    let mut places = vec![false; parts.len() + 1];
    if let Some(first) = places.first_mut() {
        *first = true;
    }
    for (at, segment) in segments.iter().enumerate() {
        if matches!(segment, Segment::Folders) {
            any_folders(&mut places, parts);
            if at + 1 < segments.len() {
                continue;
            }
        }
        let next =
            places.iter().zip(parts).map(|(is_here, part)| *is_here && is_name(part, segment));
        places = std::iter::once(false).chain(next).collect();
    }
    places.last().copied().unwrap_or_default()
}

/// Goes on over any folders whose names do not begin with a dot.
fn any_folders(places: &mut [bool], parts: &[&str]) {
    let mut is_here = false;
    for (place, part) in places.iter_mut().zip(std::iter::once(&"").chain(parts)) {
        *place = *place || (is_here && is_shown(part));
        is_here = *place;
    }
}

fn is_shown(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.')
}

/// Goes back to the last star only: an earlier one need not match more than it does.
fn is_name(name: &str, segment: &Segment) -> bool {
    let Segment::Name { may_be_hidden, tokens } = segment else { return is_shown(name) };
    if !may_be_hidden && !is_shown(name) {
        return false;
    }
    let signs: Vec<char> = name.chars().collect();
    let (mut at, mut token) = (0, 0);
    let mut star = None;
    while let Some(sign) = signs.get(at) {
        match (tokens.get(token), star) {
            (Some(Token::Star), _) => {
                star = Some((at, token));
                token += 1;
            }
            (Some(wanted), _) if wanted.takes(*sign) => (at, token) = (at + 1, token + 1),
            (_, Some((place, own))) => {
                star = Some((place + 1, own));
                (at, token) = (place + 1, own + 1);
            }
            (_, None) => return false,
        }
    }
    tokens.iter().skip(token).all(|token| matches!(token, Token::Star))
}
