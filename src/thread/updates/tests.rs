#![allow(clippy::unwrap_used)]

use super::Updates;
use crate::Json;
use crate::thread::pending::{Edit, PendingUpdate};
use crate::value::Value as _;

#[test]
fn what_is_kept_of_updates_that_are_gone_is_bounded_by_those_that_are_not() {
    // An even and an odd number of them.
    for count in [4000, 4001] {
        let mut updates = Updates::<Json>::default();
        let ids: Vec<String> = (0..count).map(|at| at.to_string()).collect();
        for id in &ids {
            let update = Json::from(serde_json::json!({ "a": 1 }));
            let mut pending = PendingUpdate::new(id.clone(), update, false);
            pending.edits.push(Edit::removal(Json::string(id)));
            updates.push(Box::new(pending));
        }
        let mut tidied = 0;
        for (gone, id) in ids.iter().enumerate() {
            let place = updates.number(id).unwrap();
            let slots = updates.slots.len();
            assert_eq!(updates.remove(place).unwrap().id, *id);
            assert_eq!(updates.kept, ids.len() - gone - 1);
            assert_eq!((updates.edit_count, updates.write_count), (updates.kept, updates.kept));
            assert!(updates.slots.len() <= 2 * updates.kept + 64);
            assert!(updates.number(id).is_none());
            tidied += usize::from(updates.slots.len() < slots);
        }
        assert!(updates.slots.is_empty());
        // Each time at most half of them are left: there are twelve halves to 4,000.
        assert!(tidied <= 12, "{tidied}");
    }
}
