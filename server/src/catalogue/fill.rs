//! Filling the tables from a release: for each list, its boats or manufacturers in each order, and
//! the words of their names.
//!
//! Rows are appended a few at a time. A statement that reads and sorts a whole file is as fast, but
//! occupies a core for tens of milliseconds that requests may need.

use std::sync::Arc;

use duckdb::Connection;
use duckdb::arrow::array::{ArrayRef, Int64Array};
use duckdb::arrow::record_batch::RecordBatch;
use shared::release::reader::{ListedBoat, Listing, Measure, Pair};
use shared::release::throttle::{Throttle, throttled};

use super::tables::{CREATE_TERMS, LOCK_DOWN, Terms, create, measures, table, unit, words};
use crate::params::{BOATS, List, MANUFACTURERS, Sort};

/// Rows appended at once, in a millisecond or two. DuckDB plans a statement each time, so fewer
/// rows would take longer in all.
pub(super) const ROWS_AT_ONCE: usize = 4096;

/// The values of a column, by the row or, for [`RecordColumn`], by the ordinal.
type Values<'a> = Box<dyn Fn(usize) -> Option<i64> + 'a>;

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
            filling.append_sorted(list, sort, records, columns)?;
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
        list: &List,
        sort: &Sort,
        records: usize,
        columns: &[RecordColumn<'_>],
    ) -> duckdb::Result<()> {
        let mut ordinals = vec![0; records];
        for ordinal in throttled(0..records, self.throttle) {
            ordinals[place((sort.rank)(self.listing, ordinal))] = ordinal;
        }
        let ordinals = ordinals.as_slice();
        let mut values: Vec<Values<'_>> = vec![Box::new(|row| Some(integer(ordinals[row])))];
        for column in columns {
            values.push(Box::new(|row| (column.of)(ordinals[row])));
        }
        self.append(&table(list.kind, sort), records, &values)
    }

    /// Fills the table of the words of a list, with the ranks.
    fn append_words(&self, list: &List, pairs: &[Pair]) -> duckdb::Result<()> {
        let mut values = pair_values(pairs);
        for sort in list.sorts {
            let rank = |row: usize| (sort.rank)(self.listing, place(pairs[row].1));
            values.push(Box::new(move |row| Some(rank(row).into())));
        }
        self.append(words(list.kind), pairs.len(), &values)
    }

    fn append_terms_without_bits(&self) -> duckdb::Result<()> {
        for (terms, pairs) in boat_terms(self.listing) {
            let pairs = throttled(pairs, self.throttle).copied();
            let pairs = pairs.filter(|&(term, _)| terms.bit(term.into()).is_none());
            let pairs: Vec<Pair> = pairs.collect();
            self.append(terms.table(), pairs.len(), &pair_values(&pairs))?;
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
    let terms = terms_as_bits(listing, throttle);
    let own = [
        column("manufacturer", "INTEGER", |boat| {
            Some(boats[boat].manufacturer.into())
        }),
        column("type", "INTEGER", |boat| Some(boats[boat].boat_type.into())),
        column("unit", "TINYINT", |boat| Some(unit(boats[boat].unit))),
        column("length", "BIGINT", |boat| Some(boats[boat].length)),
        column("terms", "BIGINT", move |boat| Some(terms[boat])),
    ];
    let measured = measures().into_iter().map(|measure| {
        let sql_type = narrowest(measure, boats, throttle);
        column(measure.name, sql_type, move |boat| {
            (measure.of)(&boats[boat])
        })
    });
    own.into_iter().chain(measured).collect()
}

fn column<'a>(
    name: &'static str,
    sql_type: &'static str,
    of: impl Fn(usize) -> Option<i64> + 'a,
) -> RecordColumn<'a> {
    let of = Box::new(of);
    RecordColumn { name, sql_type, of }
}

/// The smallest type of DuckDB that holds this measure of all boats.
fn narrowest(measure: Measure, boats: &[ListedBoat], throttle: &dyn Throttle) -> &'static str {
    let sizes = throttled(boats, throttle).filter_map(measure.of);
    match sizes.map(i64::unsigned_abs).max().unwrap_or(0) {
        0..0x8000 => "SMALLINT",
        0x8000..0x8000_0000 => "INTEGER",
        _ => "BIGINT",
    }
}

/// The column `terms` of each boat, by ordinal.
fn terms_as_bits(listing: &Listing, throttle: &dyn Throttle) -> Vec<i64> {
    let mut bits = vec![0; listing.boats.len()];
    for (terms, pairs) in boat_terms(listing) {
        for &(term, ordinal) in throttled(pairs, throttle) {
            bits[place(ordinal)] |= terms.bit(term.into()).unwrap_or(0);
        }
    }
    bits
}

fn boat_terms(listing: &Listing) -> [(Terms, &[Pair]); 2] {
    [
        (Terms::Categories, &listing.boat_categories),
        (Terms::Activities, &listing.boat_activities),
    ]
}

/// Both columns of pairs.
fn pair_values(pairs: &[Pair]) -> Vec<Values<'_>> {
    vec![
        Box::new(|row| Some(pairs[row].0.into())),
        Box::new(|row| Some(pairs[row].1.into())),
    ]
}

/// These rows as an Arrow batch.
fn batch(rows: std::ops::Range<usize>, columns: &[Values<'_>]) -> RecordBatch {
    let columns = columns.iter().enumerate().map(|(column, of)| {
        let values: ArrayRef = Arc::new(rows.clone().map(of).collect::<Int64Array>());
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
