//! Images at addresses: finds their sizes for an export that has only the addresses.
//!
//! The export decides what is asked, so everything has a limit, and only the public web is asked:
//! see `policy`. What was measured once is kept, and not asked for again.

mod ask;
mod hosts;
mod kept;
mod policy;
mod reply;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use import::image::{ImageMeasurer, ImageSize, MeasuredImages, Unmeasured};
use shared::base::clock::Clock;
use shared::base::data_dir::DataDir;
use shared::base::threads::{self, Blocking};
use url::Url;

use self::ask::{Asker, Found};
use self::hosts::{Answer, Hosts, Limits, Wanted};
use self::kept::{Change, Kept, KeptImage};
use self::policy::Policy;
use crate::terminal::progress::Progress;

/// Longest address that is asked.
const ADDRESS_MAX: usize = 8192;
/// Threads that wait for the network and decrypt.
const THREADS: usize = 1;
/// Threads that look up the names of hosts.
const BLOCKING: Blocking = Blocking {
    made: 1,
    at_most: 16,
};

/// Finds the sizes of images.
pub struct Images<'a> {
    /// Where what was measured is kept.
    pub data: DataDir,
    /// Whether addresses are asked; if not, only what was measured before is known.
    pub asks: bool,
    /// Hosts that may be asked although they are not of the public network.
    pub hosts: &'a [String],
    /// How old what was measured may be before it is asked for again.
    pub recheck: Option<Duration>,
    /// Source of time.
    pub clock: Arc<dyn Clock>,
    /// Shows how many were asked for.
    pub progress: &'a Progress,
}

impl ImageMeasurer for Images<'_> {
    fn measure(&self, addresses: Vec<String>) -> anyhow::Result<MeasuredImages> {
        let policy = Arc::new(Policy::new(self.hosts));
        let path = self.data.images_database();
        let mut kept = if self.asks {
            let created = self.data.create();
            let directory = self.data.path().display();
            created.with_context(|| format!("could not create {directory}"))?;
            Some(Kept::open(&path)?)
        } else {
            Kept::read(&path)?
        };
        let now = self.clock.now().unix_seconds();
        let mut measured = MeasuredImages::new();
        let mut wanted = Vec::new();
        for address in &addresses {
            let known = kept.as_ref().map(|kept| kept.find(address)).transpose()?;
            let known = known.flatten();
            if let Some(known) = &known {
                measured.insert(address.clone(), Ok(known.size));
                if !self.is_old(known, now) {
                    continue;
                }
            }
            let (url, why) = match target(address, &policy) {
                Ok(url) if self.asks => (Some(url), Unmeasured::NoTime),
                Ok(_) => (None, Unmeasured::NotAsked),
                Err(why) => (None, why),
            };
            // Until there is an answer.
            measured.entry(address.clone()).or_insert(Err(why));
            wanted.extend(url.map(|url| Wanted {
                address: address.clone(),
                url,
                known,
            }));
        }
        if let Some(kept) = kept.as_mut().filter(|_| self.asks) {
            kept.see(&addresses, now)?;
            self.ask(wanted, &policy, kept, &mut measured)?;
        }
        Ok(measured)
    }
}

impl Images<'_> {
    /// Whether an image is to be asked for again.
    fn is_old(&self, known: &KeptImage, now: i64) -> bool {
        let age = u64::try_from(now - known.checked_at).unwrap_or(0);
        self.recheck.is_some_and(|most| most.as_secs() < age)
    }

    /// Asks for images, and keeps what is found on the way.
    fn ask(
        &self,
        wanted: Vec<Wanted>,
        policy: &Arc<Policy>,
        kept: &mut Kept,
        measured: &mut MeasuredImages,
    ) -> anyhow::Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        super::use_ring();
        let runtime = threads::runtime("images", THREADS, BLOCKING);
        let runtime = runtime.context("could not start the threads that ask for images")?;
        let asker = Asker::new(policy).context("could not prepare to ask for images")?;
        self.progress.images(wanted.len() as u64);
        let hosts = Hosts::new(asker, Limits::default());
        let now = self.clock.now().unix_seconds();
        let mut keep = |answers: Vec<Answer>| {
            self.progress.advance(answers.len() as u64);
            let mut changes = Vec::new();
            for (Wanted { address, known, .. }, found) in answers {
                if let Some((change, size)) = news(found, known, now) {
                    changes.push((address.clone(), change));
                    measured.insert(address, size);
                }
            }
            kept.save(&changes, now)
        };
        let done = runtime.block_on(hosts.ask(wanted, &mut keep));
        // Looking up a name may take long to end.
        runtime.shutdown_background();
        self.progress.finish();
        Ok(done?)
    }
}

/// What is asked for an address.
fn target(address: &str, policy: &Policy) -> Result<Url, Unmeasured> {
    let url = Url::parse(address).ok();
    let url = url.filter(|_| address.len() <= ADDRESS_MAX);
    policy.target(&url.ok_or(Unmeasured::NoAddress)?)
}

/// What an answer changes of what is known of an address: what is kept of it, and its size. An
/// image that could not be asked for again stays as it is known.
fn news(
    found: Result<Found, Unmeasured>,
    known: Option<KeptImage>,
    now: i64,
) -> Option<(Change, Result<ImageSize, Unmeasured>)> {
    let image = match (found, known) {
        (Ok(Found::Image { size, etag, length }), _) => KeptImage {
            size,
            etag,
            length,
            checked_at: now,
        },
        (Ok(Found::Same), Some(known)) => KeptImage {
            checked_at: now,
            ..known
        },
        (Err(why), Some(_)) if why.may_pass() => return None,
        (Err(why), _) => return Some((Change::Gone, Err(why))),
        (Ok(Found::Same), None) => return None,
    };
    let size = image.size;
    Some((Change::Measured(image), Ok(size)))
}
