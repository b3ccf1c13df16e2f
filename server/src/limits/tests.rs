//! Tests that several parts of the limits share.

pub(super) mod store_tests;
