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

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use import::address::fault;
use import::image::{ImageMeasurer, ImageSize, MeasuredImages, Unmeasured};
use shared::base::clock::Clock;
use shared::base::data_dir::DataDir;
use shared::base::threads::{self, Blocking};
use url::Url;

use self::ask::{Asker, Found};
use self::hosts::{Answer, Hosts, Limits, Question};
use self::kept::{Change, Kept, KeptImage, Unusable};
pub use self::policy::ImageHost;
use self::policy::Policy;
use crate::terminal::progress::Progress;

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
    pub hosts: &'a [ImageHost],
    /// How old what was measured may be before it is asked for again.
    pub recheck: Option<Duration>,
    /// Source of time.
    pub clock: Arc<dyn Clock>,
    /// Shows how many were asked for.
    pub progress: &'a Progress,
    /// What did not work, although an import goes on without it.
    pub warnings: RefCell<Vec<String>>,
}

impl ImageMeasurer for Images<'_> {
    fn measure(&self, addresses: Vec<String>) -> anyhow::Result<MeasuredImages> {
        let policy = Arc::new(Policy::new(self.hosts));
        let path = self.data.images_database();
        let mut sizes = if self.asks {
            let created = self.data.create();
            let directory = self.data.path().display();
            created.with_context(|| format!("could not create {directory}"))?;
            self.kept(Kept::open(&path).map(Some))
        } else {
            self.kept(Kept::read(&path))
        };
        let now = self.clock.now().unix_seconds();
        let mut measured = MeasuredImages::new();
        let mut questions = Vec::new();
        for address in &addresses {
            if fault(address).is_some() {
                measured.insert(address.clone(), Err(Unmeasured::NoAddress));
                continue;
            }
            let known = sizes.attempt(|kept| kept.find(address)).flatten();
            if let Some(known) = &known {
                measured.insert(address.clone(), Ok(known.size));
                if !self.is_old(known, now) {
                    continue;
                }
            }
            let url = Url::parse(address).map_err(|_malformed| Unmeasured::NoAddress);
            let (url, why) = match url.and_then(|url| policy.target(&url)) {
                Ok(url) if self.asks => (Some(url), Unmeasured::NoTime),
                Ok(_) => (None, Unmeasured::NotAsked),
                Err(why) => (None, why),
            };
            // Until there is an answer.
            measured.entry(address.clone()).or_insert(Err(why));
            questions.extend(url.map(|url| Question {
                address: address.clone(),
                url,
                known,
            }));
        }
        if self.asks {
            sizes.attempt(|kept| kept.see(&addresses, now));
            self.ask(questions, &policy, &mut sizes, &mut measured)?;
        }
        Ok(measured)
    }
}

/// The sizes that are kept, as long as they can be read and saved. Without them images are measured
/// all the same, and again the next time.
struct Sizes<'i> {
    kept: Option<Kept>,
    images: &'i Images<'i>,
}

impl Sizes<'_> {
    /// Does something with them.
    fn attempt<T>(&mut self, act: impl FnOnce(&mut Kept) -> Result<T, Unusable>) -> Option<T> {
        let done = act(self.kept.as_mut()?);
        done.map_err(|error| {
            self.kept = None;
            self.images.warn_of(&error);
        })
        .ok()
    }
}

impl Images<'_> {
    fn kept(&self, opened: Result<Option<Kept>, Unusable>) -> Sizes<'_> {
        let kept = opened.map_err(|error| self.warn_of(&error));
        Sizes {
            kept: kept.ok().flatten(),
            images: self,
        }
    }

    fn warn_of(&self, error: &Unusable) {
        let path = self.data.images_database();
        let path = path.display();
        let warning = format!(
            "warning: the sizes of images in {path} cannot be used, so they are measured again: {error}"
        );
        self.warnings.borrow_mut().push(warning);
    }

    /// Whether an image is to be asked for again.
    fn is_old(&self, known: &KeptImage, now: i64) -> bool {
        let age = u64::try_from(now - known.checked_at).unwrap_or(0);
        self.recheck.is_some_and(|most| most.as_secs() < age)
    }

    /// Asks for images, and keeps what is found on the way.
    fn ask(
        &self,
        questions: Vec<Question>,
        policy: &Arc<Policy>,
        sizes: &mut Sizes<'_>,
        measured: &mut MeasuredImages,
    ) -> anyhow::Result<()> {
        if questions.is_empty() {
            return Ok(());
        }
        super::use_ring();
        let runtime = threads::runtime("images", THREADS, BLOCKING);
        let runtime = runtime.context("could not start the threads that ask for images")?;
        let asker = Asker::new(policy).context("could not prepare to ask for images")?;
        self.progress.images(questions.len() as u64);
        let hosts = Hosts::new(asker, Limits::default());
        let now = self.clock.now().unix_seconds();
        // For all that is known there is no time, until there is an answer.
        let known = questions.iter().filter(|of| of.known.is_some()).count();
        let mut in_vain = BTreeMap::from([(Unmeasured::NoTime, known)]);
        let mut keep = |answers: Vec<Answer>| {
            self.progress.advance(answers.len() as u64);
            let mut changes = Vec::new();
            for (Question { address, known, .. }, found) in answers {
                if known.is_some() {
                    *in_vain.entry(Unmeasured::NoTime).or_default() -= 1;
                    if let Some(why) = found.as_ref().err().filter(|why| why.may_pass()) {
                        *in_vain.entry(*why).or_default() += 1;
                    }
                }
                if let Some((change, size)) = news(found, known, now) {
                    changes.push((address.clone(), change));
                    measured.insert(address, size);
                }
            }
            sizes.attempt(|kept| kept.save(&changes, now));
        };
        runtime.block_on(hosts.ask(questions, &mut keep));
        // Looking up a name may take long to end.
        runtime.shutdown_background();
        self.progress.finish();
        self.warnings.borrow_mut().extend(unchecked(&in_vain));
        Ok(())
    }
}

/// The warning about images that were to be asked for again, by why that was in vain.
fn unchecked(reasons: &BTreeMap<Unmeasured, usize>) -> Option<String> {
    let reasons = reasons.iter().filter(|(_, count)| **count != 0);
    let reasons: Vec<String> = reasons
        .map(|(why, count)| format!("{count} {}", why.as_str()))
        .collect();
    let reasons = reasons.join(", ");
    let what = "images could not be asked for again, and keep the sizes that are known";
    (!reasons.is_empty()).then(|| format!("warning: {what}: {reasons}"))
}

/// What an answer changes of what is known of an address: what is kept of it, and its size. An
/// image that could not be asked for again stays as it is known.
fn news(
    found: Result<Found, Unmeasured>,
    known: Option<KeptImage>,
    now: i64,
) -> Option<(Change, Result<ImageSize, Unmeasured>)> {
    let image = match (found, known) {
        (Ok(Found::Image { size, etag }), _) => KeptImage {
            size,
            etag,
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
