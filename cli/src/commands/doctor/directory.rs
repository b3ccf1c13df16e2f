//! The data directory itself: whether it is there, and whether it is its owner's alone.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use shared::base::data_dir::DataDir;
use shared::keys::audit::Operator;

use super::check::Check;
use shared::base::hint::quoted;

/// Most entries whose owners are looked at.
const ENTRIES_MAX: usize = 20_000;
/// Everything that those may do who are not the owner.
const OTHERS: u32 = 0o077;
/// What the owner must be able to do with a directory.
const OWNER: u32 = 0o700;

const THERE: &str = "data directory";
const PERMISSIONS: &str = "permissions";
const OWNERS: &str = "owner";

/// Whether there is a directory that can be read.
pub(super) fn there(data: &DataDir) -> Check {
    let path = data.path();
    let shown = path.display();
    let import = "catalogue import EXPORT";
    match fs::read_dir(path) {
        Ok(_entries) => Check::ok(THERE, format!("{shown} is there")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Check::problem(THERE, format!("there is no {shown}")).run(import)
        }
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            Check::problem(THERE, format!("{shown} is a file, not a directory"))
        }
        Err(error) => Check::problem(THERE, format!("could not read {shown}: {error}")),
    }
}

/// Whether it is its owner's alone, with all that is in it, and who that is.
pub(super) fn private(data: &DataDir, operator: &Operator) -> [Check; 2] {
    [permissions(data), owners(data, operator)]
}

fn permissions(data: &DataDir) -> Check {
    let (path, keys) = (data.path(), data.keys_database());
    let directory = match fs::metadata(path) {
        Ok(metadata) => metadata.mode(),
        Err(error) => return failed(PERMISSIONS, error, path),
    };
    let shown = quoted(&path.display().to_string());
    if directory & OWNER != OWNER {
        let said = format!(
            "its owner may not read or change it (mode {:o})",
            directory & 0o777
        );
        return Check::problem(PERMISSIONS, said).run(format!("chmod u+rwx {shown}"));
    }
    if directory & OTHERS != 0 {
        let said = format!(
            "others than its owner may enter it (mode {:o})",
            directory & 0o777
        );
        return Check::problem(PERMISSIONS, said).run(format!("chmod go= {shown}"));
    }
    match fs::metadata(&keys) {
        Ok(found) if found.mode() & OTHERS != 0 => {
            let said = "others than its owner may read keys.sqlite";
            let shown = quoted(&keys.display().to_string());
            Check::problem(PERMISSIONS, said).run(format!("chmod go= {shown}"))
        }
        // Whether there is one is looked at elsewhere.
        _ => Check::ok(PERMISSIONS, "it is its owner's alone"),
    }
}

fn owners(data: &DataDir, operator: &Operator) -> Check {
    let path = data.path();
    let owner = match fs::metadata(path) {
        Ok(metadata) => metadata.uid(),
        Err(error) => return failed(OWNERS, error, path),
    };
    let mut strangers = Strangers::of(owner);
    if let Err(error) = strangers.look(path) {
        return failed(OWNERS, error, path);
    }
    if let Some(first) = &strangers.first {
        let (count, first) = (strangers.count, first.display());
        let said = format!(
            "{count} of what is in it do not belong to its owner, the user {owner}, whose server \
             may not read them; the first is {first}"
        );
        let shown = quoted(&path.display().to_string());
        return Check::problem(OWNERS, said).run(format!("chown -R {owner} {shown}"));
    }
    if operator.uid != owner {
        let said = format!(
            "it belongs to the user {owner}, and you are the user {}: what you import or issue, \
             a server of its owner may not read",
            operator.uid
        );
        return Check::warning(OWNERS, said).run(format!("sudo -u '#{owner}' catalogue …"));
    }
    Check::ok(OWNERS, "all of it is yours")
}

/// What belongs to another user than the directory does.
struct Strangers {
    owner: u32,
    seen: usize,
    count: usize,
    first: Option<PathBuf>,
}

impl Strangers {
    const fn of(owner: u32) -> Self {
        Self {
            owner,
            seen: 0,
            count: 0,
            first: None,
        }
    }

    fn look(&mut self, directory: &Path) -> io::Result<()> {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            self.seen += 1;
            if ENTRIES_MAX < self.seen {
                return Ok(());
            }
            let metadata = match entry.metadata() {
                // Servers and commands go on meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                metadata => metadata?,
            };
            if metadata.uid() != self.owner {
                self.count += 1;
                self.first.get_or_insert_with(|| entry.path());
            }
            if metadata.is_dir() {
                match self.look(&entry.path()) {
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    looked => looked?,
                }
            }
        }
        Ok(())
    }
}

fn failed(about: &'static str, error: io::Error, path: &Path) -> Check {
    let failed =
        Err::<(), _>(error).with_context(|| format!("could not look at {}", path.display()));
    match failed {
        Ok(()) => Check::ok(about, ""),
        Err(error) => Check::failed(about, error),
    }
}
