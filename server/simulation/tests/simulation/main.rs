//! What the protocols between servers and engines keep to in orders and faults that a seed draws.
//!
//! Each protocol has a world of its own: servers that run the sources of `server`, engines as
//! models, and promises that are checked after every step. `SEED=17` runs that seed alone, and
//! `SEEDS=100000` so many of them instead of 100.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "in tests a panic is the report"
)]

mod clock;
mod keys;
mod leases;
mod releases;
mod seeds;
mod weather;
mod windows;
mod world;
