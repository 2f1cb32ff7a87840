//! [`Json`]: JSON whose nodes are shared.

use std::ops::Index;
use std::str::FromStr;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde_json::Number;

mod heap;
mod items;
mod nodes;
mod serde;
mod share;
mod write;

use items::Items;
use nodes::Fields;

/// JSON whose strings, lists and objects are shared: the native heap to keep a thread in.
///
/// A clone costs one count at any size. A change copies only the shared nodes on the way to it.
/// Both values share everything else, and [`Value::same`](super::Value::same) sees that at once. So
/// a [`Thread`](crate::Thread) of ten thousand messages returns a new state for each token without
/// copying a message. It is `Send` and `Sync`, for services with many tasks.
///
/// Converts from [`serde_json::Value`] by `From` and to it by `TryFrom`, and from and to everything
/// `Serialize` or `Deserialize`. Objects keep the order of their keys, integers of 64 bits all their
/// digits; larger ones are read as floats. Equality is by value: `1` equals `1.0`, and the order of
/// keys does not count. A value may be nested as deep as you like, and is written as deep; text is read 127 deep,
/// as `serde_json` reads it.
///
/// ```
/// use serde_json::json;
/// use threadfold::{Json, Thread};
///
/// let mut thread: Thread<Json> = Thread::new(None, &json!({}).into())?;
/// thread.update(json!({ "messages": [{ "type": "human", "id": "1", "content": "hi" }] }).into())?;
/// let state = thread.state();
/// assert_eq!(state["messages"][0]["content"].as_str(), Some("hi"));
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
    pub fn iter(&self) -> impl Iterator<Item = &Json> {
        self.list().into_iter().flat_map(Items::iter)
    }

    /// Returns an object's keys and values, in order; none for other kinds.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.fields().into_iter().flatten().map(|(key, value)| (&**key, value))
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

    /// Finds the value under `key`. A message has few fields: scanning them is faster than hashing.
    fn field(&self, key: &str) -> Option<&Json> {
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

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self(Node::String(Arc::new(text)))
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self(Node::Bool(value))
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Json {
            fn from(value: $integer) -> Self {
                Self(Node::Number(value.into()))
            }
        }
    )*};
}
from_integers!(i32, u32, i64, u64);

/// `NaN` and the infinities, which JSON lacks, become null.
///
/// ```
/// use threadfold::Json;
///
/// assert_eq!(Json::from(0.5).to_string(), "0.5");
/// assert_eq!(Json::from(f64::NAN), Json::NULL);
/// ```
impl From<f64> for Json {
    fn from(value: f64) -> Self {
        Self(Number::from_f64(value).map_or(Node::Null, Node::Number))
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Self {
        items.into_iter().collect()
    }
}

impl FromIterator<Json> for Json {
    fn from_iter<I: IntoIterator<Item = Json>>(items: I) -> Self {
        Self::of_items(items.into_iter().collect())
    }
}

/// Makes an object of these values; of two under one key the last stays.
///
/// ```
/// use threadfold::Json;
///
/// let message = Json::from([("type", "human".into()), ("content", "hi".into())]);
/// assert_eq!(message.to_string(), r#"{"type":"human","content":"hi"}"#);
/// ```
impl<K: Into<Arc<str>>, const N: usize> From<[(K, Json); N]> for Json {
    fn from(fields: [(K, Json); N]) -> Self {
        fields.into_iter().collect()
    }
}

impl<K: Into<Arc<str>>> FromIterator<(K, Json)> for Json {
    fn from_iter<I: IntoIterator<Item = (K, Json)>>(fields: I) -> Self {
        Self::of_fields(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

/// By value, however deep: see [`Value::equals`](super::Value::equals).
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        share::equal(self, other)
    }
}

impl PartialEq<serde_json::Value> for Json {
    fn eq(&self, other: &serde_json::Value) -> bool {
        share::equal(self, &Json::from(other.clone()))
    }
}
