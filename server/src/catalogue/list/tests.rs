//! Every way to find rows against a plain loop over all of them, with more rows than DuckDB keeps
//! in one part of a table, so that their order is seen to be kept from one part to the next.

use duckdb::Connection;
use shared::base::units::{LengthRanges, Unit};
use shared::release::pace::AtOnce;
use shared::release::reader::{ListedBoat, ListedManufacturer, Listing, Pair};

use super::super::fill;
use super::*;
use crate::params::{BoatSort, ManufacturerSort, Order};

/// Ranks are scattered, and there are more terms than bits for them.
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

const ROWS: &str =
    "SELECT ordinal, manufacturer, type, first_year, coalesce(last_year, 9999), unit,
    length, model_rank, year_rank, length_rank, manufacturer_rank,
    (SELECT bit_or(1::BIGINT << category) FROM pairs WHERE boat = ordinal),
    (SELECT bit_or(1::BIGINT << activity) FROM pairs WHERE boat = ordinal),
    (SELECT bit_or(1::BIGINT << word) FROM pairs WHERE boat = ordinal)
    FROM boats_source ORDER BY ordinal";

const MANUFACTURERS: &str = "SELECT ordinal, name_rank, updated_rank,
    (SELECT bit_or(1::BIGINT << word) FROM pairs WHERE boat = ordinal)
    FROM manufacturers_source ORDER BY ordinal";

/// Stands for a production that has not ended.
const GOES_ON: i64 = 9999;

/// Rows of integers, with sets as bits.
type Row = Vec<i64>;

struct World {
    connection: Connection,
    totals: Totals,
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
    ListedBoat {
        manufacturer: integer(1),
        boat_type: integer(2),
        first_year: row[3].try_into().unwrap(),
        last_year: (row[4] != GOES_ON).then(|| row[4].try_into().unwrap()),
        unit: [Unit::Metric, Unit::Imperial][usize::try_from(row[5]).unwrap()],
        length: row[6],
        model_rank: integer(7),
        year_rank: integer(8),
        length_rank: integer(9),
        manufacturer_rank: integer(10),
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
    let boats = read(&connection, ROWS, 14);
    let manufacturers = read(&connection, MANUFACTURERS, 4);
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
        connection: fill::filled(&listing, &AtOnce).unwrap(),
        totals: Totals::of_listing(&listing, &AtOnce),
        boats,
        manufacturers,
    }
}

fn has_bit(bits: i64, range: std::ops::RangeInclusive<i64>) -> bool {
    range.into_iter().any(|bit| bits >> bit & 1 == 1)
}

fn admits(condition: &Condition, row: &Row) -> bool {
    match condition {
        Condition::Manufacturer(code) => row[1] == *code,
        Condition::Type(code) => row[2] == *code,
        Condition::BuiltTo(year) => row[3] <= *year,
        Condition::BuiltFrom(year) => *year <= row[4],
        Condition::Length(ranges) => match (row[5], ranges.exact_system) {
            (0, Unit::Metric) | (1, Unit::Imperial) => ranges.exact.contains(&row[6]),
            _ => ranges.tolerant.contains(&row[6]),
        },
        Condition::Category(code) => 0 <= *code && has_bit(row[11], *code..=*code),
        Condition::Activity(code) => 0 <= *code && has_bit(row[12], *code..=*code),
        Condition::BoatWord(low, high) => has_bit(row[13], *low..=*high),
        Condition::ManufacturerWord(low, high) => has_bit(row[3], *low..=*high),
    }
}

impl World {
    fn plain(&self, plan: &ListPlan) -> Vec<i64> {
        let (all, rank) = match plan.sort {
            Sort::Boats(BoatSort::Model) => (&self.boats, 7),
            Sort::Boats(BoatSort::Year) => (&self.boats, 8),
            Sort::Boats(BoatSort::Length) => (&self.boats, 9),
            Sort::Boats(BoatSort::Manufacturer) => (&self.boats, 10),
            Sort::Manufacturers(ManufacturerSort::Name) => (&self.manufacturers, 1),
            Sort::Manufacturers(ManufacturerSort::UpdatedAt) => (&self.manufacturers, 2),
        };
        let asked_for = |row: &&Row| plan.conditions.iter().all(|one| admits(one, row));
        let mut rows: Vec<&Row> = all.iter().filter(asked_for).collect();
        rows.sort_by_key(|row| row[rank]);
        if plan.order == Order::Desc {
            rows.reverse();
        }
        rows.into_iter().map(|row| row[0]).collect()
    }

    fn check(&self, conditions: &[Condition], sort: Sort, order: Order) {
        let plan = ListPlan {
            conditions: conditions.to_vec(),
            sort,
            order,
        };
        let all = self.plain(&plan);
        let total = all.len() as u64;
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
        for offset in deep.into_iter().chain(ends) {
            let page = Page { limit: 20, offset };
            let ask = |asked: &Statement| integers(&self.connection, asked);
            let found = rows(&self.totals, &plan, page, ask).unwrap();
            let skipped = usize::try_from(offset).unwrap();
            let expected = all.iter().skip(skipped).take(20).copied().collect();
            assert_eq!(found, (total, expected), "{plan:?}, {page:?}");
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
    let boats: Vec<Vec<Condition>> = vec![
        vec![],
        vec![Condition::Manufacturer(7)],
        vec![Condition::Type(3)],
        vec![Condition::Type(-1)],
        vec![Condition::Category(0)],
        vec![Condition::Category(31)],
        vec![Condition::Category(32)],
        vec![Condition::Category(39)],
        vec![Condition::Category(-1)],
        vec![Condition::Activity(0)],
        vec![Condition::Activity(30)],
        vec![Condition::Activity(31)],
        vec![Condition::Activity(-1)],
        vec![Condition::BuiltFrom(1990)],
        vec![Condition::BuiltTo(1955)],
        vec![Condition::BuiltFrom(1960), Condition::BuiltTo(1960)],
        vec![Condition::BuiltFrom(2100), Condition::BuiltTo(2100)],
        vec![length(Unit::Metric, (100, 120), 3)],
        vec![length(Unit::Imperial, (120, 119), 5)],
        vec![length(Unit::Imperial, (400, i64::MAX), 7)],
        vec![Condition::BoatWord(4, 9)],
        vec![Condition::BoatWord(9, 8)],
        vec![Condition::BoatWord(0, 3), Condition::BoatWord(3, 12)],
        vec![Condition::Category(31), Condition::Activity(30)],
        vec![Condition::Category(35), Condition::Activity(5)],
        vec![Condition::Type(2), Condition::BoatWord(4, 9)],
        vec![Condition::Type(2), Condition::Category(-1)],
        vec![
            Condition::Type(2),
            Condition::Category(4),
            Condition::BuiltFrom(1980),
            length(Unit::Metric, (0, 300), 3),
        ],
    ];
    let sorts = [
        BoatSort::Model,
        BoatSort::Year,
        BoatSort::Length,
        BoatSort::Manufacturer,
    ];
    for (place, conditions) in boats.iter().enumerate() {
        let sort = |place: usize| Sort::Boats(sorts[place % sorts.len()]);
        world.check(conditions, sort(place), Order::Asc);
        world.check(conditions, sort(place / 2 + 1), Order::Desc);
    }
    for sort in sorts {
        world.check(&[], Sort::Boats(sort), Order::Asc);
        world.check(&[], Sort::Boats(sort), Order::Desc);
    }
    let manufacturers = [
        vec![],
        vec![Condition::ManufacturerWord(2, 11)],
        vec![
            Condition::ManufacturerWord(2, 11),
            Condition::ManufacturerWord(5, 20),
        ],
    ];
    for sort in [ManufacturerSort::Name, ManufacturerSort::UpdatedAt] {
        for conditions in &manufacturers {
            world.check(conditions, Sort::Manufacturers(sort), Order::Asc);
            world.check(conditions, Sort::Manufacturers(sort), Order::Desc);
        }
    }
}
