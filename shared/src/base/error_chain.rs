//! An error with all its causes on one line, for a log or a message.

use std::error::Error;

/// The error and its sources, joined by colons. Some libraries repeat a source in the error's own
/// text; it is said once.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.fold(error.to_string(), |chain, cause| {
        let cause = cause.to_string();
        if chain.contains(&cause) {
            chain
        } else {
            format!("{chain}: {cause}")
        }
    })
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

    #[derive(Debug, thiserror::Error)]
    #[error("could not answer: {0}")]
    struct Repeating(#[source] std::io::Error);

    #[test]
    fn a_cause_that_is_said_already_is_not_repeated() {
        let error = Repeating(std::io::Error::other("disk is away"));
        assert_eq!(chain(&error), "could not answer: disk is away");
    }
}
