//! `catalogue serve --rate-limit-draft`: limits in the form of an IETF draft, from the setting to
//! the socket.

use cli::ExitStatus;

use crate::harness::{TestCli, check};
use crate::process::{SERVE, Server, command, import_sample, issue_key_with};

#[test]
fn it_is_on_or_off() {
    let mut cli = TestCli::new();
    let outcome = cli.run(&["serve", "--rate-limit-draft", "maybe"]);
    assert_eq!(outcome.status, ExitStatus::WrongUsage);
    check("serve_with_bad_rate_limit_draft", [&outcome]);
}

#[test]
fn answers_show_it_where_the_variable_says_so() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let key = issue_key_with(
        data.path(),
        &["--rate-limit", "10", "--scope", "boats.read"],
    );
    let mut by_variable = command(data.path(), &SERVE);
    by_variable.env("CATALOGUE_RATE_LIMIT_DRAFT", "on");
    let without = command(data.path(), &SERVE);
    for (command, is_shown) in [(by_variable, true), (without, false)] {
        let server = Server::run(command);
        let answer = server.get_with("/v1/boats", &format!("Authorization: Bearer {key}\r\n"));
        assert_eq!(answer.header("x-ratelimit-remaining"), "9");
        let policy = "ratelimit-policy: \"minute\";q=10;w=60, \"month\";q=999999999999999\r\n";
        let state = "ratelimit: \"minute\";r=9;t=60, \"month\";r=";
        for line in [policy, state] {
            assert_eq!(answer.head.contains(line), is_shown, "{}", answer.head);
        }
        assert!(server.stop().success());
    }
}
