//! The limit on the nesting of a record.

/// The deepest nesting accepted in a record; the outermost object is at depth 1.
pub(super) const DEPTH_MAX: usize = 128;
