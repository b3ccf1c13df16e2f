//! The log: one line a request, one more for what the client is not told, and no secrets.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::Once;

use crate::answer::check_text;
use crate::app::{TestApp, Unusual};
use crate::errors::FaultyClock;

thread_local! {
    /// What was logged on this thread. A test and what it asks for run on one thread.
    static LOGGED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

struct ToThisThread;

impl Write for ToThisThread {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOGGED.with_borrow_mut(|logged| logged.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Logs of the whole process, because `tracing` remembers for all threads which lines nobody
/// wants: with a subscriber of one thread only, another thread could switch its lines off.
pub(crate) fn start_logging() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let subscriber = tracing_subscriber::fmt()
            .with_writer(|| ToThisThread)
            .with_ansi(false)
            .without_time()
            .with_target(false)
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        tracing::callsite::rebuild_interest_cache();
    });
}

/// What was logged on this thread since the last call.
pub(crate) fn logged() -> String {
    String::from_utf8(LOGGED.take()).unwrap()
}

#[tokio::test]
async fn a_request_is_one_line_and_secrets_are_in_none() {
    start_logging();
    let app = TestApp::new();
    let secret = app.keys.secret("reader");
    app.get("/v1/boats?search=confidential")
        .key("reader")
        .send()
        .await;
    app.get("/v1/boats/first-36").key("reader").send().await;
    app.get("/v1/boats/confidential").key("reader").send().await;
    app.get(&format!("/v1/boats?search={secret}")).send().await;
    app.get("/confidential").send().await;
    app.ask("CONFIDENTIAL", "/v1").send().await;
    app.ledger.break_down();
    app.get("/v1/boats/b1").key("nearly_exhausted").send().await;

    // What broke is told, once, by the panic hook, which is the command's.
    let panicking = TestApp::with(Unusual {
        clock: Some(FaultyClock::that_shows(2)),
        ..Unusual::default()
    });
    assert_eq!(panicking.get("/health").send().await.status, 500);

    let text = logged();
    for forbidden in ["confidential", "CONFIDENTIAL", "Bearer", secret] {
        assert!(!text.contains(forbidden), "{forbidden} in:\n{text}");
    }
    check_text("log__lines", &text);
}
