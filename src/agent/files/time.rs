//! The times of writes.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::graph::sendable::{MaybeSend, MaybeSync};

/// A function that returns the time.
pub(in crate::agent) trait Telling: MaybeSend + MaybeSync {
    fn time(&self) -> SystemTime;
}

impl<F: Fn() -> SystemTime + MaybeSend + MaybeSync> Telling for F {
    fn time(&self) -> SystemTime {
        self()
    }
}

/// A clock of the host's; by default the system's.
#[derive(Clone, Default)]
pub(in crate::agent) struct Clock(pub Option<Arc<dyn Telling>>);

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// The time of the last write: `glob` sorts by it, so no two writes have the same.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Returns the time as text, later than all before if the clock is the system's.
pub(in crate::agent) fn now(clock: &Clock) -> String {
    let since = |time: SystemTime| {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    };
    if let Some(clock) = &clock.0 {
        return iso(since(clock.time()));
    }
    // A page without JavaScript has no clock: the standard library's would panic.
    let has_clock = cfg!(not(all(target_arch = "wasm32", target_os = "unknown")));
    let now = if has_clock { since(SystemTime::now()) } else { 0 };
    let later = |last: u64| now.max(last.saturating_add(1));
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(later(last)));
    iso(later(last.unwrap_or_default()))
}

/// Writes milliseconds since 1970 as ISO 8601 has it.
fn iso(millis: u64) -> String {
    const DAY: u64 = 86_400_000;
    let (days, rest) = (millis / DAY, millis % DAY);
    // Years that begin in March have their leap day last, in eras of 400 years.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hours, minutes) = (rest / 3_600_000, rest / 60_000 % 60);
    let (seconds, millis) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_iso_8601_has_them() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_798_761_599_999, "2026-12-31T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso(millis), text);
        }
        let clock = Clock::default();
        assert!(now(&clock) < now(&clock));
    }
}
