//! [`Json`]: JSON whose nodes are shared.

use std::ops::Index;
use std::str::FromStr;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde_json::Number;

mod from;
mod heap;
mod items;
mod iter;
mod literal;
mod nodes;
mod read;
mod serde;
mod share;
mod write;

pub use iter::Iter;

use items::Items;
use nodes::Fields;

/// JSON whose strings, lists and objects are shared: the native heap to keep a thread in.
///
/// A clone costs one count at any size. A change copies only the shared nodes on the way to it.
/// Both values share everything else, and [`Value::same`](super::Value::same) sees that at once. So
/// a [`Thread`](crate::Thread) of ten thousand messages returns a new state for each token without
/// copying a message. It is `Send` and `Sync`, for services with many tasks.
///
/// Make one with [`json!`](crate::json). Converts from [`serde_json::Value`] by `From` and to it by
/// `TryFrom`. Reads any type with `T::deserialize(&json)`, and is `Serialize` and `Deserialize` itself. Objects keep the order of their keys, integers of 64 bits all their
/// digits; larger ones are read as floats. Equality is by value: `1` equals `1.0`, and the order of
/// keys does not count. A value may be nested as deep as you like, and is written as deep; text is read 127 deep,
/// as `serde_json` reads it.
///
/// ```
/// use threadfold::{Thread, json};
///
/// let mut thread = Thread::new(None, &json!({}))?;
/// thread.update(json!({ "messages": [{ "type": "human", "id": "1", "content": "hi" }] }))?;
/// let state = thread.state();
/// assert_eq!(state["messages"][0]["content"], "hi");
/// assert_eq!(serde_json::to_string(&state["messages"][0]["id"])?, r#""1""#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Json(Node);

#[derive(Clone, Default)]
enum Node {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    String(Arc<String>),
    Array(Arc<Items>),
    Object(Arc<Fields>),
}

type Map = IndexMap<Arc<str>, Json, RandomState>;

/// How deep a value is read and written as text, and merged.
pub(crate) const DEEPEST: u32 = 127;

impl Json {
    /// JSON's `null`.
    pub const NULL: Json = Json(Node::Null);

    /// Returns a string's text.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Node::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a list's items; none for other kinds.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter::new(self.list())
    }

    /// Returns an object's keys and values, in order; none for other kinds.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.fields().into_iter().flatten().map(|(key, value)| (&**key, value))
    }

    /// Returns whether it is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.0, Node::Null)
    }

    /// Returns a number as an `i64`; `None` for any other value.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// Returns a number as a `u64`; `None` for any other value.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// Returns a number as an `f64`, which may round it.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// A boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.0 {
            Node::Bool(it) => Some(it),
            _ => None,
        }
    }

    /// A number, which knows whether it is an integer.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        match &self.0 {
            Node::Number(number) => Some(number),
            _ => None,
        }
    }

    fn fields(&self) -> Option<&Map> {
        match &self.0 {
            Node::Object(fields) => Some(&fields.0),
            _ => None,
        }
    }

    fn list(&self) -> Option<&Items> {
        match &self.0 {
            Node::Array(items) => Some(items),
            _ => None,
        }
    }

    fn of_items(items: Items) -> Self {
        Self(Node::Array(Arc::new(items)))
    }

    fn of_fields(fields: Map) -> Self {
        Self(Node::Object(Arc::new(Fields(fields))))
    }

    /// Returns an object's value under `key`, if it has one. An index gives [`Json::NULL`] instead.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Json> {
        // A message has few fields: scanning them is faster than hashing.
        const FEW: usize = 12;
        let fields = self.fields()?;
        if fields.len() > FEW {
            return fields.get(key);
        }
        fields.iter().find(|(name, _)| &***name == key).map(|(_, value)| value)
    }
}

/// Returns a list's item; null if it has none there.
impl Index<usize> for Json {
    type Output = Json;

    fn index(&self, index: usize) -> &Json {
        self.list().and_then(|items| items.get(index)).unwrap_or(&NULL)
    }
}

/// Returns an object's value; null if it has none there.
impl Index<&str> for Json {
    type Output = Json;

    fn index(&self, key: &str) -> &Json {
        self.field(key).unwrap_or(&NULL)
    }
}

static NULL: Json = Json::NULL;

impl FromStr for Json {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        serde_json::from_str(text)
    }
}
