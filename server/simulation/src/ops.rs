//! What `server` does about releases while it serves.

#[rustfmt::skip]
#[path = "../../src/ops/follow.rs"]
pub mod follow;
#[rustfmt::skip]
#[path = "../../src/ops/throttle.rs"]
mod throttle;
