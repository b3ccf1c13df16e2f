//! Bodies in a real file: read completely or not at all, whatever their lengths.

use std::io::Write;

use super::*;
use crate::base::hash::sha256_hex;
use crate::release::throttle::Unthrottled;

/// A file of lines of these lengths, in which no two nearby bytes are equal.
fn file_of(lengths: &[u64]) -> (tempfile::NamedTempFile, Vec<u8>, Vec<u64>) {
    let mut offsets = vec![0];
    for length in lengths {
        offsets.push(offsets[offsets.len() - 1] + length);
    }
    let bytes = (0..offsets[lengths.len()]).map(|place| (place % 251) as u8);
    let contents: Vec<u8> = bytes.collect();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&contents).unwrap();
    (file, contents, offsets)
}

fn verify(
    file: &tempfile::NamedTempFile,
    offsets: &[u64],
    contents: &[u8],
) -> Result<OnDisk, ReleaseError> {
    let path = file.path().to_owned();
    OnDisk::verify(
        file.reopen().unwrap(),
        path,
        offsets,
        &sha256_hex(contents),
        &Unthrottled,
    )
}

#[test]
fn bodies_of_every_length_are_read_as_they_were_written() {
    let table: [&[u64]; 6] = [
        &[],
        &[1],
        &[3, 1, 5],
        &[PART - 1, 1, 1, PART, PART + 1],
        &[3 * PART, 7, 3 * PART],
        &[AT_ONCE_MAX, AT_ONCE_MAX + 1],
    ];
    for lengths in table {
        let (file, contents, offsets) = file_of(lengths);
        let bodies = verify(&file, &offsets, &contents).unwrap();
        for (ordinal, [start, end]) in offsets.array_windows().enumerate() {
            let line = &contents[length(&(0..*start))..length(&(0..*end))];
            let expected = [OPENING, &line[..line.len() - 1], b"}"].concat();
            let body = bodies.read(ordinal).unwrap().body();
            assert_eq!(body, expected, "{ordinal} of {lengths:?}");
            let at_once = bodies.read_at_once(ordinal);
            assert!(
                at_once.is_none_or(|body| body == expected),
                "{ordinal} of {lengths:?}"
            );
            assert_eq!(bodies.read(ordinal).unwrap().line(), line);
        }
    }
}

#[test]
fn other_contents_than_those_that_were_hashed_are_refused() {
    let (file, mut contents, offsets) = file_of(&[PART, 7, PART]);
    let last = contents.len() - 1;
    contents[last] ^= 1;
    let refused = verify(&file, &offsets, &contents).unwrap_err();
    assert!(matches!(refused, ReleaseError::Damaged { .. }), "{refused}");
}

#[test]
fn a_body_that_changes_later_is_not_read_and_its_neighbours_are() {
    let (file, contents, offsets) = file_of(&[100, 100, 100]);
    let bodies = verify(&file, &offsets, &contents).unwrap();
    for (offset, good) in (100..).zip(contents[100..200].iter().copied()) {
        for bit in 0..8 {
            file.as_file()
                .write_all_at(&[good ^ (1 << bit)], offset)
                .unwrap();
            let changed = bodies.read(1).map(FramedLine::body);
            assert!(
                matches!(changed, Err(ReleaseError::Damaged { .. })),
                "{changed:?}"
            );
            assert_eq!(bodies.read_at_once(1), None);
            for ordinal in [0, 2] {
                bodies.read(ordinal).unwrap();
            }
            file.as_file().write_all_at(&[good], offset).unwrap();
        }
    }
    bodies.read(1).unwrap();
}

#[test]
fn a_file_that_shrinks_is_an_error_and_no_crash() {
    let (file, contents, offsets) = file_of(&[100, 100]);
    let bodies = verify(&file, &offsets, &contents).unwrap();
    // The next buffer already holds this very body, so its checksum would be right.
    let read_before = || drop(bodies.read(1).unwrap());
    read_before();
    file.as_file().set_len(150).unwrap();
    assert!(matches!(bodies.read(1), Err(ReleaseError::Io { .. })));
    file.as_file().write_all_at(&contents[150..], 150).unwrap();
    read_before();
    file.as_file().set_len(150).unwrap();
    assert_eq!(bodies.read_at_once(1), None);
    bodies.read(0).unwrap();
}

#[test]
fn long_bodies_are_not_read_at_once() {
    let (file, contents, offsets) = file_of(&[AT_ONCE_MAX + 1]);
    let bodies = verify(&file, &offsets, &contents).unwrap();
    assert_eq!(bodies.read_at_once(0), None);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_system_that_cannot_say_whether_it_would_wait_reads_nothing_at_once() {
    let file = File::open("/proc/self/status").unwrap();
    assert!(!is_read_at_once(&file, &mut [0; 5], 0));
}
