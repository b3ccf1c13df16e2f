//! A timeline of the one database that there is.

/// Its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timeline(pub(super) u32);

impl Timeline {
    /// Whether `other` took over from it, or from one that did.
    pub(super) fn is_before(self, other: Self) -> bool {
        self.0 < other.0
    }
}
