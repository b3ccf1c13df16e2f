//! `catalogue serve --cors`: whose pages may read responses, from the setting to the socket.

use cli::ExitStatus;

use crate::harness::{TestCli, check};
use crate::process::{SERVE, Server, command, import_sample};

#[test]
fn origins_are_read_before_anything_is_done() {
    let mut cli = TestCli::new();
    let outcomes = [
        &["serve", "--cors", "https://boats.example/"][..],
        &["serve", "--cors", "boats.example"],
        &["serve", "--cors", "https://*.boats.example"],
        &["serve", "--cors", "*,https://boats.example"],
        &["serve", "--cors"],
    ]
    .map(|arguments| cli.run(arguments));
    for outcome in &outcomes {
        assert_eq!(outcome.status, ExitStatus::WrongUsage);
    }
    check("serve_with_bad_origins", outcomes.each_ref());
}

#[test]
fn pages_of_the_named_origins_may_read_answers() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let named = ["https://boats.example", "http://localhost:3000"];
    let mut by_flag = command(data.path(), &SERVE);
    by_flag.arg("--cors").args(named);
    let mut by_variable = command(data.path(), &SERVE);
    by_variable.env("CATALOGUE_CORS", named.join(","));
    for command in [by_flag, by_variable] {
        let server = Server::run(command);
        for origin in named {
            let answer = server.get_with("/v1/boats", &format!("Origin: {origin}\r\n"));
            assert_eq!(answer.code(), "MISSING_API_KEY");
            assert_eq!(answer.header("access-control-allow-origin"), origin);
        }
        let other = server.get_with("/health", "Origin: https://other.example\r\n");
        assert!(!other.head.contains("access-control"), "{}", other.head);
        assert!(server.stop().success());
    }
    let silent = Server::start(data.path());
    let answer = silent.get_with("/health", &format!("Origin: {}\r\n", named[0]));
    assert!(!answer.head.contains("access-control"), "{}", answer.head);
    assert!(!answer.head.contains("vary"), "{}", answer.head);
}
