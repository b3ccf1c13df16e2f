//! Metric families of one scrape: values that were read, with their names and help texts.

use prometheus::core::Collector;
use prometheus::proto::{LabelPair, Metric, MetricFamily, MetricType};
use prometheus::{Gauge, GaugeVec, IntCounter, IntCounterVec, Opts, TextEncoder};

use super::ours;

/// What one scrape collects.
#[derive(Default)]
pub(crate) struct Families(Vec<MetricFamily>);

impl Families {
    /// Adds a metric of the library.
    pub(crate) fn add(&mut self, metric: &impl Collector) {
        self.0.extend(metric.collect());
    }

    /// Memory, processor time and files of this process, under the names that all clients of
    /// Prometheus give them.
    pub(crate) fn add_process(&mut self) {
        #[cfg(target_os = "linux")]
        self.add(&prometheus::process_collector::ProcessCollector::for_self());
    }

    /// A value that may go up and down.
    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: f64) {
        let gauge = ours(Gauge::new(name, help));
        gauge.set(value);
        self.add(&gauge);
    }

    /// Gauges, one for each value of a label.
    pub(crate) fn gauges<'a>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (&'a str, f64)>,
    ) {
        let gauges = ours(GaugeVec::new(Opts::new(name, help), &[label]));
        for (of, value) in values {
            gauges.with_label_values(&[of]).set(value);
        }
        self.add(&gauges);
    }

    /// A fact: the value 1, with labels that state it.
    pub(crate) fn info(&mut self, name: &str, help: &str, labels: &[(&str, &str)]) {
        let (names, values): (Vec<_>, Vec<_>) = labels.iter().copied().unzip();
        let info = ours(GaugeVec::new(Opts::new(name, help), &names));
        info.with_label_values(&values).set(1.0);
        self.add(&info);
    }

    /// A number that only grows.
    pub(crate) fn counter(&mut self, name: &str, help: &str, value: u64) {
        let counter = ours(IntCounter::new(name, help));
        counter.inc_by(value);
        self.add(&counter);
    }

    /// Counters, one for each combination of label values.
    pub(crate) fn counters<'a, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        labels: &[&str; N],
        values: impl IntoIterator<Item = ([&'a str; N], u64)>,
    ) {
        let counters = ours(IntCounterVec::new(Opts::new(name, help), labels));
        for (of, value) in values {
            counters.with_label_values(&of).inc_by(value);
        }
        self.add(&counters);
    }

    /// Histograms of durations, one for each value of a label.
    pub(crate) fn histograms<'a>(
        &mut self,
        name: &str,
        help: &str,
        all: impl IntoIterator<Item = (Option<(&'a str, &'a str)>, Metric)>,
    ) {
        let mut metrics = Vec::new();
        for (label, mut metric) in all {
            let pairs = label.into_iter().map(|(name, value)| {
                let mut pair = LabelPair::default();
                pair.set_name(name.to_owned());
                pair.set_value(value.to_owned());
                pair
            });
            metric.set_label(pairs.collect());
            metrics.push(metric);
        }
        let mut family = MetricFamily::default();
        family.set_name(name.to_owned());
        family.set_help(help.to_owned());
        family.set_field_type(MetricType::HISTOGRAM);
        family.set_metric(metrics);
        self.0.push(family);
    }

    /// All of them in the text format of Prometheus.
    pub(crate) fn text(self) -> String {
        ours(TextEncoder::new().encode_to_string(&self.by_name()))
    }

    /// All families that have a value, in the order of their names; within each, in the order of
    /// the labels.
    pub(super) fn by_name(mut self) -> Vec<MetricFamily> {
        self.0.retain(|family| !family.get_metric().is_empty());
        self.0.sort_by(|one, other| one.name().cmp(other.name()));
        for family in &mut self.0 {
            family.mut_metric().sort_by_cached_key(|metric| {
                let labels = metric.get_label().iter();
                labels
                    .map(|label| label.value().to_owned())
                    .collect::<Vec<_>>()
            });
        }
        self.0
    }
}

/// The library takes all values as `f64`.
#[expect(
    clippy::cast_precision_loss,
    reason = "numbers above 2^53 need not be exact to the unit"
)]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}

/// Unix time as `f64`; exact for millions of years.
#[expect(clippy::cast_precision_loss, reason = "no time is that far away")]
pub(crate) fn seconds(unix: i64) -> f64 {
    unix as f64
}
