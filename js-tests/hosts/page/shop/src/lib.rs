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
    #[reducer(shelve)]
    pub shelves: Shelves,
    #[reducer(|_, tree| tree)]
    pub tree: Tree,
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

/// Lists in lists.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, PageType)]
pub struct Tree(Vec<Tree>);

/// Maps whose keys are texts in JSON alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, PageType)]
#[serde(default)]
pub struct Shelves {
    pub number: BTreeMap<u8, u32>,
    pub signed: BTreeMap<i64, u32>,
    pub long: BTreeMap<u128, u32>,
    pub flag: BTreeMap<bool, u32>,
    pub letter: BTreeMap<char, u32>,
    pub sku: BTreeMap<Sku, u32>,
    pub count: BTreeMap<Count, u32>,
    pub open: BTreeMap<IsOpen, u32>,
    pub season: BTreeMap<Season, u32>,
    pub price: BTreeMap<Price, u32>,
    pub nested: BTreeMap<i32, Vec<BTreeMap<Box<bool>, u32>>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, PageType)]
pub struct Sku(String);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, PageType)]
pub struct Count(u64);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, PageType)]
#[serde(transparent)]
pub struct IsOpen {
    is_open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, PageType)]
#[serde(rename_all = "lowercase")]
pub enum Season {
    Summer,
    Winter,
}

#[derive(Debug, Clone, Serialize, Deserialize, PageType)]
pub struct Price(f64);

impl Ord for Price {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Price {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Price {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Price {}

/// Lays more onto the shelves.
fn shelve(mut shelves: Shelves, more: Shelves) -> Shelves {
    shelves.number.extend(more.number);
    shelves.signed.extend(more.signed);
    shelves.long.extend(more.long);
    shelves.flag.extend(more.flag);
    shelves.letter.extend(more.letter);
    shelves.sku.extend(more.sku);
    shelves.count.extend(more.count);
    shelves.open.extend(more.open);
    shelves.season.extend(more.season);
    shelves.price.extend(more.price);
    shelves.nested.extend(more.nested);
    shelves
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
    #[reducer(|sum, more| sum + more)]
    pub cents: i128,
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
