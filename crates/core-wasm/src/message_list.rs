//! [`JsonMessageList`] over the JavaScript heap.

use wasm_bindgen::prelude::*;

use super::heap::{Handle, UNDEFINED};
use super::numbers::list as ask;
use super::{heap, rules, value};
use threadfold::Value;
use threadfold::unstable::JsonMessageList;
use threadfold::unstable::{self, Holds};

/// The core of the package's `MessageList`.
#[wasm_bindgen]
pub struct RawMessageList(JsonMessageList<Handle>);

#[wasm_bindgen]
impl RawMessageList {
    /// Makes an empty list, by the rules of that number.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(by: i32) -> RawMessageList {
        Self(unstable::empty_list(rules(by)))
    }

    /// Makes the call of this number, with one or two values: see `RawThread`.
    pub fn ask(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "ListNumber")] what: i32,
        first: i32,
        second: i32,
    ) -> i32 {
        let (first, second) = (Handle::of(first), Handle::of(second));
        let list = &mut self.0;
        value(match what {
            ask::LENGTH => return i32::try_from(list.len()).unwrap_or(i32::MAX),
            ask::SNAPSHOT => Ok(list.snapshot()),
            ask::UPDATE => list.update(first).map(|()| UNDEFINED),
            ask::APPEND => list.append(&first, &second).map(|()| UNDEFINED),
            ask::FREEZE => {
                for message in unstable::touched(list).filter_map(|at| unstable::items(list).at(at))
                {
                    heap::freeze(*message);
                }
                Ok(UNDEFINED)
            }
            _ => {
                list.held(&mut |handle| handle.relocate(first));
                Ok(UNDEFINED)
            }
        })
    }
}
