//! The servers that some tests need, such as PostgreSQL. Tests only: those that need one are ignored
//! unless all tests are asked for.

/// Where a server is, as the environment names it.
pub(crate) fn address(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_missing| {
        panic!("{variable} names no server for this test: run .ci/with-services make test")
    })
}
