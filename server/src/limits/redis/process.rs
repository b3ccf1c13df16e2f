//! What a Redis process reports about itself, as far as counting depends on it.
//!
//! This only parses; decisions are made elsewhere.

use redis::{ErrorKind, InfoDict, RedisResult};

/// The only policy under which nothing is forgotten for want of memory.
pub(super) const NO_EVICTION: &str = "noeviction";

/// A process of Redis or Valkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) role: Role,
    /// What it does if it lacks memory.
    pub(super) policy: String,
    /// Its name and version.
    pub(super) software: String,
}

/// What it is among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Master,
    Replica,
    OfCluster,
    Sentinel,
}

impl Process {
    /// What `INFO` says of it; an error while it still loads its data, or if it says too little.
    pub(super) fn parse(info: &str) -> RedisResult<Self> {
        let info = InfoDict::new(info);
        let text = |name| info.get::<String>(name);
        let is = |name, expected: &str| text(name).is_some_and(|value| value == expected);
        if is("loading", "1") {
            return Err((ErrorKind::UnexpectedReturnType, "it loads its data").into());
        }
        let is_sentinel = ["redis_mode", "server_mode"]
            .iter()
            .any(|mode| is(mode, "sentinel"));
        let role = if is_sentinel {
            Role::Sentinel
        } else if is("cluster_enabled", "1") {
            Role::OfCluster
        } else if is("role", "master") {
            Role::Master
        } else if is("role", "slave") {
            Role::Replica
        } else {
            return Err((ErrorKind::UnexpectedReturnType, "it does not say its role").into());
        };
        let software = match text("valkey_version") {
            Some(version) => format!("Valkey {version}"),
            None => format!("Redis {}", text("redis_version").unwrap_or_default()),
        };
        let policy = text("maxmemory_policy").unwrap_or_default();
        Ok(Self {
            role,
            policy,
            software,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(changed: (&str, &str)) -> String {
        let facts = [
            ("maxmemory_policy", "noeviction"),
            ("loading", "0"),
            ("role", "master"),
            ("cluster_enabled", "0"),
            ("redis_mode", "standalone"),
            ("redis_version", "7.0.15"),
        ];
        let line = |(name, value)| match changed {
            (other, instead) if other == name => format!("{name}:{instead}\r\n"),
            _ => format!("{name}:{value}\r\n"),
        };
        let lines: String = facts.into_iter().map(line).collect();
        format!("# Server\r\n{lines}")
    }

    #[test]
    fn policy_and_role_are_read() {
        let evicting = Process::parse(&info(("maxmemory_policy", "allkeys-lru"))).unwrap();
        assert_eq!(evicting.policy, "allkeys-lru");
        for (changed, role) in [
            (("", ""), Role::Master),
            (("role", "slave"), Role::Replica),
            (("cluster_enabled", "1"), Role::OfCluster),
            (("redis_mode", "sentinel"), Role::Sentinel),
        ] {
            let process = Process::parse(&info(changed)).unwrap();
            assert_eq!(process.role, role, "{changed:?}");
        }
    }

    #[test]
    fn a_process_that_loads_or_says_nothing_is_not_fit() {
        for unfit in [info(("loading", "1")), String::new(), "role:".to_owned()] {
            assert!(Process::parse(&unfit).is_err(), "{unfit}");
        }
    }

    #[test]
    fn a_process_is_named_with_its_version() {
        let software = |info: &str| Process::parse(info).unwrap().software;
        let redis = info(("", ""));
        assert_eq!(software(&redis), "Redis 7.0.15");
        let valkey = format!("{redis}valkey_version:9.1.2\r\n");
        assert_eq!(software(&valkey), "Valkey 9.1.2");
    }
}
