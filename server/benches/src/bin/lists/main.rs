//! What list answers take, for every filter and sort, beside the bare queries of DuckDB.
//!
//! ```text
//! lists DATA_DIRECTORY QUERIES
//! ```
//!
//! Of each shape, so many queries with different values and pages are asked, in turn of the
//! catalogue and of DuckDB: the same statements over the same tables on one prepared connection,
//! in the same process. Nothing is remembered in between: the cache of lists lies in front of the
//! catalogue. It must not measure HTTP.

mod bare;
#[path = "../../../../src/catalogue/fill.rs"]
mod fill;
mod measured;
mod params;
mod shapes;
#[expect(
    dead_code,
    reason = "the service has more ways to ask than are measured"
)]
#[path = "../../../../src/catalogue/sql.rs"]
mod sql;
#[path = "../../../../src/catalogue/tables.rs"]
mod tables;

use std::io::Write as _;
use std::sync::Arc;

use anyhow::Context as _;
use server::catalogue::{Catalogue, OpenSettings};
use server::params::{BoatList, BoatQuery, ManufacturerQuery, QueryString};
use shared::base::data_dir::DataDir;
use shared::release::{Release, ReleaseStore};
use tokio::runtime::Runtime;

use crate::bare::Bare;
use crate::measured::{Measured, Medians, timed};
use crate::shapes::{List, Shape, shapes};

/// How many queries of each shape come before those that count: statements are prepared.
const WARM_UP: usize = 3;

/// Who answers.
struct Asked {
    runtime: Runtime,
    catalogue: Arc<Catalogue>,
    bare: Bare,
}

impl Asked {
    fn open(release: &Release) -> anyhow::Result<Self> {
        let catalogue = Catalogue::open(release, OpenSettings::default());
        Ok(Self {
            runtime: Runtime::new().context("could not start the runtime")?,
            catalogue: Arc::new(catalogue.context("could not open the release")?),
            bare: Bare::load(release).context("could not load the tables")?,
        })
    }

    /// Asks both; what each took, and how many rows match.
    fn ask(&self, list: List, query: &str) -> anyhow::Result<(Measured, u64)> {
        let parsed = QueryString::parse(Some(query));
        let wrong = |issues| anyhow::anyhow!("{query}: {issues:?}");
        let wait = &self.runtime;
        let (plan, page, (answer, ours)) = match list {
            List::Boats => {
                let query = BoatQuery::parse(&parsed, BoatList::All).map_err(wrong)?;
                let answered = timed(|| wait.block_on(self.catalogue.list_boats(&query)));
                (self.bare.boat_plan(&query), query.page, answered)
            }
            List::Manufacturers => {
                let query = ManufacturerQuery::parse(&parsed).map_err(wrong)?;
                let answered = timed(|| wait.block_on(self.catalogue.list_manufacturers(&query)));
                (self.bare.manufacturer_plan(&query), query.page, answered)
            }
        };
        let rows = answer?.total;
        let total = self.bare.total(&plan)?;
        let page = self.bare.page(&plan, page, total.found)?;
        anyhow::ensure!(rows == total.found, "{query}: different totals");
        let measured = Measured {
            ours,
            total: total.took,
            page: page.took,
        };
        Ok((measured, rows))
    }

    fn measure(&self, shape: &Shape) -> anyhow::Result<(Medians, u64)> {
        let mut measured = Vec::new();
        let mut rows = 0;
        for (place, query) in shape.queries.iter().enumerate() {
            let (one, total) = self.ask(shape.list, query)?;
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
