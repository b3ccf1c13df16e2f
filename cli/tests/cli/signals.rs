//! How signals affect a server, and how the variables and threads of its process do not.

use std::fs;
use std::process::Command;

use crate::admin::serve;
use crate::client::{ATTEMPTS_MAX, Client};
use crate::process::{SERVE, Server, command, import_sample, issue_key, spawn};

fn send(signal: &str, pid: u32) {
    let mut kill = spawn(Command::new("kill").args([signal, &pid.to_string()]));
    assert!(kill.wait().unwrap().success());
}

#[test]
fn a_hangup_does_nothing_but_log_a_line_and_the_other_signals_stop() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    for stopping in ["-TERM", "-INT", "-QUIT"] {
        let server = serve(data, "log", &["--admin", "off"]);
        let told = |_| {
            // A signal that arrives before the last one was handled is merged with it.
            send("-HUP", server.pid());
            let log = fs::read_to_string(data.join("log")).unwrap();
            log.contains("SIGHUP does nothing")
        };
        assert!((0..ATTEMPTS_MAX).any(told));
        assert_eq!(server.get_with("/health", "").status, 200);
        send(stopping, server.pid());
        assert!(server.ended().success(), "{stopping}");
    }
}

#[test]
fn a_hangup_does_not_end_a_draining_server_but_a_second_signal_to_stop_does() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let server = serve(data, "log", &["--admin", "off", "--drain", "5m"]);
    send("-QUIT", server.pid());
    let is_last = |_| {
        let answer = Client::connect(server.address).get_once("/health", "");
        answer.head.contains("connection: close")
    };
    assert!((0..ATTEMPTS_MAX).any(is_last));
    send("-HUP", server.pid());
    assert!(is_last(0), "it accepts still");
    send("-QUIT", server.pid());
    assert!(server.ended().success());
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
    let mut limited = Command::new("sh");
    limited
        .args(["-c", r#"ulimit -f 0 && exec "$0" "$@""#])
        .arg(serve.get_program())
        .args(serve.get_args())
        .stderr(fs::File::create(data.join("log")).unwrap());
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
