//! Makes [`Json`] of Rust's values, and compares it with them.

use std::sync::Arc;

use serde_json::Number;

use super::{Json, Node, share};

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Self {
        text.clone().into()
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
from_integers!(i8, u8, i16, u16, i32, u32, i64, u64, isize, usize);

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

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().map(Into::into).collect()
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

/// `None` becomes null.
impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Json::NULL, Into::into)
    }
}

/// By value, however deep: see [`Value::equals`](crate::Value::equals).
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

impl PartialEq<str> for Json {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Json {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<String> for Json {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == Some(other)
    }
}

macro_rules! equal_to {
    ($($Scalar:ty),*) => { $(
        impl PartialEq<$Scalar> for Json {
            fn eq(&self, other: &$Scalar) -> bool {
                share::equal(self, &Json::from(*other))
            }
        }
    )* };
}
equal_to!(bool, i32, u32, i64, u64, usize);

/// `NaN` equals nothing.
impl PartialEq<f64> for Json {
    fn eq(&self, other: &f64) -> bool {
        other.is_finite() && share::equal(self, &Json::from(*other))
    }
}
