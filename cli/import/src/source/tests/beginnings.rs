//! Tests of files of which only the beginning is read.

use std::io;

use super::{FileNames, Heads, HeadsOf, Plan, ReadContext};
use super::{archive, fs, gzip, size, write};
use crate::source::files::{self, Opened};

/// A plan that reads two bytes of an image and all of a text.
fn beginnings() -> Plan {
    let mut plan = Plan::native();
    plan.groups[0].names = FileNames::Endings(&[".txt"]);
    plan.heads = Some(Heads {
        of: HeadsOf::Images,
        length: 2,
    });
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
        let take = &mut |opened: Opened<'_>| {
            let Opened::File(file, contents) = opened else {
                panic!("nothing is damaged")
            };
            let text = io::read_to_string(contents).unwrap();
            read.push(format!("{}: {text}", file.path));
            Ok(())
        };
        files::read(&exports, &mut &[][..], context, &beginnings(), take).unwrap();
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
