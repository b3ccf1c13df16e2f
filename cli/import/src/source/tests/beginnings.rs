//! Files of which no more than the beginning is wanted.

use std::io::Read;
use std::sync::Arc;

use super::{
    Broken, ExportFile, Fault, PathBuf, Select, Surroundings, VisitFile, archive, fs, gzip, size,
    write,
};
use crate::source::files;

/// Wants two bytes of a photo, and the whole of everything else.
struct Beginnings;

impl Select for Beginnings {
    fn is_wanted(&self, _path: &str) -> bool {
        true
    }

    fn bytes_wanted(&self, path: &str) -> u64 {
        if path.contains(".jpg") { 2 } else { u64::MAX }
    }

    fn descends(&self) -> bool {
        true
    }

    fn wanted(&self) -> &'static str {
        "any"
    }
}

/// Notes what files hold.
#[derive(Default)]
struct Contents(Vec<String>);

impl VisitFile for Contents {
    fn file(
        &mut self,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> anyhow::Result<Result<(), Broken>> {
        let mut text = String::new();
        contents.read_to_string(&mut text)?;
        self.0.push(format!("{}: {text}", file.path));
        Ok(Ok(()))
    }

    fn fault(&mut self, fault: Fault) -> anyhow::Result<()> {
        self.0.push(format!("{}: {}", fault.file.path, fault.code));
        Ok(())
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
    let surroundings = Surroundings {
        temp_dir: directory.path(),
        on_bytes: &|_bytes| {},
    };
    for (name, contents) in [("a.tar", &whole), ("a.tar.gz", &gzip(&whole))] {
        let exports: [PathBuf; 1] = [write(&directory, name, contents)];
        let mut read = Contents::default();
        files::read(&exports, &mut &[][..], surroundings, &Beginnings, &mut read).unwrap();
        assert_eq!(read.0, ["x/a.jpg: ph", "b.jpg: 1", "c.txt: text"], "{name}");
    }
}

#[test]
fn a_folder_is_as_large_as_what_is_wanted_of_it() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("x")).unwrap();
    write(&directory, "x/a.jpg", b"photo");
    write(&directory, "b.txt", b"text");
    let exports = [directory.path().to_owned()];
    assert_eq!(size(&exports, &Beginnings), Some(6));
}
