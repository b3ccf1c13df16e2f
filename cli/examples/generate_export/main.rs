//! Writes an export of any size to standard output: to see how an import does with it.
//!
//! ```text
//! cargo run --release -p cli --example generate_export -- --boats 1000000 > export.ndjson
//! ```
//!
//! The same number and `--seed` give the same bytes. Boats have 1.5 to 4 kB and a value in every
//! field or, where it may be absent, in most; one in fifty is a draft. Everything is invented.

mod export;

use std::io::{self, BufWriter, Write};

use anyhow::{Context as _, bail};

use crate::export::write_export;

const DEFAULT_BOATS: u64 = 1000;

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
