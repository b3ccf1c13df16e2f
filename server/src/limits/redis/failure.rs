//! Why Redis does not count: for the log, and for the operator who starts a server.

use std::time::Duration;

use redis::{ErrorKind, RedisError, ServerErrorKind};
use shared::base::hint::Hint;
use shared::base::limited::shortened;

use super::address::RedisAddress;
use super::process::NO_EVICTION;

/// Why a request could not be counted, or counting could not begin.
#[derive(Debug, thiserror::Error)]
pub enum RedisFailure {
    /// It is known to be away; a probe waits for it to come back.
    #[error("{address} is out of reach at the moment")]
    Away {
        /// Where it is.
        address: RedisAddress,
    },
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
    /// Something else answers there, or the reply was altered on its way.
    #[error("{address} gave an answer that does not fit the question")]
    Garbled {
        /// Where it is.
        address: RedisAddress,
    },
    /// It got to the call when, by its clock, the request no longer waited.
    #[error("{address} came to the request too late")]
    Late {
        /// Where it is.
        address: RedisAddress,
    },
    /// Its clock jumped forward.
    #[error("{address} has put its clock forward, so requests have left their windows too early")]
    Stepped {
        /// Where it is.
        address: RedisAddress,
    },
    /// It was emptied.
    #[error("{address} has lost what was counted")]
    Lost {
        /// Where it is.
        address: RedisAddress,
    },
    /// It may have lost what was counted.
    #[error(
        "{address} may have lost what was counted, so every window counts as full for {} more seconds",
        left.as_secs() + 1
    )]
    Closed {
        /// Where it is.
        address: RedisAddress,
        /// For how long.
        left: Duration,
    },
    /// It may forget windows.
    #[error(
        "{address} makes room by forgetting what was counted: its maxmemory-policy is {policy}"
    )]
    Evicts {
        /// Where it is.
        address: RedisAddress,
        /// Its policy.
        policy: String,
    },
    /// It may not be written to.
    #[error("{address} is a replica")]
    Replica {
        /// Where it is.
        address: RedisAddress,
    },
    /// It has only some of the keys.
    #[error("{address} is part of a Redis Cluster, in which minute limits cannot be counted")]
    Cluster {
        /// Where it is.
        address: RedisAddress,
    },
    /// It watches others.
    #[error("{address} is a sentinel, which counts nothing itself")]
    Sentinel {
        /// Where it is.
        address: RedisAddress,
    },
    /// Most sentinels name no server, or not the same.
    #[error("most sentinels of {address} do not name one master: {}", shortened(said.join("; ")))]
    Unnamed {
        /// Where they are.
        address: RedisAddress,
        /// What each of them said.
        said: Vec<String>,
        /// What an operator must do, if it does not recover by itself.
        hint: Option<Hint>,
    },
    /// Another server is the master now.
    #[error("{address} is no longer the master: its sentinels name {master}")]
    FailedOver {
        /// Where it is.
        address: RedisAddress,
        /// Where the master is.
        master: RedisAddress,
    },
    /// It is not known to be the master any more.
    #[error("the sentinels of {address} have not named it as the master within {} s", within.as_secs())]
    Unconfirmed {
        /// Where it is.
        address: RedisAddress,
        /// For how long they are believed.
        within: Duration,
    },
    /// Connections lead to different processes, which count separately.
    #[error("{address} leads to several servers, which would count apart")]
    Several {
        /// Where it is.
        address: RedisAddress,
    },
}

/// What a user that counts must be allowed.
const ALLOWED: &str = "allow its user INFO, EVALSHA, SCRIPT LOAD and what scripts run: HMGET, HSET, \
                       TIME, LINDEX, LLEN, LTRIM, RPUSH, DEL, PTTL, PEXPIRE";

/// Of a cluster, each server has only some of the keys.
const NO_CLUSTER: &str = "name one that is not part of a cluster, alone or behind sentinels";

impl RedisFailure {
    /// What an operator must do, if it does not recover by itself.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Self::Evicts { .. } => Some(format!(
                "let it refuse instead: redis-cli CONFIG SET maxmemory-policy {NO_EVICTION}, and the \
                 same in its configuration"
            ).into()),
            Self::Failed { why, .. } => hint_of(why),
            Self::Unnamed { hint, .. } => hint.clone(),
            Self::Cluster { .. } => Some(NO_CLUSTER.into()),
            Self::Sentinel { .. } => Some(
                "name the master that it watches: redis+sentinel://HOST:PORT,HOST:PORT/MASTER".into(),
            ),
            Self::Several { .. } => {
                Some("name the one that all servers are to count in".into())
            }
            _ => None,
        }
    }
}

/// What an operator must do about an answer of the server.
pub(super) fn hint_of(why: &RedisError) -> Option<Hint> {
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
        _ if why.detail().is_some_and(is_script_not_allowed) => Some(ALLOWED.into()),
        ErrorKind::InvalidClientConfig => Some("check the address".into()),
        _ if why.code() == Some("NOAUTH") => {
            Some("put USER:PASSWORD@ before the host in the address".into())
        }
        _ => None,
    }
}

/// Whether a script was refused a command; Redis has no error code for that.
fn is_script_not_allowed(detail: &str) -> bool {
    // Until version 7.0, and since.
    detail.contains("user executing the script can't run this command")
        || detail.contains("ACL failure in script")
}

#[cfg(test)]
mod tests {
    use shared::base::limited::CHARS_MAX;

    use super::*;

    #[test]
    fn what_somebody_has_to_mend_is_told_how() {
        let kinds = [
            (ServerErrorKind::NoPerm, Some("allow its user")),
            (ServerErrorKind::CrossSlot, Some("not part of a cluster")),
            (ServerErrorKind::Moved, Some("not part of a cluster")),
            (ServerErrorKind::BusyLoading, None),
        ];
        for (kind, expected) in kinds {
            let failure = RedisFailure::Failed {
                address: "redis://r".parse().unwrap(),
                why: (ErrorKind::Server(kind), "refused").into(),
            };
            let hint = failure.hint();
            assert_eq!(hint.is_some(), expected.is_some(), "{kind:?}");
            assert!(hint.is_none_or(|hint| hint.contains(expected.unwrap_or_default())));
        }
    }

    #[test]
    fn of_a_long_reply_only_the_beginning_is_told() {
        let reply = "a".repeat(1 << 20);
        let failure = RedisFailure::Failed {
            address: "redis://r".parse().unwrap(),
            why: (ErrorKind::UnexpectedReturnType, "refused", reply).into(),
        };
        assert!(failure.to_string().len() < 2 * CHARS_MAX);
    }
}
