//! Checks the data directory itself: whether it exists, and whether only its owner has access.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use import::finding::CountAndFirst;
use shared::base::hint::quoted;

use super::inputs::Inputs;
use super::observation::Observation;

/// Most entries whose owners are checked.
const ENTRIES_MAX: usize = 20_000;
/// The permission bits of users other than the owner.
const OTHERS: u32 = 0o077;
/// The permission bits that the owner of a directory needs.
const OWNER: u32 = 0o700;

/// Why it may be missing. An import is not suggested as the command to run: it would begin another
/// catalogue below the place where a disk is to be mounted.
const ABSENT: &str = "its disk is not mounted, it was moved, or nothing was imported yet; mount it, \
                      name it with --data, or begin here with an import";

/// Whether the directory exists and can be read. It may be empty only if releases are elsewhere.
pub(super) fn there(path: &Path, has_releases: bool) -> Observation {
    let shown = path.display();
    let is_empty = |mut entries: fs::ReadDir| entries.next().is_none();
    match fs::read_dir(path).map(is_empty) {
        Ok(true) if has_releases => Observation::problem(format!("{shown} is empty: {ABSENT}")),
        Ok(_) => Observation::ok(format!("{shown} is there")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Observation::problem(format!("there is no {shown}: {ABSENT}"))
        }
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            Observation::problem(format!("{shown} is a file, not a directory"))
        }
        Err(error) => Observation::problem(format!("could not read {shown}: {error}")),
    }
}

/// Whether only its owner may enter it and read the keys.
pub(super) fn permissions(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Observation>> {
    let (path, keys) = (inputs.data.path(), inputs.data.keys_database());
    let shown = quoted(&path.display().to_string());
    let mode = metadata(path)?.mode();
    let bits = mode & 0o777;
    // Another check reports whether there are keys.
    let are_keys_open = fs::metadata(&keys).is_ok_and(|keys| keys.mode() & OTHERS != 0);
    Ok(vec![if mode & OWNER != OWNER {
        let message = format!("its owner may not read or change it (mode {bits:o})");
        Observation::problem(message).run(format!("chmod u+rwx {shown}"))
    } else if mode & OTHERS != 0 {
        let message = format!("others than its owner may enter it (mode {bits:o})");
        Observation::problem(message).run(format!("chmod go= {shown}"))
    } else if are_keys_open {
        let shown = quoted(&keys.display().to_string());
        Observation::problem("others than its owner may read keys.sqlite")
            .run(format!("chmod go= {shown}"))
    } else {
        Observation::ok("it is its owner's alone")
    }])
}

/// Whether everything in it belongs to one user, the one who runs the command.
pub(super) fn owners(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Observation>> {
    let (path, user) = (inputs.data.path(), inputs.user);
    let owner = metadata(path)?.uid();
    let mut strangers = Strangers {
        owner,
        seen: 0,
        found: CountAndFirst::default(),
    };
    strangers.walk(path).with_context(|| unseen(path))?;
    Ok(vec![if let Some(first) = &strangers.found.first {
        let (count, first) = (strangers.found.count, first.display());
        let message = format!(
            "{count} of what is in it do not belong to its owner, the user {owner}, whose server \
             may not read them; the first is {first}"
        );
        let shown = quoted(&path.display().to_string());
        Observation::problem(message).run(format!("chown -R {owner} {shown}"))
    } else if user != owner {
        let message = format!(
            "it belongs to the user {owner}, and you are the user {user}: what you import or \
             issue, a server of its owner may not read"
        );
        Observation::warning(message).run(format!("sudo -u '#{owner}' catalogue …"))
    } else {
        Observation::ok("all of it is yours")
    }])
}

fn metadata(path: &Path) -> anyhow::Result<fs::Metadata> {
    fs::metadata(path).with_context(|| unseen(path))
}

fn unseen(path: &Path) -> String {
    format!("could not look at {}", path.display())
}

/// Entries that belong to another user than the directory does.
struct Strangers {
    owner: u32,
    seen: usize,
    found: CountAndFirst<PathBuf>,
}

impl Strangers {
    fn walk(&mut self, directory: &Path) -> io::Result<()> {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            self.seen += 1;
            if ENTRIES_MAX < self.seen {
                return Ok(());
            }
            let metadata = match entry.metadata() {
                // Running servers and commands may remove entries meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                metadata => metadata?,
            };
            if metadata.uid() != self.owner {
                self.found.add(|| entry.path());
            }
            if metadata.is_dir() {
                match self.walk(&entry.path()) {
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    walked => walked?,
                }
            }
        }
        Ok(())
    }
}
