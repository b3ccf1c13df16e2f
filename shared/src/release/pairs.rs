//! The side tables of a release: which record has which term or word.

use super::tables::{Column, Columns};

/// `(left, right)` pairs of a side table.
#[derive(Default)]
pub(super) struct Pairs(Vec<(i32, i32)>);

impl Pairs {
    pub(super) fn push(&mut self, left: i32, right: i32) {
        self.0.push((left, right));
    }

    /// Sorted by the left side, so that a look-up reads one run of rows; repeated pairs are one.
    pub(super) fn into_columns(mut self, left: &'static str, right: &'static str) -> Columns {
        self.0.sort_unstable();
        self.0.dedup();
        let (lefts, rights) = self.0.into_iter().unzip();
        vec![(left, Column::Int32(lefts)), (right, Column::Int32(rights))]
    }
}
