//! Files of which no more than the beginning is wanted.

use std::io;

use super::{PathBuf, ReadContext, Selection, archive, fs, gzip, size, write};
use crate::source::files::{self, Opened};

/// Wants two bytes of a photo, and the whole of everything else.
fn beginnings() -> Selection<'static> {
    let bytes_of = |path: &str| Some(if path.contains(".jpg") { 2 } else { u64::MAX });
    Selection {
        bytes_of: Box::new(bytes_of),
        descends: true,
        wanted: "any",
    }
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
        let exports: [PathBuf; 1] = [write(&directory, name, contents)];
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
    let exports = [directory.path().to_owned()];
    assert_eq!(size(&exports, &beginnings()), Some(6));
}
