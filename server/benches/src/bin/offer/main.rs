//! Offers a server more load than it can take: sends requests on a schedule, without waiting for
//! responses.
//!
//! ```text
//! offer ADDRESS HEADS_FILE CONNECTIONS RATExSECONDS[,...] NAME=WEIGHT=TARGETS_FILE...
//! ```
//!
//! A rate is in requests a second, or `max`: then every connection sends the next request as soon
//! as it has its response. Each line of a targets file is a path and the `ETag`s that its response
//! may have; if there are any, the body must have that hash. Paths are requested in order. Kinds of
//! requests take turns by their weights. Each line of the heads file is a value of `Authorization`.
//!
//! It writes the outcomes to standard output: a line of JSON for every tenth of a second, and one
//! at the end. It leaves statistics to its reader, and must not know anything about what it
//! requests.

mod arrivals;
mod client;
mod kinds;
mod tally;

use std::cell::RefCell;
use std::io::Write as _;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{Instant, sleep_until};

use crate::arrivals::{Arrivals, Phase};
use crate::client::Client;
use crate::kinds::{Kind, Kinds};
use crate::tally::{Outcome, Tally};

/// The time that one line of the output covers.
const SLICE: Duration = Duration::from_millis(100);
/// A request that is this late, because no connection was free, is not sent.
const LATE_MAX: Duration = Duration::from_secs(2);

/// State that all connections share. They run on one thread.
struct Load {
    arrivals: RefCell<Arrivals>,
    kinds: RefCell<Kinds>,
    tally: RefCell<Tally>,
}

impl Load {
    /// Sends requests until none are left.
    async fn send(&self, mut client: Client) {
        loop {
            let Some(at) = self.arrivals.borrow_mut().next(Instant::now()) else {
                return;
            };
            sleep_until(at).await;
            let request = self.kinds.borrow_mut().next();
            let outcome = if at.elapsed() < LATE_MAX {
                client.ask(&request).await
            } else {
                Outcome::Unsent
            };
            let mut tally = self.tally.borrow_mut();
            tally.add(request.kind, outcome, at.elapsed());
        }
    }

    /// Writes the outcomes of the requests, slice by slice.
    async fn report(&self, started: Instant) -> anyhow::Result<()> {
        for slice in 1.. {
            let until = SLICE * slice;
            sleep_until(started + until).await;
            self.say(until)?;
        }
        Ok(())
    }

    /// Writes the outcomes since the last line.
    fn say(&self, until: Duration) -> anyhow::Result<()> {
        let tally = self.tally.take();
        let line = tally.line(until, &self.kinds.borrow().names());
        writeln!(std::io::stdout(), "{line}").context("could not print the result")
    }
}

struct Arguments {
    address: SocketAddr,
    connections: usize,
    phases: Vec<Phase>,
    kinds: Kinds,
}

impl Arguments {
    fn parse(mut given: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut next = |what: &str| given.next().with_context(|| format!("{what} is missing"));
        let address = next("the address")?;
        let address = address.parse().context("could not read the address")?;
        let heads = next("the file of the heads")?;
        let connections = next("the number of connections")?;
        let phases = next("the rate")?;
        let kinds: anyhow::Result<Vec<Kind>> = given.map(|kind| Kind::parse(&kind)).collect();
        Ok(Self {
            address,
            connections: connections.parse().context("no number of connections")?,
            phases: phases
                .split(',')
                .map(Phase::parse)
                .collect::<anyhow::Result<_>>()?,
            kinds: Kinds::new(kinds?, address, &heads)?,
        })
    }
}

async fn offer(arguments: Arguments) -> anyhow::Result<()> {
    let started = Instant::now();
    let load = Rc::new(Load {
        arrivals: RefCell::new(Arrivals::new(arguments.phases, started)),
        kinds: RefCell::new(arguments.kinds),
        tally: RefCell::default(),
    });
    let mut connections = JoinSet::new();
    for _ in 0..arguments.connections {
        let load = Rc::clone(&load);
        let client = Client::new(arguments.address);
        connections.spawn_local(async move { load.send(client).await });
    }
    tokio::select! {
        failed = load.report(started) => failed,
        // The last requests ended between two slices.
        _ = connections.join_all() => load.say(started.elapsed()),
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    LocalSet::new().block_on(&runtime, offer(arguments))
}
