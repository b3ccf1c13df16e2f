//! Reads archives, of tar and of ZIP. Members are copied to one spool and read from it in the order
//! of their names, which may differ from their order in the archive. ZIP is read from its end, so all
//! of it is spooled first.
//!
//! The name of a member is never used as a path, so hostile names do no harm.

use std::cell::Cell;
use std::io::{self, BufRead as _, BufReader, Cursor, Read};
use std::path::{Component, Path};

use tar::{Archive, Entry, Header};
use zip::ZipArchive;

use super::decompress::BUFFER;
use super::passes::{Copied, Failing};
use super::plan::Plan;
use super::readers::workbook::book;
use super::unpacking::{Limited, Unpacking};
use crate::spool::{self, Spool};

/// Bytes that the headers of one member may take, including long names: the library holds them in
/// memory, and a hostile archive may have a name of any length.
const HEADERS_MAX: u64 = 1024 * 1024;
/// Size of a tar block.
pub(super) const BLOCK: usize = 512;
/// The position of the magic number in the first block of an archive.
const MAGIC: std::ops::Range<usize> = 257..262;
/// The position of the checksum in a header.
const CHECKSUM: std::ops::Range<usize> = 148..156;
/// Suffixes of the names of archives, for archives older than the magic number.
const ENDINGS: [&str; 5] = [".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst"];

/// How a ZIP archive begins, and an empty one.
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// The most members of a ZIP archive: the library holds some hundred bytes of each, whatever it is.
const MEMBERS_MAX: usize = 200_000;
/// How the entry of each begins in the directory.
const MEMBER: &[u8] = b"PK\x01\x02";

/// The members of an archive to be read.
pub(super) struct Unpacked {
    /// In the order of their names.
    pub(super) members: Vec<Member>,
    /// Names of members that match the plan but are not read, with the reason.
    pub(super) refused: Vec<(String, &'static str)>,
    /// Names of members that are missed by the plan.
    pub(super) missed: Vec<String>,
    /// What ended the archive early.
    pub(super) broken: Option<io::Error>,
    contents: Spool,
}

/// One copied member.
pub(super) struct Member {
    /// Its path within the archive, only to be shown, never to be opened.
    pub(super) name: String,
    start: u64,
    length: u64,
}

/// The first bytes of the contents, and a reader of all contents including these.
pub(super) fn sniff(mut reader: impl Read, length: usize) -> (Vec<u8>, impl Read) {
    let mut head = Vec::new();
    let error = (&mut reader)
        .take(length as u64)
        .read_to_end(&mut head)
        .err();
    // The reader repeats what was read before an error, and then the error.
    let whole = Cursor::new(head.clone())
        .chain(Failing(error))
        .chain(reader);
    (head, whole)
}

/// Whether a file of this name that begins with `head` is an archive.
pub(super) fn is_archive(name: &str, head: &[u8]) -> bool {
    has_tar_header(head) || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a file that begins with `head` is a ZIP archive, and not a workbook, which is one too.
pub(super) fn is_zip(head: &[u8]) -> bool {
    ZIP.iter().any(|begins| head.starts_with(begins)) && !book::is_one("", head)
}

/// Refuses a ZIP archive of too many members. Nothing is trusted that the archive says of their number.
pub(super) fn check_members(archive: impl Read) -> io::Result<()> {
    let mut archive = BufReader::with_capacity(BUFFER, archive);
    let (mut window, mut members) = (Vec::with_capacity(2 * BUFFER), 0);
    loop {
        let length = archive.fill_buf()?.len();
        window.extend_from_slice(archive.buffer());
        archive.consume(length);
        members += memchr::memmem::find_iter(&window, MEMBER).count();
        if MEMBERS_MAX < members {
            let message = format!("a ZIP archive has at most {MEMBERS_MAX} members, this one more");
            return Err(io::Error::other(message));
        }
        if length == 0 {
            return Ok(());
        }
        // An entry may begin at the end of one window and go on in the next.
        let kept = window.len().saturating_sub(MEMBER.len() - 1);
        window.drain(..kept);
    }
}

/// Whether `head` is the header of a member. Text may have the magic number in the right place by
/// chance, but hardly the matching checksum too.
fn has_tar_header(head: &[u8]) -> bool {
    let Some(head) = head.get(..BLOCK) else {
        return false;
    };
    if head.get(MAGIC) != Some(b"ustar") {
        return false;
    }
    // The checksum itself counts as blanks.
    let checked = head.iter().enumerate().map(|(place, &byte)| match place {
        _ if CHECKSUM.contains(&place) => u32::from(b' '),
        _ => u32::from(byte),
    });
    let sum: u32 = checked.sum();
    let stated = Header::from_byte_slice(head).cksum();
    stated.is_ok_and(|stated| stated == sum)
}

/// Copies the selected members of a ZIP archive to a spool.
pub(super) fn unzip(
    mut reader: impl Read,
    plan: &Plan,
    temp_dir: &Path,
    unpacking: &Unpacking,
) -> anyhow::Result<Unpacked> {
    let mut unpacked = Unpacked::new(temp_dir);
    unpacked.broken = match Copied::of(&mut reader, temp_dir)?.whole() {
        Ok(packed) => spool::copied(unpacked.copy_zipped(&packed, plan, unpacking))?.err(),
        Err(broken) => Some(broken),
    };
    unpacked.finished()
}

/// Copies the selected members of a tar archive to a spool.
pub(super) fn unpack(reader: impl Read, plan: &Plan, temp_dir: &Path) -> anyhow::Result<Unpacked> {
    let mut unpacked = Unpacked::new(temp_dir);
    let watch = Watch {
        allowed: Cell::new(HEADERS_MAX),
        has_ended: Cell::new(false),
    };
    unpacked.broken = match spool::copied(unpacked.copy_members(reader, plan, &watch))?.err() {
        // The library reports an early end with an error of its own.
        Some(error) if watch.has_ended.get() && error.raw_os_error().is_none() => {
            Some(io::ErrorKind::UnexpectedEof.into())
        }
        broken => broken,
    };
    unpacked.finished()
}

impl Unpacked {
    fn new(temp_dir: &Path) -> Self {
        Self {
            members: Vec::new(),
            refused: Vec::new(),
            missed: Vec::new(),
            broken: None,
            contents: Spool::new(temp_dir),
        }
    }

    fn finished(mut self) -> anyhow::Result<Self> {
        self.contents.finish()?;
        self.members.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(self)
    }

    /// The contents of a member.
    pub(super) fn contents(&self, member: &Member) -> impl Read + use<'_> {
        self.contents
            .part(member.start..member.start + member.length)
    }

    fn copy_members(&mut self, reader: impl Read, plan: &Plan, watch: &Watch) -> io::Result<()> {
        let mut archive = Archive::new(Watched {
            reader,
            watch,
            zeros: 0,
        });
        for entry in archive.entries()? {
            let mut entry = entry?;
            // Up to the headers of the next member: the library skips what is not read here.
            watch
                .allowed
                .set(stored(&entry)?.saturating_add(HEADERS_MAX));
            if entry.header().entry_type().is_dir() {
                continue;
            }
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let kind = entry.header().entry_type();
            let is_plain = kind.is_file() || kind.is_contiguous();
            let reason = (!is_plain).then_some("is not a plain file");
            if let Some(wanted) = self.wanted(&name, plan, reason) {
                let wanted = entry.size().min(wanted);
                if self.copy(name, (&mut entry).take(wanted))? < wanted {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        watch.allowed.set(u64::MAX);
        archive.into_inner().expect_end()
    }

    fn copy_zipped(
        &mut self,
        packed: &Spool,
        plan: &Plan,
        unpacking: &Unpacking,
    ) -> io::Result<()> {
        check_members(packed.part(0..packed.length()))?;
        let packed = BufReader::new(packed.part(0..packed.length()));
        let mut archive = ZipArchive::new(packed)?;
        for index in 0..archive.len() {
            let entry = archive.by_index_raw(index)?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            let reason = if entry.encrypted() {
                Some("is encrypted")
            } else {
                (!entry.is_file()).then_some("is not a plain file")
            };
            let is_folder = entry.is_dir();
            drop(entry);
            if is_folder {
                continue;
            }
            if let Some(wanted) = self.wanted(&name, plan, reason) {
                let reader = archive.by_index(index)?;
                self.copy(name, Limited { reader, unpacking }.take(wanted))?;
            }
        }
        Ok(())
    }

    /// Copies a member, and returns its length.
    fn copy(&mut self, name: String, mut contents: impl Read) -> io::Result<u64> {
        let start = self.contents.length();
        let length = io::copy(&mut contents, &mut self.contents)?;
        self.members.push(Member {
            name,
            start,
            length,
        });
        Ok(length)
    }

    /// How many bytes are read of a member. One that is refused, for this reason or because of its
    /// path, is noted: reading it would be harmless, but it was not packed as a plain file.
    fn wanted(&mut self, name: &str, plan: &Plan, reason: Option<&'static str>) -> Option<u64> {
        let Some(wanted) = plan.bytes_of(name) else {
            self.missed
                .extend(plan.misses(name).then(|| name.to_owned()));
            return None;
        };
        let is_plain =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        let is_within = Path::new(name).components().all(is_plain);
        let path = (!is_within).then_some("has an absolute path or `..` in it");
        let Some(reason) = reason.or(path) else {
            return Some(wanted);
        };
        self.refused.push((name.to_owned(), reason));
        None
    }
}

/// The bytes that a member has in the archive: a sparse one expands to any number of zeros.
fn stored(entry: &Entry<'_, impl Read>) -> io::Result<u64> {
    let header = entry.header();
    if header.entry_type().is_gnu_sparse() {
        return header.entry_size();
    }
    Ok(entry.size())
}

/// A reader that reads no more than is allowed and knows whether what it read ends in zeros, as a
/// complete archive does.
struct Watched<'a, R> {
    reader: R,
    watch: &'a Watch,
    zeros: usize,
}

/// State that can be read and changed while the library owns the reader.
struct Watch {
    /// Bytes that may still be read.
    allowed: Cell<u64>,
    has_ended: Cell<bool>,
}

impl<R: Read> Watched<'_, R> {
    /// Reads what follows the archive, so a truncated compressed stream is noticed as well.
    fn expect_end(mut self) -> io::Result<()> {
        io::copy(&mut self, &mut io::sink())?;
        if self.zeros < BLOCK {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.watch.has_ended.set(length == 0 && !buffer.is_empty());
        let left = self.watch.allowed.get().checked_sub(length as u64);
        let left = left.ok_or_else(|| io::Error::other("the name of a member is too long"))?;
        self.watch.allowed.set(left);
        let read = &buffer[..length];
        let trailing = read.iter().rev().take_while(|&&byte| byte == 0).count();
        self.zeros = if trailing == length {
            self.zeros.saturating_add(length)
        } else {
            trailing
        };
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_of_too_many_members_is_refused_whatever_it_says_of_their_number() {
        let most = MEMBER.repeat(MEMBERS_MAX);
        assert!(check_members(&most[..]).is_ok());
        let more = [MEMBER, &most].concat();
        assert_eq!(
            check_members(&more[..]).unwrap_err().to_string(),
            "a ZIP archive has at most 200000 members, this one more"
        );
    }
}
