//! What the sources of `server` and `shared` find under the name `base`.

#[rustfmt::skip]
#[path = "../../src/base/error_chain.rs"]
pub(crate) mod error_chain;
pub mod periodic_task;
pub(crate) mod primitives;

pub(crate) use shared::base::threads;
