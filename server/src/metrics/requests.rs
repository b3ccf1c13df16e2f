//! Requests by route and outcome: how many, how long they took, and those under way.
//!
//! Each thread has its own counts, which are added up at a scrape: five additions then take a
//! request about 10 ns, and up to 300 if threads share the counters.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use thread_local::ThreadLocal;

use super::durations::Durations;
use super::families::Families;
use crate::api_tables::{errors, routes};

/// Upper bounds of latencies in seconds: from a record in memory to the longest wait for a list.
const LATENCIES: [f64; 15] = [
    0.000_01, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0,
    2.5, 7.5,
];

/// Statuses that are exported at 0 from the start: for Prometheus, a counter that appears with 1
/// has not increased, so an alert would miss the first failure.
const TOLD_AT_ZERO: [u16; 3] = [200, 500, 503];

/// The route label of requests without a route.
const NO_ROUTE: &str = "none";

/// How a request can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The number that the client receives.
    pub(crate) status: u16,
    /// `error.code`; none if the response is not an error.
    pub(crate) code: Option<&'static str>,
}

impl Outcome {
    /// 200, 304, 206, the 204 of a preflight, the 308 to the page, and every code. Nearly all
    /// requests end with the first.
    fn all() -> Vec<Self> {
        let answers = [200, 304, 206, 204, 308].map(|status| Self { status, code: None });
        let refusals = errors::by_code().map(|kind| Self {
            status: kind.status,
            code: Some(kind.code),
        });
        answers.into_iter().chain(refusals).collect()
    }
}

/// Counters of requests.
pub(crate) struct Requests {
    /// In the order of the route table; the last is for requests without a route.
    routes: Vec<String>,
    outcomes: Vec<Outcome>,
    counts: ThreadLocal<Counts>,
}

/// The counts of one thread. It shares no cache line with another thread.
#[repr(align(128))]
struct Counts {
    begun: AtomicU64,
    ended: AtomicU64,
    /// In the order of the routes.
    routes: Vec<OfRoute>,
}

/// The counts of one thread and one route.
struct OfRoute {
    /// In the order of the outcomes.
    answered: Vec<AtomicU64>,
    durations: Durations,
    bytes: AtomicU64,
    abandoned: AtomicU64,
}

impl Requests {
    /// Nothing counted yet, of the routes and outcomes that the contract has.
    pub(super) fn of_contract() -> Self {
        Self::new(routes::names(), Outcome::all())
    }

    fn new(mut routes: Vec<String>, outcomes: Vec<Outcome>) -> Self {
        routes.push(NO_ROUTE.to_owned());
        Self {
            routes,
            outcomes,
            counts: ThreadLocal::new(),
        }
    }

    /// A request has begun.
    pub(crate) fn begin(&self) {
        add_one(&self.mine().begun);
    }

    /// A request has ended, answered or not.
    pub(crate) fn end(&self) {
        add_one(&self.mine().ended);
    }

    /// A request for that route was answered with this outcome and so many bytes, after that time.
    pub(crate) fn answered(
        &self,
        route: Option<usize>,
        outcome: Outcome,
        bytes: u64,
        duration: Duration,
    ) {
        let of_route = self.mine().of(route);
        of_route.durations.observe(duration);
        of_route.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.count(route, outcome);
    }

    /// A client without a whole request was refused.
    pub(crate) fn count(&self, route: Option<usize>, outcome: Outcome) {
        // Nearly always the first; otherwise only a few have the same status.
        let index = self.outcomes.iter().position(|known| *known == outcome);
        let answered = &self.mine().of(route).answered;
        if let Some(counter) = index.and_then(|index| answered.get(index)) {
            add_one(counter);
        }
    }

    /// The client did not wait for the response.
    pub(crate) fn abandoned(&self, route: Option<usize>) {
        add_one(&self.mine().of(route).abandoned);
    }

    /// How many there have been.
    pub(crate) fn begun(&self) -> u64 {
        self.sum(|counts| &counts.begun)
    }

    /// How many are being answered. Those that come or go meanwhile may be missed.
    pub(super) fn under_way(&self) -> u64 {
        let ended = self.sum(|counts| &counts.ended);
        self.begun().saturating_sub(ended)
    }

    /// How many were answered with this code, whatever the route.
    pub(super) fn with_code(&self, code: &str) -> u64 {
        let mut outcomes = self.outcomes.iter();
        let Some(index) = outcomes.position(|outcome| outcome.code == Some(code)) else {
            return 0;
        };
        let of_route = |route: usize| self.sum(|counts| &counts.routes[route].answered[index]);
        (0..self.routes.len()).map(of_route).sum()
    }

    pub(crate) fn collect(&self, families: &mut Families) {
        families.gauge(
            "catalogue_http_requests_under_way",
            "Requests that are being answered.",
            self.under_way(),
        );
        self.collect_answered(families);
        let routes = || self.routes.iter().map(String::as_str).enumerate();
        families.histograms(
            "catalogue_http_request_duration_seconds",
            "From when a request was read to when its answer was made, by route.",
            routes().map(|(index, route)| {
                let all = self.counts.iter();
                let durations = all.map(|counts| &counts.routes[index].durations);
                ([("route", route)], Durations::sum(&LATENCIES, durations))
            }),
        );
        let by_route = |of: fn(&OfRoute) -> &AtomicU64| {
            routes().map(move |(index, route)| {
                let sum = self.sum(|counts| of(&counts.routes[index]));
                ([("route", route)], sum)
            })
        };
        families.counters(
            "catalogue_http_response_bytes_total",
            "Bytes of bodies, by route, each counted as its answer was made.",
            by_route(|counts| &counts.bytes),
        );
        families.counters(
            "catalogue_http_requests_abandoned_total",
            "Requests that were not answered, because the client left or the server stopped.",
            by_route(|counts| &counts.abandoned),
        );
    }

    /// Most outcomes of a route never happen, so only those that did are shown.
    fn collect_answered(&self, families: &mut Families) {
        let mut answered = Vec::new();
        for (route, name) in self.routes.iter().enumerate() {
            for (index, outcome) in self.outcomes.iter().enumerate() {
                let count = self.sum(|counts| &counts.routes[route].answered[index]);
                if 0 < count || TOLD_AT_ZERO.contains(&outcome.status) {
                    answered.push((outcome.code, name, outcome.status.to_string(), count));
                }
            }
        }
        families.counters(
            "catalogue_http_requests_total",
            "Requests that were answered, by route, status and error code.",
            answered.iter().map(|(code, route, status, count)| {
                let code = code.unwrap_or("");
                (
                    [("code", code), ("route", route), ("status", status)],
                    *count,
                )
            }),
        );
    }

    fn mine(&self) -> &Counts {
        let make = || Counts::new(self.routes.len(), self.outcomes.len());
        self.counts.get_or(make)
    }

    fn sum<'a>(&'a self, of: impl Fn(&'a Counts) -> &'a AtomicU64) -> u64 {
        let counts = self.counts.iter();
        counts
            .map(|counts| of(counts).load(Ordering::Relaxed))
            .sum()
    }
}

impl Counts {
    fn new(routes: usize, outcomes: usize) -> Self {
        let zero = |_| AtomicU64::new(0);
        let of_route = |_| OfRoute {
            answered: (0..outcomes).map(zero).collect(),
            durations: Durations::new(&LATENCIES),
            bytes: AtomicU64::new(0),
            abandoned: AtomicU64::new(0),
        };
        Self {
            begun: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            routes: (0..routes).map(of_route).collect(),
        }
    }

    fn of(&self, route: Option<usize>) -> &OfRoute {
        let last = self.routes.len() - 1;
        &self.routes[route.unwrap_or(last).min(last)]
    }
}

fn add_one(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: Outcome = Outcome {
        status: 200,
        code: None,
    };
    const REFUSED: Outcome = Outcome {
        status: 429,
        code: Some("RATE_LIMITED"),
    };
    const UNKNOWN: Outcome = Outcome {
        status: 418,
        code: None,
    };

    fn requests() -> Requests {
        Requests::new(vec!["/a".to_owned(), "/b".to_owned()], vec![FOUND, REFUSED])
    }

    /// Route, status and count of all requests that are shown, a line each.
    fn shown(requests: &Requests) -> Vec<String> {
        let mut families = Families::default();
        requests.collect_answered(&mut families);
        let lines = families.text();
        let lines = lines.lines().filter(|line| !line.starts_with('#'));
        let words = lines.map(|line| {
            let words = line.split(['"', '}']).skip(1).step_by(2);
            words.map(str::trim).collect::<Vec<_>>().join(" ")
        });
        words.map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn what_alerts_look_at_is_there_from_the_beginning_and_the_rest_once_it_was_seen() {
        let requests = requests();
        assert_eq!(shown(&requests), ["/a 200 0", "/b 200 0", "none 200 0"]);
        requests.answered(Some(1), REFUSED, 0, Duration::ZERO);
        requests.count(None, FOUND);
        let expected = [
            "/a 200 0",
            "/b 200 0",
            "none 200 1",
            "RATE_LIMITED /b 429 1",
        ];
        assert_eq!(shown(&requests), expected);
        assert_eq!(requests.with_code("RATE_LIMITED"), 1);
        assert_eq!(requests.with_code("NO_SUCH_CODE"), 0);
    }

    #[test]
    fn an_outcome_that_is_not_in_the_table_is_not_taken_for_another() {
        let requests = requests();
        let before = shown(&requests);
        requests.answered(Some(7), UNKNOWN, 0, Duration::ZERO);
        assert_eq!(shown(&requests), before);
    }

    #[test]
    fn what_threads_count_is_added_up_also_when_they_are_gone() {
        let requests = requests();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        requests.begin();
                        requests.answered(Some(0), FOUND, 0, Duration::ZERO);
                        requests.end();
                    }
                    requests.begin();
                });
            }
        });
        assert_eq!(shown(&requests)[0], "/a 200 800");
        assert_eq!(requests.under_way(), 8);
        requests.end();
        assert_eq!(requests.under_way(), 7);
    }

    #[test]
    fn no_outcome_is_there_twice() {
        let all = Outcome::all();
        let codes: std::collections::HashSet<_> = all.iter().map(|outcome| outcome.code).collect();
        let statuses: std::collections::HashSet<_> =
            all.iter().map(|outcome| outcome.status).collect();
        // The outcomes that are not errors share the missing code.
        assert_eq!(codes.len() + 4, all.len());
        assert!(12 < statuses.len(), "{statuses:?}");
    }
}
