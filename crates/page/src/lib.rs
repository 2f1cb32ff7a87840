//! Folds a state of [threadfold](https://docs.rs/threadfold) in a page, with its own reducers.
//!
//! A service derives [`State`](trait@threadfold::State) for a struct, with a reducer for each field. With
//! `#[state(page)]` and [`page!`] the page folds the same fields with the same reducers. Your own
//! fields are folded by your wasm. Messages, todos, tools and files are folded by threadfold's npm
//! package.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use threadfold::reducer::AddMessages;
//! use threadfold::{Message, PageType, State};
//!
//! #[derive(Clone, Default, Serialize, Deserialize, State)]
//! #[state(derive(Clone, Serialize, Deserialize), page)]
//! pub struct Shop {
//!     #[reducer(AddMessages)]
//!     messages: Vec<Message>,
//!     #[reducer(put)]
//!     cart: Vec<Item>,
//!     #[reducer(|sum, more| sum + more)]
//!     spent: f64,
//! }
//!
//! #[derive(Clone, Serialize, Deserialize, PageType)]
//! pub struct Item {
//!     sku: String,
//!     qty: u32,
//! }
//!
//! fn put(mut cart: Vec<Item>, items: Vec<Item>) -> Vec<Item> {
//!     for item in items {
//!         match cart.iter_mut().find(|known| known.sku == item.sku) {
//!             Some(known) => known.qty = item.qty,
//!             None => cart.push(item),
//!         }
//!     }
//!     cart.retain(|item| item.qty > 0);
//!     cart
//! }
//!
//! threadfold_page::page!(Shop);
//! ```
//!
//! In the page:
//!
//! ```ts
//! import { defineSchema, Thread } from "threadfold";
//! import { Shop } from "./pkg/shop.js";
//!
//! const thread = new Thread({ schema: defineSchema.from(Shop) });
//! ```
//!
//! `docs/rust-page.md` of the repository goes from `cargo add` to a page, with the tool that builds
//! the wasm.

mod dict;
mod error;
mod read;
mod typescript;
mod write;

#[doc(hidden)]
pub mod __private;

/// Hands a state with `#[state(page)]` to JavaScript: as a class of its name, for
/// `defineSchema.from`, with its types. On other targets it checks the state, and makes nothing.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use threadfold::State;
///
/// #[derive(Clone, Default, Serialize, Deserialize, State)]
/// #[state(derive(Serialize, Deserialize), page)]
/// struct Counter {
///     #[reducer(|sum, more| sum + more)]
///     clicks: u32,
/// }
///
/// threadfold_page::page!(Counter);
/// ```
#[macro_export]
macro_rules! page {
    ($State:ident) => {
        #[cfg(not(target_arch = "wasm32"))]
        const _: &str = $crate::__private::typescript::<$State>().as_str();

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            use $crate::__private::{JsValue, PageState, wasm_bindgen};

            #[wasm_bindgen::prelude::wasm_bindgen(wasm_bindgen = $crate::__private::wasm_bindgen, typescript_custom_section)]
            const TYPES: &'static str = $crate::__private::typescript::<$State>().as_str();

            #[wasm_bindgen::prelude::wasm_bindgen(wasm_bindgen = $crate::__private::wasm_bindgen, js_name = $State, skip_typescript)]
            #[derive(Debug)]
            pub struct Page;

            #[wasm_bindgen::prelude::wasm_bindgen(wasm_bindgen = $crate::__private::wasm_bindgen, js_class = $State)]
            impl Page {
                #[wasm_bindgen(skip_typescript)]
                pub fn fields() -> JsValue {
                    $crate::__private::fields::<$State>()
                }

                #[wasm_bindgen(skip_typescript)]
                pub fn initial(at: usize) -> Result<JsValue, JsValue> {
                    $crate::__private::initial::<$State>(at)
                }

                #[wasm_bindgen(skip_typescript)]
                pub fn fold(at: usize, now: JsValue, update: JsValue) -> Result<JsValue, JsValue> {
                    $crate::__private::fold::<$State>(at, now, update)
                }
            }
        };
    };
}
