//! Filling the tables from a release: for each list, its boats or manufacturers in each order, and
//! the words of their names.
//!
//! Rows are appended a few at a time. A statement that reads and sorts a whole file is as fast, but
//! occupies a core for tens of milliseconds that requests may need.

use std::sync::Arc;

use duckdb::Connection;
use duckdb::arrow::array::{ArrayRef, Int64Array};
use duckdb::arrow::record_batch::RecordBatch;
use shared::release::reader::{Listing, Pair};
use shared::release::throttle::{Throttle, throttled};

use super::tables::{ACTIVITY_BITS, CATEGORY_BITS, CREATE_TERMS, LOCK_DOWN, columns, create, unit};
use crate::params::{BOATS, List, MANUFACTURERS, Sort};

/// Rows appended at once, in a millisecond or two. DuckDB plans a statement each time, so fewer
/// rows would take longer in all.
pub(super) const ROWS_AT_ONCE: usize = 4096;

/// The values of a column, by the row or, for [`RecordColumn`], by the ordinal.
type Values<'a> = Box<dyn Fn(usize) -> i64 + 'a>;

/// A column of the sorted tables of a list.
struct RecordColumn<'a> {
    name: &'static str,
    sql_type: &'static str,
    of: Values<'a>,
}

/// A connection to a database that has these tables and is locked down.
pub(super) fn filled(listing: &Listing, throttle: &dyn Throttle) -> duckdb::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(LOCK_DOWN)?;
    let filling = Filling {
        connection: &connection,
        listing,
        throttle,
    };
    let boats = boat_columns(listing, throttle);
    let lists = [
        (&BOATS, boats.as_slice(), listing.boats.len()),
        (&MANUFACTURERS, &[], listing.manufacturers.len()),
    ];
    for (list, columns, _records) in lists {
        let columns = columns.iter();
        let columns: Vec<_> = columns.map(|one| (one.name, one.sql_type)).collect();
        connection.execute_batch(&create(list, &columns))?;
    }
    connection.execute_batch(CREATE_TERMS)?;
    // Rows appended to empty tables in one transaction are not copied.
    connection.execute_batch("BEGIN")?;
    for (list, columns, records) in lists {
        for sort in list.sorts {
            filling.append_sorted(sort, records, columns)?;
        }
    }
    filling.append_words(&BOATS, &listing.boat_words)?;
    filling.append_words(&MANUFACTURERS, &listing.manufacturer_words)?;
    filling.append_terms_without_bits()?;
    connection.execute_batch("COMMIT")?;
    Ok(connection)
}

/// Tables that are being filled.
struct Filling<'a> {
    connection: &'a Connection,
    listing: &'a Listing,
    throttle: &'a dyn Throttle,
}

impl Filling<'_> {
    /// Fills the table of a sort.
    fn append_sorted(
        &self,
        sort: &Sort,
        records: usize,
        columns: &[RecordColumn<'_>],
    ) -> duckdb::Result<()> {
        let mut ordinals = vec![0; records];
        for ordinal in throttled(0..records, self.throttle) {
            ordinals[place((sort.of)(self.listing, ordinal))] = ordinal;
        }
        let ordinals = ordinals.as_slice();
        let mut values: Vec<Values<'_>> = vec![Box::new(|row| integer(ordinals[row]))];
        for column in columns {
            values.push(Box::new(|row| (column.of)(ordinals[row])));
        }
        self.append(sort.table, records, &values)
    }

    /// Fills the table of the words of a list, with the ranks.
    fn append_words(&self, list: &List, words: &[Pair]) -> duckdb::Result<()> {
        let mut values = pair_values(words);
        for sort in list.sorts {
            let rank = |row: usize| (sort.of)(self.listing, place(words[row].1));
            values.push(Box::new(move |row| rank(row).into()));
        }
        self.append(list.words, words.len(), &values)
    }

    fn append_terms_without_bits(&self) -> duckdb::Result<()> {
        let Listing {
            boat_categories,
            boat_activities,
            ..
        } = self.listing;
        for (table, pairs, bits) in [
            ("boat_categories", boat_categories, CATEGORY_BITS),
            ("boat_activities", boat_activities, ACTIVITY_BITS),
        ] {
            let pairs = throttled(pairs, self.throttle).copied();
            let pairs: Vec<Pair> = pairs.filter(|&(term, _)| bits <= term.into()).collect();
            self.append(table, pairs.len(), &pair_values(&pairs))?;
        }
        Ok(())
    }

    /// Appends `rows` rows.
    fn append(&self, table: &str, rows: usize, columns: &[Values<'_>]) -> duckdb::Result<()> {
        let mut appender = self.connection.appender(table)?;
        for start in (0..rows).step_by(ROWS_AT_ONCE) {
            let batch = batch(start..rows.min(start + ROWS_AT_ONCE), columns);
            self.throttle.step();
            appender.append_record_batch(batch)?;
            appender.flush()?;
            self.throttle.step();
        }
        Ok(())
    }
}

/// The columns of boats besides the ordinal.
fn boat_columns<'a>(listing: &'a Listing, throttle: &dyn Throttle) -> Vec<RecordColumn<'a>> {
    let boats = &listing.boats;
    let compared = columns().into_iter().map(|column| RecordColumn {
        name: column.name,
        sql_type: column.sql_type,
        of: Box::new(move |boat| (column.of)(&boats[boat])),
    });
    let terms = terms_as_bits(listing, throttle);
    let others = [
        RecordColumn {
            name: "unit",
            sql_type: "TINYINT",
            of: Box::new(|boat| unit(boats[boat].unit)),
        },
        RecordColumn {
            name: "length",
            sql_type: "BIGINT",
            of: Box::new(|boat| boats[boat].length),
        },
        RecordColumn {
            name: "terms",
            sql_type: "BIGINT",
            of: Box::new(move |boat| terms[boat]),
        },
    ];
    compared.chain(others).collect()
}

/// The column `terms` of each boat, by ordinal.
fn terms_as_bits(listing: &Listing, throttle: &dyn Throttle) -> Vec<i64> {
    let mut terms = vec![0; listing.boats.len()];
    for (pairs, first, bits) in [
        (&listing.boat_categories, 0, CATEGORY_BITS),
        (&listing.boat_activities, CATEGORY_BITS, ACTIVITY_BITS),
    ] {
        for &(term, ordinal) in throttled(pairs, throttle) {
            let term = i64::from(term);
            if term < bits {
                terms[place(ordinal)] |= 1 << (first + term);
            }
        }
    }
    terms
}

/// Both columns of pairs.
fn pair_values(pairs: &[Pair]) -> Vec<Values<'_>> {
    vec![
        Box::new(|row| pairs[row].0.into()),
        Box::new(|row| pairs[row].1.into()),
    ]
}

/// These rows as an Arrow batch.
fn batch(rows: std::ops::Range<usize>, columns: &[Values<'_>]) -> RecordBatch {
    let columns = columns.iter().enumerate().map(|(column, of)| {
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.clone().map(of)));
        (column.to_string(), values)
    });
    RecordBatch::try_from_iter(columns)
        .unwrap_or_else(|error| unreachable!("all columns have one length: {error}"))
}

/// An ordinal or a rank as an index.
fn place(number: i32) -> usize {
    let place = usize::try_from(number);
    place.unwrap_or_else(|_| unreachable!("what is listed is checked when it is read"))
}

/// An index as a value for DuckDB.
fn integer(index: usize) -> i64 {
    i64::try_from(index).unwrap_or_else(|_| unreachable!("a release has ordinals of 32 bits"))
}
