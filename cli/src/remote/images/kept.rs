//! The sizes of images that were measured, by their addresses, in a file of the data directory.
//!
//! The file can be made again by asking again, so its loss loses nothing else. It is SQLite for its
//! transactions: a command that is killed keeps what it saved. An address may hold a signature, so
//! the file is its owner's alone.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use import::image::ImageSize;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Result, Row, params};

/// How long another command may take to save what it measured.
const BUSY_MAX: Duration = Duration::from_secs(30);
/// How often it is noted that an image is still in the export.
const SEEN_EVERY: i64 = 7 * DAY;
/// How long the size of an image is kept that is in no export any more.
const SEEN_MAX: i64 = 90 * DAY;
const DAY: i64 = 24 * 60 * 60;

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS images (
    address TEXT PRIMARY KEY,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    format TEXT NOT NULL,
    etag TEXT,
    checked_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;";

const REPLACE: &str = "
INSERT OR REPLACE INTO images (address, width, height, format, etag, checked_at, seen_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

/// An image that was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptImage {
    pub(super) size: ImageSize,
    /// What names this state of it.
    pub(super) etag: Option<String>,
    /// When it was last asked for, in Unix seconds.
    pub(super) checked_at: i64,
}

/// What is to be saved of an address.
pub(super) enum Change {
    /// It has this image.
    Measured(KeptImage),
    /// It has no image any more.
    Gone,
}

/// Why the file is of no use.
pub(super) type Unusable = rusqlite::Error;

/// All of them.
pub(super) struct Kept(Connection);

impl Kept {
    /// Opens the file, which is made if it is not there.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut private = OpenOptions::new();
        // SQLite says better what is wrong.
        _ = private.write(true).create_new(true).mode(0o600).open(path);
        let kept = Self::with(path)?;
        kept.0.execute_batch(TABLE)?;
        Ok(kept)
    }

    /// Opens the file to read it, if there is anything in it.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let has_any = path.metadata().is_ok_and(|file| file.len() != 0);
        has_any.then(|| Self::with(path)).transpose()
    }

    /// SQLite opens the file to write it, if that is possible, also for those who only read: what a
    /// killed command was saving is undone first.
    fn with(path: &Path) -> Result<Self> {
        // No command writes through a link; that the way to the file has some is usual.
        if path.is_symlink() {
            return Err(rusqlite::Error::InvalidPath(path.to_owned()));
        }
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(BUSY_MAX)?;
        // The system may have no directory for temporary files that can be written.
        connection.pragma_update(None, "temp_store", "memory")?;
        Ok(Self(connection))
    }

    /// What is known of an address.
    pub(super) fn find(&self, address: &str) -> Result<Option<KeptImage>> {
        let query = "SELECT width, height, format, etag, checked_at FROM images WHERE address = ?1";
        let mut statement = self.0.prepare_cached(query)?;
        let found = statement.query_row([address], image).optional()?;
        Ok(found.flatten())
    }

    /// Saves all of these, or nothing.
    pub(super) fn save(&mut self, changes: &[(String, Change)], now: i64) -> Result<()> {
        let transaction = self.0.transaction()?;
        for (address, change) in changes {
            match change {
                Change::Measured(KeptImage {
                    size,
                    etag,
                    checked_at,
                }) => transaction.prepare_cached(REPLACE)?.execute(params![
                    address,
                    size.width,
                    size.height,
                    size.format,
                    etag,
                    checked_at,
                    now
                ])?,
                Change::Gone => transaction
                    .prepare_cached("DELETE FROM images WHERE address = ?1")?
                    .execute([address])?,
            };
        }
        transaction.commit()
    }

    /// Notes that these addresses are in an export, and drops those that long were in none.
    pub(super) fn see(&mut self, addresses: &[String], now: i64) -> Result<()> {
        let transaction = self.0.transaction()?;
        for address in addresses {
            let update = "UPDATE images SET seen_at = ?1 WHERE address = ?2 AND seen_at < ?3";
            let mut update = transaction.prepare_cached(update)?;
            update.execute(params![now, address, now - SEEN_EVERY])?;
        }
        transaction.execute("DELETE FROM images WHERE seen_at < ?1", [now - SEEN_MAX])?;
        transaction.commit()
    }
}

/// An image, unless a later version of this program knows more formats.
fn image(row: &Row<'_>) -> Result<Option<KeptImage>> {
    let format: String = row.get(2)?;
    let Some(format) = ImageSize::FORMATS.into_iter().find(|of| *of == format) else {
        return Ok(None);
    };
    Ok(Some(KeptImage {
        size: ImageSize {
            width: row.get(0)?,
            height: row.get(1)?,
            format,
        },
        etag: row.get(3)?,
        checked_at: row.get(4)?,
    }))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn kept(width: u32, checked_at: i64) -> KeptImage {
        KeptImage {
            size: ImageSize {
                width,
                height: 3,
                format: "png",
            },
            etag: Some("\"a\"".to_owned()),
            checked_at,
        }
    }

    fn measured(address: &str, image: KeptImage) -> (String, Change) {
        (address.to_owned(), Change::Measured(image))
    }

    #[test]
    fn what_was_measured_is_there_until_it_is_gone_or_long_in_no_export() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("images.sqlite");
        assert!(Kept::read(&path).unwrap().is_none());
        let mut all = Kept::open(&path).unwrap();
        let changes = [
            measured("a", kept(1, 5)),
            measured("b", kept(2, 5)),
            measured("c", kept(3, 5)),
            measured("a", kept(4, 6)),
        ];
        all.save(&changes, 0).unwrap();
        all.save(&[("b".to_owned(), Change::Gone)], 0).unwrap();
        let all = Kept::read(&path).unwrap().unwrap();
        assert_eq!(all.find("a").unwrap(), Some(kept(4, 6)));
        assert_eq!(all.find("b").unwrap(), None);
        assert_eq!(all.find("c").unwrap(), Some(kept(3, 5)));

        let mut all = Kept::open(&path).unwrap();
        all.see(&["a".to_owned()], SEEN_MAX).unwrap();
        all.see(&[], SEEN_MAX + 1).unwrap();
        assert_eq!(all.find("a").unwrap(), Some(kept(4, 6)));
        assert_eq!(all.find("c").unwrap(), None);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn what_is_no_such_file_is_not_used_and_no_link_is_followed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("images.sqlite");
        let mut file = fs::File::create(&path).unwrap();
        file.write_all(&[b'x'; 4096]).unwrap();
        Kept::open(&path).err().unwrap();
        fs::remove_file(&path).unwrap();
        symlink(directory.path().join("elsewhere"), &path).unwrap();
        Kept::open(&path).err().unwrap();
        assert_eq!(directory.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn the_way_to_the_file_may_have_links_and_a_new_file_is_empty() {
        let directory = tempfile::tempdir().unwrap();
        let link = directory.path().join("link");
        fs::create_dir(directory.path().join("real")).unwrap();
        symlink("real", &link).unwrap();
        let path = link.join("images.sqlite");
        fs::File::create(&path).unwrap();
        assert!(Kept::read(&path).unwrap().is_none());
        Kept::open(&path).unwrap();
        assert_eq!(Kept::read(&path).unwrap().unwrap().find("a").unwrap(), None);
    }
}
