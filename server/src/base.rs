//! What every module may use: periodic tasks, log throttles, request ids, bounded caches, and the
//! primitives that the models of hot structures replace. Nothing here knows boats or HTTP.

pub(crate) mod log_throttle;
pub mod periodic_task;
pub(crate) mod primitives;
pub mod request_id;
pub(crate) mod weighted_cache;
