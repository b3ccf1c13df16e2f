//! Operating a server besides its requests: following the active release, fetching the next one
//! ahead, watching imports, and the administration address with readiness and metrics.
//!
//! Nothing here answers a request of a consumer.

pub mod admin;
pub mod follow;
pub mod imports;
pub mod prefetch;
mod scrape;
mod throttle;
