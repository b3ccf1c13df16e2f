//! Why Redis does not count: for the log, and for the operator who starts a server.

use std::time::Duration;

use redis::{ErrorKind, RedisError, ServerErrorKind};
use shared::base::hint::Hint;
use shared::base::shortened::shortened;

use super::address::RedisAddress;
use super::process::NO_EVICTION;

/// Why a request could not be counted in Redis, or counting could not begin there.
#[derive(Debug, thiserror::Error)]
pub enum RedisFailure {
    /// It is too slow.
    #[error("{address} has not answered within {} ms", waited.as_millis())]
    TooSlow {
        /// Where it is.
        address: RedisAddress,
        /// How long it was waited for.
        waited: Duration,
    },
    /// It cannot be asked, or refuses.
    #[error("could not ask {address}: {}", shortened(why.to_string()))]
    Failed {
        /// Where it is.
        address: RedisAddress,
        /// The error; its text includes its causes.
        why: RedisError,
    },
    /// It forgets counts if it lacks memory.
    #[error(
        "{address} makes room by forgetting what was counted: its maxmemory-policy is {policy}"
    )]
    Evicts {
        /// Where it is.
        address: RedisAddress,
        /// Its policy.
        policy: String,
    },
    /// It follows another server, and takes no counts itself.
    #[error("{address} is a replica")]
    Replica {
        /// Where it is.
        address: RedisAddress,
    },
    /// It is one of several among which keys are divided.
    #[error("{address} is part of a Redis Cluster, in which minute limits cannot be counted")]
    Cluster {
        /// Where it is.
        address: RedisAddress,
    },
    /// It watches other servers.
    #[error("{address} is a sentinel, which counts nothing itself")]
    Sentinel {
        /// Where it is.
        address: RedisAddress,
    },
}

/// What a user of Redis has to be allowed to do.
const ALLOWED: &str = "allow its user INFO, EVALSHA, SCRIPT LOAD and what the script runs: TIME, \
                       LINDEX, LLEN, LTRIM, RPUSH, PEXPIRE";

const NO_CLUSTER: &str = "name one that is not part of a cluster, alone or behind sentinels";

impl RedisFailure {
    /// The failure of a call to the Redis at `address`.
    pub(super) const fn failed(address: RedisAddress, why: RedisError) -> Self {
        Self::Failed { address, why }
    }

    /// Whether it may end without anybody's doing, so that a server need not be refused its start.
    /// Sentinels do not name a master that is down, nor one that they never heard of.
    pub(super) fn may_end(&self) -> bool {
        match self {
            Self::TooSlow { .. } | Self::Replica { .. } => true,
            Self::Failed { why, .. } => {
                why.kind() == ErrorKind::MasterNameNotFoundBySentinel || hint_of(why).is_none()
            }
            Self::Evicts { .. } | Self::Cluster { .. } | Self::Sentinel { .. } => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Self::Evicts { .. } => Some(format!(
                "let it refuse instead: redis-cli CONFIG SET maxmemory-policy {NO_EVICTION}, and the \
                 same in its configuration"
            ).into()),
            Self::Failed { why, .. } => hint_of(why),
            Self::Cluster { .. } => Some(NO_CLUSTER.into()),
            Self::Sentinel { .. } => Some(
                "name the master that it watches: redis+sentinel://HOST:PORT,HOST:PORT/MASTER".into(),
            ),
            Self::TooSlow { .. } | Self::Replica { .. } => None,
        }
    }
}

fn hint_of(why: &RedisError) -> Option<Hint> {
    match why.kind() {
        ErrorKind::AuthenticationFailed => {
            Some("check the user and the password in the address".into())
        }
        ErrorKind::Server(ServerErrorKind::NoPerm) => Some(ALLOWED.into()),
        ErrorKind::Server(
            ServerErrorKind::CrossSlot
            | ServerErrorKind::Moved
            | ServerErrorKind::Ask
            | ServerErrorKind::ClusterDown,
        ) => Some(NO_CLUSTER.into()),
        ErrorKind::MasterNameNotFoundBySentinel => Some(
            "is the master up, and that its name? `redis-cli -p 26379 SENTINEL MASTERS`".into(),
        ),
        _ if why.detail().is_some_and(is_script_not_allowed) => Some(ALLOWED.into()),
        ErrorKind::InvalidClientConfig if why.to_string().contains("sentinel node") => {
            Some("name the sentinels, whose port is usually 26379".into())
        }
        ErrorKind::InvalidClientConfig => Some("check the address".into()),
        _ if why.code() == Some("NOAUTH") => {
            Some("put USER:PASSWORD@ before the host in the address".into())
        }
        _ => None,
    }
}

/// Whether what is stored as one window is no list of times, whatever holds for all others.
pub(super) fn is_of_one_window(why: &RedisError) -> bool {
    // By Redis, since version 7.0 and until then, and by the script.
    let is_named = |detail: &str| detail.contains("WRONGTYPE") || detail.contains("attempt to ");
    why.code() == Some("WRONGTYPE") || why.detail().is_some_and(is_named)
}

fn is_script_not_allowed(detail: &str) -> bool {
    // Until version 7.0, and since.
    detail.contains("user executing the script can't run this command")
        || detail.contains("ACL failure in script")
}

#[cfg(test)]
mod tests {
    use shared::base::shortened::CHARS_MAX;

    use super::*;

    #[test]
    fn what_does_not_recover_by_itself_has_a_hint() {
        let kinds = [
            (ServerErrorKind::NoPerm, Some("allow its user")),
            (ServerErrorKind::CrossSlot, Some("not part of a cluster")),
            (ServerErrorKind::Moved, Some("not part of a cluster")),
            (ServerErrorKind::BusyLoading, None),
        ];
        for (kind, expected) in kinds {
            let why = (ErrorKind::Server(kind), "refused").into();
            let hint = RedisFailure::failed("redis://r".parse().unwrap(), why).hint();
            assert_eq!(hint.is_some(), expected.is_some(), "{kind:?}");
            assert!(hint.is_none_or(|hint| hint.contains(expected.unwrap_or_default())));
        }
    }

    #[test]
    fn a_user_is_to_be_allowed_all_that_the_script_runs() {
        let calls = include_str!("count.lua").split("redis.call('").skip(1);
        for command in calls.filter_map(|call| call.split_once('\'')) {
            assert!(ALLOWED.contains(command.0), "{}", command.0);
        }
    }

    #[test]
    fn of_a_long_reply_only_the_beginning_is_shown() {
        let reply = "a".repeat(1 << 20);
        let why = (ErrorKind::UnexpectedReturnType, "refused", reply).into();
        let failure = RedisFailure::failed("redis://r".parse().unwrap(), why);
        assert!(failure.to_string().len() < 2 * CHARS_MAX);
    }
}
