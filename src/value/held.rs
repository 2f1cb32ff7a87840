//! Values that are held from one call into the core to the next.

use super::Value;

/// What holds values, be it a value itself or what has some inside.
///
/// A heap whose values are handles may have them last only as long as the call that brought them.
/// Then whoever holds some is asked for each at the end, and gives it a handle that lasts.
pub trait Holds<V> {
    /// Visits every value that is held.
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
