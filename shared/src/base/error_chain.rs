//! An error with all its causes on one line, for a log or a message.

use std::error::Error;

/// The error and its sources, joined by colons.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("could not answer")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn causes_follow_in_order() {
        let error = Outer(std::io::Error::other("disk is away"));
        assert_eq!(chain(&error), "could not answer: disk is away");
    }
}
