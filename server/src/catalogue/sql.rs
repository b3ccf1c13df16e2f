//! The SQL of list queries, and the only way to make more of it. Their tables are in
//! [`super::tables`].
//!
//! Statements are built from fixed texts, chosen by enums, and every value of a request is a bound
//! integer, an [`Argument`]. So no text of a request can reach the database.
//!
//! Each order has its own table, and DuckDB keeps the order of the table it reads, so a page is
//! read from the start without sorting. Rows found by words, in their own table, are sorted.

use std::fmt::{self, Write};

use duckdb::ToSql;
use duckdb::types::ToSqlOutput;
use serde::{Serialize, Serializer};
use serde_json::Number;
use shared::base::units::{LengthRanges, METRE_DECIMALS};
use shared::release::reader::Measure;

use super::tables::{Terms, rank, table, unit, words};
use crate::params::{List, Order, Page, Sort};

/// Pages that end before this row are found in one statement together with their total, which saves
/// a third of the time; further on, holding the rows before the page would take longer.
const ONE_PASS_ROWS_MAX: u64 = 1000;

/// One condition on a row, with its values.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// This column has that id.
    Equals(&'static str, i64),
    /// The measure is known and at least that.
    AtLeast(Measure, i64),
    /// The measure is known and at most that.
    AtMost(Measure, i64),
    /// The boat has the term with this id.
    Has(Terms, i64),
    /// The boat's physical length is admitted.
    Length(LengthRanges),
    /// Some word of the row's name has an id within these bounds, inclusive.
    Word(i64, i64),
}

impl Condition {
    const fn is_word(&self) -> bool {
        matches!(self, Self::Word(..))
    }

    /// Whether it is about the row's own columns.
    const fn is_of_columns(&self) -> bool {
        match self {
            Self::Has(terms, id) => terms.bit(*id).is_some(),
            Self::Word(..) => false,
            _ => true,
        }
    }

    /// Adds the condition to a statement about `list`. Writing to a text cannot fail.
    fn write(&self, list: &List, text: &mut String) {
        _ = match self {
            Self::Equals(column, _) => write!(text, "{column} = ?"),
            Self::AtLeast(measure, _) => write!(text, "? <= {}", measure.name),
            Self::AtMost(measure, _) => write!(text, "{} <= ?", measure.name),
            Self::Has(..) if self.is_of_columns() => write!(text, "terms & ? <> 0"),
            Self::Has(terms, _) => {
                let table = terms.table();
                write!(
                    text,
                    "ordinal IN (SELECT ordinal FROM {table} WHERE term = ?)"
                )
            }
            // A third faster than the same with OR.
            Self::Length(_) => write!(
                text,
                "length BETWEEN ? AND ? AND NOT (unit = ? AND length NOT BETWEEN ? AND ?)"
            ),
            Self::Word(..) => {
                let words = words(list.kind);
                write!(
                    text,
                    "ordinal IN (SELECT ordinal FROM {words} WHERE word BETWEEN ? AND ?)"
                )
            }
        };
    }

    fn push_values(&self, values: &mut Vec<Argument>) {
        match self {
            &Self::Equals(_, id) => values.push(id.into()),
            &(Self::AtLeast(measure, value) | Self::AtMost(measure, value)) => {
                values.push(Argument::new(value, measure.decimals));
            }
            &Self::Has(terms, id) => values.push(terms.bit(id).unwrap_or(id).into()),
            Self::Length(ranges) => {
                let metres = |length: &i64| Argument::new(*length, METRE_DECIMALS);
                let (tolerant, exact) = (&ranges.tolerant, &ranges.exact);
                values.extend([tolerant.start(), tolerant.end()].map(metres));
                values.push(unit(ranges.exact_system).into());
                values.extend([exact.start(), exact.end()].map(metres));
            }
            &Self::Word(low, high) => values.extend([low, high].map(Argument::from)),
        }
    }
}

/// A list query: which rows, in which order.
#[derive(Clone, Debug)]
pub(super) struct ListPlan {
    /// Of which list.
    pub(super) list: &'static List,
    /// What every row must satisfy.
    pub(super) conditions: Vec<Condition>,
    /// The order.
    pub(super) sort: &'static Sort,
    /// Its direction.
    pub(super) order: Order,
}

/// How the rows of a plan are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AccessPath {
    /// No conditions, so a page is at a known place in the table.
    Position,
    /// Only columns of the table, which is read in order until the page is full.
    Table,
    /// Only words, whose table has the ranks; the rows are sorted.
    Words,
    /// The table joined with others; the rows are sorted.
    Both,
}

/// A value to bind: an integer, shown as the number with decimals that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Argument {
    integer: i64,
    decimals: u32,
}

impl Argument {
    const fn new(integer: i64, decimals: u32) -> Self {
        Self { integer, decimals }
    }

    /// The number it stands for.
    #[expect(
        clippy::cast_precision_loss,
        reason = "of numbers above 2^53 the last digits do not matter to who reads them"
    )]
    fn number(self) -> Number {
        let unit = 10_i64.pow(self.decimals);
        if self.integer % unit == 0 {
            return (self.integer / unit).into();
        }
        let divided = self.integer as f64 / unit as f64;
        Number::from_f64(divided).unwrap_or_else(|| self.integer.into())
    }
}

impl From<i64> for Argument {
    fn from(integer: i64) -> Self {
        Self::new(integer, 0)
    }
}

impl ToSql for Argument {
    fn to_sql(&self) -> duckdb::Result<ToSqlOutput<'_>> {
        self.integer.to_sql()
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.number().serialize(serializer)
    }
}

/// A statement and the values to bind, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Statement {
    /// Fixed texts only.
    pub(super) text: String,
    /// One value a placeholder.
    pub(super) values: Vec<Argument>,
}

/// A statement for the ordinals of the rows of one page.
#[derive(Debug)]
pub(super) struct PageStatement {
    /// The statement.
    pub(super) statement: Statement,
    /// Whether the last row comes first.
    pub(super) is_reversed: bool,
}

impl ListPlan {
    /// Counts the rows. The same statement for every order.
    pub(super) fn total(&self) -> Statement {
        let mut text = "SELECT count(*) ".to_owned();
        self.write_from(&self.list.sorts[0], &mut text);
        self.with_values(text)
    }

    /// Returns the number of rows, then the ordinals from the first row to the end of `page`.
    /// `None` if [`Self::total`] and [`Self::page`] are faster.
    pub(super) fn total_and_rows(&self, page: Page) -> Option<Statement> {
        let end = page.offset.saturating_add(page.limit);
        let rank = match self.access_path() {
            AccessPath::Position | AccessPath::Table => return None,
            AccessPath::Words | AccessPath::Both if ONE_PASS_ROWS_MAX < end => return None,
            AccessPath::Words => "rank",
            AccessPath::Both => "rowid",
        };
        let first = match self.order {
            Order::Asc => "arg_min",
            Order::Desc => "arg_max",
        };
        // A list of the first rows of an empty set is null.
        let mut text = format!(
            "SELECT unnest(list_concat([count(*)], coalesce({first}(ordinal, {rank}, ?), []))) "
        );
        self.write_from(self.sort, &mut text);
        let mut values = vec![integer(end).into()];
        values.extend(self.values());
        Some(Statement { text, values })
    }

    /// Returns the ordinals of the rows of `page`, out of `total`.
    ///
    /// A table can only be read from its start, and rows are sorted from the end nearer to the
    /// page, so they may come in reverse.
    pub(super) fn page(&self, page: Page, total: u64) -> PageStatement {
        let start = page.offset.min(total);
        let end = start.saturating_add(page.limit).min(total);
        let (before, after, limit) = (start, total - end, integer(end - start).into());
        let access_path = self.access_path();
        let is_reversed = match access_path {
            AccessPath::Position | AccessPath::Table => self.order == Order::Desc,
            AccessPath::Words | AccessPath::Both => after < before,
        };
        let skipped = integer(if is_reversed { after } else { before }).into();
        let direction = match (self.order, is_reversed) {
            (Order::Asc, false) | (Order::Desc, true) => "ASC",
            (Order::Desc, false) | (Order::Asc, true) => "DESC",
        };
        let mut values = self.values();
        values.extend([limit, skipped]);
        let mut text = "SELECT ordinal ".to_owned();
        self.write_from(self.sort, &mut text);
        // Writing to a text cannot fail.
        _ = match access_path {
            // As fast for the last page as for the first.
            AccessPath::Position => {
                values = vec![skipped, limit];
                write!(text, " WHERE ? <= rowid LIMIT ?")
            }
            AccessPath::Table => write!(text, " LIMIT ? OFFSET ?"),
            AccessPath::Words => write!(text, " ORDER BY rank {direction} LIMIT ? OFFSET ?"),
            AccessPath::Both => write!(text, " ORDER BY rowid {direction} LIMIT ? OFFSET ?"),
        };
        let statement = Statement { text, values };
        PageStatement {
            statement,
            is_reversed,
        }
    }

    /// Returns, for each value of a column or an expression, the value, how many rows have it, and
    /// `others`, which are aggregates.
    pub(super) fn grouped(&self, column: &str, others: &str) -> Statement {
        let mut text = format!("SELECT {column}, count(*){others} ");
        self.write_from_table(&self.list.sorts[0], &mut text);
        // Writing to a text cannot fail.
        _ = write!(text, " GROUP BY {column}");
        self.with_values(text)
    }

    /// Returns, for each term without a bit, its id and how many rows have it.
    pub(super) fn grouped_terms(&self, terms: Terms) -> Statement {
        let table = terms.table();
        let mut text =
            format!("SELECT term, count(*) FROM {table} WHERE ordinal IN (SELECT ordinal ");
        self.write_from_table(&self.list.sorts[0], &mut text);
        text.push_str(") GROUP BY term");
        self.with_values(text)
    }

    fn access_path(&self) -> AccessPath {
        let every = |is: fn(&Condition) -> bool| self.conditions.iter().all(is);
        if self.conditions.is_empty() {
            AccessPath::Position
        } else if every(Condition::is_of_columns) {
            AccessPath::Table
        } else if every(Condition::is_word) {
            AccessPath::Words
        } else {
            AccessPath::Both
        }
    }

    fn write_from(&self, sort: &Sort, text: &mut String) {
        if self.access_path() != AccessPath::Words {
            return self.write_from_table(sort, text);
        }
        let (words, rank) = (words(self.list.kind), rank(sort));
        let one = format!(
            "SELECT DISTINCT ordinal, {rank} AS rank FROM {words} WHERE word BETWEEN ? AND ?"
        );
        let every = vec![one; self.conditions.len()].join(" INTERSECT ");
        // Writing to a text cannot fail.
        _ = write!(text, "FROM ({every})");
    }

    /// All rows, with every column of the table.
    fn write_from_table(&self, sort: &Sort, text: &mut String) {
        let table = table(self.list.kind, sort);
        // Writing to a text cannot fail.
        _ = write!(text, "FROM {table}");
        for (place, condition) in self.conditions.iter().enumerate() {
            text.push_str(if place == 0 { " WHERE " } else { " AND " });
            condition.write(self.list, text);
        }
    }

    fn with_values(&self, text: String) -> Statement {
        let values = self.values();
        Statement { text, values }
    }

    fn values(&self) -> Vec<Argument> {
        let mut values = Vec::new();
        for condition in &self.conditions {
            condition.push_values(&mut values);
        }
        values
    }
}

/// An integer to bind. None is ever too large.
pub(super) fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_shown_as_the_number_that_it_stands_for() {
        for (argument, shown) in [
            (Argument::from(1990), "1990"),
            (Argument::from(i64::MAX), "9223372036854775807"),
            (Argument::new(17_500_000, 7), "1.75"),
            (Argument::new(89_950_000, 7), "8.995"),
        ] {
            assert_eq!(argument.to_string(), shown);
            assert_eq!(serde_json::to_string(&argument).unwrap(), shown);
        }
    }
}
