//! What becomes of a reference, which expressions and those that answer them both have to tell.

/// What a key leads to.
pub(in crate::mapping) enum Referred<T> {
    /// No record has it.
    Nowhere,
    /// Its record is not published.
    Unpublished,
    Published(T),
}

impl<T> Referred<T> {
    pub(in crate::mapping) fn map<U>(self, change: impl FnOnce(T) -> U) -> Referred<U> {
        match self {
            Self::Nowhere => Referred::Nowhere,
            Self::Unpublished => Referred::Unpublished,
            Self::Published(of) => Referred::Published(change(of)),
        }
    }

    pub(in crate::mapping) fn try_map<U, E>(
        self,
        change: impl FnOnce(T) -> Result<U, E>,
    ) -> Result<Referred<U>, E> {
        Ok(match self {
            Self::Nowhere => Referred::Nowhere,
            Self::Unpublished => Referred::Unpublished,
            Self::Published(of) => Referred::Published(change(of)?),
        })
    }
}
