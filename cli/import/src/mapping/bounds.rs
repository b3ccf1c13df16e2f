//! How much of a record is read, and what mapping it may take.

/// Deepest nesting of a record that is read; the outermost object is at depth 1.
pub(super) const DEPTH_MAX: usize = 128;
/// Bytes of memory that mapping one record may take: enough for every record that can be read.
pub(super) const MEMORY_MAX: usize = 1 << 30;
