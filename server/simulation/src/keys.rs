//! What the sources of `shared` that run here find under the name `keys`.

pub mod postgres;

pub(crate) use shared::keys::{quota, subscription};
