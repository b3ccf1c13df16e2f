//! Tests of archives: order, damage, hostile members.

use super::{Export, Incoming, Plan, ReadContext, check, gzip, read, visit, write, zstandard};
use crate::source::readers::tests::workbook::zipped;

/// An archive with these members, whatever their names.
pub(super) fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, contents) in members {
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(contents.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, *contents).unwrap();
    }
    builder.into_inner().unwrap()
}

#[test]
fn an_archive_is_its_files_of_lines_sorted_by_name() {
    let plain = archive(&[
        ("x/b.ndjson", b"{2}\n"),
        ("x/a.jsonl", b"{1}\n"),
        ("c.txt", b"{3}\n"),
    ]);
    let lines = ["a.jsonl:1: {1}", "b.ndjson:1: {2}"];
    check("export", &plain, &lines);
    check("export", &gzip(&plain), &lines);
    check("export", &zstandard(&plain), &lines);
    let nested = archive(&[("a.ndjson.gz", &gzip(b"{1}\n"))]);
    check("a.tar", &nested, &["a.ndjson.gz:1: {1}"]);
}

#[test]
fn a_zip_archive_is_its_files_of_lines_sorted_by_name() {
    let members: [(&str, &[u8]); 4] = [
        ("x/b.ndjson", b"{2}\n"),
        ("x/a.ndjson.gz", &gzip(b"{1}\n")),
        ("../c.ndjson", b"{3}\n"),
        ("d.txt", b"{4}\n"),
    ];
    let whole = zipped(&members);
    let lines = [
        "c.ndjson: MEMBER_REFUSED",
        "a.ndjson.gz:1: {1}",
        "b.ndjson:1: {2}",
    ];
    check("export", &whole, &lines);
    check("export.gz", &gzip(&whole), &lines);
    check("a.zip", &zipped(&[]), &["a.zip: NO_EXPORT_FILES"]);
    check(
        "a.zip",
        &whole[..whole.len() - 30],
        &["a.zip: FILE_CORRUPT"],
    );
    check(
        "a.zip",
        &zipped(&[("b.zip", &whole)]),
        &["a.zip: NO_EXPORT_FILES"],
    );
}

#[test]
fn a_zip_archive_that_unpacks_to_too_much_ends_the_import() {
    let directory = tempfile::tempdir().unwrap();
    let bomb = zipped(&[("a.ndjson", &[b' '; 2000])]);
    let export = Export::from(write(&directory, "a.zip", &bomb)).unpacking_at_most(1000);
    let context = ReadContext {
        temp_dir: directory.path(),
        progress: &(),
    };
    let read = read(
        &[export],
        &mut &[][..],
        context,
        &Plan::native(),
        &mut |_| Ok(()),
    );
    let error = format!("{:#}", read.unwrap_err());
    assert!(
        error.contains("it unpacks to more than 1000 bytes"),
        "{error}"
    );
}

#[test]
fn an_archive_in_a_folder_is_read_where_folders_in_it_are() {
    let directory = tempfile::tempdir().unwrap();
    write(&directory, "a.zip", &zipped(&[("x/a.ndjson", b"{1}\n")]));
    write(&directory, "photos.zip", &zipped(&[("a.jpg", b"")]));
    let context = ReadContext {
        temp_dir: directory.path(),
        progress: &(),
    };
    for (descends, expected) in [(false, vec!["NO_EXPORT_FILES"]), (true, vec!["{1}"])] {
        let plan = Plan {
            descends,
            ..Plan::native()
        };
        let mut found = Vec::new();
        let exports = [directory.path().to_owned().into()];
        let taken = read(&exports, &mut &[][..], context, &plan, &mut |incoming| {
            found.push(match incoming {
                Incoming::Record(record) => {
                    String::from_utf8_lossy(record.line.contents()).into_owned()
                }
                Incoming::Finding(finding) => finding.code.to_string(),
                other => panic!("{other:?}"),
            });
            Ok(())
        });
        taken.unwrap();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_line_with_the_magic_number_in_its_place_is_no_archive() {
    let line = format!("{}ustar{}\n", "x".repeat(257), "y".repeat(300));
    let shown = format!("export:1: {}", "x".repeat(20));
    check("export", line.as_bytes(), &[&shown]);
}

#[test]
fn a_cut_archive_is_a_fault() {
    let whole = archive(&[("a.ndjson", b"{1}\n"), ("b.ndjson", b"{2}\n")]);
    for length in [600, 1024, 1536, 1540, 2048] {
        let directory = tempfile::tempdir().unwrap();
        let path = write(&directory, "a.tar", &whole[..length]);
        let visited = visit(&[path], b"");
        assert_eq!(
            visited.last().unwrap(),
            "a.tar: FILE_TRUNCATED",
            "{length}: {visited:?}"
        );
    }
    let compressed = gzip(&whole);
    check(
        "a.tar.gz",
        &compressed[..compressed.len() - 4],
        &[
            "a.ndjson:1: {1}",
            "b.ndjson:1: {2}",
            "a.tar.gz: FILE_TRUNCATED",
        ],
    );
}

#[test]
fn hostile_members_are_refused() {
    check(
        "a.tar",
        &archive(&[("/abs.ndjson", b"{}\n")]),
        &["abs.ndjson: MEMBER_REFUSED"],
    );
    check(
        "a.tar",
        &archive(&[("../up.ndjson", b"{}\n")]),
        &["up.ndjson: MEMBER_REFUSED"],
    );
    let mut builder = tar::Builder::new(Vec::new());
    for kind in [tar::EntryType::Symlink, tar::EntryType::Link] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        builder
            .append_link(&mut header, "link.ndjson", "/etc/hostname")
            .unwrap();
    }
    let links = builder.into_inner().unwrap();
    check(
        "a.tar",
        &links,
        &["link.ndjson: MEMBER_REFUSED", "link.ndjson: MEMBER_REFUSED"],
    );
}

/// Its zeros would take hours to count.
#[test]
fn a_sparse_member_is_refused_without_being_expanded() {
    let mut header = tar::Header::new_gnu();
    header.set_path("sparse.ndjson").unwrap();
    header.set_entry_type(tar::EntryType::GNUSparse);
    header.set_size(4);
    let gnu = header.as_gnu_mut().unwrap();
    // A number that is too large for octal digits.
    let wide = |number: u64| {
        let mut field = [0; 12];
        field[0] = 0x80;
        field[4..].copy_from_slice(&number.to_be_bytes());
        field
    };
    gnu.realsize = wide((1 << 60) + 4);
    gnu.sparse[0].offset = wide(1 << 60);
    gnu.sparse[0].numbytes = wide(4);
    header.set_cksum();
    let mut builder = tar::Builder::new(Vec::new());
    builder.append(&header, &b"{1}\n"[..]).unwrap();
    let sparse = builder.into_inner().unwrap();
    check("a.tar", &sparse, &["sparse.ndjson: MEMBER_REFUSED"]);
}

#[test]
fn a_member_with_a_name_of_many_megabytes_is_not_held() {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_path("././@LongLink").unwrap();
    let name = vec![b'a'; 3 * 1024 * 1024];
    header.set_size(name.len() as u64);
    header.set_cksum();
    let mut builder = tar::Builder::new(Vec::new());
    builder.append(&header, name.as_slice()).unwrap();
    check(
        "a.tar.gz",
        &gzip(&builder.into_inner().unwrap()),
        &["a.tar.gz: FILE_CORRUPT"],
    );
}
