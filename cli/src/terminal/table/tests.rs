//! Tables as they appear on the screen.

use unicode_width::UnicodeWidthStr;

use super::*;

/// A table whose rows have as many cells as it has columns.
fn list<const COLUMNS: usize>(
    columns: [impl Into<Column>; COLUMNS],
    rows: impl IntoIterator<Item = [impl Into<Cell>; COLUMNS]>,
    terminal: Terminal,
) -> String {
    let columns: [Column; COLUMNS] = columns.map(Into::into);
    let rows = rows.into_iter().map(|row| row.map(Into::into).into());
    table(&columns, &rows.collect::<Vec<_>>(), terminal)
}

fn at(columns: usize) -> Terminal {
    Terminal {
        out: true,
        columns: Some(columns),
        ..Terminal::default()
    }
}

#[test]
fn columns_are_aligned_by_their_width_on_the_screen() {
    let rows = [
        ["Bénéteau".to_owned(), "1".to_owned()],
        ["船".to_owned(), "22".to_owned()],
    ];
    let expected = "NAME      N\nBénéteau  1\n船        22\n";
    assert_eq!(list(["NAME", "N"], rows, Terminal::default()), expected);
}

#[test]
fn details_have_no_heading() {
    let lines = [("Id", "key_1".to_owned()), ("Expires", "never".to_owned())];
    let expected = "Id       key_1\nExpires  never\n";
    assert_eq!(details(lines, Terminal::default()), expected);
}

fn wide(terminal: Terminal) -> String {
    let columns = [
        "PREFIX".into(),
        Column::spare(1, "ID"),
        Column::wrapped("NAME"),
        Column::spare(2, "SCOPES"),
    ];
    let row = [
        "boat_live_1",
        "key_1234567890",
        "a name of five words",
        "boats.read",
    ];
    list(columns, [row.map(str::to_owned)], terminal)
}

#[test]
fn a_table_is_broken_and_loses_spare_columns_only_where_a_terminal_is_too_narrow() {
    let whole = "\
PREFIX       ID              NAME                  SCOPES
boat_live_1  key_1234567890  a name of five words  boats.read
";
    assert_eq!(wide(Terminal::default()), whole);
    assert_eq!(wide(at(61)), whole);
    let broken = "\
PREFIX       ID              NAME              SCOPES
boat_live_1  key_1234567890  a name of five    boats.read
                             words
";
    assert_eq!(wide(at(57)), broken);
    let without_id = "\
PREFIX       NAME          SCOPES
boat_live_1  a name of     boats.read
             five words
(a wider terminal, or --json, shows
 ID too)
";
    assert_eq!(wide(at(37)), without_id);
    let narrowest = "\
PREFIX       NAME
boat_live_1  a name of
             five words
(a wider terminal,
 or --json, shows
 ID, SCOPES too)
";
    assert_eq!(wide(at(20)), narrowest);
}

#[test]
fn no_line_is_wider_than_the_terminal_as_long_as_it_can_be_helped() {
    for columns in 36..120 {
        let text = wide(at(columns));
        let table = text.lines().take_while(|line| !line.starts_with('('));
        for line in table {
            assert!(line.width() <= columns, "{columns}: {text}");
        }
    }
}

#[test]
fn a_cell_has_its_colour_only_where_colour_is_welcome() {
    let shown = |terminal| list(["STATE"], [[Cell::new("damaged", Style::Bad)]], terminal);
    assert_eq!(shown(Terminal::default()), "STATE\ndamaged\n");
    let colour = Terminal {
        out_colour: true,
        ..at(80)
    };
    assert!(
        shown(colour).contains("\u{1b}[38;5;1mdamaged"),
        "{:?}",
        shown(colour)
    );
}
