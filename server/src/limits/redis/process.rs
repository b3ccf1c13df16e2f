//! What a process of Redis says of itself, as far as counting depends on it.
//!
//! It reads; what follows from it is decided elsewhere.

use redis::InfoDict;

/// The policy under which Redis never forgets a window to make room.
pub(super) const NO_EVICTION: &str = "noeviction";

/// What one process says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    /// Its identity: another one after every start.
    pub(super) run: String,
    /// Whether all that it answered is still there after it was killed: it writes everything to
    /// disk before it answers, and nobody else can take its place with less.
    pub(super) keeps_all: bool,
    /// What it does when memory is full.
    pub(super) policy: String,
    /// Whether it may be written to.
    pub(super) is_primary: bool,
}

impl Process {
    /// What `INFO` says, and the setting `appendfsync`, which not everybody may ask for. Nothing
    /// where something is missing.
    pub(super) fn parse(info: &str, appendfsync: Option<&str>) -> Option<Self> {
        let info = InfoDict::new(info);
        let text = |name| info.get::<String>(name);
        let is = |name, expected: &str| text(name).is_some_and(|value| value == expected);
        let writes_first = is("aof_enabled", "1") && appendfsync == Some("always");
        Some(Self {
            run: text("run_id").filter(|run| !run.is_empty())?,
            // A replica is sent everything a little later, and may be promoted.
            keeps_all: writes_first && is("connected_slaves", "0"),
            policy: text("maxmemory_policy")?,
            is_primary: is("role", "master"),
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
            ("aof_enabled", "1"),
            ("role", "master"),
            ("connected_slaves", "0"),
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
        for (changed, appendfsync, keeps_all) in [
            (("", ""), Some("always"), true),
            (("", ""), Some("everysec"), false),
            (("", ""), None, false),
            (("aof_enabled", "0"), Some("always"), false),
            (("connected_slaves", "1"), Some("always"), false),
        ] {
            let process = Process::parse(&info(changed), appendfsync).unwrap();
            assert_eq!(process.keeps_all, keeps_all, "{changed:?} {appendfsync:?}");
        }
    }

    #[test]
    fn policy_and_role_are_told_and_what_counting_needs_must_be_there() {
        let evicting = info(("maxmemory_policy", "allkeys-lru"));
        assert_eq!(
            Process::parse(&evicting, None).unwrap().policy,
            "allkeys-lru"
        );
        let replica = Process::parse(&info(("role", "slave")), None).unwrap();
        assert!(!replica.is_primary);
        for missing in [info(("run_id", "")), String::new(), "run_id:1".to_owned()] {
            assert_eq!(Process::parse(&missing, None), None, "{missing}");
        }
    }
}
