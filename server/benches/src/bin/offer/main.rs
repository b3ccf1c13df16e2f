//! Offers a server more than it can take: requests on a schedule that waits for no answer.
//!
//! ```text
//! offer ADDRESS HEADS_FILE CONNECTIONS RATExSECONDS[,...] NAME=WEIGHT=TARGETS_FILE...
//! ```
//!
//! A rate is in requests a second, or `max`, where every connection asks again as soon as it has
//! its answer. A line of a targets file is a path, asked for in order, and the `ETag`s of which an
//! answer may have one; where there are some, the body has to have that hash. Kinds of requests
//! take turns by their weights. A head is a value of `Authorization`.
//!
//! It says on standard output what came of it, a line of JSON a tenth of a second, and one when
//! all has ended. What all that means is for the reader to compute, and it must not know what it
//! asks for.

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

/// How much time a line of the output is about.
const SLICE: Duration = Duration::from_millis(100);
/// A request that no connection was free for until so long after its time is not sent any more.
const LATE_MAX: Duration = Duration::from_secs(2);

/// What all connections share; they take turns on one thread.
struct Load {
    arrivals: RefCell<Arrivals>,
    kinds: RefCell<Kinds>,
    tally: RefCell<Tally>,
}

impl Load {
    /// Sends requests as long as some arrive.
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

    /// Says what came of the requests, slice by slice.
    async fn report(&self, started: Instant) -> anyhow::Result<()> {
        for slice in 1.. {
            let until = SLICE * slice;
            sleep_until(started + until).await;
            self.say(until)?;
        }
        Ok(())
    }

    /// Says what came of the requests since it was said last.
    fn say(&self, until: Duration) -> anyhow::Result<()> {
        let tally = self.tally.take();
        let line = tally.line(until, &self.kinds.borrow().names());
        writeln!(std::io::stdout(), "{line}").context("could not say what came of it")
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
        // The last of them ended between two slices.
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
