//! Tests of whole stores, the same for both databases.

pub(in crate::keys) mod store_tests;
