"""One module per subject; each has `record(rng) -> iterator of records`."""
