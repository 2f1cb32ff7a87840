//! A step whose updates or branches fail keeps what its nodes returned.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use threadfold::graph::{
    BoxError, Checkpointer, Ctx, END, Graph, GraphError, MemorySaver, START, StateGraph,
};
use threadfold::reducer::{AddMessages, Append, Reducer, TryReducer};
use threadfold::{Message, State};

#[derive(Debug, Clone, Default, PartialEq, State)]
#[state(derive(Clone))]
struct Shop {
    #[reducer(AddMessages)]
    messages: Vec<Message>,
    #[reducer(Append)]
    #[update(Vec<String>)]
    log: Vec<String>,
}

fn logged(what: &str) -> ShopUpdate {
    ShopUpdate { log: Some(vec![what.to_owned()]), ..ShopUpdate::default() }
}

/// `a` pays, and counts it; `b` removes a message that there is not until it is mended.
struct Tried {
    paid: Arc<AtomicUsize>,
    tried: Arc<AtomicUsize>,
    is_mended: Arc<AtomicBool>,
}

impl Tried {
    fn new() -> Self {
        Self { paid: Arc::default(), tried: Arc::default(), is_mended: Arc::default() }
    }

    fn counts(&self) -> (usize, usize) {
        (self.paid.load(Ordering::SeqCst), self.tried.load(Ordering::SeqCst))
    }

    fn nodes(&self) -> StateGraph<Shop> {
        let (paid, tried, is_mended) =
            (self.paid.clone(), self.tried.clone(), self.is_mended.clone());
        StateGraph::<Shop>::new()
            .node("a", move |_: &Shop, _: Ctx| {
                paid.fetch_add(1, Ordering::SeqCst);
                std::future::ready(Ok::<_, BoxError>(logged("paid")))
            })
            .node("b", move |_: &Shop, _: Ctx| {
                tried.fetch_add(1, Ordering::SeqCst);
                let id = if is_mended.load(Ordering::SeqCst) { "1" } else { "gone" };
                let messages = Some(vec![Message::remove(id)]);
                std::future::ready(Ok::<_, BoxError>(ShopUpdate { messages, ..logged("removed") }))
            })
            .edge(START, "a")
            .checkpointer(MemorySaver::new())
    }

    fn mend(&self) {
        self.is_mended.store(true, Ordering::SeqCst);
    }
}

fn input() -> ShopUpdate {
    ShopUpdate { messages: Some(vec![Message::user("hi").with_id("1")]), log: None }
}

async fn log_of(graph: &Graph<Shop>) -> String {
    graph.on("1").state().await.unwrap().unwrap().log.join(" ")
}

#[tokio::test]
async fn an_update_that_cannot_be_merged_runs_its_node_again_and_no_other() {
    for with_branch in [false, true] {
        let tried = Tried::new();
        let mut graph = tried.nodes().edge(START, "b");
        if with_branch {
            graph = graph.branch("a", |_: &Shop| END).branch("b", |_: &Shop| END);
        }
        let graph = graph.compile().unwrap();
        let thread = graph.on("1");
        let mut run = thread.stream(input()).await.unwrap();
        let failed = run.next().await.unwrap().unwrap_err();
        assert!(matches!(failed, GraphError::Merge { node, .. } if node == "b"));
        // As before the step.
        assert_eq!((run.state().messages.len(), run.state().log.len()), (1, 0));
        let left = thread.outcome().await.unwrap().unwrap();
        assert_eq!((left.next.join(" "), left.state.log.join(" ")), ("b".into(), "paid".into()));
        thread.resume(()).await.unwrap_err();
        tried.mend();
        let done = thread.resume(()).await.unwrap();
        assert_eq!(
            (done.state.messages.len(), done.state.log.join(" ")),
            (0, "paid removed".into())
        );
        assert!(done.is_ended());
        assert_eq!(tried.counts(), (1, 3));
    }
}

/// The checkpoint says which tasks the error belongs to.
#[tokio::test]
async fn only_the_task_that_cannot_be_merged_is_saved_with_an_error() {
    let (tried, saver) = (Tried::new(), Arc::new(MemorySaver::new()));
    let graph = tried.nodes().edge(START, "b").checkpointer(saver.clone()).compile().unwrap();
    graph.on("1").invoke(input()).await.unwrap_err();
    let last = saver.get("1", None).await.unwrap().unwrap();
    let errors: Vec<bool> = last.delta.pending.iter().map(|task| task.error.is_some()).collect();
    assert_eq!(errors, [false, true]);
}

/// Those that are merged before it, and those after it.
#[tokio::test]
async fn each_other_update_is_kept() {
    let tried = Tried::new();
    let graph =
        tried.nodes().node("c", |_: &Shop, _: Ctx| async { Ok::<_, BoxError>(logged("c")) });
    let graph = graph.edge(START, "b").edge(START, "c").compile().unwrap();
    graph.on("1").invoke(input()).await.unwrap_err();
    assert_eq!(log_of(&graph).await, "paid c");
    tried.mend();
    assert_eq!(graph.on("1").resume(()).await.unwrap().state.log.join(" "), "paid removed c");
}

/// A node has finished when it has returned: its branch may fail, and is asked again.
#[tokio::test]
async fn a_branch_that_names_no_node_is_asked_again_without_its_node() {
    for beside in [false, true] {
        let tried = Tried::new();
        let goes = tried.is_mended.clone();
        let path = move |shop: &Shop| {
            assert_eq!(shop.log, ["paid"]);
            if goes.load(Ordering::SeqCst) { "b" } else { "nowhere" }
        };
        let mut graph = tried.nodes().branch("a", path);
        if beside {
            let quiet = |_: &Shop, _: Ctx| async { Ok::<_, BoxError>(logged("beside")) };
            graph = graph.node("beside", quiet).edge(START, "beside");
        }
        let graph = graph.compile().unwrap();
        let thread = graph.on("1");
        let mut run = thread.stream(input()).await.unwrap();
        let failed = run.next().await.unwrap().unwrap_err();
        assert!(matches!(failed, GraphError::UnknownNode(name) if name == "nowhere"));
        assert_eq!(run.state().log.len(), 0);
        let left = thread.outcome().await.unwrap().unwrap();
        let all = if beside { ("a beside", "paid beside") } else { ("a", "paid") };
        assert_eq!((left.next.join(" ").as_str(), left.state.log.join(" ").as_str()), all);
        assert!(!left.is_ended());
        tried.mend();
        let done = thread.resume(()).await.unwrap();
        assert!(done.is_ended());
        assert_eq!(done.state.log.join(" "), format!("{} removed", all.1));
        assert_eq!(tried.counts(), (1, 1));
    }
}

/// Input that cannot be merged changes nothing, and the next input counts.
#[tokio::test]
async fn input_that_cannot_be_merged_is_dropped_by_the_next() {
    let tried = Tried::new();
    let graph = tried.nodes().compile().unwrap();
    let thread = graph.on("1");
    let wrong = ShopUpdate { messages: Some(vec![Message::remove("gone")]), log: None };
    assert!(matches!(thread.invoke(wrong).await, Err(GraphError::Merge { .. })));
    assert!(matches!(thread.resume(()).await, Err(GraphError::Merge { .. })));
    assert!(!thread.outcome().await.unwrap().unwrap().is_ended());
    let done = thread.invoke(input()).await.unwrap();
    assert_eq!((done.state.messages.len(), done.state.log.join(" ")), (1, "paid".into()));
}

#[derive(Debug, Clone, Default, PartialEq, State)]
#[state(derive(Clone))]
struct Jar {
    #[reducer(Append)]
    #[update(Vec<String>)]
    log: Vec<String>,
    #[reducer(|sum: u32, more: u32| { assert!(more < 10, "too many"); sum + more })]
    coins: u32,
}

/// A reducer that panics in the second half of an update: other fields have it by then.
struct PanicsLate;

impl Reducer<u32> for PanicsLate {
    fn merge(&self, sum: u32, more: u32) -> u32 {
        sum + more
    }
}

impl TryReducer<u32> for PanicsLate {
    fn try_merge(&self, sum: u32, more: u32) -> Result<u32, threadfold::Error> {
        Ok(sum + more)
    }

    fn prepare(&self, sum: &mut u32, more: u32) -> Result<impl FnOnce(), threadfold::Error> {
        Ok(move || {
            assert!(more < 10, "too many");
            *sum += more;
        })
    }
}

#[derive(Debug, Clone, Default, PartialEq, State)]
#[state(derive(Clone))]
struct Till {
    #[reducer(Append)]
    #[update(Vec<String>)]
    log: Vec<String>,
    #[reducer(PanicsLate)]
    coins: u32,
}

#[tokio::test]
async fn a_state_that_a_panic_has_torn_is_not_saved() {
    let pays = |_: &Till, _: Ctx| {
        let update = TillUpdate { log: Some(vec!["paid".to_owned()]), coins: Some(10) };
        std::future::ready(Ok::<_, BoxError>(update))
    };
    let graph = StateGraph::<Till>::new().node("pay", pays).edge(START, "pay");
    let graph = graph.checkpointer(MemorySaver::new()).compile().unwrap();
    let thread = graph.on("1");
    let input = TillUpdate { log: Some(vec!["in".to_owned()]), coins: Some(1) };
    let failed = thread.invoke(input).await.unwrap_err();
    assert!(matches!(&failed, GraphError::Merge { node, .. } if node == "pay"));
    let left = thread.state().await.unwrap().unwrap();
    assert_eq!((left.log[..].join(" "), left.coins), ("in".to_owned(), 1));
}

/// A reducer that panics: the state is as before the step, also where nothing else ran in it.
#[tokio::test]
async fn a_reducer_that_panics_leaves_the_state_of_the_last_checkpoint() {
    for is_alone in [true, false] {
        let amount = Arc::new(AtomicUsize::new(10));
        let given = amount.clone();
        let mut graph = StateGraph::<Jar>::new()
            .node("pay", move |_: &Jar, _: Ctx| {
                let coins = u32::try_from(given.load(Ordering::SeqCst)).ok();
                let log = Some(vec!["paid".to_owned()]);
                std::future::ready(Ok::<_, BoxError>(JarUpdate { log, coins }))
            })
            .node("beside", |_: &Jar, _: Ctx| {
                let log = Some(vec!["beside".to_owned()]);
                std::future::ready(Ok::<_, BoxError>(JarUpdate { log, coins: None }))
            })
            .edge(START, "pay");
        if !is_alone {
            graph = graph.edge(START, "beside");
        }
        let graph = graph.checkpointer(MemorySaver::new()).compile().unwrap();
        let thread = graph.on("1");
        let input = JarUpdate { log: Some(vec!["in".to_owned()]), coins: Some(1) };
        let failed = thread.invoke(input).await.unwrap_err();
        assert!(matches!(&failed, GraphError::Merge { node, .. } if node == "pay"));
        let left = thread.state().await.unwrap().unwrap();
        let beside = if is_alone { &[][..] } else { &["beside"] };
        assert_eq!((left.log[..].join(" "), left.coins), ([&["in"], beside].concat().join(" "), 1));
        amount.store(2, Ordering::SeqCst);
        let done = thread.resume(()).await.unwrap();
        assert_eq!((done.state.coins, done.is_ended()), (3, true));
    }
}
