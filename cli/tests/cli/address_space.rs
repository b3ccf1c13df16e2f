//! A command that may map too little says so, and does not end by a signal later.

use std::fmt::Write;

use crate::harness::assert_snapshot;
use crate::process::{SERVE, after, command};

#[test]
fn a_command_with_many_threads_refuses_a_small_address_space() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let export = fixture!("sample");
    let mut shown = String::new();
    for args in [
        &["import", export][..],
        &["validate", export],
        &SERVE,
        &["demo"],
    ] {
        // Enough to begin, and less than any machine needs.
        let mut limited = after("ulimit -v 2097152", &command(&data, args));
        let ended = limited.output().unwrap();
        let status = ended.status.code().unwrap();
        let error = String::from_utf8(ended.stderr).unwrap();
        writeln!(shown, "catalogue {}: {status}\n{error}", args[0]).unwrap();
    }
    let cores = std::thread::available_parallelism().unwrap().get();
    let of_machine = format!("may map {} GiB", 1 + 3 * cores);
    let shown = shown.replace(&of_machine, "may map [N] GiB");
    assert_snapshot("served__address_space", &shown);
}
