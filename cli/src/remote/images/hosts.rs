//! Whom to ask when: many images at once, few of one host, and none of a host that does not answer
//! or asks to wait for long.

use std::collections::BTreeMap;
use std::mem;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use import::image::Unmeasured;
use parking_lot::Mutex;
use tokio::select;
use tokio::sync::{RwLock, Semaphore};
use tokio::time::{interval, sleep, timeout};
use url::Url;

use super::ask::{Asker, Failure, Found};
use super::kept::KeptImage;

/// Hosts whose images are asked for at the same time, though some of them wait.
const HOSTS_AT_ONCE: usize = 64;
/// Times that one image is asked for, if its server asks to wait.
const ATTEMPTS_MAX: usize = 3;
/// How often what was found is handed over, and after how many images at the latest.
const HANDED_OVER: (Duration, usize) = (Duration::from_secs(1), 1_000);

/// An image to ask for.
pub(super) struct Question {
    pub(super) address: String,
    pub(super) url: Url,
    /// What is known of it already.
    pub(super) known: Option<KeptImage>,
}

/// An image, and what was found at its address, or why nothing was.
pub(super) type Answer = (Question, Result<Found, Unmeasured>);

/// How much is asked at most.
pub(super) struct Limits {
    /// Images at the same time.
    pub(super) at_once: usize,
    /// Images of one host at the same time.
    pub(super) of_a_host: usize,
    /// Longest time for an image, redirects included.
    pub(super) each: Duration,
    /// Longest time for all together.
    pub(super) all: Duration,
    /// Longest pause that a server may ask for; one that asks for more is not asked any more.
    pub(super) pause: Duration,
    /// Images of a host in a row that come to nothing before it is not asked any more.
    pub(super) in_vain: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            at_once: 16,
            of_a_host: 4,
            each: Duration::from_secs(30),
            all: Duration::from_hours(1),
            pause: Duration::from_mins(1),
            in_vain: 8,
        }
    }
}

/// A host that is asked.
#[derive(Default)]
struct Host {
    /// Locked for writing while it has asked to wait.
    gate: RwLock<()>,
    /// Images in a row that came to nothing, and why the last of them did.
    in_vain: Mutex<Option<(u32, Unmeasured)>>,
}

/// Asks all hosts.
pub(super) struct Hosts {
    asker: Asker,
    limits: Limits,
    turns: Semaphore,
}

impl Hosts {
    pub(super) fn new(asker: Asker, limits: Limits) -> Self {
        Self {
            asker,
            turns: Semaphore::new(limits.at_once),
            limits,
        }
    }

    /// Asks for images and hands over what was found, several at a time. For those that are not
    /// handed over there was no time.
    pub(super) async fn ask(
        &self,
        questions: Vec<Question>,
        hand_over: &mut dyn FnMut(Vec<Answer>),
    ) {
        let mut by_host: BTreeMap<String, Vec<Question>> = BTreeMap::new();
        for question in questions {
            let host = question.url.host_str().unwrap_or_default().to_owned();
            by_host.entry(host).or_default().push(question);
        }
        let hosts = by_host.into_values().map(|questions| {
            let host = Arc::new(Host::default());
            let answers = stream::iter(questions).map(move |question| {
                let host = Arc::clone(&host);
                async move {
                    let found = self.find(&host, &question).await;
                    (question, found)
                }
            });
            answers
                .buffer_unordered(self.limits.of_a_host)
                .boxed_local()
        });
        let mut answers = stream::iter(hosts).flatten_unordered(HOSTS_AT_ONCE);
        let (often, many) = HANDED_OVER;
        let mut end = pin!(sleep(self.limits.all));
        let mut often = interval(often);
        let mut found = Vec::new();
        loop {
            let is_due = select! {
                biased;
                () = &mut end => break,
                answer = answers.next() => match answer {
                    Some(answer) => {
                        found.push(answer);
                        many <= found.len()
                    }
                    None => break,
                },
                _ = often.tick() => true,
            };
            if is_due && !found.is_empty() {
                hand_over(mem::take(&mut found));
            }
        }
        hand_over(found);
    }

    /// What is at an address, unless its host is not asked any more.
    async fn find(&self, host: &Host, question: &Question) -> Result<Found, Unmeasured> {
        let known = question.known.as_ref();
        let etag = known.and_then(|known| known.etag.as_deref());
        for _attempt in 0..ATTEMPTS_MAX {
            drop(host.gate.read().await);
            let turn = self.turns.acquire().await;
            if let Some(why) = host.given_up(self.limits.in_vain) {
                return Err(why);
            }
            let found = timeout(self.limits.each, self.asker.find(&question.url, etag)).await;
            let found = found.unwrap_or(Err(Unmeasured::NoAnswer.into()));
            // A host that has others wait keeps no turn of theirs.
            drop(turn);
            match found {
                Err(Failure::Wait(Some(pause))) if pause <= self.limits.pause => {
                    host.note(Unmeasured::Busy, 1);
                    // Another image of the host may have it wait already.
                    if let Ok(_closed) = host.gate.try_write() {
                        sleep(pause).await;
                    }
                }
                Err(Failure::Wait(pause)) => {
                    let times = if pause.is_some() {
                        self.limits.in_vain
                    } else {
                        1
                    };
                    host.note(Unmeasured::Busy, times);
                    return Err(Unmeasured::Busy);
                }
                Err(Failure::Unmeasured(Unmeasured::NoAnswer)) => {
                    host.note(Unmeasured::NoAnswer, 1);
                    return Err(Unmeasured::NoAnswer);
                }
                Err(Failure::Unmeasured(why)) => {
                    host.in_vain.lock().take();
                    return Err(why);
                }
                Ok(found) => {
                    host.in_vain.lock().take();
                    return Ok(found);
                }
            }
        }
        Err(Unmeasured::Busy)
    }
}

impl Host {
    /// Notes that an image came to nothing, which counts as so many.
    fn note(&self, why: Unmeasured, times: u32) {
        let mut in_vain = self.in_vain.lock();
        let before = in_vain.map_or(0, |(before, _)| before);
        *in_vain = Some((before + times, why));
    }

    fn given_up(&self, most: u32) -> Option<Unmeasured> {
        let in_vain = *self.in_vain.lock();
        in_vain
            .filter(|(times, _)| most <= *times)
            .map(|(_, why)| why)
    }
}
