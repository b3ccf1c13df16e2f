//! The environment that a key is issued for: a server serves one of them.

use crate::keys::named::named;

named! {
    /// Test or live. Both serve the same data but accept different keys.
    pub enum Environment {
        /// For production traffic.
        Live = "live",
        /// For trying things out.
        Test = "test",
    }

    /// A text that names no environment.
    pub struct UnknownEnvironment = "must be live or test";
}
