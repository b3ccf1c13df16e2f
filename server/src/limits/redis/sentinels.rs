//! The sentinels that watch a Redis, and the server that they name as its master.
//!
//! A server is the master if most of the sentinels in the address say so. A failover needs a
//! majority, and whoever is cut off with a former master reaches fewer. Any two majorities share a
//! sentinel, and no sentinel goes back to a former master. So once one of our servers has been told
//! of the new master, none is told of the former one any more. Nothing here counts requests.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use redis::{ConnectionAddr, ConnectionInfo, RedisConnectionInfo};
use shared::base::hint::Hint;

use super::address::{RedisAddress, server_like};
use super::failure::RedisFailure;
use super::line::{Line, NoReply};
use std::sync::{Mutex, MutexGuard};

/// The sentinels of an address.
#[derive(Debug)]
pub(super) struct Sentinels {
    address: RedisAddress,
    each: Vec<Sentinel>,
    master: String,
}

/// What a sentinel says of the master.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) host: String,
    pub(super) port: u16,
    /// The number of the failover that made it the master. Each has a higher one.
    pub(super) failover: u64,
}

impl Named {
    /// Parses what a sentinel knows of a master.
    pub(super) fn parse(mut known: BTreeMap<String, String>) -> Option<Self> {
        Some(Self {
            host: known.remove("ip")?,
            port: known.get("port")?.parse().ok()?,
            failover: known.get("config-epoch")?.parse().ok()?,
        })
    }
}

/// One of them.
#[derive(Debug)]
struct Sentinel {
    info: ConnectionInfo,
    /// The connection on which it was asked last, and answered.
    line: Mutex<Option<Line>>,
}

impl Sentinels {
    /// These sentinels, to be asked for the server that they call `master`.
    pub(super) fn new(address: RedisAddress, each: &[ConnectionInfo], master: &str) -> Self {
        let each = each.iter().map(|info| Sentinel {
            info: info.clone(),
            line: Mutex::default(),
        });
        Self {
            address,
            each: each.collect(),
            master: master.to_owned(),
        }
    }

    /// The server that most of them name. Returns as soon as a majority agrees.
    pub(super) async fn master(&self) -> Result<Named, RedisFailure> {
        let asking = self.each.iter().enumerate();
        let asking = asking.map(|(place, one)| async move { (place, one.ask(&self.master).await) });
        let mut asking: FuturesUnordered<_> = asking.collect();
        let mut told = BTreeMap::new();
        while let Some((place, answer)) = asking.next().await {
            told.insert(place, answer);
            if let Some(named) = self.agreed(&told) {
                return Ok(named);
            }
        }
        Err(self.disagreement(&told))
    }

    /// The address of a server that they name.
    pub(super) fn server(&self, named: &Named) -> Result<RedisAddress, RedisFailure> {
        let like = &self.each[0].info;
        server_like(like, &named.host, named.port).ok_or_else(|| RedisFailure::Garbled {
            address: self.address.clone(),
        })
    }

    fn agreed(&self, told: &BTreeMap<usize, Result<Named, NoReply>>) -> Option<Named> {
        let named = || told.values().flatten();
        let is_named_by_most =
            |one: &&Named| self.each.len() < 2 * named().filter(|other| other == one).count();
        named().find(is_named_by_most).cloned()
    }

    /// What each of them said, in a fixed order and each reply once, so that the same disagreement
    /// is not logged as a new one.
    fn disagreement(&self, told: &BTreeMap<usize, Result<Named, NoReply>>) -> RedisFailure {
        let mut said: Vec<(String, Vec<String>)> = Vec::new();
        for (place, answer) in told {
            let (what, who) = (text(answer), self.each[*place].shown());
            match said.iter_mut().find(|(other, _)| *other == what) {
                Some((_, others)) => others.push(who),
                None => said.push((what, vec![who])),
            }
        }
        let said = said
            .iter()
            .map(|(what, who)| format!("{} {what}", who.join(", ")));
        let hint = told
            .values()
            .find_map(|answer| hint(answer.as_ref().err()?));
        RedisFailure::Unnamed {
            address: self.address.clone(),
            said: said.collect(),
            hint,
        }
    }
}

/// What a sentinel said, after its name.
fn text(answer: &Result<Named, NoReply>) -> String {
    match answer {
        Ok(Named { host, port, .. }) => format!("named {host}:{port}"),
        Err(NoReply::Failed(why)) if why.code().is_some() => {
            format!("refused to answer: {}", why.detail().unwrap_or_default())
        }
        Err(NoReply::Failed(why)) => format!("could not be asked: {why}"),
        Err(NoReply::Garbled) => "gave no answer of a sentinel".to_owned(),
    }
}

impl Sentinel {
    /// Asks for the server that is called `master`, on the former connection if it answers.
    async fn ask(&self, master: &str) -> Result<Named, NoReply> {
        // It is put back only after a reply, so a connection that still owes one is closed.
        let kept = self.kept().take();
        if let Some(line) = kept
            && let Ok(named) = line.master(master).await
        {
            *self.kept() = Some(line);
            return Ok(named);
        }
        let (line, named) = self.connect(master).await?;
        *self.kept() = Some(line);
        Ok(named)
    }

    /// Connects without a password, and with that of the server if the sentinel asks for one.
    async fn connect(&self, master: &str) -> Result<(Line, Named), NoReply> {
        let nobody = RedisConnectionInfo::default();
        let settings = self.info.redis_settings();
        let line = Line::connect(&self.info, &nobody).await?;
        let asked = line.master(master).await;
        let password = match (&asked, settings.password()) {
            (Err(NoReply::Failed(why)), Some(password)) if why.code() == Some("NOAUTH") => password,
            _ => return asked.map(|named| (line, named)),
        };
        let mut owner = nobody.set_password(password);
        if let Some(user) = settings.username() {
            owner = owner.set_username(user);
        }
        let line = Line::connect(&self.info, &owner).await?;
        let named = line.master(master).await?;
        Ok((line, named))
    }

    fn kept(&self) -> MutexGuard<'_, Option<Line>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown(&self) -> String {
        match self.info.addr() {
            ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
                format!("{host}:{port}")
            }
            _ => String::new(),
        }
    }
}

/// What an operator must do about it, if anything.
fn hint(why: &NoReply) -> Option<Hint> {
    let NoReply::Failed(why) = why else {
        return None;
    };
    let detail = why.detail().unwrap_or_default();
    if detail.contains("No such master") {
        return Some("check the name of the master: `redis-cli -p 26379 SENTINEL MASTERS`".into());
    }
    if detail.contains("unknown command") {
        return Some("name the sentinels, whose port is usually 26379".into());
    }
    super::failure::hint_of(why)
}
