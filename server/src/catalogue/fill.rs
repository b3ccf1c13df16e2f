//! Filling the tables with what a release lists.
//!
//! Rows are appended a few at a time. A statement that reads and sorts a whole file takes no longer
//! in all, but keeps a core for tens of milliseconds that requests may want.

use std::sync::Arc;

use duckdb::Connection;
use duckdb::arrow::array::{ArrayRef, Int64Array};
use duckdb::arrow::record_batch::RecordBatch;
use shared::release::pace::{Pace, paced};
use shared::release::reader::{ListedBoat, ListedManufacturer, Listing};

use super::tables::{ACTIVITY_BITS, CATEGORY_BITS, CREATE, LOCK_DOWN, NOT_ENDED, unit};

/// Rows that DuckDB takes over at once. It plans a statement each time, so fewer rows would take
/// longer in all; these take a millisecond or two.
pub(super) const ROWS_AT_ONCE: usize = 4096;

/// A connection to a database that has these tables, and that nothing leads out of.
pub(super) fn filled(listing: &Listing, pace: &dyn Pace) -> duckdb::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(LOCK_DOWN)?;
    connection.execute_batch(CREATE)?;
    // What is appended in one transaction to empty tables becomes theirs without being copied.
    connection.execute_batch("BEGIN")?;
    let filling = Filling {
        connection: &connection,
        listing,
        pace,
    };
    filling.append_boats()?;
    filling.append_words_of_boats()?;
    filling.append_terms_without_bits()?;
    filling.append_manufacturers()?;
    connection.execute_batch("COMMIT")?;
    Ok(connection)
}

/// A table, and the place of a record in its order.
type Sorted<T> = (&'static str, fn(&T) -> i32);

/// Tables that are being filled.
struct Filling<'a> {
    connection: &'a Connection,
    listing: &'a Listing,
    pace: &'a dyn Pace,
}

impl Filling<'_> {
    fn append_boats(&self) -> duckdb::Result<()> {
        let boats = &self.listing.boats;
        let terms = self.terms_as_bits();
        let orders: [Sorted<ListedBoat>; 4] = [
            ("boats_by_model", |boat| boat.model_rank),
            ("boats_by_year", |boat| boat.year_rank),
            ("boats_by_length", |boat| boat.length_rank),
            ("boats_by_manufacturer", |boat| boat.manufacturer_rank),
        ];
        for (table, rank) in orders {
            let rows = self.in_order(boats, rank).into_iter().map(|ordinal| {
                let place = place(ordinal);
                boat_row(ordinal, &boats[place], terms[place])
            });
            self.append(table, rows)?;
        }
        Ok(())
    }

    /// The column `terms` of each boat, by ordinal.
    fn terms_as_bits(&self) -> Vec<i64> {
        let mut terms = vec![0; self.listing.boats.len()];
        for (pairs, first, bits) in [
            (&self.listing.boat_categories, 0, CATEGORY_BITS),
            (&self.listing.boat_activities, CATEGORY_BITS, ACTIVITY_BITS),
        ] {
            for &(term, ordinal) in paced(pairs, self.pace) {
                let term = i64::from(term);
                if term < bits {
                    terms[place(ordinal)] |= 1 << (first + term);
                }
            }
        }
        terms
    }

    fn append_words_of_boats(&self) -> duckdb::Result<()> {
        let rows = self.listing.boat_words.iter().map(|&(word, ordinal)| {
            let boat = &self.listing.boats[place(ordinal)];
            let (model, year) = (boat.model_rank, boat.year_rank);
            let (length, manufacturer) = (boat.length_rank, boat.manufacturer_rank);
            [word, ordinal, model, year, length, manufacturer].map(i64::from)
        });
        self.append("boat_words", rows)
    }

    fn append_terms_without_bits(&self) -> duckdb::Result<()> {
        for (table, pairs, bits) in [
            (
                "boat_categories",
                &self.listing.boat_categories,
                CATEGORY_BITS,
            ),
            (
                "boat_activities",
                &self.listing.boat_activities,
                ACTIVITY_BITS,
            ),
        ] {
            let pairs = paced(pairs, self.pace);
            let rows = pairs.map(|&(term, ordinal)| [term, ordinal].map(i64::from));
            self.append(table, rows.filter(|[term, _]| bits <= *term))?;
        }
        Ok(())
    }

    fn append_manufacturers(&self) -> duckdb::Result<()> {
        let makers = &self.listing.manufacturers;
        let orders: [Sorted<ListedManufacturer>; 2] = [
            ("manufacturers_by_name", |maker| maker.name_rank),
            ("manufacturers_by_updated", |maker| maker.updated_rank),
        ];
        for (table, rank) in orders {
            let ordinals = self.in_order(makers, rank).into_iter();
            self.append(table, ordinals.map(|ordinal| [ordinal.into()]))?;
        }
        let words = self.listing.manufacturer_words.iter();
        let rows = words.map(|&(word, ordinal)| {
            let maker = &makers[place(ordinal)];
            [word, ordinal, maker.name_rank, maker.updated_rank].map(i64::from)
        });
        self.append("manufacturer_words", rows)
    }

    /// The ordinals of `records`, which have these ranks, in their order.
    fn in_order<T>(&self, records: &[T], rank: impl Fn(&T) -> i32) -> Vec<i32> {
        let mut ordinals = vec![0; records.len()];
        for (ordinal, record) in (0..).zip(paced(records, self.pace)) {
            ordinals[place(rank(record))] = ordinal;
        }
        ordinals
    }

    fn append<const COLUMNS: usize>(
        &self,
        table: &str,
        rows: impl IntoIterator<Item = [i64; COLUMNS]>,
    ) -> duckdb::Result<()> {
        let mut appender = self.connection.appender(table)?;
        let mut rows = rows.into_iter();
        loop {
            let some: Vec<_> = rows.by_ref().take(ROWS_AT_ONCE).collect();
            if some.is_empty() {
                return Ok(());
            }
            let batch = batch(&some);
            self.pace.step();
            appender.append_record_batch(batch)?;
            appender.flush()?;
            self.pace.step();
        }
    }
}

/// The row of a boat, in each of the tables of boats.
fn boat_row(ordinal: i32, boat: &ListedBoat, terms: i64) -> [i64; 8] {
    [
        ordinal.into(),
        boat.manufacturer.into(),
        boat.boat_type.into(),
        boat.first_year.into(),
        boat.last_year.map_or(NOT_ENDED, i64::from),
        unit(boat.unit),
        boat.length,
        terms,
    ]
}

/// Rows as DuckDB takes them over, column by column.
fn batch<const COLUMNS: usize>(rows: &[[i64; COLUMNS]]) -> RecordBatch {
    let columns = (0..COLUMNS).map(|column| {
        let values = rows.iter().map(|row| row[column]);
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
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
