//! The shop's state: the service and the page fold it by the same reducers.

use serde::{Deserialize, Serialize};
use threadfold::reducer::AddMessages;
use threadfold::{Message, PageType, State};

#[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
#[state(derive(Debug, Clone, Serialize, Deserialize), page)]
pub struct Shop {
    #[reducer(AddMessages)]
    pub messages: Vec<Message>,
    /// By sku.
    #[reducer(put)]
    pub cart: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, PageType)]
pub struct Item {
    pub sku: String,
    pub qty: u32,
}

/// Puts items into the cart. One without quantity leaves it.
fn put(mut cart: Vec<Item>, items: Vec<Item>) -> Vec<Item> {
    for item in items {
        match cart.iter_mut().find(|known| known.sku == item.sku) {
            Some(known) => *known = item,
            None => cart.push(item),
        }
    }
    cart.retain(|item| item.qty > 0);
    cart
}

#[cfg(feature = "page")]
threadfold_page::page!(Shop);
