//! Ids for messages that have none.

/// Returns a new message id: a uuid v4.
#[must_use]
pub fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}
