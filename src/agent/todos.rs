//! A todo list is replaced whole, so one answer of the model may do so once.

/// Returns the calls to refuse, of those that say whether they write the todo list: all of them, if
/// there are two or more.
///
/// ```
/// use threadfold::unstable::agent::todos::refused;
///
/// assert_eq!(refused(&[true, false, true]), [0, 2]);
/// assert!(refused(&[false, true]).is_empty());
/// ```
#[must_use]
pub fn refused(writes: &[bool]) -> Vec<u32> {
    let several: Vec<u32> =
        (0..).zip(writes).filter_map(|(at, writes)| writes.then_some(at)).collect();
    if several.len() > 1 { several } else { Vec::new() }
}
