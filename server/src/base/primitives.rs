//! The primitives of the keyring's `Confirmed`, named once: `server/models` checks the same source
//! with those of a model checker under the same names.

pub(crate) use std::sync::atomic;

pub(crate) use arc_swap::ArcSwapOption as Swap;
