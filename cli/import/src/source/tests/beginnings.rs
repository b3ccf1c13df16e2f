//! Tests of files of which only the beginning is read.

use super::{FileNames, Incoming, Plan, ReadContext};
use super::{archive, fs, gzip, size, write};

/// A plan that reads two bytes of an image and all of a text.
fn beginnings() -> Plan {
    let mut plan = Plan::native();
    plan.groups[0].names = FileNames::Endings(&[".txt"]);
    plan.heads = Some(2);
    plan.descends = true;
    plan
}

#[test]
fn of_a_member_no_more_than_what_is_wanted_is_copied() {
    let directory = tempfile::tempdir().unwrap();
    let long = "photo".repeat(1000);
    let members = [
        ("./x/a.jpg", long.as_bytes()),
        ("b.jpg", b"1"),
        ("c.txt", b"text"),
    ];
    let whole = archive(&members);
    let context = ReadContext {
        temp_dir: directory.path(),
        progress: &(),
    };
    for (name, contents) in [("a.tar", &whole), ("a.tar.gz", &gzip(&whole))] {
        let exports = [write(&directory, name, contents).into()];
        let mut read = Vec::new();
        let take = &mut |incoming: Incoming<'_>| {
            let (file, contents) = match incoming {
                Incoming::Head(file, head) => (file, head),
                Incoming::Record(record) => (record.line.file.as_ref(), record.line.raw),
                other => panic!("nothing is damaged: {other:?}"),
            };
            read.push(format!("{}: {}", file.path, contents.escape_ascii()));
            Ok(())
        };
        super::read(&exports, &mut &[][..], context, &beginnings(), take).unwrap();
        assert_eq!(read, ["x/a.jpg: ph", "b.jpg: 1", "c.txt: text"], "{name}");
    }
}

#[test]
fn a_folder_is_as_large_as_what_is_wanted_of_it() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("x")).unwrap();
    write(&directory, "x/a.jpg", b"photo");
    write(&directory, "b.txt", b"text");
    let exports = [directory.path().to_owned().into()];
    assert_eq!(size(&exports, &beginnings()), Some(6));
}
