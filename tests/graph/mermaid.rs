//! Graphs drawn as the npm package draws them.

use threadfold::State;
use threadfold::graph::{BoxError, Ctx, END, START, StateGraph};

#[derive(Debug, Clone, Default, State)]
#[state(derive(Clone))]
struct Count {
    n: u32,
}

async fn count(_: &Count, _: Ctx) -> Result<CountUpdate, BoxError> {
    Ok(CountUpdate::default())
}

fn nodes(names: &[&str]) -> StateGraph<Count> {
    names.iter().fold(StateGraph::new(), |graph, name| graph.node(name, count))
}

const HEAD: &str = "---\nconfig:\n  flowchart:\n    curve: linear\n---\ngraph TD;\n\t";
const FOOT: &str = "\n\tclassDef default fill:#f2f0ff,line-height:1.2;\n\tclassDef first fill-opacity:0;\n\tclassDef last fill:#bfb6fc;\n";

fn lines(text: &str) -> Vec<&str> {
    text.strip_prefix(HEAD).unwrap().strip_suffix(FOOT).unwrap().split("\n\t").collect()
}

#[test]
fn edges_joins_and_breakpoints() {
    let graph = nodes(&["plan", "a.b", "*c*", "last one"])
        .edge(START, "plan")
        .edge("plan", "a.b")
        .edge("plan", "*c*")
        .join(["a.b", "*c*"], "last one")
        .interrupt_before(["a.b", "*c*"])
        .interrupt_after(["a.b"]);
    let text = graph.compile().unwrap().draw_mermaid();
    let expected = [
        "__start__([<p>__start__</p>]):::first",
        "plan(plan)",
        r"a\2eb(a.b<hr/><small><em>__interrupt = before,after</em></small>)",
        r"\2ac\2a(<p>*c*</p><hr/><small><em>__interrupt = before</em></small>)",
        r"last\20one(last one)",
        "__end__([<p>__end__</p>]):::last",
        r"\2ac\2a --> last\20one;",
        "__start__ --> plan;",
        r"a\2eb --> last\20one;",
        r"plan --> a\2eb;",
        r"plan --> \2ac\2a;",
        r"last\20one --> __end__;",
    ];
    assert_eq!(lines(&text), expected);
}

#[test]
fn branches_lead_everywhere() {
    let graph = nodes(&["model", "tools"])
        .edge(START, "model")
        .branch("model", |_: &Count| END)
        .edge("tools", "model");
    let text = graph.compile().unwrap().draw_mermaid();
    let expected = [
        "__start__([<p>__start__</p>]):::first",
        "model(model)",
        "tools(tools)",
        "__end__([<p>__end__</p>]):::last",
        "__start__ --> model;",
        "tools --> model;",
        "model -.-> tools;",
        "model -.-> __end__;",
    ];
    assert_eq!(lines(&text), expected);
}
