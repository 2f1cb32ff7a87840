//! An index of names in a list.

/// The places of names in a list that only grows. A table of its own: the library's is many times
/// its size in wasm.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    /// Places, each in the first free slot from its name's hash on. At least half are free.
    slots: Vec<u32>,
    len: usize,
}

const FREE: u32 = u32::MAX;

impl Index {
    /// Returns the first place of a name. `named` compares the name at a place.
    pub(super) fn find(&self, name: &str, named: impl Fn(usize) -> bool) -> Option<usize> {
        let (hash, mask) = (hash(name), self.slots.len().checked_sub(1)?);
        (0..self.slots.len())
            .map_while(|step| self.slots.get(hash.wrapping_add(step) & mask))
            .take_while(|place| **place != FREE)
            .map(|place| *place as usize)
            .find(|place| named(*place))
    }

    /// Adds the list's next name, now the last of `names`.
    pub(super) fn add<'a>(&mut self, name: &str, names: impl ExactSizeIterator<Item = &'a str>) {
        if 2 * names.len() <= self.slots.len() {
            self.put(name);
            return;
        }
        self.len = 0;
        self.slots = vec![FREE; (4 * names.len()).next_power_of_two()];
        for name in names {
            self.put(name);
        }
    }

    fn put(&mut self, name: &str) {
        let (hash, mask) = (hash(name), self.slots.len().wrapping_sub(1));
        let free = (0..self.slots.len())
            .map(|step| hash.wrapping_add(step) & mask)
            .find(|slot| self.slots.get(*slot) == Some(&FREE));
        if let Some(slot) = free.and_then(|slot| self.slots.get_mut(slot)) {
            *slot = u32::try_from(self.len).unwrap_or(FREE);
        }
        self.len += 1;
    }
}

/// FNV-1a.
fn hash(name: &str) -> usize {
    let hash = name
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ (hash >> 15)) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Index, hash};

    #[test]
    fn finds_the_first_place_of_each_name_and_no_other() {
        let names: Vec<String> = (0..1000).map(|at| (at % 700).to_string()).collect();
        let mut index = Index::default();
        for (at, name) in names.iter().enumerate() {
            let so_far: Vec<&str> = names.iter().take(at + 1).map(String::as_str).collect();
            index.add(name, so_far.into_iter());
            assert!(2 * (at + 1) <= index.slots.len());
        }
        let find =
            |name: &str| index.find(name, |place| names.get(place).is_some_and(|it| it == name));
        for (place, name) in names.iter().take(700).enumerate() {
            assert_eq!(find(name), Some(place));
        }
        assert_eq!(find("700"), None);
        assert_eq!(Index::default().find("a", |_| true), None);
    }

    #[test]
    fn names_are_spread_over_the_slots() {
        let slots: HashSet<usize> =
            (0..1000).map(|name: i32| hash(&name.to_string()) % 1024).collect();
        assert!(slots.len() > 550, "{}", slots.len());
        // So are those whose letters differ in high bits only.
        let names = "!1AQaq".chars().flat_map(|one| "!1AQaq".chars().map(move |two| [one, two]));
        let slots: HashSet<usize> =
            names.map(|name| hash(&name.iter().collect::<String>()) % 16).collect();
        assert!(slots.len() > 4, "{}", slots.len());
    }
}
