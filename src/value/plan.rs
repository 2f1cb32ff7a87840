//! Plans for merging two lists, in numbers and positions.

/// The keys that two arrays have in common, each as a small number: equal texts, equal numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Join {
    /// For each item of the right array its number, counted from 0; [`Join::NONE`] without one.
    pub right: Vec<u32>,
    /// For each item of the left array whose key occurs on the right: its position and number.
    pub left: Vec<[u32; 2]>,
}

impl Join {
    /// The number of an item without such a key.
    pub const NONE: u32 = u32::MAX;
}

/// A plan for merging two lists, in positions: the decision of a reducer over lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Whether the whole left list is dropped.
    pub cleared: bool,
    /// Positions in left and the positions in right whose items replace them; the last pair of a
    /// position wins. A position that is also removed is removed.
    pub replaced: Vec<[u32; 2]>,
    /// Positions in left that are removed, ascending.
    pub removed: Vec<u32>,
    /// Positions in right whose items are appended, in this order.
    pub appended: Vec<u32>,
}

impl Plan {
    /// Applies the plan to the two lists it was made for.
    #[must_use]
    pub fn apply<T>(&self, left: Vec<T>, right: Vec<T>) -> Vec<T> {
        let mut items = if self.cleared { Vec::new() } else { left };
        let mut right: Vec<Option<T>> = right.into_iter().map(Some).collect();
        let mut incoming = |position: u32| right.get_mut(position as usize).and_then(Option::take);
        for [position, from] in &self.replaced {
            if let (Some(item), Some(new)) = (items.get_mut(*position as usize), incoming(*from)) {
                *item = new;
            }
        }
        if !self.removed.is_empty() {
            let mut removed = self.removed.iter().copied().peekable();
            let mut position = 0;
            items.retain(|_| {
                let goes = removed.next_if_eq(&position).is_some();
                position += 1;
                !goes
            });
        }
        items.extend(self.appended.iter().copied().filter_map(incoming));
        items
    }

    /// Whether the left list stays unchanged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.cleared
            && self.replaced.is_empty()
            && self.removed.is_empty()
            && self.appended.is_empty()
    }
}
