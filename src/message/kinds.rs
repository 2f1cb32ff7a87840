//! The kinds of messages and all names that each goes by: the one table of them. The build writes the
//! package's half, `pkg-template/generated/kinds.js`, from this file (`scripts/build/kinds.mjs`).

/// LangChain's type, LangChain's class without `Message`, and the role of AG-UI and `OpenAI`. A class
/// has chunks: `HumanMessageChunk`. A role names the first kind that has it.
pub(crate) const KINDS: [[&str; 3]; 5] = [
    ["human", "Human", "user"],
    ["ai", "AI", "assistant"],
    ["system", "System", "system"],
    ["tool", "Tool", "tool"],
    ["function", "Function", "tool"],
];

/// The names of a removal.
const REMOVAL: [&str; 2] = ["remove", "Remove"];

/// The names of a message with a role of its own, which a model is sent and a thread keeps as it is.
const CHAT: [&str; 3] = ["chat", "Chat", "generic"];

/// A role that is LangChain's system message with a marker.
const DEVELOPER: [&str; 2] = ["developer", "system"];

/// The roles of AG-UI's messages that are only for the screen.
const ON_SCREEN: [&str; 2] = ["reasoning", "activity"];

/// The kind that a name stands for.
pub(crate) struct Canonical {
    pub(crate) kind: &'static str,
    /// `OpenAI`'s developer role is LangChain's system message with a marker.
    pub(crate) developer: bool,
}

/// Returns the plain kind of a type, a role or a class, if it is known.
pub(crate) fn canonical(name: &str) -> Option<Canonical> {
    let known = |kind| Some(Canonical { kind, developer: false });
    let class = class_named(name);
    for [kind, own, role] in KINDS {
        if name == kind || name == role || class == Some(own) {
            return known(kind);
        }
    }
    let [removal, own] = REMOVAL;
    let [developer, kind] = DEVELOPER;
    match name {
        _ if name == removal || name.strip_suffix("Message") == Some(own) => known(removal),
        _ if name == developer => Some(Canonical { kind, developer: true }),
        _ => None,
    }
}

/// Returns the class, without `Message`, that this names, either itself or its chunks.
fn class_named(name: &str) -> Option<&str> {
    name.strip_suffix("Chunk").unwrap_or(name).strip_suffix("Message")
}

/// Whether a name is that of a message with a role of its own.
pub(crate) fn is_chat(name: &str) -> bool {
    let [chat, class, role] = CHAT;
    name == chat || name == role || class_named(name) == Some(class)
}

/// Returns the type of a class that ends in `Message`.
pub(crate) fn type_of_class(name: &str) -> Option<&'static str> {
    let name = name.strip_suffix("Message")?;
    let [removal, removal_class] = REMOVAL;
    let [chat, chat_class, _] = CHAT;
    let others = [[removal, removal_class], [chat, chat_class]];
    let kinds = KINDS.iter().map(|[kind, class, _]| [*kind, *class]);
    kinds.chain(others).find(|[_, class]| *class == name).map(|[kind, _]| kind)
}

/// Returns the role of a kind, as AG-UI names it.
pub(crate) fn role_of(kind: &str) -> Option<&'static str> {
    KINDS.iter().find(|[own, _, _]| *own == kind).map(|[_, _, role]| *role)
}

/// Whether a role is AG-UI's.
pub(crate) fn is_ag_ui_role(name: &str) -> bool {
    let [developer, _] = DEVELOPER;
    name == developer || is_on_screen(name) || KINDS.iter().any(|[_, _, role]| *role == name)
}

/// Whether a role is that of a message which is only for the screen, and never for a model.
pub(crate) fn is_on_screen(name: &str) -> bool {
    ON_SCREEN.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{canonical, is_ag_ui_role, is_chat};

    #[test]
    fn each_name_is_one_kinds() {
        let names = [
            ("human", "human user HumanMessage HumanMessageChunk"),
            ("ai", "ai assistant AIMessage AIMessageChunk"),
            ("system", "system developer SystemMessage SystemMessageChunk"),
            ("tool", "tool ToolMessage ToolMessageChunk"),
            ("function", "function FunctionMessage FunctionMessageChunk"),
            ("remove", "remove RemoveMessage"),
        ];
        for (kind, names) in names {
            for name in names.split(' ') {
                let found = canonical(name).map(|it| (it.kind, it.developer));
                assert_eq!(found, Some((kind, name == "developer")), "{name}");
            }
        }
        for name in ["", "Chunk", "humanChunk", "userChunk", "RemoveMessageChunk", "chat", "alien"]
        {
            assert!(canonical(name).is_none(), "{name}");
        }
        assert!(["chat", "generic", "ChatMessage", "ChatMessageChunk"].into_iter().all(is_chat));
        let roles = ["user", "assistant", "system", "developer", "tool", "activity", "reasoning"];
        assert!(roles.into_iter().all(is_ag_ui_role));
        assert!(!["human", "ai", "function", "remove"].into_iter().any(is_ag_ui_role));
    }
}
