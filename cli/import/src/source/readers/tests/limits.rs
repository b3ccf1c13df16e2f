//! Tests of files that ask for too much memory or stack, and of readers that fail.

use std::io;

use super::*;

/// Counts how much of a file was read.
struct Taken<R> {
    reader: R,
    bytes: usize,
}

impl<R: Read> Read for Taken<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.bytes += length;
        Ok(length)
    }
}

/// Every reader, how a record begins in its files, and the paths to its records.
const READERS: [(&str, Reads, &str, &[&str]); 3] = [
    ("json", JSON, "{\"e\":[\n{\"a\":\"", &["e"]),
    ("csv", CSV, "a,b\n\"", &[]),
    ("xml", XML, "<r>\n<e>", &["r.e"]),
];

#[test]
fn a_record_without_an_end_is_not_held() {
    for (name, reads, head, records) in READERS {
        let endless = Cursor::new(head).chain(io::repeat(b'x'));
        let mut file = Taken {
            reader: endless,
            bytes: 0,
        };
        let (found, ended) = read(reads, &mut file, records);
        assert!(found.is_empty(), "{name}");
        match ended {
            Err(FileError::Damaged { line, message, .. }) => {
                assert!(
                    message.contains("has more than 16777216 bytes"),
                    "{message}"
                );
                assert_eq!(line, 2, "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
        assert!(
            file.bytes < RECORD_MAX + 256 * 1024,
            "{name}: {}",
            file.bytes
        );
    }
}

#[test]
fn a_record_may_be_as_long_as_the_limit() {
    let text = "x".repeat(RECORD_MAX - 100);
    for (name, reads, head, tail, records) in [
        ("json", JSON, "{\"e\":[\n{\"a\":\"", "\"}]}", &["e"][..]),
        ("csv", CSV, "a,b\n\"", "\",2\n3,4", &[]),
        ("xml", XML, "<r>\n<e>", "</e></r>", &["r.e"]),
    ] {
        let (found, ended) = read(
            reads,
            &mut Cursor::new([head, &text, tail].concat()),
            records,
        );
        assert_eq!(ended.expect(name), Vec::<usize>::new());
        assert!(text.len() < found[0].len(), "{name}");
    }
}

#[test]
fn what_is_skipped_may_be_longer_than_a_record() {
    let long = "x".repeat(RECORD_MAX + 100);
    let file = format!("{{\"skipped\": [\"{long}\"],\n\"e\": [1]}}");
    check(JSON, &file, &["e"], &["2 1"]);
}

#[test]
fn a_record_of_too_many_parts_is_refused() {
    let attributes = |count: u32| {
        let names: Vec<String> = (0..count).map(|n| format!("a{n}='' ")).collect();
        names.concat()
    };
    let expected = (
        Code::FileCorrupt,
        2,
        "more than 100000 elements and attributes",
    );
    for record in [
        format!("<e>{}</e>", "<a/>".repeat(100_000)),
        format!("<e {}/>", attributes(100_000)),
    ] {
        let file = format!("<r>\n{record}</r>");
        check_broken(XML, file.as_bytes(), &["r.e"], 0, expected);
    }
    // The limit applies to each record.
    let record = format!("<e>{}</e>", "<a/>".repeat(60_000));
    let (found, ended) = read(
        XML,
        &mut Cursor::new(format!("<r>{record}{record}</r>")),
        &["r.e"],
    );
    assert_eq!((found.len(), ended.unwrap()), (2, vec![]));
}

#[test]
fn a_header_of_too_many_columns_is_refused() {
    let header = |columns: u32| {
        let names: Vec<String> = (0..columns).map(|n| format!("c{n}")).collect();
        names.join(",")
    };
    let row = ",".repeat(16_383);
    let file = format!("{}\n1{row}\n", header(16_384));
    let (found, ended) = read(CSV, &mut Cursor::new(file), &[]);
    assert_eq!((found.len(), ended.unwrap()), (1, vec![]));
    for columns in [16_385, 160_000] {
        let message = format!("a header has at most 16384 columns, this one {columns}");
        // Only the first mebibyte of a header is searched for the delimiter, but the header may be
        // longer.
        let expected = (Code::FileCorrupt, 1, message.as_str());
        check_broken(CSV, header(columns).as_bytes(), &[], 0, expected);
    }
}

#[test]
fn what_is_nested_too_deep_is_refused() {
    use Code::FileCorrupt;
    let file = format!("\n{}", "<a>".repeat(10_000));
    check_broken(
        XML,
        file.as_bytes(),
        &[],
        0,
        (FileCorrupt, 2, "nested more than 160 deep"),
    );
}

#[test]
fn however_deep_a_record_of_json_is_nested_it_is_handed_over() {
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let within = format!("{{\"skipped\": {deep}, \"e\": [{deep}]}}");
    for (file, records) in [(format!("[{deep}]"), vec![]), (within, vec!["e"])] {
        let (records, ended) = read(JSON, &mut Cursor::new(file), &records);
        assert!(ended.is_ok(), "{ended:?}");
        assert_eq!(records, [format!("1 {deep}")]);
    }
}

#[test]
fn what_the_visitor_tells_is_handed_through() {
    for (name, reads, file) in [
        ("json", JSON, "[1,2]"),
        ("csv", CSV, "a\n1\n2"),
        ("xml", XML, "<a/>"),
    ] {
        let mut seen = 0;
        let ended = reads(&mut Cursor::new(file), &[], &mut |_| {
            seen += 1;
            Err(anyhow::anyhow!("enough"))
        });
        match ended {
            Err(FileError::Failed(error)) => assert_eq!(error.to_string(), "enough"),
            other => panic!("{name}: {other:?}"),
        }
        assert_eq!(seen, 1, "{name}");
    }
}

/// A file that the disk or the decompressor fails to read.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.take().unwrap_or_else(|| io::ErrorKind::Other.into()))
    }
}

#[test]
fn a_failure_to_deliver_the_file_keeps_its_kind() {
    for (name, reads, head, records) in READERS {
        let failures: [fn() -> io::Error; 2] = [
            || io::ErrorKind::UnexpectedEof.into(),
            || io::Error::from_raw_os_error(5),
        ];
        for failure in failures {
            let mut file = Cursor::new(head).chain(Failing(Some(failure())));
            match read(reads, &mut file, records).1 {
                Err(FileError::Unread { line, source }) => {
                    assert_eq!(source.kind(), failure().kind(), "{name}");
                    assert_eq!(source.raw_os_error(), failure().raw_os_error(), "{name}");
                    assert_eq!(line, 2, "{name}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
