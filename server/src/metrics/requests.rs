//! Requests by route and outcome: how many, how long they took, and those under way.
//!
//! A request adds to three atomics of its route and to one that all share.

use std::time::Duration;

use prometheus::core::Collector;
use prometheus::proto::{LabelPair, MetricFamily};
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts,
};

use super::families::Families;
use super::ours;

/// Upper bounds of latencies in seconds: from a record in memory to the longest that a list may
/// be waited for.
const LATENCIES: [f64; 15] = [
    0.000_01, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0,
    2.5, 7.5,
];

/// What is counted from the beginning, at 0: a counter that appears with 1 has not risen, for
/// Prometheus, so an alert would miss the first failure.
const TOLD_AT_ZERO: [&str; 3] = ["200", "500", "503"];

/// The route label of requests that are for none.
const NO_ROUTE: &str = "none";

/// How a request can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The number that the client receives.
    pub(crate) status: u16,
    /// `error.code`; none where the answer is no error.
    pub(crate) code: Option<&'static str>,
}

/// Counters of requests.
pub(crate) struct Requests {
    outcomes: Vec<Outcome>,
    /// In the order of the route table; the last is for requests that are for no route.
    routes: Vec<OfRoute>,
    under_way: IntGauge,
    answered: IntCounterVec,
    durations: HistogramVec,
    abandoned: IntCounterVec,
}

/// What is counted of one route, where requests find it without looking for it by name.
struct OfRoute {
    /// In the order of the outcomes.
    answered: Vec<IntCounter>,
    duration: Histogram,
    abandoned: IntCounter,
}

impl Requests {
    pub(super) fn new(routes: &[String], outcomes: &[Outcome]) -> Self {
        let labels = ["route", "status", "code"];
        let answered = ours(IntCounterVec::new(
            Opts::new(
                "catalogue_http_requests_total",
                "Requests that were answered, by route, status and error code.",
            ),
            &labels,
        ));
        let durations = HistogramOpts::new(
            "catalogue_http_request_duration_seconds",
            "From when a request was read to when its answer was made, by route.",
        );
        let durations = durations.buckets(LATENCIES.to_vec());
        let durations = ours(HistogramVec::new(durations, &labels[..1]));
        let abandoned = Opts::new(
            "catalogue_http_requests_abandoned_total",
            "Requests that were not answered, because the client left or the server stopped.",
        );
        let abandoned = ours(IntCounterVec::new(abandoned, &labels[..1]));
        let under_way = ours(IntGauge::new(
            "catalogue_http_requests_under_way",
            "Requests that are being answered.",
        ));
        let of_route = |route: &str| OfRoute {
            answered: outcomes
                .iter()
                .map(|outcome| {
                    let (status, code) = (outcome.status.to_string(), outcome.code.unwrap_or(""));
                    answered.with_label_values(&[route, &status, code])
                })
                .collect(),
            duration: durations.with_label_values(&[route]),
            abandoned: abandoned.with_label_values(&[route]),
        };
        let routes = routes.iter().map(String::as_str).chain([NO_ROUTE]);
        Self {
            outcomes: outcomes.to_vec(),
            routes: routes.map(of_route).collect(),
            under_way,
            answered,
            durations,
            abandoned,
        }
    }

    /// A request has begun.
    pub(crate) fn begin(&self) {
        self.under_way.inc();
    }

    /// A request that had begun is over, answered or not.
    pub(crate) fn end(&self) {
        self.under_way.dec();
    }

    /// A request for the route with that number was answered so, after that time.
    pub(crate) fn answered(&self, route: Option<usize>, outcome: Outcome, duration: Duration) {
        self.of(route).duration.observe(duration.as_secs_f64());
        self.count(route, outcome);
    }

    /// A client was told so that sent no whole request.
    pub(crate) fn count(&self, route: Option<usize>, outcome: Outcome) {
        // Nearly always the first, and then a few at most have the same status.
        let place = self.outcomes.iter().position(|known| *known == outcome);
        if let Some(counter) = place.and_then(|place| self.of(route).answered.get(place)) {
            counter.inc();
        }
    }

    /// Nobody waited for the answer any more.
    pub(crate) fn abandoned(&self, route: Option<usize>) {
        self.of(route).abandoned.inc();
    }

    /// How many are being answered.
    pub(super) fn under_way(&self) -> u64 {
        u64::try_from(self.under_way.get()).unwrap_or(0)
    }

    /// How many were answered with this code, whatever the route.
    pub(super) fn with_code(&self, code: &str) -> u64 {
        let place = self
            .outcomes
            .iter()
            .position(|outcome| outcome.code == Some(code));
        let counts = self.routes.iter().filter_map(|route| {
            let counter = route.answered.get(place?)?;
            Some(counter.get())
        });
        counts.sum()
    }

    pub(super) fn tell(&self, families: &mut Families) {
        families.add(&self.under_way);
        families.add(&SeenOnly(&self.answered));
        families.add(&self.durations);
        families.add(&self.abandoned);
    }

    fn of(&self, route: Option<usize>) -> &OfRoute {
        let last = self.routes.len() - 1;
        &self.routes[route.unwrap_or(last).min(last)]
    }
}

/// The requests that there were: of each route, most outcomes never are.
struct SeenOnly<'a>(&'a IntCounterVec);

impl Collector for SeenOnly<'_> {
    fn desc(&self) -> Vec<&prometheus::core::Desc> {
        self.0.desc()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        let mut families = self.0.collect();
        for family in &mut families {
            let mut metrics = family.take_metric();
            metrics.retain(|metric| {
                let mut values = metric.get_label().iter().map(LabelPair::value);
                metric.get_counter().get_value() != 0.0
                    || values.any(|value| TOLD_AT_ZERO.contains(&value))
            });
            family.set_metric(metrics);
        }
        families
    }
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
        Requests::new(&["/a".to_owned(), "/b".to_owned()], &[FOUND, REFUSED])
    }

    /// Route, status and count of everything that is told.
    fn told(requests: &Requests) -> Vec<(String, String, String)> {
        let families = SeenOnly(&requests.answered).collect();
        let metrics = families[0].get_metric().iter().map(|metric| {
            let value = |name| {
                let mut labels = metric.get_label().iter();
                labels
                    .find(|label| label.name() == name)
                    .unwrap()
                    .value()
                    .to_owned()
            };
            let count = metric.get_counter().get_value().to_string();
            (value("route"), value("status"), count)
        });
        let mut told: Vec<_> = metrics.collect();
        told.sort();
        told
    }

    #[test]
    fn what_alerts_look_at_is_there_from_the_beginning_and_the_rest_once_it_was_seen() {
        let requests = requests();
        let row = |route: &str, status: &str, count: u64| {
            (route.to_owned(), status.to_owned(), count.to_string())
        };
        let from_the_beginning = ["/a", "/b", "none"].map(|route| row(route, "200", 0));
        assert_eq!(told(&requests), from_the_beginning);

        requests.answered(Some(1), REFUSED, Duration::ZERO);
        requests.count(None, FOUND);
        let expected = [
            row("/a", "200", 0),
            row("/b", "200", 0),
            row("/b", "429", 1),
            row("none", "200", 1),
        ];
        assert_eq!(told(&requests), expected);
        assert_eq!(requests.with_code("RATE_LIMITED"), 1);
        assert_eq!(requests.with_code("NO_SUCH_CODE"), 0);
    }

    #[test]
    fn an_outcome_that_is_not_in_the_table_is_not_taken_for_another() {
        let requests = requests();
        let before = told(&requests);
        requests.answered(Some(7), UNKNOWN, Duration::ZERO);
        assert_eq!(told(&requests), before);
    }

    #[test]
    fn a_latency_is_in_the_first_bucket_that_holds_it() {
        for (nanos, bucket) in [
            (0, 0),
            (10_000, 0),
            (10_001, 1),
            (1_000_000, 4),
            (7_500_000_000, 14),
            (7_500_000_001, 15),
        ] {
            let requests = requests();
            requests.answered(Some(0), FOUND, Duration::from_nanos(nanos));
            let families = requests.durations.collect();
            let of_first = families[0].get_metric().iter().find(|metric| {
                let mut labels = metric.get_label().iter();
                labels.any(|label| label.value() == "/a")
            });
            let histogram = of_first.unwrap().get_histogram();
            let below = histogram.get_bucket().iter();
            let below = below
                .filter(|bucket| bucket.cumulative_count() == 0)
                .count();
            assert_eq!(below, bucket, "{nanos} ns");
            assert_eq!(histogram.get_sample_count(), 1);
        }
    }
}
