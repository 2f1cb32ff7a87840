//! An estimate of a message's tokens.
// `pkg-template/src/context/estimate-message.ts` is the same in TypeScript.

use crate::error::Error;
use crate::value::{Kind, Value};

use super::estimate::Estimate;
use super::parts::{Call, Of, read};
use super::written::write_json;

/// The default cost of an image or other media: `OpenAI`'s price of an image in low resolution.
pub const TOKENS_PER_IMAGE: u64 = 85;

/// The fixed cost of a message or a tool call, for the marks around it and its role. In hundredths.
const OVERHEAD: u64 = 400;

const MEDIA: [&str; 10] = [
    "image",
    "image_url",
    "input_image",
    "audio",
    "input_audio",
    "video",
    "file",
    "input_file",
    "document",
    "media",
];

/// The blocks that say a tool call once more.
const CALLS: [&str; 3] = ["tool_use", "tool_call", "function_call"];

/// Estimates the tokens of a message as [`estimate_tokens`](super::estimate::estimate_tokens) does
/// those of a text. It counts the text, the tool calls with their arguments as JSON, the id of the
/// call that it answers, and its name. It adds 4 for the message itself and for each call. Each
/// media block costs the same, whatever its size; a block of another kind counts as JSON. AG-UI's
/// activities and reasoning never reach a model and count nothing.
///
/// Text that is appended to the message can be added to the estimate.
///
/// ```
/// use serde_json::json;
/// use threadfold::unstable::{TOKENS_PER_IMAGE, estimate_message};
///
/// let mut estimate = estimate_message(&json!({ "type": "ai", "content": "What is" }), TOKENS_PER_IMAGE)?;
/// estimate.add(" 6 × 7?");
/// assert_eq!(estimate.tokens(), 12);
/// # Ok::<(), threadfold::Error>(())
/// ```
///
/// # Errors
/// `INVALID_MESSAGE` for an invalid message or a removal; `INVALID_ARGUMENT` for a
/// value nested more than 1,000 deep.
pub fn estimate_message<V: Value>(message: &V, tokens_per_image: u64) -> Result<Estimate, Error> {
    let mut estimate = Estimate::default();
    let Some(parts) = read(message)? else { return Ok(estimate) };
    estimate.add_sum(OVERHEAD);
    if let Some(name) = parts.name() {
        estimate.add(&name);
    }
    if parts.of == Of::Tool {
        estimate.add_sum(0);
        estimate.add(&parts.answered()?);
    }
    let calls = parts.calls()?;
    for call in &calls {
        add_call(&mut estimate, call)?;
    }
    // The content last: its end is where more text goes.
    estimate.add_sum(0);
    let Some(content) = parts.content else { return Ok(estimate) };
    match content.kind() {
        Kind::String => estimate.add(&content.text().unwrap_or_default()),
        Kind::Array => {
            for block in content.items() {
                add_block(&mut estimate, &*block, tokens_per_image, !calls.is_empty())?;
            }
        }
        _ => write_json(&*content, &mut |text| estimate.add(text))?,
    }
    Ok(estimate)
}

fn add_call<V: Value>(estimate: &mut Estimate, call: &Call<V>) -> Result<(), Error> {
    estimate.add_sum(OVERHEAD);
    estimate.add(&call.name);
    estimate.add_sum(0);
    match call.args.text() {
        Some(text) => estimate.add(&text),
        None => write_json(&call.args, &mut |text| estimate.add(text))?,
    }
    Ok(())
}

fn add_block<V: Value>(
    estimate: &mut Estimate,
    block: &V,
    tokens_per_image: u64,
    called: bool,
) -> Result<(), Error> {
    let kind = block.text_of("type").unwrap_or_default();
    let text = if kind == "text" { block.text_of("text") } else { None };
    estimate.add_sum(0);
    if let Some(text) = block.text() {
        estimate.add(&text);
    } else if let Some(text) = text {
        estimate.add(&text);
    } else if MEDIA.contains(&kind.as_str()) {
        estimate.add_sum(tokens_per_image.saturating_mul(100));
    } else if !(called && CALLS.contains(&kind.as_str())) {
        write_json(block, &mut |text| estimate.add(text))?;
        estimate.add_sum(0);
    }
    Ok(())
}
