//! Drafts for tables that do not begin with their header, and for folders of one record a file.

use super::*;
use crate::source::readers::tests::workbook::{sheet, workbook};

/// The lines of a draft about where its records are, without the pattern of the files.
fn source(suggestion: &Suggestion) -> Vec<&str> {
    let section = suggestion.text.split("[[sources]]\n").nth(1).unwrap();
    let lines = section.lines().take_while(|line| !line.is_empty());
    lines.filter(|line| !line.starts_with("files")).collect()
}

const BOATS: &str =
    "Ref;Builder;Model;Type;Year;LOA (m)\n1;Nord;Sum;Sail;1999;11,9\n2;Nord;Ur;Sail;2004;9,5\n";

#[test]
fn the_row_that_names_the_columns_is_found_below_titles_and_told() {
    let plain = suggested("boats.csv", BOATS).unwrap();
    let draft = boat_lines(&plain);
    assert_eq!(source(&plain), ["reader = \"csv\""]);
    for (titles, header) in [
        ("sep=;\n", None),
        ("Stock list, November, 2026\n\n", Some(3)),
        ("Stock list;;;;;\nAs of;2026-11-01;;;;\n", Some(3)),
        ("sep=;\nOur boats\n", Some(2)),
        ("Boat;;;Details;;\n", Some(2)),
    ] {
        let titled = suggested("boats.csv", format!("{titles}{BOATS}")).unwrap();
        assert_eq!(boat_lines(&titled), draft, "{titles}");
        let line = header.map(|header| format!("header = {header}"));
        let expected = ["reader = \"csv\"".to_owned()].into_iter().chain(line);
        assert_eq!(source(&titled), expected.collect::<Vec<_>>(), "{titles}");
        let told =
            header.map(|row| format!("row {row} names the columns; nothing above it is read"));
        assert_eq!(decision(&titled, "header"), told.unwrap_or_default());
        assert_eq!(titled.errors, 0);
    }
}

#[test]
fn a_header_may_end_in_a_delimiter_or_begin_with_the_column_of_an_index() {
    let plain = suggested("boats.csv", BOATS).unwrap();
    for (before, after) in [("", ";"), (";", ""), ("", ";;")] {
        let lines = BOATS.lines().enumerate();
        let lines = lines.map(|(number, line)| match (number, before) {
            (0, before) => format!("{before}{line}{after}\n"),
            (_, "") => format!("{line}{after}\n"),
            (number, _) => format!("{number};{line}{after}\n"),
        });
        let suggestion = suggested("boats.csv", lines.collect::<String>()).unwrap();
        assert_eq!(boat_lines(&suggestion)[..3], boat_lines(&plain)[..3]);
        assert_eq!(
            (source(&suggestion), suggestion.errors),
            (source(&plain), 0)
        );
    }
}

#[test]
fn the_first_boat_of_a_table_without_a_header_is_not_taken_for_names() {
    for rows in [
        "b1,Werft,31,Sailing,1978,9.45\nb2,Werft,40,Sailing,1999,12.1\n",
        "Aria 31,45000,31,1978,Sweden,\nBora 40,90000,40,1999,France,\n",
    ] {
        let suggestion = suggested("boats.csv", rows).unwrap();
        let columns = "columns = [\"column 1\", \"column 2\", \"column 3\", \"column 4\", \"column 5\", \"column 6\"]";
        assert_eq!(source(&suggestion), ["reader = \"csv\"", columns]);
        let told = decision(&suggestion, "columns");
        assert!(told.starts_with("no row looks like names"), "{told}");
    }
}

#[test]
fn rows_that_do_not_fit_the_header_are_told_with_the_first() {
    let suggestion =
        suggested("boats.csv", format!("{BOATS}3;Nord;Eta;Sail;1999;9,5;x\n")).unwrap();
    assert_eq!(
        decision(&suggestion, "rows"),
        "1 row is no record; the first: row 4: the row has 7 cells, and the header 6"
    );
    let none = suggested(
        "boats.csv",
        "Ref;Builder;Model;Type\n1;Nord;Sum;Sail;x\n2;Nord;Sum\n",
    );
    let none = none.unwrap();
    assert_eq!(
        decision(&none, "rows"),
        "2 rows are no record; the first: row 2: the row has 5 cells, and the header 4"
    );
    assert!(none.text.contains("model = \".Model\"\n"), "{}", none.text);
}

#[test]
fn pages_of_one_list_are_read_together() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let mut file = std::fs::File::create(directory.path().join(name)).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    };
    let page = |name: &str, more: &str| {
        let boat = format!(r#"{{"id":"{name}","model":"Sum","maker":"Nord","loa":9.5}}"#);
        write(name, &format!(r#"{{"data":[{boat}]{more}}}"#));
    };
    page("p1.json", r#","included":[{"name":"Nord"}]"#);
    page("p2.json", "");
    page("p10.json", "");
    let exports = [Export::from(directory.path().to_owned())];
    let read = || suggest(&exports, directory.path(), now()).unwrap();
    let pages = read();
    assert_eq!(
        source(&pages),
        ["reader = \"json\"", "records = [\"data\"]"]
    );
    assert!(
        pages.text.contains("files = [\"**/p*.json\"]\n"),
        "{}",
        pages.text
    );
    assert_eq!(pages.other_files, [""; 0]);
    write(
        "prices.json",
        r#"{"data":[{"euros":1,"of":"p1.json","vat":20}]}"#,
    );
    assert_eq!(read().other_files.len(), 3);
}

#[test]
fn files_of_one_record_each_are_one_list() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let mut file = std::fs::File::create(directory.path().join(name)).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    };
    for folder in ["boats", "pages"] {
        std::fs::create_dir(directory.path().join(folder)).unwrap();
    }
    for number in 1..4 {
        write(
            &format!("boats/{number}.json"),
            format!(
                r#"{{"id":"b{number}","model":"Sum {number}","maker":"Nord","type":"Sail","year":1999,"loa":9.{number},"designers":[{{"name":"Anna"}}]}}"#
            ),
        );
    }
    write(
        "pages/about.json",
        r#"{"title":"About","body":"We build boats."}"#.to_owned(),
    );
    let exports = [Export::from(directory.path().to_owned())];
    let suggestion = suggest(&exports, directory.path(), now()).unwrap();
    assert!(
        suggestion.text.contains("files = [\"**/boats/*.json\"]\n"),
        "{}",
        suggestion.text
    );
    assert_eq!(source(&suggestion), ["reader = \"json\""]);
    assert_eq!(suggestion.errors, 0);
    assert!(
        suggestion
            .recognised
            .file
            .ends_with("boats/1.json, and 2 others")
    );
}

#[test]
fn bars_between_cells_are_read_where_no_other_delimiter_is() {
    let plain = suggested("boats.csv", BOATS).unwrap();
    let bars = BOATS.replace(';', "|");
    let suggestion = suggested("boats.csv", bars).unwrap();
    assert_eq!(boat_lines(&suggestion), boat_lines(&plain));
    assert_eq!(
        (source(&suggestion), suggestion.errors),
        (source(&plain), 0)
    );
    let lists = "id,photos\n1,a|b|c|d\n2,a|b|c|d\n";
    let suggestion = suggested("boats.csv", lists).unwrap();
    assert_eq!(suggestion.keys.map(|(keys, _)| keys), Some(2));
}

#[test]
fn a_header_with_one_delimiter_more_than_its_rows_is_read_and_told() {
    let plain = suggested("boats.csv", BOATS).unwrap();
    let more = BOATS.replacen('\n', ";\n", 1);
    let suggestion = suggested("boats.csv", more).unwrap();
    assert_eq!(boat_lines(&suggestion), boat_lines(&plain));
    assert_eq!(suggestion.errors, 0);
    assert_eq!(
        decision(&suggestion, "header"),
        "it ends in a delimiter that its rows do not have: a column without a name"
    );
}

#[test]
fn rows_with_hardly_any_value_are_named() {
    let total = format!("{BOATS};;;;;21,4\nSold;;;;;\n");
    let suggestion = suggested("boats.csv", total).unwrap();
    assert_eq!(
        decision(&suggestion, "rows"),
        "row 4 is the first of 2 rows with hardly any value: a title or a total is no boat"
    );
}

#[test]
fn a_hidden_sheet_is_read_only_where_no_other_has_boats_and_not_before_it_is_decided() {
    let rows = [
        "A1=id|B1=maker|C1=model|D1=loa",
        "A2=b1|B2=Nord|C2=M1|D2=9.8",
    ];
    let boats = sheet(&rows);
    let hidden = "Old\" state=\"hidden";
    let both = workbook(&[(hidden, &boats), ("New", &boats)]);
    let both = suggested("a.xlsx", both).unwrap();
    assert_eq!(decision(&both, "sheet"), "New; not read: Old (hidden)");
    assert!(!both.is_open, "{}", both.text);
    let one = suggested("a.xlsx", workbook(&[(hidden, &boats)])).unwrap();
    assert!(one.is_open, "{}", one.text);
    assert!(one.text.contains("\"Old\" = \"?\""), "{}", one.text);
}

#[test]
fn texts_that_a_workbook_has_as_numbers_are_read_as_texts() {
    let rows = [
        "A1=Ref|B1=Builder|C1=Model|D1=Type|E1=Year|F1=LOA (m)|G1=Last modified",
        r#"A2=1|B2=Nord|<c r="C2"><v>30</v></c>|D2=Sail|E2=1999|F2=9.5|G2=2026-10-01"#,
        "A3=2|B3=Nord|C3=31 S|D3=Sail|E3=2001|F3=9.9|G3=2026-10-02T12:30:00",
    ];
    let file = workbook(&[("Boats", &sheet(&rows))]);
    let suggestion = suggested("boats.xlsx", file).unwrap();
    assert!(
        suggestion.text.contains("model = \".Model | text\"\n"),
        "{}",
        suggestion.text
    );
    assert_eq!(suggestion.errors, 0);
    insta::assert_snapshot!(decision(&suggestion, "updatedAt"), @r##"the same for every record, as ."Last modified" (2026-10-01) is of no zone: `(."Last modified" | values | (. + "T00:00:00")[:19] | time("%Y-%m-%dT%H:%M:%S"; "UTC")) // $updated_at` reads it as of UTC"##);
}

#[test]
fn files_that_are_empty_or_damaged_are_named() {
    let empty = suggested("boats.csv", "").unwrap_err().to_string();
    assert!(empty.ends_with("boats.csv is empty"), "{empty}");
    let cut = suggested("boats.json", "[{\"id\":1},").unwrap();
    let told = decision(&cut, "files");
    assert!(told.contains("boats.json: "), "{told}");
    let file = workbook(&[("Boats", &sheet(&["A1=id", "A2=b1"]))]);
    let error = suggested("boats.xlsx", &file[..file.len() - 30])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("it is cut or lacks a part: save it again"),
        "{error}"
    );
    let directory = tempfile::tempdir().unwrap();
    for name in ["a.json", "b.json"] {
        let mut file = std::fs::File::create(directory.path().join(name)).unwrap();
        std::io::Write::write_all(&mut file, b"[{\"id\":").unwrap();
    }
    let exports = [Export::from(directory.path().to_owned())];
    let error = suggest(&exports, directory.path(), now())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("a.json: ") && error.ends_with("; the first of 2 files"),
        "{error}"
    );
}

#[test]
fn numbers_of_our_own_export_may_come_back_with_commas() {
    let header =
        "id,slug,manufacturer.id,type.id,production.firstYear,lengthOverall,lengthOverallMetres";
    for (row, expected) in [
        (
            "b1,b1,nord,sail,1999,9.5,9.5",
            "lengthOverall = \".lengthOverall | json\"\n",
        ),
        (
            "b1,b1,nord,sail,1999,\"9,5\",\"9,5\"",
            "lengthOverall = '.lengthOverall | number(\",\")'\n",
        ),
    ] {
        let suggestion = suggested("boats.csv", format!("{header}\n{row}\n")).unwrap();
        assert!(suggestion.text.contains(expected), "{}", suggestion.text);
    }
}
