//! Whether a host is this machine, as far as its name alone tells: nothing is looked up.

use std::net::IpAddr;

/// Whether what is sent to this host stays on this machine. An IPv6 address may be in brackets.
pub fn is_loopback(host: &str) -> bool {
    let within = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let address = within.unwrap_or(host).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_that_cannot_lead_elsewhere_is_this_machine() {
        for host in [
            "localhost",
            "LocalHost",
            "127.0.0.1",
            "127.9.8.7",
            "::1",
            "[::1]",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "localhost.example",
            "cms.example",
            "10.0.0.1",
            "0.0.0.0",
            "[::2]",
            "[::ffff:127.0.0.1]",
            "127.0.0.1.example",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
