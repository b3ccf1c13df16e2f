//! Limits on the nesting of a record and on the memory that mapping it may use.

/// The deepest nesting accepted in a record; the outermost object is at depth 1.
pub(super) const DEPTH_MAX: usize = 128;
/// Bytes of memory that mapping one record may use, enough for any record that can be read.
pub(super) const MEMORY_MAX: usize = 1 << 30;
