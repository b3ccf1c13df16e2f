//! Tests that the steps for folders and archives grow linearly with their members, not
//! quadratically.

use std::fs::File;
use std::io::Write as _;

use super::{Incoming, Path, Plan, ProgressListener, ReadContext, archive, fs, read};
use crate::steps::{check_each, count};

/// Counts the bytes read.
struct Bytes;

impl ProgressListener for Bytes {
    fn advance(&self, bytes: u64) {
        count(usize::try_from(bytes).unwrap());
    }
}

/// Checks how many lookups in the plan and how many bytes each of many members takes.
#[track_caller]
fn check_members(each: usize, what: &str, make: impl Fn(&Path, usize)) {
    check_each(each, what, |members| {
        let directory = tempfile::tempdir().unwrap();
        let export = directory.path().join("export");
        make(&export, members);
        let mut came = 0;
        let context = ReadContext {
            temp_dir: directory.path(),
            progress: &Bytes,
        };
        let exports = [export.into()];
        let take = &mut |_incoming: Incoming<'_>| {
            came += 1;
            Ok(())
        };
        read(&exports, &mut &[][..], context, &Plan::native(), take).unwrap();
        assert!(members <= came, "{what}");
    });
}

#[test]
fn a_member_is_asked_about_once_and_read_once() {
    let line = b"{}\n";
    check_members(1 + line.len(), "files of a folder", |export, members| {
        fs::create_dir(export).unwrap();
        for member in 0..members {
            let file = File::create(export.join(format!("{member}.ndjson")));
            file.unwrap().write_all(line).unwrap();
        }
    });
    // One lookup for the folder, and one for its contents.
    check_members(2, "folders of a folder", |export, members| {
        for member in 0..members {
            let folder = export.join(member.to_string());
            fs::create_dir_all(&folder).unwrap();
            File::create(folder.join("a.ndjson")).unwrap();
        }
    });
    // The header and the contents are blocks of 512 bytes.
    check_members(1 + 2 * 512, "members of an archive", |export, members| {
        let names: Vec<String> = (0..members).map(|it| format!("{it}.ndjson")).collect();
        let members: Vec<_> = names
            .iter()
            .map(|name| (name.as_str(), &line[..]))
            .collect();
        let mut file = File::create(export).unwrap();
        file.write_all(&archive(&members)).unwrap();
    });
}
