//! Reducers: how an update is folded into the value that a field has.

pub mod files;
pub mod messages;
pub mod todos;
pub mod tools;
