//! Tests of links, pipes and devices in a folder: whatever leads out of it is reported and never
//! read.

use std::os::unix::fs::symlink;
use std::slice;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::{
    Incoming, Path, PathBuf, Plan, ReadContext, TempDir, files, fs, read, shown, size, visit, write,
};

/// A folder with one file, next to another file and another folder.
fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("export");
    fs::create_dir_all(folder.join(".data")).unwrap();
    fs::create_dir(directory.path().join("export-old")).unwrap();
    write(&directory, "secret.ndjson", b"{secret}\n");
    write(&directory, "export-old/a.ndjson", b"{old}\n");
    write(&directory, "export/.data/b.ndjson", b"{b}\n");
    (directory, folder)
}

#[track_caller]
fn check_link(target: &str, expected: &str) {
    let (directory, folder) = place();
    let target = target.replace("[dir]", directory.path().to_str().unwrap());
    symlink(&target, folder.join("link.ndjson")).unwrap();
    let visited = visit(slice::from_ref(&folder), b"");
    assert_eq!(
        visited[0],
        format!("link.ndjson{expected}"),
        "{target}: {visited:?}"
    );
    let is_read = expected.ends_with("{b}");
    let found = files(&[folder.clone().into()], &Plan::native()).unwrap();
    assert_eq!(found.len(), usize::from(is_read), "{target}");
    assert_eq!(
        size(&[folder.into()], &Plan::native()),
        Some(if is_read { 4 } else { 0 })
    );
}

#[test]
fn a_link_is_followed_within_its_folder_only() {
    for target in [
        ".data/b.ndjson",
        "../export/.data/b.ndjson",
        "[dir]/export/.data/b.ndjson",
    ] {
        check_link(target, ":1: {b}");
    }
    for target in [
        "../secret.ndjson",
        "[dir]/secret.ndjson",
        // Its path begins like the folder's path.
        "../export-old/a.ndjson",
        "/etc/passwd",
        "/proc/self/environ",
        "/dev/zero",
        "missing.ndjson",
        "link.ndjson",
    ] {
        check_link(target, ": MEMBER_REFUSED");
    }
    for target in ["..", ".data", "/"] {
        check_link(target, ": FOLDER_SKIPPED");
    }
}

#[test]
fn a_link_to_a_link_that_leads_out_is_not_followed() {
    let (_directory, folder) = place();
    symlink("../..", folder.join(".data/up")).unwrap();
    check_within(&folder, ".data/up/secret.ndjson");
    symlink("../../secret.ndjson", folder.join(".data/out")).unwrap();
    check_within(&folder, ".data/out");
}

#[track_caller]
fn check_within(folder: &Path, target: &str) {
    let link = folder.join("link.ndjson");
    _ = fs::remove_file(&link);
    symlink(target, &link).unwrap();
    assert_eq!(
        visit(&[folder.to_owned()], b"")[0],
        "link.ndjson: MEMBER_REFUSED"
    );
}

#[test]
fn what_is_no_file_is_told_and_not_waited_for() {
    let (_directory, folder) = place();
    let pipe = folder.join("pipe.ndjson");
    mkfifo(&pipe, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
    symlink("pipe.ndjson", folder.join("q.ndjson")).unwrap();
    let expected = ["pipe.ndjson: MEMBER_REFUSED", "q.ndjson: MEMBER_REFUSED"];
    assert_eq!(visit(&[folder], b""), expected);
}

#[test]
fn a_link_to_a_folder_is_told() {
    let (_directory, folder) = place();
    symlink("../export-old", folder.join("old")).unwrap();
    symlink("../export-old", folder.join(".hidden")).unwrap();
    let visited = visit(slice::from_ref(&folder), b"");
    assert!(
        visited.contains(&"old: FOLDER_SKIPPED".to_owned()),
        "{visited:?}"
    );
    assert!(
        !visited.iter().any(|line| line.contains("hidden")),
        "{visited:?}"
    );
}

#[test]
fn what_was_typed_may_be_a_link() {
    let (directory, folder) = place();
    write(&directory, "export/a.ndjson", b"{a}\n");
    let links = ["folder", "file"].map(|name| directory.path().join(name));
    symlink(&folder, &links[0]).unwrap();
    symlink(folder.join("a.ndjson"), &links[1]).unwrap();
    symlink(".data/b.ndjson", folder.join("b.ndjson")).unwrap();
    let expected = ["a.ndjson:1: {a}", "b.ndjson:1: {b}", "file:1: {a}"];
    assert_eq!(visit(&links, b""), expected);
}

/// A plan that reads every file of lines, including those in folders within a folder.
fn everything() -> Plan {
    Plan {
        descends: true,
        ..Plan::native()
    }
}

/// Checks what is read of a folder with `a.ndjson` and `sub/secret.ndjson` if the second is
/// replaced after it was listed.
#[track_caller]
fn check_swap(swap: impl FnOnce(&Path), expected: &str) {
    let (directory, folder) = place();
    write(&directory, "export/a.ndjson", b"{a}\n");
    fs::create_dir(folder.join("sub")).unwrap();
    write(&directory, "export/sub/secret.ndjson", b"{mine}\n");
    let (mut swap, mut came) = (Some(swap), Vec::new());
    let take = &mut |incoming: Incoming<'_>| {
        came.push(match incoming {
            Incoming::Record(record) => {
                // When the first file is read, all files have been listed.
                if let Some(swap) = swap.take() {
                    swap(&folder);
                }
                let (path, text) = (&record.line.file.path, record.line.contents());
                format!("{path}: {}", text.escape_ascii())
            }
            Incoming::Finding(finding) => shown(&finding),
            other => panic!("{other:?}"),
        });
        Ok(())
    };
    let context = ReadContext {
        temp_dir: directory.path(),
        progress: &(),
    };
    let exports = [folder.clone().into()];
    read(&exports, &mut &[][..], context, &everything(), take).unwrap();
    assert_eq!(came, ["a.ndjson: {a}", expected]);
}

#[test]
fn a_file_that_leads_out_once_it_is_listed_is_not_read() {
    let file = "sub/secret.ndjson";
    check_swap(|_folder| {}, "sub/secret.ndjson: {mine}");
    for target in ["../../secret.ndjson", "/etc/passwd"] {
        let to_link = |folder: &Path| {
            fs::remove_file(folder.join(file)).unwrap();
            symlink(target, folder.join(file)).unwrap();
        };
        check_swap(to_link, "secret.ndjson: MEMBER_REFUSED");
    }
    let folder_to_link = |folder: &Path| {
        fs::remove_dir_all(folder.join("sub")).unwrap();
        symlink("..", folder.join("sub")).unwrap();
    };
    check_swap(folder_to_link, "secret.ndjson: MEMBER_REFUSED");
    let folder_itself = |folder: &Path| {
        let outside = folder.parent().unwrap();
        fs::remove_dir_all(folder).unwrap();
        fs::create_dir(outside.join("sub")).unwrap();
        fs::copy(
            outside.join("secret.ndjson"),
            outside.join("sub/secret.ndjson"),
        )
        .unwrap();
        symlink(".", folder).unwrap();
    };
    check_swap(folder_itself, "secret.ndjson: MEMBER_REFUSED");
    let to_link_within = |folder: &Path| {
        fs::remove_file(folder.join(file)).unwrap();
        symlink("../.data/b.ndjson", folder.join(file)).unwrap();
    };
    check_swap(to_link_within, "sub/secret.ndjson: {b}");
}
