//! The literal form of [`Json`].

/// Makes a [`Json`](crate::Json) of a literal in JSON's form, in which Rust's values may stand: any
/// expression that is `Into<Json>`. Keys are literals, or expressions in parentheses.
///
/// ```
/// use threadfold::json;
///
/// let (id, key) = (7, String::from("content"));
/// let message = json!({ "type": "human", "id": id.to_string(), (key): ["hi", null, -1.5] });
/// assert_eq!(message.to_string(), r#"{"type":"human","id":"7","content":["hi",null,-1.5]}"#);
/// ```
#[macro_export(local_inner_macros)]
macro_rules! json {
    // The items of a list: those made so far, in brackets, then those left.
    (@items [$($made:expr,)*]) => { $crate::Json::from(::std::vec![$($made,)*] as ::std::vec::Vec<$crate::Json>) };
    (@items [$($made:expr,)*] null $(, $($left:tt)*)?) => {
        json!(@items [$($made,)* json!(null),] $($($left)*)?)
    };
    (@items [$($made:expr,)*] [$($list:tt)*] $(, $($left:tt)*)?) => {
        json!(@items [$($made,)* json!([$($list)*]),] $($($left)*)?)
    };
    (@items [$($made:expr,)*] {$($object:tt)*} $(, $($left:tt)*)?) => {
        json!(@items [$($made,)* json!({$($object)*}),] $($($left)*)?)
    };
    (@items [$($made:expr,)*] $item:expr $(, $($left:tt)*)?) => {
        json!(@items [$($made,)* json!($item),] $($($left)*)?)
    };

    // The fields of an object, in the same way.
    (@fields [$($made:expr,)*]) => {
        <$crate::Json as ::std::iter::FromIterator<(::std::sync::Arc<str>, $crate::Json)>>::from_iter([$($made,)*])
    };
    (@fields [$($made:expr,)*] ($key:expr): $($left:tt)*) => {
        json!(@field [$($made,)*] $key; $($left)*)
    };
    (@fields [$($made:expr,)*] $key:literal: $($left:tt)*) => {
        json!(@field [$($made,)*] $key; $($left)*)
    };
    (@field [$($made:expr,)*] $key:expr; null $(, $($left:tt)*)?) => {
        json!(@fields [$($made,)* ($key.into(), json!(null)),] $($($left)*)?)
    };
    (@field [$($made:expr,)*] $key:expr; [$($list:tt)*] $(, $($left:tt)*)?) => {
        json!(@fields [$($made,)* ($key.into(), json!([$($list)*])),] $($($left)*)?)
    };
    (@field [$($made:expr,)*] $key:expr; {$($object:tt)*} $(, $($left:tt)*)?) => {
        json!(@fields [$($made,)* ($key.into(), json!({$($object)*})),] $($($left)*)?)
    };
    (@field [$($made:expr,)*] $key:expr; $value:expr $(, $($left:tt)*)?) => {
        json!(@fields [$($made,)* ($key.into(), json!($value)),] $($($left)*)?)
    };

    (null) => { $crate::Json::NULL };
    ([$($items:tt)*]) => { json!(@items [] $($items)*) };
    ({$($fields:tt)*}) => { json!(@fields [] $($fields)*) };
    ($value:expr) => { $crate::Json::from($value) };
}
