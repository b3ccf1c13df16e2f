//! How commands show tables and details: the one place that knows the table library.
//!
//! Plain aligned columns without lines, so that output reads well and is easy to cut and grep.

use comfy_table::{ContentArrangement, Table, presets};

/// A table with a heading, one line a row, columns two spaces apart.
pub fn list<const COLUMNS: usize>(
    heading: [&str; COLUMNS],
    rows: impl IntoIterator<Item = [String; COLUMNS]>,
) -> String {
    let mut table = bare();
    table.set_header(heading);
    for row in rows {
        table.add_row(row);
    }
    trimmed(&table)
}

/// What is known of one thing: a label and a value on each line.
pub fn details<'a>(lines: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let mut table = bare();
    for (label, value) in lines {
        table.add_row([label.to_owned(), value]);
    }
    trimmed(&table)
}

fn bare() -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    table
}

/// The library pads each cell on both sides: the outer blanks go.
fn trimmed(table: &Table) -> String {
    let lines = table.lines().map(|line| {
        let line = line.strip_prefix(' ').unwrap_or(&line);
        format!("{}\n", line.trim_end())
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_their_width_on_the_screen() {
        let rows = [
            ["Bénéteau".to_owned(), "1".to_owned()],
            ["船".to_owned(), "22".to_owned()],
        ];
        let expected = "NAME      N\nBénéteau  1\n船        22\n";
        assert_eq!(list(["NAME", "N"], rows), expected);
    }

    #[test]
    fn details_have_no_heading() {
        let lines = [("Id", "key_1".to_owned()), ("Expires", "never".to_owned())];
        assert_eq!(details(lines), "Id       key_1\nExpires  never\n");
    }
}
