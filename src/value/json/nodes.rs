//! An object's values, and the drop of nested nodes.

use std::mem;
use std::sync::Arc;

use super::{Json, Map, Node};

/// An object's values.
#[derive(Clone, Default)]
pub(super) struct Fields(pub Map);

impl Drop for Fields {
    fn drop(&mut self) {
        end(self.0.values_mut());
    }
}

/// Drops everything below a node with its own stack: values may be deeper than the machine's.
pub(super) fn end<'a>(children: impl Iterator<Item = &'a mut Json>) {
    let mut last = Vec::new();
    take_last(children, &mut last);
    while let Some(node) = last.pop() {
        match node {
            Node::Array(items) => {
                if let Some(mut items) = Arc::into_inner(items) {
                    take_last(items.own(), &mut last);
                }
            }
            Node::Object(fields) => {
                if let Some(mut fields) = Arc::into_inner(fields) {
                    take_last(fields.0.values_mut(), &mut last);
                }
            }
            _ => {}
        }
    }
}

/// Takes the children that are dropped with their parent and have children in turn.
fn take_last<'a>(children: impl Iterator<Item = &'a mut Json>, last: &mut Vec<Node>) {
    for child in children {
        let ends = match &child.0 {
            Node::Array(items) => Arc::strong_count(items) == 1,
            Node::Object(fields) => Arc::strong_count(fields) == 1,
            _ => false,
        };
        if ends {
            last.push(mem::take(&mut child.0));
        }
    }
}
