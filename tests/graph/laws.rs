//! Laws that hold for any numbers.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use threadfold::graph::GraphError;
use threadfold::unstable::checkpoint::Names;
use threadfold::unstable::planner::{
    By, Cause, ChannelState, Join, Options, Plan, PlanSpec, PlanState, Run, Status, Writes,
};

use crate::seeded;

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0..12_u32, 1 => any::<u32>(), 1 => Just(u32::MAX)]
}

fn version() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..9_u64, 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

fn writes() -> impl Strategy<Value = Writes> {
    vec(vec(number(), 0..5), 0..5).prop_map(Writes::from_iter)
}

fn any_spec() -> impl Strategy<Value = PlanSpec> {
    let join = (vec(number(), 0..4), number()).prop_map(|(from, to)| Join { from, to });
    (
        vec(any::<bool>(), 0..3),
        vec(any::<bool>(), 0..4),
        vec(number(), 0..5),
        vec(join, 0..3),
        any::<bool>(),
    )
        .prop_map(|(fields, defer, ranks, joins, python)| PlanSpec {
            fields,
            defer,
            ranks,
            joins,
            python,
        })
}

/// A graph that can be: joins of nodes that there are, nodes in any order of names.
fn spec() -> impl Strategy<Value = PlanSpec> {
    (1..6_usize).prop_flat_map(|nodes| {
        let node = 0..nodes as u32;
        let join = (vec(0..=nodes as u32, 1..4), node).prop_map(|(from, to)| Join { from, to });
        let ranks = Just((0..=nodes as u32).collect::<Vec<_>>()).prop_shuffle();
        (vec(any::<bool>(), 0..3), vec(any::<bool>(), nodes), ranks, vec(join, 0..3), any::<bool>())
            .prop_map(|(fields, defer, ranks, joins, python)| PlanSpec {
                fields,
                defer,
                ranks,
                joins,
                python,
            })
    })
}

fn channel() -> impl Strategy<Value = ChannelState> {
    (version(), version(), version(), any::<(bool, bool, bool)>()).prop_map(
        |(version, seen, passed, (held, finished, updated))| {
            let mut channel = ChannelState::default();
            (channel.version, channel.seen, channel.passed) = (version, seen, passed);
            (channel.is_held, channel.is_finished, channel.is_updated) = (held, finished, updated);
            channel
        },
    )
}

fn state(channels: usize) -> impl Strategy<Value = PlanState> {
    let step = prop_oneof![Just(-2), any::<i64>(), Just(i64::MAX), Just(i64::MIN)];
    (
        step,
        vec(channel(), channels),
        version(),
        any::<bool>(),
        vec((number(), number()), 0..6),
        vec(number(), 0..4),
    )
        .prop_map(|(step, channels, highest, knows_updated, arrived, sends)| PlanState {
            step,
            channels,
            highest,
            knows_updated,
            arrived,
            sends,
        })
}

#[derive(Debug, Clone)]
enum Call {
    Input,
    Resume,
    Peek,
    Command(Writes, bool),
    Commit(Writes),
    Start(Writes),
    /// Valid writes, of any tasks.
    Fitting(Vec<u32>),
    Handler(u32, u32),
    Apply(Vec<By>, Writes),
    Advance,
    Answers(Vec<u32>, bool),
    Interrupt(u32),
    Restart(u32),
}

fn call() -> impl Strategy<Value = Call> {
    let by = prop_oneof![number().prop_map(By::Task), number().prop_map(By::Node), Just(By::Input)];
    prop_oneof![
        2 => Just(Call::Input),
        1 => Just(Call::Resume),
        1 => Just(Call::Peek),
        2 => (writes(), any::<bool>()).prop_map(|(writes, resumes)| Call::Command(writes, resumes)),
        2 => writes().prop_map(Call::Commit),
        2 => writes().prop_map(Call::Start),
        6 => vec(number(), 0..8).prop_map(Call::Fitting),
        1 => (number(), number()).prop_map(|(failed, handler)| Call::Handler(failed, handler)),
        2 => (vec(by, 0..4), writes()).prop_map(|(by, writes)| Call::Apply(by, writes)),
        1 => Just(Call::Advance),
        1 => (vec(number(), 0..4), any::<bool>()).prop_map(|(saved, shared)| Call::Answers(saved, shared)),
        1 => number().prop_map(Call::Interrupt),
        1 => number().prop_map(Call::Restart),
    ]
}

/// Does it. Returns whether it was refused.
fn make(run: &mut Run, call: &Call) -> bool {
    let done = match call {
        Call::Input => {
            run.input();
            Ok(())
        }
        Call::Resume => {
            run.resume();
            Ok(())
        }
        Call::Peek => {
            run.peek();
            Ok(())
        }
        Call::Command(writes, resumes) => run.command(writes, *resumes).map(drop),
        Call::Commit(writes) => run.commit(writes).map(drop),
        Call::Start(writes) => run.start(writes).map(drop),
        Call::Fitting(numbers) => {
            let channels = run.plan().channels();
            let sends = run.plan().sends();
            let fitting = |at: usize| {
                let all = numbers.iter().skip(at % 3).map(|number| number % channels);
                all.filter(|channel| *channel < run.plan().join(0) && *channel != sends)
                    .collect::<Vec<_>>()
            };
            let writes: Writes = (0..run.tasks().len()).map(fitting).collect();
            let committed = run.commit(&writes).map(drop);
            assert_eq!(committed, Ok(()));
            committed
        }
        Call::Handler(failed, handler) => run.add_handler(*failed, *handler),
        Call::Apply(by, writes) => run.apply(by, writes),
        Call::Advance => {
            run.advance();
            Ok(())
        }
        Call::Answers(saved, shared) => {
            run.set_answers(saved.iter().copied(), *shared);
            Ok(())
        }
        Call::Interrupt(task) => {
            run.interrupt(*task);
            Ok(())
        }
        Call::Restart(task) => {
            run.restart(*task);
            Ok(())
        }
    };
    done.is_err()
}

fn options() -> impl Strategy<Value = Options> {
    (version(), vec(number(), 0..3), vec(number(), 0..3)).prop_map(|(limit, before, after)| {
        Options { recursion_limit: limit, interrupt_before: before, interrupt_after: after }
    })
}

proptest! {
    #![proptest_config(seeded::config(2_000))]

    #[test]
    fn no_graph_panics(spec in any_spec()) {
        if let Ok(plan) = Plan::new(&spec) {
            let mut run = Run::new(Arc::new(plan), &Options::default());
            run.input();
        }
    }

    #[test]
    fn no_numbers_panic_and_what_is_refused_changes_nothing(
        (spec, state) in spec().prop_flat_map(|spec| {
            let channels = Plan::new(&spec).unwrap().channels() as usize;
            (Just(spec), proptest::option::of(state(channels)))
        }),
        options in options(),
        calls in vec(call(), 0..12),
    ) {
        let plan = Arc::new(Plan::new(&spec).unwrap());
        let mut run = match state {
            None => Run::new(plan, &options),
            Some(state) => Run::open(plan, state, &options).unwrap(),
        };
        for call in &calls {
            let (before, tasks, order) = (run.state(), run.tasks().to_vec(), run.order().to_vec());
            if make(&mut run, call) {
                prop_assert_eq!(&run.state(), &before);
                prop_assert_eq!((run.tasks(), run.order()), (&*tasks, &*order));
            }
            let mut places = run.order().to_vec();
            places.sort_unstable();
            prop_assert_eq!(places, (0..run.tasks().len() as u32).collect::<Vec<_>>());
            let state = run.state();
            prop_assert!(state.channels.iter().all(|channel| channel.version <= state.highest));
        }
    }

    #[test]
    fn to_start_is_to_take_the_input_and_to_commit(
        spec in spec(),
        options in options(),
        numbers in vec(number(), 0..6),
    ) {
        let plan = Arc::new(Plan::new(&spec).unwrap());
        let (mut one, mut other) = (Run::new(plan.clone(), &options), Run::new(plan, &options));
        let writes = Writes::from_iter([numbers]);
        let status = match other.input() {
            Status::Tasks => other.commit(&writes),
            status => Ok(status),
        };
        if status.is_ok() {
            prop_assert_eq!(one.start(&writes), status);
            prop_assert_eq!((one.state(), one.tasks(), one.order()), (other.state(), other.tasks(), other.order()));
            prop_assert_eq!(one.cleared(), other.cleared());
        } else {
            prop_assert!(one.start(&writes).is_err());
        }
    }

    #[test]
    fn a_run_that_is_saved_and_opened_goes_on_as_if_it_were_not(
        spec in spec(),
        numbers in vec(vec(number(), 0..8), 1..8),
        at in 0..8_usize,
    ) {
        let plan = Arc::new(Plan::new(&spec).unwrap());
        let options = Options { recursion_limit: 100, ..Options::default() };
        let mut run = Run::new(plan.clone(), &options);
        run.input();
        let mut other = run.clone();
        for (step, numbers) in numbers.into_iter().enumerate() {
            if step == at {
                let mut ended = other;
                other = Run::open(plan.clone(), ended.state(), &options).unwrap();
                other.take_room(&mut ended);
                other.resume();
                // A run that continues has passed its breakpoints: the one beside it as well.
                run.resume();
            }
            prop_assert_eq!(other.tasks(), run.tasks());
            let call = Call::Fitting(numbers);
            make(&mut run, &call);
            make(&mut other, &call);
            prop_assert_eq!(other.state(), run.state());
        }
    }
}

#[test]
fn a_misfit_names_the_wrong_value() {
    let spec = PlanSpec { defer: vec![false], ranks: vec![0, 0], ..PlanSpec::default() };
    let misfit = Plan::new(&spec).unwrap_err();
    assert_eq!(misfit.to_string(), "ranks should be each place once.");
    let source = std::error::Error::source(&GraphError::from(misfit)).unwrap().to_string();
    assert_eq!(source, misfit.to_string());
    assert_eq!(threadfold::Error::from(misfit).code(), "INVALID_ARGUMENT");
    let plan = Arc::new(Plan::new(&PlanSpec { ranks: vec![1, 0], ..spec }).unwrap());
    assert!(Run::open(plan, PlanState::default(), &Options::default()).is_err());
}

fn chain(nodes: u32) -> Arc<Plan> {
    let spec = PlanSpec {
        fields: vec![false, true],
        defer: vec![false; nodes as usize],
        ranks: (0..=nodes).collect(),
        ..PlanSpec::default()
    };
    Arc::new(Plan::new(&spec).unwrap())
}

#[test]
fn a_clearing_field_is_notified_in_the_step_that_does_not_write_it() {
    let plan = chain(2);
    let (first, second) = (plan.branch(0), plan.branch(1));
    let mut run = Run::new(plan, &Options { recursion_limit: 9, ..Options::default() });
    run.input();
    run.commit(&Writes::from_iter([[0, 1, first]])).unwrap();
    assert!(run.cleared().is_empty() && run.state().channels[1].is_held);
    run.commit(&Writes::from_iter([[0, second]])).unwrap();
    assert_eq!(run.cleared(), [1]);
    assert!(!run.state().channels[1].is_held && run.state().channels[0].version > 0);
    run.commit(&Writes::from_iter([[0]])).unwrap();
    assert!(run.cleared().is_empty());
}

#[test]
fn a_handlers_writes_count_after_the_failed_task() {
    let plan = chain(4);
    let (a, b) = (plan.branch(0), plan.branch(1));
    let send = plan.send(Some(2));
    let mut run = Run::new(plan, &Options { recursion_limit: 9, ..Options::default() });
    run.input();
    run.commit(&Writes::from_iter([[b, a, send]])).unwrap();
    assert_eq!((run.tasks().len(), run.order()), (3, &[1, 2, 0][..]));
    run.add_handler(1, 3).unwrap();
    assert_eq!(run.order(), [1, 3, 2, 0]);
    assert_eq!(run.tasks()[3].node, 3);
    assert!(run.add_handler(9, 3).is_err() && run.add_handler(1, 4).is_err());
    let nothing: Vec<Vec<u32>> = vec![Vec::new(); 4];
    assert_eq!(run.commit(&Writes::from_iter(nothing)).unwrap(), Status::Done);
}

#[test]
fn answers_are_given_in_order_and_the_one_for_no_task_once() {
    use threadfold::unstable::planner::Answer::{None, Saved, Take};
    let plan = chain(2);
    let (a, b) = (plan.branch(0), plan.branch(1));
    let mut run = Run::new(plan, &Options { recursion_limit: 9, ..Options::default() });
    run.input();
    run.commit(&Writes::from_iter([[a, b]])).unwrap();
    assert_eq!(run.interrupt(0), None);
    run.set_answers([1, 0], true);
    assert_eq!([0, 0, 0, 1].map(|task| run.interrupt(task)), [Saved(0), Take, None, None]);
    run.restart(0);
    assert_eq!([0, 0, 0].map(|task| run.interrupt(task)), [Saved(0), Saved(1), None]);
    run.set_answers([0, 0], true);
    run.commit(&Writes::from_iter([vec![a], vec![]])).unwrap();
    assert_eq!(run.interrupt(0), None); // answers are for the step that they were given to
    assert_eq!(run.interrupt(7), None);
}

#[test]
fn the_node_that_was_triggered_last_is_the_one_to_update_as() {
    let plan = chain(2);
    let (a, b) = (plan.branch(0), plan.branch(1));
    let mut run = Run::new(plan, &Options { recursion_limit: 9, ..Options::default() });
    assert_eq!(run.last_node(), Some(2));
    run.input();
    run.commit(&Writes::from_iter([[a, b]])).unwrap();
    assert_eq!(run.last_node(), Some(2));
    run.commit(&Writes::from_iter([vec![a], vec![]])).unwrap();
    assert_eq!(run.last_node(), None);
    run.commit(&Writes::from_iter([[b]])).unwrap();
    assert_eq!(run.last_node(), Some(0));
}

#[test]
fn a_join_takes_its_members_only_and_each_once() {
    let join = Join { from: vec![1, 0, 1], to: 2 };
    let spec = PlanSpec {
        defer: vec![false; 3],
        ranks: vec![0, 1, 2, 3],
        joins: vec![join],
        ..PlanSpec::default()
    };
    let plan = Arc::new(Plan::new(&spec).unwrap());
    let (all, joined) = ([0, 1, 2].map(|node| plan.branch(node)), plan.join(0));
    let mut run = Run::new(plan, &Options { recursion_limit: 9, ..Options::default() });
    run.input();
    run.commit(&Writes::from_iter([all])).unwrap();
    assert!(run.commit(&Writes::from_iter([vec![joined], vec![joined], vec![joined]])).is_err());
    assert!(run.apply(&[By::Node(2)], &Writes::from_iter([[joined]])).is_err());
    assert!(run.command(&Writes::from_iter([[joined]]), true).is_err());
    run.commit(&Writes::from_iter([vec![joined, joined], vec![], vec![]])).unwrap();
    assert_eq!((run.tasks().len(), run.state().arrived), (0, vec![(joined, 0)]));
    run.apply(&[By::Node(1)], &Writes::from_iter([[joined]])).unwrap();
    run.peek();
    assert_eq!(run.tasks()[0].node, 2);
}

#[test]
fn a_send_to_an_unknown_node_makes_no_task_but_has_an_index() {
    let plan = chain(2);
    let sends = [None, Some(1), Some(u32::MAX), Some(0)].map(|node| plan.send(node));
    let mut run = Run::new(plan, &Options { recursion_limit: 9, ..Options::default() });
    run.input();
    run.commit(&Writes::from_iter([sends])).unwrap();
    let tasks: Vec<_> = run.tasks().iter().map(|task| (task.node, task.cause)).collect();
    assert_eq!(tasks, [(1, Cause::Push(1)), (0, Cause::Push(3))]);
}

#[test]
fn the_state_now_has_the_step_of_the_tasks_and_the_saved_one_that_before() {
    let plan = chain(2);
    let first = plan.branch(0);
    let mut run = Run::new(plan, &Options { recursion_limit: 9, ..Options::default() });
    run.input();
    run.commit(&Writes::from_iter([[0, first]])).unwrap();
    assert_eq!((run.step(), run.state_now().step, run.state().step), (1, 1, 0));
    assert_eq!(run.state_now().channels, run.state().channels);
}

#[test]
fn writes_are_those_of_each_task() {
    let mut writes = Writes::from_iter([vec![1, 2], vec![], vec![3]]);
    assert_eq!((writes.len(), writes.is_empty()), (3, false));
    assert_eq!([0, 1, 2, 3].map(|task| writes.of(task)), [&[1, 2][..], &[], &[3], &[]]);
    writes.clear();
    assert_eq!((writes.len(), writes.is_empty(), writes.of(0)), (0, true, &[][..]));
}

#[test]
fn the_channels_and_nodes_of_a_graph_have_langgraphs_names() {
    let own = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let names = Names {
        fields: own(&["log"]),
        nodes: own(&["a", "b"]),
        joins: own(&["join:a+b:a"]),
        ..Names::default()
    };
    let channels: Vec<_> = (0..6).map(|channel| names.channel(channel).unwrap()).collect();
    let all = ["log", "__start__", "__pregel_tasks", "branch:to:a", "branch:to:b", "join:a+b:a"];
    assert_eq!(channels, all);
    assert_eq!((names.channels(), names.channel(6)), (6, None));
    let nodes = [0, 1, 2, 3].map(|node| names.node(node));
    assert_eq!(nodes, [Some("a"), Some("b"), Some("__start__"), None]);
}
