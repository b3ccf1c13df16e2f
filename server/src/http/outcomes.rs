//! Every way in which a request can end, for those who count them: the statuses, each with its
//! error codes.

use super::error::ApiError;
use super::openapi;
use crate::metrics::Outcome;

/// 200, 304 and the 204 of a preflight, and every refusal. Nearly all requests end as the first
/// says.
pub(crate) fn all() -> Vec<Outcome> {
    let answers = [200, 304, 204].map(|status| Outcome { status, code: None });
    let refusals = openapi::refusals().into_iter().map(|refusal| of(&refusal));
    answers.into_iter().chain(refusals).collect()
}

fn of(refusal: &ApiError) -> Outcome {
    Outcome {
        status: refusal.status().as_u16(),
        code: Some(refusal.code()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_outcome_is_there_twice() {
        let all = all();
        let codes: HashSet<_> = all.iter().map(|outcome| outcome.code).collect();
        let statuses: HashSet<_> = all.iter().map(|outcome| outcome.status).collect();
        // Those that are no refusals share having none.
        assert_eq!(codes.len() + 2, all.len());
        assert!(12 < statuses.len(), "{statuses:?}");
    }
}
