//! Clients that speak another protocol.

use super::case::{Case, Expected};
use Expected::Refused;

/// The first bytes of a TLS connection: a record with the beginning of a `ClientHello`.
const TLS: &[u8] = b"\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03\r\n\r\nGET / HTTP/1.1\r\n\r\n";

pub(super) fn cases() -> Vec<Case> {
    let speeches: [(&str, &[u8]); 16] = [
        (
            "HTTP/2 with prior knowledge",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
        ),
        ("HTTP/2, the first line alone", b"PRI * HTTP/2.0\r\n"),
        ("TLS", TLS),
        ("SSL 2", b"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10"),
        ("SSH", b"SSH-2.0-OpenSSH_9.2\r\n"),
        ("SMTP", b"EHLO test\r\n"),
        ("FTP", b"USER anonymous\r\n"),
        ("Redis", b"*1\r\n$4\r\nPING\r\n"),
        ("PostgreSQL", b"\0\0\0\x08\x04\xd2\x16\x2f"),
        ("Memcached", b"stats\r\n"),
        (
            "PROXY protocol 1",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET /health HTTP/1.1\r\nHost: test\r\n\r\n",
        ),
        ("PROXY protocol 2", b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c"),
        ("RTSP", b"OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n"),
        ("SIP", b"OPTIONS sip:test SIP/2.0\r\n\r\n"),
        (
            "a byte order mark",
            b"\xef\xbb\xbfGET /health HTTP/1.1\r\nHost: test\r\n\r\n",
        ),
        ("zeros", &[0; 600]),
    ];
    let case = |(name, sent)| Case::new(name, "stranger", sent, Refused(400));
    speeches.into_iter().map(case).collect()
}
