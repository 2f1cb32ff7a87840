//! A program of its own: it has its own allocator, and exports what it likes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use threadfold::{Message, MessageRules, Reducer, add_json_messages};

struct Counting(AtomicUsize);

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.0.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting(AtomicUsize::new(0));

/// How many messages there are after one more, typed and as JSON; 0 when the two disagree.
#[unsafe(no_mangle)]
pub extern "C" fn fold() -> usize {
    let rules = MessageRules::LangGraph;
    let messages = |id: &str| vec![Message::user("hi").with_id(id)];
    let typed = rules.merge(messages("1"), messages("2"));
    let json = add_json_messages(json!(messages("1")), json!(messages("2")), rules).unwrap_or_default();
    if json == json!(typed) { typed.len() } else { 0 }
}

/// How often memory was asked for.
#[unsafe(no_mangle)]
pub extern "C" fn allocations() -> usize {
    ALLOCATOR.0.load(Ordering::Relaxed)
}

/// Randomness, as `getrandom` asks a program for it that has no JavaScript. A real one asks its host.
#[cfg(feature = "bare")]
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(
    place: *mut u8,
    length: usize,
) -> Result<(), getrandom::Error> {
    unsafe { std::ptr::write_bytes(place, 7, length) };
    Ok(())
}
