//! Each of serde's attributes is followed, or refused by its name.
#![allow(clippy::unwrap_used, clippy::panic)]

use syn::DeriveInput;

/// Derives a state, and returns what it generates, or the error.
fn derived(state: &str) -> Result<String, String> {
    let input: DeriveInput = syn::parse_str(state).unwrap();
    let state = crate::read::state(&input).map_err(|error| error.to_string())?;
    Ok(crate::write::state(&state).to_string())
}

const BOTH: &str = "#[state(derive(Serialize, Deserialize))]";

#[test]
fn an_attribute_of_the_state_is_followed_or_refused() {
    for item in
        ["rename = \"c\"", "rename_all = \"camelCase\"", "deny_unknown_fields", "crate = \"s\""]
    {
        let made = derived(&format!("{BOTH} #[serde({item})] struct Chat {{ a: u8 }}")).unwrap();
        assert!(made.contains(&format!("# [serde ({item})]")), "{made}");
    }
    let plain = derived(&format!("{BOTH} struct Chat {{ a: u8 }}")).unwrap();
    for item in ["default", "default = \"new\"", "bound = \"\"", "expecting = \"a chat\""] {
        let made = derived(&format!("{BOTH} #[serde({item})] struct Chat {{ a: u8 }}")).unwrap();
        assert_eq!(made, plain, "an update has the same shape without {item}");
    }
    for item in [
        "tag = \"t\"",
        "transparent",
        "from = \"F\"",
        "try_from = \"F\"",
        "into = \"F\"",
        "remote = \"F\"",
        "later",
    ] {
        let state = format!("#[serde({item})] struct Chat {{ a: u8 }}");
        let refused = derived(&format!("{BOTH} {state}")).unwrap_err();
        let name = item.split(' ').next().unwrap();
        assert!(refused.contains(&format!("`#[serde({name})]`")), "{refused}");
        assert!(derived(&state).is_ok(), "an update without serde has no shape");
    }
}

#[test]
fn an_attribute_of_a_field_is_followed_or_refused() {
    let field = |item: &str| derived(&format!("{BOTH} struct Chat {{ #[serde({item})] a: u8 }}"));
    for (item, followed) in [
        ("rename = \"b\"", "rename = \"b\""),
        (
            "rename(serialize = \"b\", deserialize = \"c\")",
            "rename (serialize = \"b\" , deserialize = \"c\")",
        ),
        ("alias = \"b\"", "alias = \"b\""),
        ("borrow", "borrow"),
        ("flatten", "flatten"),
        ("skip", "skip_serializing , skip_deserializing"),
        ("skip_serializing", "skip_serializing ,"),
        ("skip_deserializing", "skip_deserializing"),
        ("with = \"m\"", "serialize_with = \"ChatUpdate::__serialize_a\""),
        ("with = \"m\"", "deserialize_with = \"ChatUpdate::__deserialize_a\""),
        ("serialize_with = \"f\"", "serialize_with = \"ChatUpdate::__serialize_a\""),
        ("deserialize_with = \"f\"", "deserialize_with = \"ChatUpdate::__deserialize_a\""),
    ] {
        let made = field(item).unwrap();
        assert!(made.contains(followed), "{item}: {made}");
    }
    let plain = derived(&format!("{BOTH} struct Chat {{ a: u8 }}")).unwrap();
    for item in ["default", "default = \"f\"", "skip_serializing_if = \"f\"", "bound = \"\""] {
        assert_eq!(field(item).unwrap(), plain, "{item}");
    }
    for item in ["getter = \"f\"", "later"] {
        let refused = field(item).unwrap_err();
        let name = item.split(' ').next().unwrap();
        assert!(refused.contains(&format!("cannot follow `#[serde({name})]`")), "{refused}");
    }
}

#[test]
fn an_update_of_another_type_says_how_it_is_written() {
    let field = |says: &str| {
        derived(&format!("{BOTH} struct Chat {{ #[serde(with = \"m\")] #[update({says})] a: u8 }}"))
    };
    assert!(field("u16").unwrap_err().contains("`#[update(Type, serde(with = \"…\"))]`"));
    assert!(!field("u16, serde()").unwrap().contains("ChatUpdate::"));
    assert!(field("u16, serde(with = \"n\")").unwrap().contains("ChatUpdate::__serialize_a"));
    assert!(field("u16, serde(rename = \"b\")").unwrap_err().starts_with("known are `with`"));
}

#[test]
fn an_update_has_its_default_once() {
    let made = derived("#[state(derive(Debug, Default))] struct Chat { a: u8 }").unwrap();
    assert!(made.contains("# [derive (Debug)]"), "{made}");
}

#[test]
fn a_type_that_serde_writes_as_another_says_what_it_is_in_typescript() {
    let page_type = |item: &str| {
        let input: DeriveInput = syn::parse_str(&format!("{item} struct Day {{ a: u8 }}")).unwrap();
        crate::page_type::derive(&input).map_err(|error| error.to_string())
    };
    for name in ["from", "try_from", "into", "remote"] {
        let refused = page_type(&format!("#[serde({name} = \"F\")]")).unwrap_err();
        assert!(
            refused.starts_with(&format!("`#[serde({name})]` makes of it another type")),
            "{refused}"
        );
        let said = format!("#[serde({name} = \"F\")] #[page(type = \"string\")]");
        assert!(page_type(&said).is_ok());
    }
}
