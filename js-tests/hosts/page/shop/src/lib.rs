//! A team's state: the service links this crate, and the page has it as wasm.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use threadfold::reducer::{AddMessages, Append, MergeFiles, MergeTools, ReplaceTodos};
use threadfold::{Error, Message, PageType, Prefer, State};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, State)]
#[serde(rename_all = "camelCase", default)]
#[state(derive(Debug, Clone, Serialize, Deserialize), page)]
pub struct Shop {
    #[reducer(AddMessages)]
    pub messages: Vec<Message>,
    #[reducer(ReplaceTodos)]
    pub todos: Value,
    #[reducer(MergeTools(Prefer::Last))]
    pub tools: Value,
    #[reducer(MergeFiles)]
    pub files: Value,
    /// By sku.
    #[reducer(put)]
    pub cart: Vec<Item>,
    #[reducer(|sum, more| sum + more)]
    pub spent_cents: f64,
    /// No reducer: the update replaces it.
    pub coupon: Option<String>,
    #[reducer(Append)]
    pub log: Vec<String>,
    #[reducer(count)]
    #[update(String)]
    pub views: BTreeMap<String, u32>,
    #[reducer(advance)]
    pub status: Status,
    #[serde(skip)]
    pub cached: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, PageType)]
#[serde(deny_unknown_fields)]
pub struct Item {
    pub sku: String,
    pub qty: u32,
    pub note: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, PageType)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Status {
    #[default]
    Open,
    Paid {
        at: u32,
    },
    Sent(Parcel),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, PageType)]
pub struct Parcel {
    pub codes: Vec<u32>,
}

/// Puts items into the cart; one without quantity takes it out.
fn put(mut cart: Vec<Item>, items: Vec<Item>) -> Vec<Item> {
    for item in items {
        assert!(item.sku != "panic", "no such sku");
        match cart.iter_mut().find(|known| known.sku == item.sku) {
            Some(known) => *known = item,
            None => cart.push(item),
        }
    }
    cart.retain(|item| item.qty > 0);
    cart
}

fn count(mut views: BTreeMap<String, u32>, page: String) -> BTreeMap<String, u32> {
    *views.entry(page).or_default() += 1;
    views
}

fn advance(now: Status, next: Status) -> Result<Status, Error> {
    match (now, next) {
        (Status::Sent(_), Status::Open) => Err(Error::reducer("it was sent")),
        (_, next) => Ok(next),
    }
}

/// A second state of the crate, over the same items.
#[derive(Debug, Clone, Default, Serialize, Deserialize, State)]
#[state(derive(Debug, Clone, Serialize, Deserialize), page)]
pub struct Basket {
    #[reducer(put)]
    pub cart: Vec<Item>,
    #[reducer(|sum, more| sum + more)]
    pub clicks: u64,
    /// Written as a text, and updated by a number.
    #[serde(with = "day")]
    #[reducer(|_, day| day)]
    #[update(u32, serde())]
    #[page(type = "string")]
    pub opened: u32,
}

mod day {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    pub fn serialize<S: Serializer>(day: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("day {day}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        let text = String::deserialize(deserializer)?;
        let day = text.strip_prefix("day ").and_then(|day| day.parse().ok());
        day.ok_or_else(|| D::Error::custom("invalid day"))
    }
}

threadfold_page::page!(Shop);
threadfold_page::page!(Basket);
