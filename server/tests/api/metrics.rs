//! The metrics: each has a help text, and a test sees each change.
//!
//! After each event, over HTTP or in the app, the test records all series that changed. No metric
//! may be left over in the end.

mod moves;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::admin::ask;
use crate::answer::check_text;
use crate::app::TestApp;
use crate::records::without_hashes;

/// Every series with its value, except those of the process, which tests cannot control.
pub(crate) struct Scrape(BTreeMap<String, String>);

impl Scrape {
    pub(crate) async fn of(app: &TestApp) -> Self {
        let text = text(app).await;
        let series = text.lines().filter(|line| !line.starts_with('#'));
        let series = series.map(|line| {
            let (series, value) = line.rsplit_once(' ').unwrap();
            (series.to_owned(), value.to_owned())
        });
        Self(series.collect())
    }

    /// The series that differ from `before`, one a line, with the difference, or `new` or `gone` if
    /// a series is not in both. Of histograms, only the counts.
    pub(crate) fn moved_since(&self, before: &Self) -> Vec<String> {
        let all: BTreeSet<_> = self.0.keys().chain(before.0.keys()).collect();
        let moved = all.into_iter().filter_map(|series| {
            if series.contains("_bucket{") || series.split('{').next()?.ends_with("_sum") {
                return None;
            }
            let by = match (before.0.get(series), self.0.get(series)) {
                (Some(before), Some(after)) if before == after => return None,
                (Some(before), Some(after)) => {
                    let [before, after] =
                        [before, after].map(|value| value.parse::<f64>().unwrap());
                    format!("{:+}", after - before)
                }
                (None, Some(after)) => format!("new, {after}"),
                (_, None) => "gone".to_owned(),
            };
            Some(format!("{series} {by}"))
        });
        moved.collect()
    }
}

/// An app's metrics, without those of the process.
async fn text(app: &TestApp) -> String {
    let answer = ask(app, "GET", "/metrics").await;
    assert_eq!(answer.status, 200);
    let text = String::from_utf8(answer.body).unwrap();
    let others = ["process_", "# HELP process_", "# TYPE process_"];
    let of_app = |line: &&str| !others.iter().any(|start| line.starts_with(start));
    let lines: Vec<_> = text.lines().filter(of_app).collect();
    lines.join("\n") + "\n"
}

/// The name of the metric that a series belongs to.
pub(crate) fn family(series: &str) -> &str {
    let name = series.split(['{', ' ']).next().unwrap();
    let of_histogram = ["_bucket", "_count", "_sum"].iter();
    let mut stripped = of_histogram.filter_map(|end| name.strip_suffix(end));
    stripped.next().unwrap_or(name)
}

/// The text with all buckets of a histogram on one line, each as its bound and its count.
fn with_buckets_on_one_line(text: &str) -> Vec<String> {
    let mut lines = Vec::<String>::new();
    for line in text.lines() {
        let bucket = line.split_once("le=\"");
        let bucket = bucket.and_then(|(series, rest)| Some((series, rest.split_once("\"} ")?)));
        let Some((series, (bound, count))) = bucket else {
            lines.push(line.to_owned());
            continue;
        };
        let series = match series.strip_suffix(',') {
            Some(labels) => format!("{labels}}} "),
            None => series.replace('{', " "),
        };
        match lines.last_mut().filter(|last| last.starts_with(&series)) {
            Some(last) => write!(last, ", {bound} {count}").unwrap(),
            None => lines.push(format!("{series}{bound} {count}")),
        }
    }
    lines
}

/// The text without what repeats itself: of lines of zeros that differ in their routes only, the
/// first shows how many there are.
fn condensed(text: &str) -> String {
    let mut all = Vec::<(String, String, usize)>::new();
    for line in with_buckets_on_one_line(text) {
        let is_zero = line.split(", ").all(|part| part.ends_with(" 0"));
        let route = between(&line, "route=\"", "\"").filter(|_| is_zero);
        let kind = match route {
            Some(route) => line.replace(&format!("\"{route}\""), "*"),
            None => line.clone(),
        };
        match all.iter_mut().find(|(other, ..)| *other == kind) {
            Some((.., count)) => *count += 1,
            None => all.push((kind, line, 1)),
        }
    }
    let lines = all.into_iter().map(|(kind, line, count)| match count {
        1 => line,
        _ => kind.replace("route=*", &format!("route=({count} routes)")),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = text.split_once(before)?.1;
    Some(rest.split_once(after)?.0)
}

#[tokio::test]
async fn the_text_is_that_of_an_app_that_answered_a_few() {
    let app = TestApp::new();
    for target in [
        "/v1/boats",
        "/v1/boats",
        "/v1/boats/b1",
        "/v1/boats/none",
        "/none",
    ] {
        app.get(target).key("reader").send().await;
    }
    check_text(
        "metrics",
        "`GET /metrics` at the administration address, after a few answers. The buckets of a \
         histogram are on one line, and routes with zeros are counted.",
        &without_hashes(&condensed(&text(&app).await)),
    );
    let type_of = ask(&app, "GET", "/metrics").await;
    assert_eq!(
        type_of.header("content-type"),
        Some("text/plain; version=0.0.4")
    );
}

#[tokio::test]
async fn every_metric_has_a_help_text_and_a_name_that_says_its_kind() {
    let app = TestApp::new();
    let answer = ask(&app, "GET", "/metrics").await;
    let text = String::from_utf8(answer.body).unwrap();
    let told = |kind: &str| -> BTreeMap<String, String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(kind));
        lines
            .map(|line| line.split_once(' ').unwrap())
            .map(|(name, what)| (name.to_owned(), what.to_owned()))
            .collect()
    };
    let (help, types) = (told("# HELP "), told("# TYPE "));
    let series = text.lines().filter(|line| !line.starts_with('#'));
    let names: BTreeSet<_> = series.map(|line| family(line).to_owned()).collect();
    assert_eq!(names, help.keys().cloned().collect());
    assert_eq!(names, types.keys().cloned().collect());
    for (name, kind) in types {
        assert!(
            name.starts_with("catalogue_") || name.starts_with("process_"),
            "{name}"
        );
        assert_eq!(name.ends_with("_total"), kind == "counter", "{name}");
        assert!(help[&name].ends_with('.'), "{name}: {}", help[&name]);
    }
}

#[tokio::test]
async fn every_metric_is_in_the_table_of_the_page_and_on_the_dashboard_or_in_an_alert() {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    let read = |path: &str| fs::read_to_string(deploy.join(path)).unwrap();
    let page = read("monitoring.md");
    let table = between(&page, "| Metric (", "\n\n").unwrap();
    let used = read("grafana/catalogue.json") + &read("prometheus/alerts.yml");
    let rows = || table.lines().skip(2);
    // A name or, with a star, what names begin with, without what all begin with.
    let says = |row: &str, name: &str| {
        let mut names = row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2);
        names.any(|known| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == known,
        })
    };
    let app = TestApp::new();
    for line in text(&app).await.lines() {
        let Some(help) = line.strip_prefix("# HELP catalogue_") else {
            continue;
        };
        let name = help.split(' ').next().unwrap();
        let rows: Vec<_> = rows().filter(|row| says(row, name)).collect();
        assert!(!rows.is_empty(), "monitoring.md does not have {name}");
        let is_told = rows.iter().any(|row| row.contains("not on the dashboard"));
        let is_shown = used.contains(&format!("catalogue_{name}"));
        assert!(is_shown || is_told, "no panel and no alert shows {name}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_process_tells_its_memory_time_and_files() {
    let app = TestApp::new();
    let answer = ask(&app, "GET", "/metrics").await;
    let text = String::from_utf8(answer.body).unwrap();
    for name in [
        "process_resident_memory_bytes",
        "process_open_fds",
        "process_max_fds",
        "process_threads",
        "process_start_time_seconds",
    ] {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let value: f64 = line.unwrap().trim().parse().unwrap();
        assert!(0.0 < value, "{name} {value}");
    }
    assert!(text.contains("\nprocess_cpu_seconds_total "), "{text}");
}

#[tokio::test]
async fn a_ledger_that_is_away_takes_nothing_but_what_it_would_have_told() {
    let app = TestApp::new();
    let before = Scrape::of(&app).await;
    app.advance(std::time::Duration::from_secs(2));
    app.ledger.break_down();
    let gone = Scrape::of(&app).await.moved_since(&before);
    let families: BTreeSet<_> = gone.iter().map(|line| family(line)).collect();
    let expected = [
        "catalogue_quota_left",
        "catalogue_quota_renewal_timestamp_seconds",
        "catalogue_quota_used",
    ];
    assert_eq!(families, BTreeSet::from(expected), "{gone:#?}");
}
