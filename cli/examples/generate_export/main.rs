//! Writes an export of any size to standard output: to see how an import does with it.
//!
//! ```text
//! cargo run --release -p cli --example generate_export -- --boats 1000000 > export.ndjson
//! ```
//!
//! The same number and `--seed` give the same bytes. Boats have 1.5 to 4 kB and a value in every
//! field or, where it may be absent, in most; one in fifty is a draft. Everything is invented.

mod boat;
mod invent;

use std::io::{self, BufWriter, Write};

use anyhow::{Context as _, bail};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::Serialize;
use serde_json::{Value, json};

use crate::boat::{DESIGNERS, boat};
use crate::invent::{NAMES, SERIES, TERMS, TRADES, YARDS, image, maybe, pick, sentence};

const DEFAULT_BOATS: u64 = 1000;
const BOATS_PER_MANUFACTURER: u64 = 250;

/// A line: its kind first, as exports write it.
#[derive(Serialize)]
struct Record {
    kind: &'static str,
    #[serde(flatten)]
    fields: Value,
}

fn main() -> anyhow::Result<()> {
    let (mut boats, mut seed) = (DEFAULT_BOATS, 1);
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value = arguments.next().context("an option lacks its number")?;
        let value = value.parse().context("could not read a number")?;
        match option.as_str() {
            "--boats" => boats = value,
            "--seed" => seed = value,
            _ => bail!("there is no option {option}; there are --boats N and --seed N"),
        }
    }
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    write_export(boats, seed, &mut out).context("could not write the export")?;
    out.flush().context("could not write the export")
}

fn write_export(boats: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = StdRng::seed_from_u64(seed);
    let manufacturers = boats.div_ceil(BOATS_PER_MANUFACTURER).max(1);
    let terms: u64 = TERMS.iter().map(|(_, count)| count).sum();
    let counts = json!({
        "boat": boats, "manufacturer": manufacturers, "term": terms, "designer": DESIGNERS,
    });
    let about = json!({"format": "boat-catalogue/1", "counts": counts});
    write_line("catalogue", about, out)?;
    for number in 0..boats {
        write_line("boat", boat(number, manufacturers, &mut random), out)?;
    }
    for number in 0..manufacturers {
        write_line("manufacturer", manufacturer(number, &mut random), out)?;
    }
    for (vocabulary, count) in TERMS {
        for number in 0..count {
            let id = format!("{vocabulary}-{number}");
            let name = format!("{} {number}", pick(&SERIES, &mut random));
            let term = json!({"vocabulary": vocabulary, "id": id, "slug": id, "name": name});
            write_line("term", term, out)?;
        }
    }
    for number in 0..DESIGNERS {
        let website = maybe(&mut random, |_| {
            format!("https://designer-{number}.example")
        });
        let name = pick(&NAMES, &mut random);
        let id = format!("designer-{number}");
        let designer = json!({"id": id, "name": name, "website": website});
        write_line("designer", designer, out)?;
    }
    Ok(())
}

fn write_line(kind: &'static str, fields: Value, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Record { kind, fields })?;
    out.write_all(b"\n")
}

fn manufacturer(number: u64, random: &mut StdRng) -> Value {
    let name = format!("{} {}", pick(&YARDS, random), pick(&TRADES, random));
    json!({
        "id": format!("maker-{number}"),
        "slug": format!("yard-{number}"),
        "name": name,
        "website": maybe(random, |_| format!("https://yard-{number}.example")),
        "logo": maybe(random, |random| image("logo", number, random)),
        "description": maybe(random, |random| sentence(8..60, random)),
        "updatedAt": format!(
            "2026-{:02}-{:02}T{:02}:30:00Z",
            random.random_range(1..=12),
            random.random_range(1..=28),
            random.random_range(0..24)
        ),
    })
}
