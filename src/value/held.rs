//! Values held from one call into the core to the next.

use super::Value;

/// A holder of values: a value itself, or a type with some inside.
///
/// In some heaps values are handles that last only as long as the call that brought them. At its
/// end every holder is asked for its values, to give each a handle that lasts.
pub trait Holds<V> {
    /// Visits every held value.
    fn held(&mut self, visit: &mut dyn FnMut(&mut V));
}

impl<V: Value> Holds<V> for V {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        visit(self);
    }
}

impl<V, H: Holds<V>> Holds<V> for Option<H> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        if let Some(holder) = self {
            holder.held(visit);
        }
    }
}

impl<V, H: Holds<V>> Holds<V> for Vec<H> {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        for holder in self {
            holder.held(visit);
        }
    }
}

impl<V, A: Holds<V>, B: Holds<V>> Holds<V> for (A, B) {
    fn held(&mut self, visit: &mut dyn FnMut(&mut V)) {
        self.0.held(visit);
        self.1.held(visit);
    }
}
