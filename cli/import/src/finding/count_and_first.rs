//! Occurrences that one finding reports together: how many there are, and the first of them.

/// How often something occurred, and its first occurrence.
#[derive(Clone, Debug)]
pub struct CountAndFirst<T> {
    /// How often it occurred.
    pub count: u64,
    /// Its first occurrence.
    pub first: Option<T>,
}

impl<T> Default for CountAndFirst<T> {
    fn default() -> Self {
        Self {
            count: 0,
            first: None,
        }
    }
}

impl<T> CountAndFirst<T> {
    /// Counts an occurrence, and keeps it if it is the first.
    pub fn add(&mut self, occurrence: impl FnOnce() -> T) {
        self.count += 1;
        self.first.get_or_insert_with(occurrence);
    }

    /// Adds occurrences that come after these.
    pub(crate) fn merge(&mut self, later: Self) {
        self.count += later.count;
        if self.first.is_none() {
            self.first = later.first;
        }
    }

    /// The first occurrence and the words for all of them: `one` if it is the only one, or else
    /// what `several` makes of their number.
    pub(crate) fn told(
        &self,
        one: &str,
        several: impl FnOnce(u64) -> String,
    ) -> Option<(&T, String)> {
        let words = match self.count {
            1 => one.to_owned(),
            count => several(count),
        };
        Some((self.first.as_ref()?, words))
    }
}
