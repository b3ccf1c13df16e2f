//! What a Redis process reports about itself, as far as counting depends on it.
//!
//! This only parses; decisions are made elsewhere.

use std::collections::BTreeMap;

use redis::InfoDict;

/// The policy under which Redis never forgets a window to make room.
pub(super) const NO_EVICTION: &str = "noeviction";

/// The settings to read, as a pattern: older versions do not take a list.
pub(super) const SETTINGS: &str = "*appendfsync*";

/// Settings by their names.
pub(super) type Settings = BTreeMap<String, String>;

/// What one process reports about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    /// Its identity: a new one after every start.
    pub(super) run: String,
    /// Whether everything it confirmed survives a kill: it writes to disk before it replies, and no
    /// replica can take its place with less.
    pub(super) keeps_all: bool,
    /// What it does when memory is full.
    pub(super) policy: String,
    /// What it is among others.
    pub(super) role: Role,
    /// Its name and version.
    pub(super) software: String,
}

/// What a process is among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It may be written to.
    Master,
    /// It has what a master has, a little later.
    Replica,
    /// It has only some of the keys.
    OfCluster,
    /// It watches others, and has no keys.
    Sentinel,
}

impl Process {
    /// Parses `INFO`, and settings, which not every user may read. None if something is missing
    /// that every Redis reports, and while it loads, when it reports that it writes nothing.
    pub(super) fn parse(info: &str, settings: &Settings) -> Option<Self> {
        let info = InfoDict::new(info);
        let text = |name| info.get::<String>(name);
        let is = |name, expected: &str| text(name).is_some_and(|value| value == expected);
        if is("loading", "1") {
            return None;
        }
        let is_set = |name, expected: &str| settings.get(name).is_some_and(|set| set == expected);
        let writes_first = is("aof_enabled", "1")
            && is_set("appendfsync", "always")
            && is_set("no-appendfsync-on-rewrite", "no");
        let role = if ["redis_mode", "server_mode"]
            .iter()
            .any(|mode| is(mode, "sentinel"))
        {
            Role::Sentinel
        } else if is("cluster_enabled", "1") {
            Role::OfCluster
        } else if is("role", "master") {
            Role::Master
        } else {
            Role::Replica
        };
        let policy = match role {
            Role::Sentinel => String::new(),
            _ => text("maxmemory_policy")?,
        };
        let software = match text("valkey_version") {
            Some(version) => format!("Valkey {version}"),
            None => format!("Redis {}", text("redis_version").unwrap_or_default()),
        };
        Some(Self {
            run: text("run_id").filter(|run| !run.is_empty())?,
            // A replica is sent everything a little later, and may be promoted.
            keeps_all: writes_first && is("connected_slaves", "0"),
            policy,
            role,
            software,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(changed: (&str, &str)) -> String {
        let facts = [
            ("run_id", "0f3a"),
            ("maxmemory_policy", "noeviction"),
            ("loading", "0"),
            ("aof_enabled", "1"),
            ("role", "master"),
            ("connected_slaves", "0"),
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
    fn only_a_lone_process_that_writes_before_it_answers_keeps_all() {
        let set = |appendfsync: &str, on_rewrite: &str| {
            let named = [
                ("appendfsync", appendfsync),
                ("no-appendfsync-on-rewrite", on_rewrite),
            ];
            let owned = named.map(|(name, value)| (name.to_owned(), value.to_owned()));
            Settings::from(owned)
        };
        for (changed, settings, keeps_all) in [
            (("", ""), set("always", "no"), true),
            (("", ""), set("everysec", "no"), false),
            (("", ""), set("always", "yes"), false),
            (("", ""), Settings::new(), false),
            (("aof_enabled", "0"), set("always", "no"), false),
            (("connected_slaves", "1"), set("always", "no"), false),
        ] {
            let process = Process::parse(&info(changed), &settings).unwrap();
            assert_eq!(process.keeps_all, keeps_all, "{changed:?} {settings:?}");
        }
    }

    #[test]
    fn policy_and_role_are_told_and_what_counting_needs_must_be_there() {
        let evicting = info(("maxmemory_policy", "allkeys-lru"));
        assert_eq!(
            Process::parse(&evicting, &Settings::new()).unwrap().policy,
            "allkeys-lru"
        );
        for (changed, role) in [
            (("", ""), Role::Master),
            (("role", "slave"), Role::Replica),
            (("cluster_enabled", "1"), Role::OfCluster),
            (("redis_mode", "sentinel"), Role::Sentinel),
        ] {
            let process = Process::parse(&info(changed), &Settings::new()).unwrap();
            assert_eq!(process.role, role, "{changed:?}");
        }
        for missing in [info(("run_id", "")), String::new(), "run_id:1".to_owned()] {
            assert_eq!(
                Process::parse(&missing, &Settings::new()),
                None,
                "{missing}"
            );
        }
    }

    #[test]
    fn a_process_is_told_by_its_name_and_version() {
        let software = |info: &str| Process::parse(info, &Settings::new()).unwrap().software;
        let redis = info(("", ""));
        assert_eq!(software(&redis), "Redis 7.0.15");
        assert_eq!(
            software(&format!("{redis}valkey_version:9.1.2\r\n")),
            "Valkey 9.1.2"
        );
    }

    #[test]
    fn a_process_that_loads_has_not_said_yet_what_it_keeps() {
        assert!(Process::parse(&info(("loading", "0")), &Settings::new()).is_some());
        assert_eq!(
            Process::parse(&info(("loading", "1")), &Settings::new()),
            None
        );
    }
}
