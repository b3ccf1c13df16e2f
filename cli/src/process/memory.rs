//! How much memory this process may use: the memory of the machine, or the lowest limit of its
//! control groups.
//!
//! The groups are read here and not by sysinfo: if a group of version 1 limits the memory while
//! version 2 is mounted too, sysinfo 0.40 returns the memory of the machine.

use std::fs;
use std::path::Path;

/// The directories of the groups of version 2 and of the memory groups of version 1, with the files
/// of a group that contain its limit.
const VERSIONS: [(&str, &[&str]); 2] = [
    ("/sys/fs/cgroup", &["memory.max", "memory.high"]),
    ("/sys/fs/cgroup/memory", &["memory.limit_in_bytes"]),
];

/// Bytes that this process may use, if known.
pub fn allowed() -> Option<u64> {
    allowed_by(&|path| fs::read_to_string(path).ok())
}

fn allowed_by(read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().filter_map(|line| {
        // `0::/path` in version 2, `4:memory:/path` in version 1.
        let (_number, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let version = match controllers {
            "" => VERSIONS[0],
            _ if controllers.split(',').any(|one| one == "memory") => VERSIONS[1],
            _ => return None,
        };
        least_of_group(version, path, read)
    });
    // The values that mean "no limit" are larger than the memory of any machine.
    limits.chain(of_machine(read)).min()
}

/// The lowest limit of a group and its parents. In a container, the path may be the one outside,
/// and only its root exists inside.
fn least_of_group(
    (root, files): (&str, &[&str]),
    path: &str,
    read: &dyn Fn(&Path) -> Option<String>,
) -> Option<u64> {
    let groups = Path::new(path.strip_prefix('/')?).ancestors();
    let limits = groups.flat_map(|group| {
        let group = Path::new(root).join(group);
        files.iter().filter_map(move |file| {
            let limit = read(&group.join(file))?;
            limit.trim().parse::<u64>().ok()
        })
    });
    limits.min()
}

fn of_machine(read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let figures = read(Path::new("/proc/meminfo"))?;
    let all = figures
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = all.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    const MIB: u64 = 1 << 20;
    const MACHINE: (&str, &str) = (
        "/proc/meminfo",
        "MemTotal:        8388608 kB\nMemFree: 1 kB\n",
    );

    fn of(files: &[(&str, &str)]) -> Option<u64> {
        let files: HashMap<_, _> = files.iter().copied().collect();
        allowed_by(&|path| files.get(path.to_str()?).map(|&text| text.to_owned()))
    }

    #[test]
    fn without_a_group_the_whole_machine_may_be_used() {
        assert_eq!(of(&[MACHINE]), Some(8192 * MIB));
        let unlimited = [
            MACHINE,
            ("/proc/self/cgroup", "0::/a\n"),
            ("/sys/fs/cgroup/a/memory.max", "max\n"),
        ];
        assert_eq!(of(&unlimited), Some(8192 * MIB));
    }

    #[test]
    fn the_least_limit_of_a_group_and_those_around_it_counts() {
        let nested = [
            MACHINE,
            ("/proc/self/cgroup", "0::/system.slice/catalogue.service\n"),
            (
                "/sys/fs/cgroup/system.slice/catalogue.service/memory.max",
                "max\n",
            ),
            (
                "/sys/fs/cgroup/system.slice/catalogue.service/memory.high",
                "1073741824\n",
            ),
            ("/sys/fs/cgroup/system.slice/memory.max", "536870912\n"),
        ];
        assert_eq!(of(&nested), Some(512 * MIB));
        assert_eq!(of(&nested[..4]), Some(1024 * MIB));
    }

    #[test]
    fn a_group_of_version_1_counts_beside_one_of_version_2() {
        let both = [
            MACHINE,
            (
                "/proc/self/cgroup",
                "4:cpu,memory:/pod/one\n3:cpuset:/\n0::/\n",
            ),
            (
                "/sys/fs/cgroup/memory/pod/one/memory.limit_in_bytes",
                "268435456\n",
            ),
            (
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
            ("/sys/fs/cgroup/memory.max", "max\n"),
        ];
        assert_eq!(of(&both), Some(256 * MIB));
    }

    #[test]
    fn in_a_container_the_top_of_the_groups_is_its_own() {
        let container = [
            MACHINE,
            ("/proc/self/cgroup", "0::/docker/0123\n"),
            ("/sys/fs/cgroup/memory.max", "268435456\n"),
        ];
        assert_eq!(of(&container), Some(256 * MIB));
    }

    #[test]
    fn a_system_that_does_not_say_leaves_it_unknown() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("/proc/meminfo", "MemTotal: many kB\n")]), None);
    }
}
