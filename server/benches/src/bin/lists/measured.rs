//! How long queries took, and the table that shows it.

use std::time::Duration;

/// How long one query took.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    /// In the catalogue, from the parsed query to the body and its hash.
    pub(crate) ours: Duration,
    /// In DuckDB, to count the matching rows.
    pub(crate) total: Duration,
    /// In DuckDB, to select the rows of the page.
    pub(crate) page: Duration,
}

/// The medians over the queries of one shape, and the 90th percentile.
#[derive(Clone, Copy)]
pub(crate) struct Medians {
    ours: Duration,
    ours_slow: Duration,
    total: Duration,
    page: Duration,
    bare: Duration,
}

impl Medians {
    /// The header of the table.
    pub(crate) const HEAD: &'static str = "query                                        rows    ours   90 %    total    page  duckdb  ours/duckdb";

    /// `None` without queries.
    pub(crate) fn of(measured: &mut [Measured]) -> Option<Self> {
        let mut median = |took: fn(&Measured) -> Duration| {
            measured.sort_unstable_by_key(took);
            measured.get(measured.len() / 2).map(took)
        };
        Some(Self {
            total: median(|one| one.total)?,
            page: median(|one| one.page)?,
            bare: median(|one| one.total + one.page)?,
            ours: median(|one| one.ours)?,
            ours_slow: measured[measured.len() * 9 / 10].ours,
        })
    }

    /// One row of the table; `rows` match on average.
    pub(crate) fn row(&self, name: &str, rows: u64) -> String {
        let [ours, ours_slow, total, page, bare] =
            [self.ours, self.ours_slow, self.total, self.page, self.bare].map(milliseconds);
        let ratio = ours / bare;
        format!(
            "{name:<39} {rows:>9} {ours:>7.2} {ours_slow:>6.2}  {total:>7.2} {page:>7.2} {bare:>7.2} {ratio:>12.2}"
        )
    }

    /// The middle and the worst shape.
    pub(crate) fn summary(all: &mut [Self]) -> String {
        all.sort_unstable_by_key(|one| one.ours);
        let milliseconds = |place: usize| all.get(place).map_or(0.0, |one| milliseconds(one.ours));
        let (middle, worst) = (all.len() / 2, all.len().saturating_sub(1));
        format!(
            "{} shapes: the middle one takes {:.2} ms, the slowest {:.2} ms",
            all.len(),
            milliseconds(middle),
            milliseconds(worst)
        )
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
