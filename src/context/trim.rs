//! Trimming: the newest (or oldest) messages that fit a number of tokens.
//!
//! The rules are Python's, of `trim_messages`. The decision is made over positions.
//! `pkg-template/src/context/trim.ts` does the same over JavaScript's lists.

use std::ops::Range;

use super::policy::Cuts;

mod list;
mod pairs;

pub use list::{Counter, TrimOptions, trim_messages};

/// Which messages are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TrimStrategy {
    /// The newest.
    #[default]
    Last,
    /// The oldest.
    First,
}

/// An end of the kept messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The first message.
    Start,
    /// The last message.
    End,
}

/// A part of a message that does not fit as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// This many of its content blocks.
    Blocks(usize),
    /// This many pieces of its text.
    Pieces(usize),
}

/// Whose call a message answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    /// It is not a tool result.
    Nothing,
    /// No message before it has the call.
    Nobody,
    /// The nearest message before it that has the call.
    Message(usize),
}

/// The messages to trim, in some heap, with their counter and a budget of tokens.
pub(crate) trait Source {
    /// Why a question has no answer: the counter failed, a message cannot be read.
    type Error;

    /// Returns whether the first message is a system message.
    ///
    /// # Errors
    /// The heap's own.
    fn begins_with_system(&mut self) -> Result<bool, Self::Error>;
    /// Takes the first message's tokens off the budget.
    ///
    /// # Errors
    /// The heap's own.
    fn reserve_first(&mut self) -> Result<(), Self::Error>;
    /// Returns whether a message is of a type on which the kept list may start, or end: always, if
    /// every type may.
    ///
    /// # Errors
    /// The heap's own.
    fn is_type(&mut self, message: usize, end: End) -> Result<bool, Self::Error>;
    /// Returns whether these messages fit, and with them a part of the one that would be next.
    ///
    /// # Errors
    /// The heap's own.
    fn fits(&mut self, messages: Range<usize>, part: Option<Part>) -> Result<bool, Self::Error>;
    /// Returns how many blocks the content of the message that would be next has.
    ///
    /// # Errors
    /// The heap's own.
    fn blocks(&mut self, message: usize) -> Result<usize, Self::Error>;
    /// Returns how many pieces its text has, or the text of its block nearest to the kept messages.
    ///
    /// # Errors
    /// The heap's own.
    fn pieces(&mut self, message: usize) -> Result<usize, Self::Error>;
    /// Returns whose call a message answers.
    ///
    /// # Errors
    /// The heap's own.
    fn answers(&mut self, message: usize) -> Result<Answers, Self::Error>;

    /// Returns whether more content surely counts more: then it need not be tried block by block.
    ///
    /// # Errors
    /// The heap's own.
    fn is_monotonic(&mut self) -> Result<bool, Self::Error>;

    /// Returns how many of these messages fit, from their end on for [`TrimStrategy::Last`].
    ///
    /// # Errors
    /// The heap's own.
    fn fitting(&mut self, messages: Range<usize>, from: TrimStrategy)
    -> Result<usize, Self::Error>;
}

/// Returns how many messages fit: all, or the result of halving.
pub(crate) fn halve<S: Source + ?Sized>(
    source: &mut S,
    messages: &Range<usize>,
    from: TrimStrategy,
) -> Result<usize, S::Error> {
    if source.fits(messages.clone(), None)? {
        return Ok(messages.len());
    }
    most(messages.len(), |count| source.fits(nearest(messages, count, from), None))
}

/// The messages to keep, besides the budget, which the [`Source`] knows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rules {
    /// Which messages.
    pub strategy: TrimStrategy,
    /// Whether a system message in front stays.
    pub include_system: bool,
    /// Whether a part of a message may stay.
    pub allow_partial: bool,
    /// The treatment of tool calls and their results.
    pub cuts: Cuts,
}

/// The part of a list that is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The first message, although it is not among `messages`.
    pub system: bool,
    /// These messages.
    pub messages: Range<usize>,
    /// How much of the first of them, or of the last for [`TrimStrategy::First`]; all of it if `None`.
    pub part: Option<Part>,
    /// Which of them go nevertheless: results without a call. Ascending.
    pub dropped: Vec<usize>,
}

/// Decides which of `len` messages to keep.
///
/// # Errors
/// The source's own.
pub(crate) fn trim<S: Source>(len: usize, rules: Rules, source: &mut S) -> Result<Kept, S::Error> {
    let mut kept = Kept { messages: 0..len, ..Kept::default() };
    if rules.strategy == TrimStrategy::Last {
        kept.messages.end = last(len..len, rules, source)?;
        kept.system =
            rules.include_system && kept.messages.end > 0 && source.begins_with_system()?;
        if kept.system {
            kept.messages.start = 1;
            source.reserve_first()?;
        }
    }
    let all = kept.messages.clone();
    if !all.is_empty() {
        let fitting = source.fitting(all.clone(), rules.strategy)?;
        kept.messages = nearest(&all, fitting, rules.strategy);
        if rules.allow_partial && fitting < all.len() {
            kept.part = part(&kept.messages, rules.strategy, source)?;
            let more = usize::from(kept.part.is_some());
            kept.messages = nearest(&all, fitting + more, rules.strategy);
        }
        let whole = kept.messages.clone();
        match rules.strategy {
            TrimStrategy::Last => kept.messages.start = first(&whole, rules, source)?,
            TrimStrategy::First => kept.messages.end = last(whole.end..len, rules, source)?,
        }
        if kept.messages != whole {
            kept.part = None;
        }
    }
    let all = &kept.messages;
    if rules.cuts == Cuts::Safe {
        for message in all.clone() {
            if source.answers(message)? == Answers::Nobody {
                kept.dropped.push(message);
            }
        }
    }
    Ok(kept)
}

/// The `count` messages that are nearest to the end that is kept.
fn nearest(messages: &Range<usize>, count: usize, strategy: TrimStrategy) -> Range<usize> {
    match strategy {
        TrimStrategy::Last => messages.end - count..messages.end,
        TrimStrategy::First => messages.start..messages.start + count,
    }
}

/// Returns the largest number up to `max` that fits, 0 always does; by halving, as the reference: a
/// counter need not be monotonic.
fn most<E>(max: usize, mut fits: impl FnMut(usize) -> Result<bool, E>) -> Result<usize, E> {
    let (mut least, mut most) = (0, max);
    while least < most {
        let middle = (least + most).div_ceil(2);
        if fits(middle)? {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    Ok(least)
}

/// Returns how much of the next message still fits.
fn part<S: Source>(
    kept: &Range<usize>,
    strategy: TrimStrategy,
    source: &mut S,
) -> Result<Option<Part>, S::Error> {
    let next = if strategy == TrimStrategy::Last { kept.start - 1 } else { kept.end };
    let is_monotonic = source.is_monotonic()?;
    let all_but_one = source.blocks(next)?.saturating_sub(1);
    let mut fits = |blocks| source.fits(kept.clone(), Some(Part::Blocks(blocks)));
    let mut blocks = all_but_one;
    if is_monotonic {
        blocks = most(all_but_one, fits)?;
    } else {
        // One by one, as the reference.
        while blocks > 0 && !fits(blocks)? {
            blocks -= 1;
        }
    }
    if blocks > 0 {
        return Ok(Some(Part::Blocks(blocks)));
    }
    let pieces = source.pieces(next)?;
    let fitting = most(pieces, |count| source.fits(kept.clone(), Some(Part::Pieces(count))))?;
    Ok((fitting > 0).then_some(Part::Pieces(fitting)))
}

/// Returns where the kept messages end: before `cut.start` on a type on which they may, with no call
/// whose result is cut off. Nothing comes after `cut.end`.
fn last<S: Source>(cut: Range<usize>, rules: Rules, source: &mut S) -> Result<usize, S::Error> {
    let Range { start: mut end, end: mut seen } = cut;
    loop {
        while end > 0 && !source.is_type(end - 1, End::End)? {
            end -= 1;
        }
        if rules.cuts == Cuts::AsLangchain || end == seen {
            return Ok(end);
        }
        // Every result after the end is asked once.
        let (from, to) = (end, seen);
        seen = end;
        for message in from..to {
            if let Answers::Message(caller) = source.answers(message)? {
                end = end.min(caller);
            }
        }
    }
}

/// Returns where the kept messages start. The start is the first message of `kept` whose type may
/// start, and no result loses its call.
fn first<S: Source>(kept: &Range<usize>, rules: Rules, source: &mut S) -> Result<usize, S::Error> {
    // For each message the last one that answers it; and the last that answers one before.
    let mut answered = vec![0; kept.len()];
    let mut split = 0;
    if rules.cuts == Cuts::Safe {
        for message in kept.clone() {
            if let Answers::Message(caller) = source.answers(message)? {
                let own = caller.checked_sub(kept.start).and_then(|at| answered.get_mut(at));
                *own.unwrap_or(&mut split) = message + 1;
            }
        }
    }
    for (message, answered) in kept.clone().zip(answered) {
        let whole = split <= message;
        if whole && source.is_type(message, End::Start)? {
            return Ok(message);
        }
        split = split.max(answered);
    }
    Ok(kept.end)
}
