//! Seeds of the property tests: the same on every machine, unless `npm run fuzz` asks for others.

use std::str::FromStr;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// Configures a twentieth of this many cases, all with `THREADFOLD_THOROUGH=1`; always the same ones.
/// `THREADFOLD_SEED` selects others, `THREADFOLD_RUNS` more or fewer; a failure prints its smallest
/// case and writes no file.
pub fn config(all: u32) -> ProptestConfig {
    let usual = if asked("THREADFOLD_THOROUGH") == Some(1) { all } else { all.div_ceil(20) };
    ProptestConfig {
        cases: asked("THREADFOLD_RUNS").unwrap_or(usual),
        rng_seed: RngSeed::Fixed(asked("THREADFOLD_SEED").unwrap_or(7)),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn asked<T: FromStr>(variable: &str) -> Option<T> {
    std::env::var(variable).ok()?.parse().ok()
}
