//! How signals affect a server, and how the variables and threads of its process do not.

use std::fs;

use nix::sys::signal::Signal;

use crate::admin::serve;
use crate::client::Client;
use crate::process::{SERVE, Server, after, command, import_sample, issue_key, send};
use crate::wait::wait_until;

#[test]
fn a_hangup_does_nothing_but_log_a_line_and_the_other_signals_stop() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    for stopping in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGQUIT] {
        let server = serve(data, "log", &["--admin", "off"]);
        send(Signal::SIGHUP, server.pid());
        wait_until("the line of SIGHUP in the log", || {
            let log = fs::read_to_string(data.join("log")).unwrap();
            log.contains("SIGHUP does nothing")
        });
        assert_eq!(server.get_with("/health", "").status, 200);
        send(stopping, server.pid());
        assert!(server.ended().success(), "{stopping}");
    }
}

#[test]
fn a_file_that_may_not_grow_does_not_end_a_server() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let serve = command(
        data,
        &["serve", "--listen", "127.0.0.1:0", "--admin", "off"],
    );
    let mut limited = after("ulimit -f 0", &serve);
    limited.stderr(fs::File::create(data.join("log")).unwrap());
    let server = Server::run(limited);
    for _ in 0..3 {
        assert_eq!(server.get_with("/health", "").status, 200);
    }
    assert!(server.stop().success());
}

#[test]
fn a_server_has_all_its_threads_when_it_listens_whatever_the_environment_says_of_them() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let key = issue_key(data);
    for threads in ["0", "rubbish", "-1"] {
        let mut serve = command(data, &SERVE);
        serve.env("TOKIO_WORKER_THREADS", threads);
        let server = Server::run(serve);
        let task = format!("/proc/{}/task", server.pid());
        let before = fs::read_dir(&task).unwrap().count();
        let mut client = Client::connect(server.address);
        for limit in 1..100 {
            let headers = format!("Authorization: Bearer {key}\r\n");
            let list = format!("/v1/boats?limit={limit}");
            assert_eq!(client.get_with(&list, &headers).status, 200);
        }
        assert_eq!(fs::read_dir(&task).unwrap().count(), before);
        assert!(server.stop().success());
    }
}
