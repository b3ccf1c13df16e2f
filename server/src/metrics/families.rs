//! Metric families of one scrape, in the text format of Prometheus.
//!
//! Only this file knows the format. Values are read before they get here.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::iter::once;
use std::time::Duration;

/// The media type of [`Families::text`].
pub(crate) const MEDIA_TYPE: &str = "text/plain; version=0.0.4";

/// What one scrape collects: the text of each family, by its name.
#[derive(Default)]
pub(crate) struct Families(BTreeMap<&'static str, String>);

/// The labels of one value, names and values, by name.
pub(crate) type Labels<'a, const N: usize> = [(&'static str, &'a str); N];

/// How many durations there were up to each bound and above the one before, and then above all.
pub(crate) struct Histogram {
    /// Ascending, in seconds.
    pub(crate) bounds: &'static [f64],
    pub(crate) counts: Vec<u64>,
    pub(crate) sum: Duration,
}

impl Families {
    /// A value that may go up and down.
    pub(crate) fn gauge(&mut self, name: &'static str, help: &str, value: impl Display) {
        self.gauges(name, help, [([], value)]);
    }

    /// The same for each of several labels.
    pub(crate) fn gauges<'a, const N: usize>(
        &mut self,
        name: &'static str,
        help: &str,
        values: impl IntoIterator<Item = (Labels<'a, N>, impl Display)>,
    ) {
        self.add("gauge", name, help, values, |line, labels, value| {
            line.write("", &labels, value);
        });
    }

    /// A number that only grows.
    pub(crate) fn counter(&mut self, name: &'static str, help: &str, value: u64) {
        self.counters(name, help, [([], value)]);
    }

    /// The same for each of several labels.
    pub(crate) fn counters<'a, const N: usize>(
        &mut self,
        name: &'static str,
        help: &str,
        values: impl IntoIterator<Item = (Labels<'a, N>, u64)>,
    ) {
        self.add("counter", name, help, values, |line, labels, value| {
            line.write("", &labels, value);
        });
    }

    /// Histograms of durations, one for each of several labels.
    pub(crate) fn histograms<'a, const N: usize>(
        &mut self,
        name: &'static str,
        help: &str,
        values: impl IntoIterator<Item = (Labels<'a, N>, Histogram)>,
    ) {
        self.add("histogram", name, help, values, |line, labels, value| {
            let bounds = value.bounds.iter().map(ToString::to_string);
            let mut total = 0;
            for (bound, count) in bounds.chain(once("+Inf".to_owned())).zip(value.counts) {
                total += count;
                let labels: Vec<_> = labels.into_iter().chain([("le", &*bound)]).collect();
                line.write("_bucket", &labels, total);
            }
            line.write("_sum", &labels, value.sum.as_secs_f64());
            line.write("_count", &labels, total);
        });
    }

    /// All of them, by name.
    pub(crate) fn text(self) -> String {
        self.0.into_values().collect()
    }

    /// Adds a family with its values in the order of their labels, unless it has none.
    fn add<'a, const N: usize, T>(
        &mut self,
        kind: &str,
        name: &'static str,
        help: &str,
        values: impl IntoIterator<Item = (Labels<'a, N>, T)>,
        write: impl Fn(&mut Lines, Labels<'a, N>, T),
    ) {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_by_key(|(labels, _)| *labels);
        if values.is_empty() {
            return;
        }
        let mut lines = Lines {
            name,
            text: format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"),
        };
        for (labels, value) in values {
            write(&mut lines, labels, value);
        }
        self.0.insert(name, lines.text);
    }
}

/// The lines of one family.
struct Lines {
    name: &'static str,
    text: String,
}

impl Lines {
    fn write(&mut self, suffix: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<_> = labels.iter().map(label).collect();
        let labels = match labels.as_slice() {
            [] => String::new(),
            labels => format!("{{{}}}", labels.join(",")),
        };
        let written = writeln!(self.text, "{}{suffix}{labels} {value}", self.name);
        written.unwrap_or_else(|_why| unreachable!("a text takes every line"));
    }
}

fn label((name, value): &(&str, &str)) -> String {
    let value = value.replace('\\', r"\\").replace('\n', r"\n");
    format!("{name}=\"{}\"", value.replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_and_their_values_are_in_order_and_labels_are_escaped() {
        let mut families = Families::default();
        let names = ["b \"c\"\n", r"a\b"];
        let values = names.map(|name| ([("name", name)], name.len()));
        families.gauges("second", "Two.", values);
        families.counter("first", "One.", 7);
        families.gauges("none", "Not there.", [(); 0].map(|()| ([], 0)));
        let bounds = &[0.000_01, 7.5];
        let (counts, sum) = (vec![1, 0, 2], Duration::from_millis(9500));
        let histogram = Histogram {
            bounds,
            counts,
            sum,
        };
        families.histograms("third", "Three.", [([("of", "x")], histogram)]);
        let expected = r#"# HELP first One.
# TYPE first counter
first 7
# HELP second Two.
# TYPE second gauge
second{name="a\\b"} 3
second{name="b \"c\"\n"} 6
# HELP third Three.
# TYPE third histogram
third_bucket{of="x",le="0.00001"} 1
third_bucket{of="x",le="7.5"} 1
third_bucket{of="x",le="+Inf"} 3
third_sum{of="x"} 9.5
third_count{of="x"} 3
"#;
        assert_eq!(families.text(), expected);
    }
}
