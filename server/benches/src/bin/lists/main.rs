//! Measures how long lists take, for every filter and sort, compared with the bare queries in
//! DuckDB.
//!
//! ```text
//! lists DATA_DIRECTORY QUERIES
//! ```
//!
//! For each shape, runs `QUERIES` queries with different values and pages, each first in the
//! catalogue and then in DuckDB alone: the statements of the service over its tables, on its
//! connections. Nothing is cached, since the cache of lists lies in front of the catalogue. It must
//! not measure HTTP.

mod measured;
mod shapes;

use std::io::Write as _;
use std::sync::Arc;

use anyhow::Context as _;
use server::catalogue::{Catalogue, OpenSettings};
use server::params::{ListQuery, QueryString};
use shared::base::clock::{Clock, SystemClock};
use shared::base::data_dir::DataDir;
use shared::release::{Release, ReleaseStore, Releases};
use tokio::runtime::Runtime;

use crate::measured::{Measured, Medians};
use crate::shapes::{Shape, shapes};

/// How many queries of each shape run before those that count, so that statements are prepared.
const WARM_UP: usize = 3;

/// What answers.
struct Asked {
    runtime: Runtime,
    catalogue: Arc<Catalogue>,
    clock: Arc<dyn Clock>,
}

impl Asked {
    fn open(release: &Release) -> anyhow::Result<Self> {
        let catalogue = Catalogue::open(release, OpenSettings::default());
        Ok(Self {
            runtime: Runtime::new().context("could not start the runtime")?,
            catalogue: Arc::new(catalogue.context("could not open the release")?),
            clock: Arc::new(SystemClock::new()),
        })
    }

    /// Runs a query in both; returns how long each took, and how many rows match.
    fn ask(&self, shape: &Shape, query: &str) -> anyhow::Result<(Measured, u64)> {
        let parsed = ListQuery::parse(&QueryString::parse(Some(query)), shape.list);
        let parsed = parsed.map_err(|issues| anyhow::anyhow!("{query}: {issues:?}"))?;
        let begun = self.clock.monotonic();
        let answer = self.runtime.block_on(self.catalogue.list(&parsed))?;
        let ours = self.clock.monotonic().saturating_sub(begun);
        let alone = self.catalogue.time_statements(&parsed, &self.clock);
        let alone = self.runtime.block_on(alone)?;
        anyhow::ensure!(answer.total == alone.rows, "{query}: different totals");
        let measured = Measured {
            ours,
            total: alone.total,
            page: alone.page,
        };
        Ok((measured, alone.rows))
    }

    fn measure(&self, shape: &Shape) -> anyhow::Result<(Medians, u64)> {
        let mut measured = Vec::new();
        let mut rows = 0;
        for (place, query) in shape.queries.iter().enumerate() {
            let (one, total) = self.ask(shape, query)?;
            if WARM_UP <= place {
                measured.push(one);
                rows += total;
            }
        }
        let count = u64::try_from(measured.len()).context("too many queries")?;
        let medians = Medians::of(&mut measured).context("too few queries")?;
        Ok((medians, rows / count))
    }
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let data = arguments.next().context("the data directory is missing")?;
    let queries = arguments
        .next()
        .context("the number of queries is missing")?;
    let queries: usize = queries
        .parse()
        .context("could not read the number of queries")?;
    let store = ReleaseStore::new(DataDir::new(data));
    let active = store.current()?.context("no release is active")?;
    let release = store.open(&active)?;
    let asked = Asked::open(&release)?;
    let mut out = std::io::stdout();
    let boats = release.manifest().boats;
    writeln!(
        out,
        "{boats} boats: medians in milliseconds of {queries} queries of each shape"
    )?;
    writeln!(out, "{}", Medians::HEAD)?;
    let mut all = Vec::new();
    for shape in shapes(&release, WARM_UP + queries)? {
        let (medians, rows) = asked.measure(&shape)?;
        writeln!(out, "{}", medians.row(&shape.name, rows))?;
        all.push(medians);
    }
    writeln!(out, "{}", Medians::summary(&mut all))?;
    Ok(())
}
