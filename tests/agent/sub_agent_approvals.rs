//! Approvals of a sub-agent's calls, and calls of one id: what was approved runs, and nothing else.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use serde_json::{Value, json};
use threadfold::agent::{
    AgentState, HumanInTheLoop, Middleware, ModelRequest, SubAgent, Tool, create_agent,
};
use threadfold::graph::{
    BoxError, Checkpoint, Checkpointer, Graph, GraphError, MemorySaver, Saving,
};
use threadfold::{Message, MessageKind, ToolCall};

use super::{Raised, run};

type Sent = Arc<Mutex<Vec<String>>>;

/// Records whom it is sent to; fails so many times first.
fn send(sent: &Sent, faults: usize) -> Tool {
    let (sent, faults) = (sent.clone(), Arc::new(AtomicUsize::new(faults)));
    Tool::new("send", "Sends.", move |args: Value, _| {
        let has_fault =
            faults.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| it.checked_sub(1));
        sent.lock().expect("a lock").push(args["to"].as_str().unwrap_or_default().to_owned());
        std::future::ready(if has_fault.is_ok() {
            Err(Raised("A fault.".to_owned()))
        } else {
            Ok("Sent.")
        })
    })
}

fn is_answered(request: &ModelRequest) -> bool {
    request.messages.last().is_some_and(|last| matches!(last.kind, MessageKind::Tool(_)))
}

fn task(id: &str, to: &str) -> ToolCall {
    ToolCall::new(id, "task", json!({ "subagent_type": "mailer", "description": to }))
}

/// Delegates to mailers, which ask before they send to whom `whom` names.
fn mailing(
    tasks: Vec<ToolCall>,
    tool: Tool,
    audit: Middleware,
    saver: impl Checkpointer<AgentState> + 'static,
    whom: impl Fn(&str) -> String + Clone + Send + Sync + 'static,
) -> Graph<AgentState> {
    let mailer = SubAgent::new("mailer", "Mails.")
        .tools([tool])
        .interrupt_on(HumanInTheLoop::new().ask("send"))
        .model(move |request: ModelRequest| {
            let whom = whom.clone();
            std::future::ready(Ok::<_, Raised>(if is_answered(&request) {
                Message::assistant("Mailed.")
            } else {
                let task = request.messages.first().map(|it| it.text().into_owned());
                let to = whom(&task.unwrap_or_default());
                let call = ToolCall::new("s", "send", json!({ "to": to }));
                Message::assistant("").with_tool_calls([call])
            }))
        });
    let model = move |request: ModelRequest| {
        let tasks = tasks.clone();
        std::future::ready(Ok::<_, Raised>(if is_answered(&request) {
            Message::assistant("Done.")
        } else {
            Message::assistant("").with_tool_calls(tasks)
        }))
    };
    let agent = create_agent(model).sub_agent(mailer).middleware(audit);
    agent.checkpointer(saver).compile().expect("an agent")
}

fn none() -> Middleware {
    Middleware::new("None")
}

fn approved() -> Value {
    json!({ "decisions": [{ "type": "approve" }] })
}

#[test]
fn a_late_rejection_of_a_sub_agents_call_is_no_answer() {
    let sent = Sent::default();
    let agent =
        mailing(vec![task("c", "Ada")], send(&sent, 1), none(), MemorySaver::new(), str::to_owned);
    run(async {
        let thread = agent.on("1");
        thread.invoke("go".into()).await.expect("a run");
        thread.resume(approved()).await.expect_err("a fault");
        let rejected = json!({ "decisions": [{ "type": "reject" }] });
        let late = thread.resume(rejected).await.expect_err("no question");
        assert!(matches!(late, GraphError::UnknownInterrupt(None)), "{late}");
        assert_eq!(*sent.lock().expect("a lock"), ["Ada"]);
        assert!(thread.resume(()).await.expect("a run").is_ended());
        assert_eq!(*sent.lock().expect("a lock"), ["Ada", "Ada"]);
    });
}

#[test]
fn a_sub_agent_that_ended_does_not_run_again_if_its_task_then_fails() {
    let sent = Sent::default();
    let faults = Arc::new(AtomicUsize::new(1));
    let audit = Middleware::new("Audit").wrap_tool(move |request, next| {
        let faults = faults.clone();
        async move {
            let answer = next.call(request).await?;
            let has_fault =
                faults.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| it.checked_sub(1));
            if has_fault.is_ok() {
                Err(BoxError::from(Raised("A fault.".to_owned())))
            } else {
                Ok(answer)
            }
        }
    });
    let asked = Arc::new(AtomicUsize::new(0));
    let others = move |_: &str| {
        if asked.fetch_add(1, Ordering::Relaxed) == 0 { "Ada".into() } else { "Mallory".into() }
    };
    let agent = mailing(vec![task("c", "Ada")], send(&sent, 0), audit, MemorySaver::new(), others);
    run(async {
        let thread = agent.on("1");
        thread.invoke("go".into()).await.expect("a run");
        thread.resume(approved()).await.expect_err("a fault");
        assert!(thread.resume(()).await.expect("a run").is_ended());
        assert_eq!(*sent.lock().expect("a lock"), ["Ada"]);
    });
}

/// Takes its time to delete a thread.
struct Slow(MemorySaver<AgentState>);

/// Returns at the third poll.
async fn at_third_poll() {
    let mut left = 2;
    std::future::poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

impl Checkpointer<AgentState> for Slow {
    fn get<'a>(
        &'a self,
        thread: &'a str,
        id: Option<&'a str>,
    ) -> Saving<'a, Option<Checkpoint<AgentState>>> {
        self.0.get(thread, id)
    }

    fn put<'a>(
        &'a self,
        thread: &'a str,
        last: Option<String>,
        checkpoint: Checkpoint<AgentState>,
    ) -> Saving<'a, bool> {
        self.0.put(thread, last, checkpoint)
    }

    fn list<'a>(&'a self, thread: &'a str) -> Saving<'a, Vec<String>> {
        self.0.list(thread)
    }

    fn delete<'a>(&'a self, thread: &'a str) -> Saving<'a, ()> {
        Box::pin(async move {
            at_third_poll().await;
            self.0.delete(thread).await
        })
    }
}

/// As by a timeout: the next call of `next` ends the deletion, and the run does not lose its place.
#[test]
fn a_future_dropped_while_a_sub_agents_thread_is_deleted_loses_nothing() {
    let sent = Sent::default();
    let tasks = vec![task("c", "Ada")];
    let saver = Slow(MemorySaver::new());
    let agent = mailing(tasks, send(&sent, 0), none(), saver, str::to_owned);
    run(async {
        let thread = agent.on("1");
        thread.invoke("go".into()).await.expect("a run");
        let mut resumed = thread.stream_resumed(approved()).await.expect("a run");
        loop {
            let mut next = pin!(resumed.next());
            let polled = std::future::poll_fn(|context| {
                Poll::Ready(match next.as_mut().poll(context) {
                    Poll::Ready(step) => Some(step),
                    Poll::Pending => None,
                })
            });
            match polled.await {
                Some(None) => break,
                Some(Some(step)) => {
                    step.expect("a step");
                }
                None => {}
            }
        }
        assert!(thread.outcome().await.expect("a look").expect("a thread").is_ended());
        assert_eq!(*sent.lock().expect("a lock"), ["Ada"]);
    });
}

#[test]
fn two_tasks_of_one_id_ask_for_themselves() {
    for id in ["c", ""] {
        let sent = Sent::default();
        let tasks = vec![task(id, "Ada"), task(id, "Bob")];
        let agent = mailing(tasks, send(&sent, 0), none(), MemorySaver::new(), str::to_owned);
        run(async {
            let thread = agent.on("1");
            let asked = thread.invoke("go".into()).await.expect("a run").interrupts;
            let names = asked.iter().map(|it| it.value["action_requests"][0]["args"]["to"].clone());
            assert_eq!(names.collect::<Vec<_>>(), ["Ada", "Bob"]);
            let answers: Vec<_> = asked.iter().map(|it| (it.id.clone(), approved())).collect();
            assert!(thread.resume(answers).await.expect("a run").is_ended());
            assert_eq!(*sent.lock().expect("a lock"), ["Ada", "Bob"]);
        });
    }
}

#[test]
fn each_call_gets_its_own_decision_whatever_ids_the_model_gives() {
    for id in [Some("c"), Some(""), None] {
        let sent = Sent::default();
        let calls = ["Ada", "Bob"].map(|to| {
            let mut call = ToolCall::new("c", "send", json!({ "to": to }));
            call.id = id.map(str::to_owned);
            call
        });
        let model = move |request: ModelRequest| {
            let calls = calls.clone();
            std::future::ready(Ok::<_, Raised>(if is_answered(&request) {
                Message::assistant("Done.")
            } else {
                Message::assistant("").with_tool_calls(calls)
            }))
        };
        let agent = create_agent(model).tool(send(&sent, 0));
        let agent = agent.middleware(HumanInTheLoop::new().ask("send"));
        let agent = agent.checkpointer(MemorySaver::new()).compile().expect("an agent");
        let edit =
            json!({ "type": "edit", "edited_action": { "name": "send", "args": { "to": "Eve" } } });
        run(async {
            let thread = agent.on("1");
            thread.invoke("go".into()).await.expect("a run");
            let decisions = json!({ "decisions": [{ "type": "approve" }, edit] });
            thread.resume(decisions).await.expect("a run");
        });
        assert_eq!(*sent.lock().expect("a lock"), ["Ada", "Eve"], "{id:?}");
    }
}
