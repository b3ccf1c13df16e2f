//! Requests with their responses, as snapshots show them: a heading with the status and what the
//! exchange shows, the request, and the whole response, unless one before is the same.

use std::fmt::Write;

use crate::answer::{Answer, check_text};
use crate::app::Ask;
use crate::openapi::check_described;
use crate::records::without_hashes;

/// A request and its response.
pub(crate) struct Exchange {
    /// What it shows.
    shown: String,
    /// Method, target and the header fields that matter.
    request: String,
    pub(crate) answer: Answer,
}

impl Exchange {
    fn heading(&self) -> String {
        let code = self.answer.error_code().map(|code| format!(" {code}"));
        let code = code.unwrap_or_default();
        format!("{}{code}: {}", self.answer.status, self.shown)
    }
}

/// The exchanges of one snapshot.
#[derive(Default)]
pub(crate) struct Exchanges {
    pub(crate) all: Vec<Exchange>,
}

impl Exchanges {
    /// Sends a request and adds the exchange; `shown` says what it shows.
    pub(crate) async fn add(&mut self, shown: &str, ask: Ask<'_>) {
        let request = ask.text();
        self.add_sent(shown, request, ask.send().await);
    }

    /// Adds the exchange of a request that was sent in another way. The OpenAPI document must
    /// describe the response, down to the last header and the last member of its body.
    pub(crate) fn add_sent(&mut self, shown: &str, request: String, answer: Answer) {
        check_described(&request, &answer);
        self.put(shown, request, answer);
    }

    /// The same for a response that is not of the public API.
    pub(crate) fn put(&mut self, shown: &str, request: String, answer: Answer) {
        self.all.push(Exchange {
            shown: shown.to_owned(),
            request,
            answer,
        });
    }

    /// All responses as text.
    pub(crate) fn texts(&self) -> Vec<String> {
        let answers = self.all.iter().map(|exchange| &exchange.answer);
        answers.map(Answer::text).collect()
    }

    /// The response of the exchange that shows this, as text.
    pub(crate) fn text_of(&self, shown: &str) -> String {
        let mut found = self.all.iter().filter(|exchange| exchange.shown == shown);
        found.next().unwrap().answer.text()
    }

    /// Compares the exchanges with the snapshot of that name; `about` is the snapshot's
    /// description.
    pub(crate) fn check(&self, name: &str, about: &str) {
        let (mut text, mut seen) = (String::new(), Vec::<(String, String)>::new());
        for exchange in &self.all {
            let (heading, response) = (exchange.heading(), exchange.answer.text());
            let request = exchange.request.trim_end();
            writeln!(text, "## {heading}\n{request}\n").unwrap();
            match seen.iter().find(|(_, other)| *other == response) {
                Some((other, _)) => writeln!(text, "The same answer as `{other}`.\n").unwrap(),
                None => writeln!(text, "{response}").unwrap(),
            }
            seen.push((heading, response));
        }
        check_text(name, about, &without_hashes(text.trim_end()));
    }
}
