//! Which values of the heap are identical, or equal.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::super::number;
use super::{Items, Json, Map, Node};

/// How many pairs are compared before remembering them pays off. A `copy` makes one value occur
/// often: n of them have 2^n paths, but few pairs.
const MANY: usize = 1_000;

/// The addresses of two lists or objects.
type Pair = [usize; 2];

fn pair(left: &Json, right: &Json) -> Pair {
    let address = |value: &Json| match &value.0 {
        Node::Array(items) => Arc::as_ptr(items).addr(),
        Node::Object(fields) => Arc::as_ptr(fields).addr(),
        _ => 0,
    };
    [address(left), address(right)]
}

/// Whether two values are identical: the same list or object. Immutable kinds are identical when
/// they are equal.
pub(super) fn same(left: &Json, right: &Json) -> bool {
    match (&left.0, &right.0) {
        (Node::Null, Node::Null) => true,
        (Node::Bool(left), Node::Bool(right)) => left == right,
        (Node::Number(left), Node::Number(right)) => number::equal(left, right),
        (Node::String(left), Node::String(right)) => Arc::ptr_eq(left, right) || left == right,
        (Node::Array(left), Node::Array(right)) => Arc::ptr_eq(left, right),
        (Node::Object(left), Node::Object(right)) => Arc::ptr_eq(left, right),
        _ => false,
    }
}

/// Whether two values are equal, with its own stack: they may be deeper than the machine's.
pub(super) fn equal(left: &Json, right: &Json) -> bool {
    let mut open = Vec::new();
    if !equal_or_open(left, right, &mut open) {
        return false;
    }
    let mut compared = 0;
    let mut known: HashSet<Pair, RandomState> = HashSet::default();
    while let Some((left, right)) = open.pop() {
        compared += 1;
        // A pair that was unequal has ended the comparison.
        if compared > MANY && !known.insert(pair(left, right)) {
            continue;
        }
        let all = match (&left.0, &right.0) {
            (Node::Array(left), Node::Array(right)) => {
                let mut items = left.beside(right);
                left.len() == right.len()
                    && items.all(|(left, right)| equal_or_open(left, right, &mut open))
            }
            (Node::Object(left), Node::Object(right)) => {
                let mut fields = left.0.iter();
                left.0.len() == right.0.len()
                    && fields.all(|(key, left)| match right.0.get(key) {
                        Some(right) => equal_or_open(left, right, &mut open),
                        None => false,
                    })
            }
            _ => false,
        };
        if !all {
            return false;
        }
    }
    true
}

/// Whether two values are equal so far. Leaves their children to be compared.
fn equal_or_open<'a>(
    left: &'a Json,
    right: &'a Json,
    open: &mut Vec<(&'a Json, &'a Json)>,
) -> bool {
    if same(left, right) {
        return true;
    }
    let parents = match (&left.0, &right.0) {
        (Node::Array(left), Node::Array(right)) => left.len() == right.len(),
        (Node::Object(left), Node::Object(right)) => left.0.len() == right.0.len(),
        _ => false,
    };
    if parents {
        open.push((left, right));
    }
    parents
}

/// How deep values are shared in part.
const DEEPEST: usize = 100;

/// How lists and objects at that depth are shared.
#[derive(Clone, Copy)]
pub(super) enum Deeper {
    /// Whole, or not at all: that costs as much as they hold.
    Whole,
    /// Not at all, unless they are identical.
    Never,
}

/// Returns a value with every part equal to one in `known` replaced by that one.
pub(super) fn reuse(value: &Json, known: &Json, deeper: Deeper) -> Json {
    Reusing { deeper, seen: 0, made: HashMap::default() }.reuse(value, known, 0)
}

struct Reusing {
    deeper: Deeper,
    seen: usize,
    /// Results, once there are many.
    made: HashMap<Pair, Json, RandomState>,
}

impl Reusing {
    fn reuse(&mut self, value: &Json, known: &Json, depth: usize) -> Json {
        if same(value, known) {
            return known.clone();
        }
        if !matches!(
            (&value.0, &known.0),
            (Node::Array(_), Node::Array(_)) | (Node::Object(_), Node::Object(_))
        ) {
            return value.clone();
        }
        self.seen += 1;
        if self.seen <= MANY {
            return self.reuse_parts(value, known, depth);
        }
        let pair = pair(value, known);
        if let Some(made) = self.made.get(&pair) {
            return made.clone();
        }
        let made = self.reuse_parts(value, known, depth);
        self.made.insert(pair, made.clone());
        made
    }

    fn reuse_parts(&mut self, value: &Json, known: &Json, depth: usize) -> Json {
        match (&value.0, &known.0) {
            _ if depth >= DEEPEST => {
                let reused = matches!(self.deeper, Deeper::Whole) && equal(value, known);
                if reused { known.clone() } else { value.clone() }
            }
            (Node::Array(items), Node::Array(old)) => {
                let made = self.reuse_items(items, old, depth);
                made.map_or_else(|| known.clone(), Json::of_items)
            }
            (Node::Object(fields), Node::Object(old)) => {
                let made = self.reuse_fields(&fields.0, &old.0, depth);
                made.map_or_else(|| known.clone(), Json::of_fields)
            }
            _ => value.clone(),
        }
    }

    /// Returns `None` when the known list has all of it.
    fn reuse_items(&mut self, items: &Items, known: &Items, depth: usize) -> Option<Items> {
        let mut made = (items.len() != known.len()).then(Items::default);
        for (position, item) in items.iter().enumerate() {
            let old = known.get(position);
            let shared = old.map_or_else(|| item.clone(), |old| self.reuse(item, old, depth + 1));
            if let Some(made) = &mut made {
                made.push(shared);
            } else if !old.is_some_and(|old| same(old, &shared)) {
                let mut list: Items = known.iter().take(position).cloned().collect();
                list.push(shared);
                made = Some(list);
            }
        }
        made
    }

    /// Returns `None` when the known object has all of it.
    fn reuse_fields(&mut self, fields: &Map, known: &Map, depth: usize) -> Option<Map> {
        let mut made = (fields.len() != known.len()).then(Map::default);
        for (position, (key, value)) in fields.iter().enumerate() {
            let old = known.get(key);
            let shared = old.map_or_else(|| value.clone(), |old| self.reuse(value, old, depth + 1));
            if let Some(made) = &mut made {
                made.insert(key.clone(), shared);
            } else if !old.is_some_and(|old| same(old, &shared)) {
                let earlier = fields.keys().take(position);
                let mut map: Map = earlier
                    .filter_map(|key| Some((key.clone(), known.get(key)?.clone())))
                    .collect();
                map.insert(key.clone(), shared);
                made = Some(map);
            }
        }
        made
    }
}
