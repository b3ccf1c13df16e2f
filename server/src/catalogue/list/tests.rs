//! Every way to find rows, compared with a plain loop over all of them. There are more rows than
//! DuckDB keeps in one row group, to see that their order is kept across groups.

use duckdb::Connection;
use shared::base::units::{LengthRanges, Unit};
use shared::release::Kind;
use shared::release::reader::{ListedBoat, ListedManufacturer, Listing, Measure, Pair};
use shared::release::throttle::{CountedSteps, Unthrottled};

use super::super::facets::{Counts, counts};
use super::super::fill;
use super::super::sql::{Condition, integer};
use super::super::tables::{Terms, measures};
use super::super::totals::BOUNDS;
use super::*;
use crate::params::{BOATS, List, MANUFACTURERS, Order, Sort, Vocabulary};

/// Ranks are scattered, and there are more terms than bits.
const SOURCES: &str = "
    CREATE TABLE boats_source AS SELECT i::INTEGER AS ordinal,
        (hash(i, 1) % 50)::INTEGER AS manufacturer, (hash(i, 2) % 7)::INTEGER AS type,
        (1950 + hash(i, 3) % 60)::INTEGER AS first_year,
        CASE WHEN hash(i, 4) % 3 = 0 THEN NULL ELSE first_year + (hash(i, 4) % 20)::INTEGER END
            AS last_year,
        (hash(i, 5) % 2)::INTEGER AS unit, (hash(i, 6) % 500)::BIGINT AS length,
        (row_number() OVER (ORDER BY hash(i, 7)) - 1)::INTEGER AS model_rank,
        (row_number() OVER (ORDER BY hash(i, 8)) - 1)::INTEGER AS year_rank,
        (row_number() OVER (ORDER BY hash(i, 9)) - 1)::INTEGER AS length_rank,
        (row_number() OVER (ORDER BY hash(i, 10)) - 1)::INTEGER AS manufacturer_rank
        FROM range(130000) AS boats(i);
    CREATE TABLE pairs AS SELECT DISTINCT i::INTEGER AS boat,
        (hash(i, j, 1) % 40)::INTEGER AS category, (hash(i, j, 2) % 40)::INTEGER AS activity,
        (hash(i, j, 3) % 30)::INTEGER AS word
        FROM range(130000) AS boats(i), range(2) AS pairs(j);
    CREATE TEMP VIEW manufacturers_source AS SELECT ordinal, 49 - ordinal AS name_rank,
        model_rank AS updated_rank FROM (SELECT ordinal,
        (row_number() OVER (ORDER BY model_rank) - 1)::INTEGER AS model_rank FROM boats_source
        WHERE ordinal < 50);";

const BOAT_ROWS: &str =
    "SELECT ordinal, manufacturer, type, first_year, coalesce(last_year, 9999), unit,
    length, model_rank, year_rank, length_rank, manufacturer_rank,
    (SELECT bit_or(1::BIGINT << category) FROM pairs WHERE boat = ordinal),
    (SELECT bit_or(1::BIGINT << activity) FROM pairs WHERE boat = ordinal),
    (SELECT bit_or(1::BIGINT << word) FROM pairs WHERE boat = ordinal)
    FROM boats_source ORDER BY ordinal";

const MANUFACTURER_ROWS: &str = "SELECT ordinal, name_rank, updated_rank,
    (SELECT bit_or(1::BIGINT << word) FROM pairs WHERE boat = ordinal)
    FROM manufacturers_source ORDER BY ordinal";

/// Stands for a production that has not ended.
const GOES_ON: i64 = 9999;

/// Rows of integers, with sets as bits.
type Row = Vec<i64>;

struct World {
    connection: Connection,
    listing: Listing,
    boats: Vec<Row>,
    manufacturers: Vec<Row>,
}

fn read(connection: &Connection, text: &str, columns: usize) -> Vec<Row> {
    let mut statement = connection.prepare(text).unwrap();
    let rows = statement.query_map([], |row| (0..columns).map(|at| row.get(at)).collect());
    rows.unwrap().map(Result::unwrap).collect()
}

fn listed_boat(row: &[i64]) -> ListedBoat {
    let integer = |column: usize| i32::try_from(row[column]).unwrap();
    let ranked = ListedBoat {
        model_rank: integer(7),
        year_rank: integer(8),
        length_rank: integer(9),
        manufacturer_rank: integer(10),
        // No other measure of these boats is known, so no bound finds one.
        ..ListedBoat::default()
    };
    ListedBoat {
        manufacturer: integer(1),
        boat_type: integer(2),
        first_year: row[3].try_into().unwrap(),
        last_year: (row[4] != GOES_ON).then(|| row[4].try_into().unwrap()),
        unit: [Unit::Metric, Unit::Imperial][usize::try_from(row[5]).unwrap()],
        length: row[6],
        ..ranked
    }
}

fn listed_manufacturer(row: &[i64]) -> ListedManufacturer {
    let integer = |column: usize| i32::try_from(row[column]).unwrap();
    ListedManufacturer {
        name_rank: integer(1),
        updated_rank: integer(2),
    }
}

fn pairs(connection: &Connection, column: &str, records: usize) -> Vec<Pair> {
    let text = format!("SELECT DISTINCT {column}, boat FROM pairs WHERE boat < {records}");
    let pairs = read(connection, &text, 2).into_iter();
    let pairs = pairs.map(|pair| (pair[0].try_into().unwrap(), pair[1].try_into().unwrap()));
    let mut pairs: Vec<Pair> = pairs.collect();
    pairs.sort_unstable();
    pairs
}

fn world() -> World {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(SOURCES).unwrap();
    let boats = read(&connection, BOAT_ROWS, 14);
    let manufacturers = read(&connection, MANUFACTURER_ROWS, 4);
    let listing = Listing {
        boats: boats.iter().map(|row| listed_boat(row)).collect(),
        boat_categories: pairs(&connection, "category", boats.len()),
        boat_activities: pairs(&connection, "activity", boats.len()),
        boat_words: pairs(&connection, "word", boats.len()),
        manufacturers: manufacturers
            .iter()
            .map(|row| listed_manufacturer(row))
            .collect(),
        manufacturer_words: pairs(&connection, "word", manufacturers.len()),
    };
    World {
        connection: fill::filled(&listing, &Unthrottled).unwrap(),
        listing,
        boats,
        manufacturers,
    }
}

fn index(number: i64) -> usize {
    usize::try_from(number).unwrap()
}

fn has_bit(bits: i64, range: std::ops::RangeInclusive<i64>) -> bool {
    range.into_iter().any(|bit| bits >> bit & 1 == 1)
}

impl World {
    /// A measure of a boat.
    fn value(&self, row: &Row, measure: Measure) -> Option<i64> {
        (measure.of)(&self.listing.boats[index(row[0])])
    }

    fn admits(&self, condition: &Condition, list: &List, row: &Row) -> bool {
        match condition {
            Condition::Equals("manufacturer", id) => row[1] == *id,
            Condition::Equals(_type, id) => row[2] == *id,
            Condition::AtLeast(measure, least) => self
                .value(row, *measure)
                .is_some_and(|value| *least <= value),
            Condition::AtMost(measure, most) => self
                .value(row, *measure)
                .is_some_and(|value| value <= *most),
            Condition::Length(ranges) => match (row[5], ranges.exact_system) {
                (0, Unit::Metric) | (1, Unit::Imperial) => ranges.exact.contains(&row[6]),
                _ => ranges.tolerant.contains(&row[6]),
            },
            Condition::Has(Terms::Categories, id) => 0 <= *id && has_bit(row[11], *id..=*id),
            Condition::Has(Terms::Activities, id) => 0 <= *id && has_bit(row[12], *id..=*id),
            Condition::Word(low, high) => {
                let words = if list == &BOATS { 13 } else { 3 };
                has_bit(row[words], *low..=*high)
            }
        }
    }

    fn plain(&self, plan: &ListPlan) -> Vec<i64> {
        let (all, first) = match plan.list.kind {
            Kind::Boats => (&self.boats, 7),
            Kind::Manufacturers => (&self.manufacturers, 1),
        };
        // The ranks of a row are in the order of the sorts.
        let mut sorts = plan.list.sorts.iter();
        let rank = first + sorts.position(|sort| sort.name == plan.sort.name).unwrap();
        let asked_for = |row: &&Row| {
            plan.conditions
                .iter()
                .all(|one| self.admits(one, plan.list, row))
        };
        // Ranks have no gaps: each row is put where its rank says.
        let mut ranked = vec![None; all.len()];
        for row in all.iter().filter(asked_for) {
            ranked[index(row[rank])] = Some(row[0]);
        }
        let mut rows: Vec<i64> = ranked.into_iter().flatten().collect();
        if plan.order == Order::Desc {
            rows.reverse();
        }
        rows
    }

    fn check(
        &self,
        list: &'static List,
        conditions: &[Condition],
        sort: &'static Sort,
        order: Order,
    ) {
        let plan = ListPlan {
            list,
            conditions: conditions.to_vec(),
            sort,
            order,
        };
        let all = self.plain(&plan);
        let total = all.len() as u64;
        let (counted, uncounted) = (Totals::new(&self.listing), || Totals::new(&self.listing));
        counted.remember(plan.total(), total);
        let ends = [total.saturating_sub(23), total.saturating_sub(1), total];
        let deep = [
            0,
            15,
            990,
            total / 3,
            total / 3 * 2,
            total + 5,
            u64::MAX >> 11,
        ];
        // Ascending rows are counted before at every other page, descending ones at the others.
        let is_counted = [order == Order::Asc, order == Order::Desc];
        let pages = deep.into_iter().chain(ends);
        for (offset, is_counted) in pages.zip(is_counted.into_iter().cycle()) {
            let page = Page { limit: 20, offset };
            let ask = |asked: &Statement| integers(&self.connection, asked);
            let skipped = usize::try_from(offset).unwrap();
            let expected: Vec<_> = all.iter().skip(skipped).take(20).copied().collect();
            let totals = if is_counted { &counted } else { &uncounted() };
            let found = rows(totals, &plan, page, ask).unwrap();
            assert_eq!(found, (total, expected), "{plan:?}, {page:?}, {is_counted}");
        }
    }
}

fn length(unit: Unit, exact: (i64, i64), slack: i64) -> Condition {
    Condition::Length(LengthRanges {
        exact_system: unit,
        exact: exact.0..=exact.1,
        tolerant: exact.0 - slack..=exact.1.saturating_add(slack),
    })
}

#[test]
fn every_filter_in_every_order_finds_what_a_plain_loop_finds() {
    let world = world();
    let (manufacturer, kind, is) = ("manufacturer", "type", Condition::Equals);
    let from = |year| Condition::AtLeast(Measure::LAST_YEAR, year);
    let to = |year| Condition::AtMost(Measure::FIRST_YEAR, year);
    let category = |id| Condition::Has(Terms::Categories, id);
    let activity = |id| Condition::Has(Terms::Activities, id);
    let named = Condition::Word;
    let mut boats: Vec<Vec<Condition>> = vec![
        vec![],
        vec![is(manufacturer, 7)],
        vec![is(kind, 3)],
        vec![is(kind, -1)],
        vec![category(0)],
        vec![category(31)],
        vec![category(32)],
        vec![category(39)],
        vec![category(-1)],
        vec![activity(0)],
        vec![activity(30)],
        vec![activity(31)],
        vec![activity(-1)],
        vec![from(1990)],
        vec![to(1955)],
        vec![from(1960), to(1960)],
        vec![from(2100), to(2100)],
        vec![length(Unit::Metric, (100, 120), 3)],
        vec![length(Unit::Imperial, (120, 119), 5)],
        vec![length(Unit::Imperial, (400, i64::MAX), 7)],
        vec![named(4, 9)],
        vec![named(9, 8)],
        vec![named(0, 3), named(3, 12)],
        vec![category(31), activity(30)],
        vec![category(35), activity(5)],
        vec![is(kind, 2), named(4, 9)],
        vec![is(kind, 2), category(-1)],
        vec![
            is(kind, 2),
            category(4),
            from(1980),
            length(Unit::Metric, (0, 300), 3),
        ],
    ];
    for measure in measures() {
        let value = world.value(&world.boats[77], measure).unwrap_or(0);
        boats.push(vec![Condition::AtLeast(measure, value)]);
        boats.push(vec![is(kind, 3), Condition::AtMost(measure, value)]);
        // A bound may be wider than the column.
        boats.push(vec![Condition::AtLeast(measure, i64::MAX)]);
        boats.push(vec![Condition::AtMost(measure, i64::MAX)]);
    }
    for (place, conditions) in boats.iter().enumerate() {
        let sort = |place: usize| &BOATS.sorts[place % BOATS.sorts.len()];
        world.check(&BOATS, conditions, sort(place), Order::Asc);
        world.check(&BOATS, conditions, sort(place / 2 + 1), Order::Desc);
    }
    let manufacturers = [vec![named(2, 11)], vec![named(2, 11), named(5, 20)]];
    for (list, more) in [(&BOATS, &[][..]), (&MANUFACTURERS, &manufacturers[..])] {
        for sort in list.sorts {
            for conditions in more.iter().chain([&vec![]]) {
                world.check(list, conditions, sort, Order::Asc);
                world.check(list, conditions, sort, Order::Desc);
            }
        }
    }
}

/// Whether a boat has that id of a vocabulary.
type HasId = fn(&Row, i64) -> bool;

#[test]
fn every_value_is_counted_as_a_plain_loop_counts_it_with_a_bit_and_without() {
    let world = world();
    let kinds: [(Vocabulary, HasId); 4] = [
        (Vocabulary::Manufacturers, |row, id| row[1] == id),
        (Vocabulary::Types, |row, id| row[2] == id),
        (Vocabulary::Categories, |row, id| has_bit(row[11], id..=id)),
        (Vocabulary::Activities, |row, id| has_bit(row[12], id..=id)),
    ];
    for conditions in [
        vec![],
        vec![Condition::Word(4, 9)],
        vec![
            Condition::Has(Terms::Categories, 35),
            Condition::Word(0, 20),
        ],
        vec![
            Condition::Equals("type", 3),
            Condition::Has(Terms::Activities, 30),
        ],
        vec![Condition::Equals("type", -1)],
    ] {
        let plan = ListPlan {
            list: &BOATS,
            conditions,
            sort: &BOATS.sorts[0],
            order: Order::Asc,
        };
        let rows: Vec<&Row> = world
            .plain(&plan)
            .into_iter()
            .map(|at| &world.boats[index(at)])
            .collect();
        for (vocabulary, has) in kinds {
            let counted = counts(&world.connection, &plan, vocabulary).unwrap();
            let looped =
                (0..50).map(|id| (id, rows.iter().filter(|row| has(row, id)).count() as u64));
            let looped: Counts = looped.filter(|(_, count)| 0 < *count).collect();
            assert_eq!(counted, looped, "{vocabulary:?}, {:?}", plan.conditions);
        }
    }
}

#[test]
fn thousands_of_records_are_taken_over_step_by_step() {
    let ordinals = 0..5000_i32;
    let boats = ordinals.clone().map(|ordinal| {
        let rank = i64::from(ordinal);
        listed_boat(&[rank, 0, 0, 1990, GOES_ON, 0, 1, rank, rank, rank, rank])
    });
    let pairs: Vec<Pair> = ordinals.map(|ordinal| (0, ordinal)).collect();
    let listing = Listing {
        boats: boats.collect(),
        boat_categories: pairs.clone(),
        boat_activities: pairs.clone(),
        boat_words: pairs,
        ..Listing::default()
    };
    let filling = CountedSteps::default();
    fill::filled(&listing, &filling).unwrap();
    let (pass, append) = (5000 / 128, 2 * 5000_usize.div_ceil(fill::ROWS_AT_ONCE));
    assert_eq!(filling.steps(), (8 + measures().len()) * pass + 5 * append);
}

#[test]
fn rows_are_counted_once_however_they_are_paged_and_sorted() {
    let world = world();
    let totals = Totals::new(&world.listing);
    for conditions in [
        vec![Condition::Equals("type", 3)],
        vec![Condition::Word(4, 9)],
    ] {
        let mut statements = Vec::new();
        for (sort, order, offset) in [
            (0, Order::Asc, 0),
            (0, Order::Asc, 20),
            (1, Order::Desc, 1500),
        ] {
            let plan = ListPlan {
                list: &BOATS,
                conditions: conditions.clone(),
                sort: &BOATS.sorts[sort],
                order,
            };
            let page = Page { limit: 20, offset };
            let ask = |asked: &Statement| {
                statements.push(asked.text.contains("count"));
                integers(&world.connection, asked)
            };
            rows(&totals, &plan, page, ask).unwrap();
        }
        let counts = statements.iter().filter(|counts| **counts);
        assert_eq!(counts.count(), 1, "{statements:?}");
    }
}

#[test]
fn so_many_totals_are_remembered_and_no_more() {
    let totals = Totals::new(&Listing::default());
    for value in 0..2 * BOUNDS.entries {
        let plan = ListPlan {
            list: &BOATS,
            conditions: vec![Condition::Equals("type", integer(value))],
            sort: &BOATS.sorts[0],
            order: Order::Asc,
        };
        totals.remember(plan.total(), value);
        assert_eq!(totals.known(&plan, &plan.total()), Some(value));
    }
    assert!(totals.len() <= BOUNDS.entries, "{}", totals.len());
}
