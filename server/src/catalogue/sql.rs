//! The SQL of list queries, and the only way to make more of it. Their tables are in
//! [`super::tables`].
//!
//! Statements are put together from fixed texts; which texts is decided by enums, and every value
//! of a request is an integer that is bound. So no text of a request can reach the database.
//!
//! A statement over the columns of boats reads a page from its beginning, since there is a table
//! for each order, and DuckDB keeps the order of the one table it reads from. Where rows are found
//! by words, in a table of their own, they are sorted.

use shared::base::units::LengthRanges;

use super::tables::{ACTIVITY_BITS, CATEGORY_BITS, Sort, unit};
use crate::params::{Order, Page};

/// Pages that end up to here are found in one statement together with their total, which saves a
/// third of the time; beyond, holding the rows before the page would take longer.
const ONE_PASS_ROWS_MAX: u64 = 1000;

/// One condition on a row, with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// The boat's manufacturer has this code.
    Manufacturer(i64),
    /// The boat's type has this code.
    Type(i64),
    /// The boat has the category with this code.
    Category(i64),
    /// The boat has the activity with this code.
    Activity(i64),
    /// The boat was still built in or after this year.
    BuiltFrom(i64),
    /// The boat was first built in or before this year.
    BuiltTo(i64),
    /// The boat's physical length is admitted.
    Length(LengthRanges),
    /// Some word of the boat's model has a code within these inclusive bounds.
    BoatWord(i64, i64),
    /// Some word of the manufacturer's name has a code within these inclusive bounds.
    ManufacturerWord(i64, i64),
}

impl Condition {
    const fn is_word(&self) -> bool {
        matches!(self, Self::BoatWord(..) | Self::ManufacturerWord(..))
    }

    /// Whether the columns of the row itself decide.
    const fn is_of_columns(&self) -> bool {
        match *self {
            Self::Category(code) => code < CATEGORY_BITS,
            Self::Activity(code) => code < ACTIVITY_BITS,
            Self::BoatWord(..) | Self::ManufacturerWord(..) => false,
            _ => true,
        }
    }

    const fn text(&self) -> &'static str {
        match self {
            Self::Manufacturer(_) => "manufacturer = ?",
            Self::Type(_) => "type = ?",
            Self::Category(_) | Self::Activity(_) if self.is_of_columns() => "terms & ? <> 0",
            Self::Category(_) => "ordinal IN (SELECT ordinal FROM boat_categories WHERE term = ?)",
            Self::Activity(_) => "ordinal IN (SELECT ordinal FROM boat_activities WHERE term = ?)",
            Self::BuiltFrom(_) => "? <= last_year",
            Self::BuiltTo(_) => "first_year <= ?",
            // A third faster than the same with OR.
            Self::Length(_) => {
                "length BETWEEN ? AND ? AND NOT (unit = ? AND length NOT BETWEEN ? AND ?)"
            }
            Self::BoatWord(..) => {
                "ordinal IN (SELECT ordinal FROM boat_words WHERE word BETWEEN ? AND ?)"
            }
            Self::ManufacturerWord(..) => {
                "ordinal IN (SELECT ordinal FROM manufacturer_words WHERE word BETWEEN ? AND ?)"
            }
        }
    }

    fn push_values(&self, values: &mut Vec<i64>) {
        match self {
            &Self::Category(code) if self.is_of_columns() => values.push(bit(code)),
            &Self::Activity(code) if self.is_of_columns() => {
                values.push(bit(code) << CATEGORY_BITS);
            }
            &(Self::Manufacturer(value)
            | Self::Type(value)
            | Self::Category(value)
            | Self::Activity(value)
            | Self::BuiltFrom(value)
            | Self::BuiltTo(value)) => values.push(value),
            &(Self::BoatWord(low, high) | Self::ManufacturerWord(low, high)) => {
                values.extend([low, high]);
            }
            Self::Length(ranges) => {
                let (tolerant, exact) = (&ranges.tolerant, &ranges.exact);
                values.extend([*tolerant.start(), *tolerant.end()]);
                values.extend([unit(ranges.exact_system), *exact.start(), *exact.end()]);
            }
        }
    }
}

/// The bit of a code; none where the code is unknown.
const fn bit(code: i64) -> i64 {
    if code < 0 { 0 } else { 1 << code }
}

/// A list query: which rows, in which order.
#[derive(Clone, Debug)]
pub(super) struct ListPlan {
    /// What every row must satisfy.
    pub(super) conditions: Vec<Condition>,
    /// The order.
    pub(super) sort: Sort,
    /// Its direction.
    pub(super) order: Order,
}

/// How the rows of a plan are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AccessPath {
    /// There is no condition, so a page is at a known place of the table.
    Position,
    /// Columns of the table decide, which is read in order until the page is full.
    Table,
    /// Words decide, and their table knows the ranks; the rows are sorted.
    Words,
    /// The table decides together with others; the rows are sorted.
    Both,
}

/// A statement and the values to bind, in order.
#[derive(Debug)]
pub(super) struct Statement {
    /// Fixed texts only.
    pub(super) text: String,
    /// One value a placeholder.
    pub(super) values: Vec<i64>,
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
    /// How many rows there are, past the last page too.
    pub(super) fn total(&self) -> Statement {
        let from = self.from();
        Statement {
            text: format!("SELECT count(*) {from}"),
            values: self.values(),
        }
    }

    /// How many rows there are, and after that the ordinals of those from the first to the end of
    /// `page`. `None` where [`Self::total`] and [`Self::page`] take less time.
    pub(super) fn total_and_rows(&self, page: Page) -> Option<Statement> {
        let end = page.offset.saturating_add(u64::from(page.limit));
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
        let from = self.from();
        // There is no list of the first of no rows.
        let text = format!(
            "SELECT unnest(list_concat([count(*)], coalesce({first}(ordinal, {rank}, ?), []))) {from}"
        );
        let mut values = vec![integer(end)];
        values.extend(self.values());
        Some(Statement { text, values })
    }

    /// The ordinals of the rows of `page`, where there are `total`.
    ///
    /// A table can be read from its beginning only, and rows are sorted from the end that is nearer
    /// to the page, so they may come in reverse.
    pub(super) fn page(&self, page: Page, total: u64) -> PageStatement {
        let start = page.offset.min(total);
        let end = start.saturating_add(u64::from(page.limit)).min(total);
        let (before, after, limit) = (start, total - end, integer(end - start));
        let access_path = self.access_path();
        let is_reversed = match access_path {
            AccessPath::Position | AccessPath::Table => self.order == Order::Desc,
            AccessPath::Words | AccessPath::Both => after < before,
        };
        let skipped = integer(if is_reversed { after } else { before });
        let direction = match (self.order, is_reversed) {
            (Order::Asc, false) | (Order::Desc, true) => "ASC",
            (Order::Desc, false) | (Order::Asc, true) => "DESC",
        };
        let from = self.from();
        let mut values = self.values();
        values.extend([limit, skipped]);
        let text = match access_path {
            // As fast for the last page as for the first.
            AccessPath::Position => {
                values = vec![skipped, limit];
                format!("SELECT ordinal {from} WHERE ? <= rowid LIMIT ?")
            }
            AccessPath::Table => format!("SELECT ordinal {from} LIMIT ? OFFSET ?"),
            AccessPath::Words => {
                format!("SELECT ordinal {from} ORDER BY rank {direction} LIMIT ? OFFSET ?")
            }
            AccessPath::Both => {
                format!("SELECT ordinal {from} ORDER BY rowid {direction} LIMIT ? OFFSET ?")
            }
        };
        let statement = Statement { text, values };
        PageStatement {
            statement,
            is_reversed,
        }
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

    fn from(&self) -> String {
        let (table, words, rank) = (self.sort.table(), self.sort.words(), self.sort.rank());
        let conditions: Vec<_> = self.conditions.iter().map(Condition::text).collect();
        match self.access_path() {
            AccessPath::Position => format!("FROM {table}"),
            AccessPath::Table | AccessPath::Both => {
                format!("FROM {table} WHERE {}", conditions.join(" AND "))
            }
            AccessPath::Words => {
                let one = format!(
                    "SELECT DISTINCT ordinal, {rank} AS rank FROM {words} WHERE word BETWEEN ? AND ?"
                );
                let every = vec![one; conditions.len()].join(" INTERSECT ");
                format!("FROM ({every})")
            }
        }
    }

    fn values(&self) -> Vec<i64> {
        let mut values = Vec::new();
        for condition in &self.conditions {
            condition.push_values(&mut values);
        }
        values
    }
}

/// An integer as it is bound. None that is too large is ever asked for.
fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
