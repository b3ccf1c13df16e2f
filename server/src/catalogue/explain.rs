//! How a list is found: the statements that ran for a page, with their bound values, results and
//! times, and DuckDB's plan of each.
//!
//! The statements are those of an answer, run by the same code; only here they are watched. Nothing
//! here decides what is asked.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use duckdb::{Connection, params_from_iter};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::base::clock::Clock;

use super::Catalogue;
use super::list::{ListError, rows};
use super::pool::{QueryError, integers};
use super::sql::{Argument, Statement};
use crate::params::ListQuery;

/// What DuckDB guesses is of no use beside what it counted, and of a column only the name matters.
const LEFT_OUT: [&str; 3] = ["Estimated Cardinality", "Projections", "Type"];
/// What DuckDB puts around the plan of a statement that it explains.
const AROUND: &str = "EXPLAIN_ANALYZE";

/// How a page of a list was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedRows {
    /// The statements that ran, in their order. There is none for the total of what is
    /// not filtered.
    pub statements: Vec<RanStatement>,
    /// Number of rows of the page.
    pub rows: usize,
    /// Number of rows that match, whatever the page.
    pub total: u64,
}

/// A statement that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RanStatement {
    /// Its text.
    pub sql: String,
    /// The values that were bound, in their order.
    pub values: Vec<Argument>,
    /// How many numbers it gave.
    pub rows: usize,
    /// How long it took, once it was prepared, as those of a server are.
    #[serde(rename = "tookMicroseconds", serialize_with = "microseconds")]
    pub took: Duration,
    /// How DuckDB ran it.
    pub plan: Vec<PlanStep>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanStep {
    /// DuckDB's name of it.
    pub operator: String,
    /// How many rows it handed on.
    pub rows: u64,
    /// What DuckDB says about it: tables, filters, orders.
    pub details: BTreeMap<String, String>,
    /// The steps whose rows it takes.
    pub from: Vec<Self>,
}

/// How long the statements of a page take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementTimes {
    /// That for the total.
    pub total: Duration,
    /// That for the rows of the page.
    pub page: Duration,
    /// Number of rows that match, whatever the page.
    pub rows: u64,
}

impl Catalogue {
    /// How [`Self::list`] finds its rows.
    pub async fn explain(
        self: &Arc<Self>,
        query: &ListQuery,
        clock: &Arc<dyn Clock>,
    ) -> Result<ExplainedRows, ListError> {
        let (plan, page) = (self.dictionaries.plan(query), query.page());
        let (catalogue, clock) = (Arc::clone(self), Arc::clone(clock));
        let explained = self.pool.run(move |connection| {
            let mut statements = Vec::new();
            let (total, ordinals) = rows(&catalogue.totals, &plan, page, |asked| {
                let (ran, numbers) = run(connection, asked, &*clock)?;
                statements.push(ran);
                Ok(numbers)
            })?;
            Ok(ExplainedRows {
                statements,
                total,
                rows: ordinals.len(),
            })
        });
        explained.await
    }

    /// How long DuckDB alone takes for a page: one statement for its total, one for its rows, even
    /// where the server needs none. Benchmarks compare lists with this.
    pub async fn time_statements(
        self: &Arc<Self>,
        query: &ListQuery,
        clock: &Arc<dyn Clock>,
    ) -> Result<StatementTimes, ListError> {
        let (plan, page) = (self.dictionaries.plan(query), query.page());
        let clock = Arc::clone(clock);
        let timed = self.pool.run(move |connection| {
            let ask = |asked: &Statement| {
                let begun = clock.monotonic();
                let numbers = integers(connection, asked)?;
                Ok::<_, QueryError>((clock.monotonic().saturating_sub(begun), numbers))
            };
            let (total, counted) = ask(&plan.total())?;
            let rows = counted.first().map_or(0, |count| count.unsigned_abs());
            let (page, _ordinals) = ask(&plan.page(page, rows).statement)?;
            Ok(StatementTimes { total, page, rows })
        });
        timed.await
    }
}

/// Runs a statement and reports on it. The time is that of the second run: the first prepares it.
fn run(
    connection: &Connection,
    asked: &Statement,
    clock: &dyn Clock,
) -> Result<(RanStatement, Vec<i64>), QueryError> {
    let plan = plan(connection, asked)?;
    let numbers = integers(connection, asked)?;
    let begun = clock.now().monotonic;
    integers(connection, asked)?;
    let ran = RanStatement {
        sql: asked.text.clone(),
        values: asked.values.clone(),
        rows: numbers.len(),
        took: clock.now().monotonic.saturating_sub(begun),
        plan,
    };
    Ok((ran, numbers))
}

fn plan(connection: &Connection, asked: &Statement) -> Result<Vec<PlanStep>, QueryError> {
    let text = format!("EXPLAIN (ANALYZE, FORMAT JSON) {}", asked.text);
    let mut statement = connection.prepare(&text)?;
    let values = params_from_iter(&asked.values);
    // The first column is the name of the second.
    let plan: String = statement.query_row(values, |row| row.get(1))?;
    Ok(steps(serde_json::from_str::<RawStep>(&plan)?.children))
}

/// A step as DuckDB reports it; the root has only children.
#[derive(Deserialize)]
struct RawStep {
    #[serde(default)]
    operator_name: String,
    #[serde(default)]
    operator_cardinality: u64,
    #[serde(default)]
    extra_info: BTreeMap<String, Value>,
    children: Vec<Self>,
}

fn steps(plan: Vec<RawStep>) -> Vec<PlanStep> {
    let step = |raw: RawStep| match raw.operator_name.trim() {
        AROUND => steps(raw.children),
        operator => vec![PlanStep {
            operator: operator.to_owned(),
            rows: raw.operator_cardinality,
            details: details(raw.extra_info),
            from: steps(raw.children),
        }],
    };
    plan.into_iter().flat_map(step).collect()
}

fn details(info: BTreeMap<String, Value>) -> BTreeMap<String, String> {
    let info = info.into_iter().filter_map(|(name, value)| {
        let value = match value {
            Value::String(text) => text,
            Value::Array(texts) => {
                let texts = texts.iter().filter_map(Value::as_str);
                texts.collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        };
        let says_something = !value.is_empty() && !LEFT_OUT.contains(&name.as_str());
        says_something.then_some((name, value))
    });
    info.collect()
}

fn microseconds<S: serde::Serializer>(took: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u128(took.as_micros())
}
