//! Which file is read: the named one, or `catalogue.toml` in the current directory.
//!
//! A file that was not named is used only if no other user can have put it there: otherwise someone
//! who works in another user's folder would work with data that the other chose.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use clap::Command;
use import::finding::Mistake;
use shared::base::hint::quoted;
use shared::base::regular_file;

use super::{SettingsFile, excerpt, read};
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;

/// The file that is read if none is named.
pub const FILE: &str = "catalogue.toml";
/// Longest file, in bytes.
const BYTES_MAX: u64 = 64 * 1024;

/// A file that cannot be used, with what to do about it.
pub(crate) type NotUsable = anyhow::Error;

/// Reads the settings of `command` from the file that is `named`, or from [`FILE`] if there is one
/// and `user` or root owns it.
pub(crate) fn find(
    named: Option<&Path>,
    user: u32,
    command: &Command,
) -> Result<SettingsFile, NotUsable> {
    let path = named.unwrap_or_else(|| Path::new(FILE));
    let name = path.display().to_string();
    let opened = regular_file::open_unwaiting(path).and_then(|file| Ok((file.metadata()?, file)));
    let (metadata, file) = match opened {
        Err(error) if named.is_none() && is_missing(&error, fs::metadata(".").is_ok()) => {
            return Ok(SettingsFile::default());
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(missing(error, path)),
        opened => opened.with_context(|| format!("could not read the settings {name}"))?,
    };
    if named.is_none() {
        // A link that others created leads to a file that they chose, whoever owns that.
        let link = fs::symlink_metadata(path);
        let link = link.with_context(|| format!("could not read the settings {name}"))?;
        if !is_trusted(&link, &metadata, user) {
            return Err(of_others(&name));
        }
    }
    let text = read_text(file).with_context(|| format!("could not read the settings {name}"))?;
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let values = read::values(&text, folder, command);
    let values = values.map_err(|mistakes| unusable(&mistakes, &name, &text))?;
    Ok(SettingsFile {
        file: Some(name),
        values,
    })
}

/// Whether there is no file for this user. `sudo` keeps the current directory, which the new user
/// may not be able to enter.
fn is_missing(error: &io::Error, is_entered: bool) -> bool {
    match error.kind() {
        ErrorKind::NotFound => true,
        ErrorKind::PermissionDenied => !is_entered,
        _ => false,
    }
}

/// Whether only this user and root can have written the file, and created the link to it if there
/// is one.
fn is_trusted(link: &Metadata, file: &Metadata, user: u32) -> bool {
    let is_theirs = |owned: &Metadata| [user, 0].contains(&owned.uid());
    let of_others_too = 0o022;
    is_theirs(link) && is_theirs(file) && file.mode() & of_others_too == 0
}

fn missing(error: io::Error, path: &Path) -> NotUsable {
    let path = path.display().to_string();
    let hint = format!(
        "catalogue settings init {} writes one, to be edited",
        quoted(&path)
    );
    let error = anyhow::Error::new(error).context(format!("could not read the settings {path}"));
    Hinted::new(error, hint, ExitStatus::Failure).into()
}

fn of_others(name: &str) -> NotUsable {
    let error = anyhow!("the settings {name} in this folder are not used: others can write them");
    let hint = format!("name them if they are meant, --config {name}, or make them yours alone");
    Hinted::wrong_usage(error, hint).into()
}

fn unusable(mistakes: &[Mistake], name: &str, text: &str) -> NotUsable {
    let error = anyhow!("the settings {name} cannot be used");
    let hint = "fix them; `catalogue settings init -` shows everything that can be set";
    Hinted::wrong_usage(error, hint)
        .with_excerpt(excerpt::render(mistakes, name, text))
        .into()
}

fn read_text(file: File) -> io::Result<String> {
    let mut text = String::new();
    file.take(BYTES_MAX + 1).read_to_string(&mut text)?;
    if BYTES_MAX < text.len() as u64 {
        let message = format!("it is longer than {} KiB", BYTES_MAX / 1024);
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{lchown, symlink};

    use super::*;

    #[test]
    fn a_link_that_others_put_there_is_not_trusted_even_if_the_file_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        // The target belongs to root, and no other user may write to it.
        symlink("/etc/passwd", &path).unwrap();
        let is_root = fs::metadata(directory.path()).unwrap().uid() == 0;
        if is_root {
            lchown(&path, Some(1000), None).unwrap();
        }
        let link = fs::symlink_metadata(&path).unwrap();
        let file = fs::metadata(&path).unwrap();
        let (owner, other) = (link.uid(), link.uid() + 1);
        for (link, user, trusted) in [(&link, owner, true), (&link, other, false)] {
            assert_eq!(is_trusted(link, &file, user), trusted, "{user}");
        }
        assert!(is_trusted(&file, &file, other));
    }

    #[test]
    fn a_file_that_is_there_and_cannot_be_read_is_not_taken_for_missing() {
        for (kind, is_entered, missing) in [
            (ErrorKind::NotFound, true, true),
            (ErrorKind::PermissionDenied, false, true),
            (ErrorKind::PermissionDenied, true, false),
            (ErrorKind::IsADirectory, true, false),
        ] {
            let error = io::Error::from(kind);
            assert_eq!(is_missing(&error, is_entered), missing, "{kind}");
        }
    }
}
