//! An app to test: a small release, keys named by their purpose, and a clock and request ids that
//! the test knows.

use std::sync::Arc;
use std::time::Duration;

use salvo::http::uri::Scheme;
use salvo::http::{HeaderValue, ReqBody, Request};
use salvo::{Service, hyper};
use server::app::{App, Parts};
use server::catalogue::Catalogue;
use server::comparisons::OtherReleases;
use server::cors::AllowedOrigins;
use server::http::{answer_to_bad_head, service};
use server::keyring::Keyring;
use server::limits::{MinuteStore, Quotas, RedisLimits};
use server::request_id::{RequestIds, SequentialRequestIds};
use shared::base::clock::{Clock, ManualClock};
use shared::keys::environment::Environment;
use shared::keys::ledger::QuotaLedger;

use crate::answer::Answer;
use crate::keys::{FixedSource, Keys, MemoryLedger};
use crate::records;

/// 2026-10-01T12:00:00Z, where the clock starts.
pub(crate) const NOW: i64 = 1_790_856_000;

/// Long, so that a busy machine does not fail tests.
pub(crate) const WAIT_MAX: Duration = Duration::from_mins(1);

/// An app under test.
pub(crate) struct TestApp {
    pub(crate) app: Arc<App>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) ledger: Arc<MemoryLedger>,
    pub(crate) keys: Keys,
    pub(crate) keyring: Arc<Keyring>,
    service: Service,
}

/// How an app differs from the usual one.
pub(crate) struct Unusual {
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) others: OtherReleases,
    pub(crate) request_ids: Box<dyn RequestIds>,
    /// Replaces the manual clock.
    pub(crate) clock: Option<Arc<dyn Clock>>,
    pub(crate) allowed_origins: AllowedOrigins,
    /// Whether the headers of the IETF draft also show the limits.
    pub(crate) shows_rate_limit_draft: bool,
    /// Replaces minute windows in memory.
    pub(crate) minutes: Option<MinuteStore>,
}

impl Default for Unusual {
    fn default() -> Self {
        Self {
            catalogue: records::catalogue(),
            others: records::others(),
            request_ids: Box::new(SequentialRequestIds::default()),
            clock: None,
            allowed_origins: AllowedOrigins::default(),
            shows_rate_limit_draft: false,
            minutes: None,
        }
    }
}

impl TestApp {
    pub(crate) fn new() -> Self {
        Self::with(Unusual::default())
    }

    pub(crate) fn with(unusual: Unusual) -> Self {
        let clock = Arc::new(ManualClock::at(NOW));
        let (keys, ledger) = (Keys::new(), Arc::new(MemoryLedger::default()));
        let keyring = Arc::new(Keyring::default());
        let leases: Arc<dyn QuotaLedger> = Arc::<MemoryLedger>::clone(&ledger);
        let manual: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let app = App::new(Parts {
            environment: Environment::Test,
            catalogue: unusual.catalogue,
            keyring: Arc::clone(&keyring),
            quotas: Quotas::new(leases).with_wait(WAIT_MAX),
            others: unusual.others,
            clock: unusual.clock.unwrap_or(manual),
            request_ids: unusual.request_ids,
        });
        let app = app.allowing(unusual.allowed_origins);
        let app = if unusual.shows_rate_limit_draft {
            app.showing_rate_limit_draft()
        } else {
            app
        };
        let app = Arc::new(match unusual.minutes {
            None => app,
            Some(minutes) => app.counting_in(minutes),
        });
        let service = service(Arc::clone(&app));
        let test_app = Self {
            app,
            clock,
            ledger,
            keys,
            keyring,
            service,
        };
        test_app.confirm_keys();
        test_app
    }

    fn confirm_keys(&self) {
        let mut source = FixedSource::new(&self.keys);
        self.keyring.refresh(&mut source, self.clock.now()).unwrap();
    }

    /// Moves the clock and confirms the keys again, as a server's watch does.
    pub(crate) fn advance(&self, duration: Duration) {
        self.clock.advance(duration);
        self.confirm_keys();
    }

    /// Moves the clock past the last confirmation of the keys.
    pub(crate) fn lose_key_store(&self) {
        self.clock.advance(Duration::from_millis(1001));
    }

    /// A `GET` with a raw path and query.
    pub(crate) fn get(&self, target: &str) -> Ask<'_> {
        self.ask("GET", target)
    }

    pub(crate) fn ask(&self, method: &str, target: &str) -> Ask<'_> {
        let request = hyper::Request::builder()
            .method(method)
            .uri(target)
            .header("host", "test");
        Ask {
            app: self,
            request,
            key: None,
        }
    }
}

/// Minute windows in an unreachable Redis: nothing listens on port 1.
pub(crate) async fn away() -> MinuteStore {
    let (nowhere, clock) = ("redis://127.0.0.1:1", Arc::new(ManualClock::at(NOW)));
    let limits = RedisLimits::start(nowhere.parse().unwrap(), clock).await;
    MinuteStore::Redis(limits.unwrap())
}

/// How many lines of a request snapshots show.
const LINES_MAX: usize = 4;
/// How many characters of a target or a field snapshots show.
const CHARACTERS_MAX: usize = 100;

fn shortened(text: &str) -> String {
    if text.len() <= CHARACTERS_MAX {
        return text.to_owned();
    }
    format!("{}... ({} characters)", &text[..20], text.len())
}

/// A request being put together.
pub(crate) struct Ask<'a> {
    app: &'a TestApp,
    request: hyper::http::request::Builder,
    /// The purpose of its key, if it has one.
    key: Option<String>,
}

impl Ask<'_> {
    /// Uses the key with that purpose.
    pub(crate) fn key(mut self, purpose: &str) -> Self {
        self.key = Some(purpose.to_owned());
        let value = format!("Bearer {}", self.app.keys.secret(purpose));
        self.header("authorization", &value)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// The request as snapshots show it: keys by their purpose, and long texts shortened.
    pub(crate) fn text(&self) -> String {
        let target = self.request.uri_ref().unwrap().to_string();
        let mut lines = vec![format!(
            "{} {}",
            self.request.method_ref().unwrap(),
            shortened(&target)
        )];
        for (name, value) in self.request.headers_ref().unwrap() {
            let value = shortened(value.to_str().unwrap());
            match (name.as_str(), &self.key) {
                ("host", _) => {}
                ("authorization", Some(purpose)) => {
                    lines.push(format!("authorization: Bearer (the key {purpose})"));
                }
                (name, _) => lines.push(format!("{name}: {value}")),
            }
        }
        if LINES_MAX < lines.len() {
            let others = lines.split_off(LINES_MAX).len();
            lines.push(format!("({others} more fields)"));
        }
        lines.join("\n")
    }

    pub(crate) async fn send(self) -> Answer {
        let request = self.request.body(ReqBody::None).unwrap();
        let mut origins = request.headers().get_all("origin").iter();
        let origin = origins.next().filter(|_| origins.next().is_none());
        let origin = origin.map(HeaderValue::as_bytes);
        if let Some(answer) = answer_to_bad_head(&self.app.app, &head(&request), origin) {
            let mut answer = Answer::read(std::str::from_utf8(&answer).unwrap());
            // `serve.rs` tests them over a socket.
            for name in ["connection", "date"] {
                answer.headers.remove(name);
            }
            return answer;
        }
        let request = Request::from_hyper(request, Scheme::HTTP);
        Answer::of(self.app.service.handle(request).await).await
    }
}

/// The shortest head that a client could send.
fn head(request: &hyper::Request<ReqBody>) -> Vec<u8> {
    let line = format!("{} {} HTTP/1.1\r\n", request.method(), request.uri());
    let mut head = line.into_bytes();
    for (name, value) in request.headers() {
        head.extend([name.as_str().as_bytes(), b":", value.as_bytes(), b"\r\n"].concat());
    }
    head.extend(b"\r\n");
    head
}
