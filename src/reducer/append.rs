//! The update's items go after the value's.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

use super::Reducer;
use super::kind::FieldKind;

/// Appends the update's items to the value's: for the collections of the standard library, and for
/// a string, whose items are text. In a map the update's value replaces that of an equal key.
///
/// ```
/// use threadfold::reducer::{Append, Reducer};
///
/// assert_eq!(Append.merge(vec![1, 2], vec![3]), [1, 2, 3]);
/// assert_eq!(Append.merge(vec![1, 2], Some(3)), [1, 2, 3]);
/// assert_eq!(Append.merge("Hel".to_owned(), "lo"), "Hello");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Append;

impl<U: AsRef<str>> Reducer<String, U> for Append {
    const IN_PLACE: bool = true;

    fn merge(&self, mut current: String, update: U) -> String {
        self.merge_in_place(&mut current, update);
        current
    }

    fn merge_in_place(&self, current: &mut String, update: U) {
        current.push_str(update.as_ref());
    }
}

macro_rules! append_to_collections {
    ($( $Collection:ty, of $Item:ty, for ($($generics:tt)*), is $Kind:ident );* $(;)?) => { $(
        impl<U: IntoIterator<Item = $Item>, $($generics)*> Reducer<$Collection, U> for Append {
            const IN_PLACE: bool = true;

            fn merge(&self, mut current: $Collection, update: U) -> $Collection {
                current.extend(update);
                current
            }

            fn merge_in_place(&self, current: &mut $Collection, update: U)
            where
                $Collection: Clone,
            {
                current.extend(update);
            }

            fn kind(&self) -> FieldKind {
                FieldKind::$Kind
            }
        }
    )* };
}

append_to_collections! {
    Vec<T>, of T, for (T), is Append;
    VecDeque<T>, of T, for (T), is Append;
    BTreeSet<T>, of T, for (T: Ord), is Own;
    HashSet<T, S>, of T, for (T: Eq + Hash, S: BuildHasher), is Own;
    BTreeMap<K, T>, of (K, T), for (K: Ord, T), is Own;
    HashMap<K, T, S>, of (K, T), for (K: Eq + Hash, T, S: BuildHasher), is Own;
}
