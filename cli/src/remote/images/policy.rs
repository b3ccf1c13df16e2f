//! Which addresses of images may be asked. An export decides what they are, so none may lead into
//! the network of whoever imports: not by its scheme or its port, not by its host, and not by what
//! a name of a host leads to.
//!
//! Pure: the same is asked of each address, of each that one redirects to, and of each address of
//! the network that a name leads to before a connection is made to it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use import::image::Unmeasured;
use url::{Host, Url};

/// The ports of the web below those that need no privilege: others are of other services.
const WEB_PORTS: [u16; 2] = [80, 443];
const PRIVILEGED_MAX: u16 = 1023;

/// Networks of IPv4 that are not public, each with the length of its prefix (IANA's registry of
/// special purposes; multicast and what is reserved).
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];
/// The network of IPv6 that is public, but for these parts of it.
const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 4] = [
    // Protocols, such as Teredo, which leads to addresses of IPv4.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4, which leads to any address of IPv4.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// What may be asked.
#[derive(Debug, Default)]
pub(super) struct Policy {
    /// Hosts that may be asked wherever they are, in lower case.
    hosts: Vec<String>,
}

impl Policy {
    pub(super) fn new(hosts: &[String]) -> Self {
        let hosts = hosts.iter().map(|host| canonical(host));
        Self {
            hosts: hosts.collect(),
        }
    }

    /// What is asked for an address: without a user, a password and what stands behind `#`.
    pub(super) fn target(&self, url: &Url) -> Result<Url, Unmeasured> {
        let host = url.host().ok_or(Unmeasured::NoAddress)?;
        if !["http", "https"].contains(&url.scheme()) {
            return Err(Unmeasured::NoAddress);
        }
        let address = match host {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        };
        let is_web_port = url
            .port()
            .is_none_or(|port| WEB_PORTS.contains(&port) || PRIVILEGED_MAX < port);
        let is_public = is_web_port && address.is_none_or(is_public);
        if !is_public && !self.names(&host.to_string()) {
            return Err(Unmeasured::NotPublic);
        }
        let mut target = url.clone();
        target.set_fragment(None);
        // These only fail for addresses without a host.
        _ = target.set_username("");
        _ = target.set_password(None);
        Ok(target)
    }

    /// Whether a connection may be made to what the name of a host leads to.
    pub(super) fn allows(&self, host: &str, address: IpAddr) -> bool {
        is_public(address) || self.names(host)
    }

    fn names(&self, host: &str) -> bool {
        self.hosts.contains(&canonical(host))
    }
}

/// A host as it is compared: the same for all spellings of a name or an address.
fn canonical(host: &str) -> String {
    let host = host.trim().trim_end_matches('.');
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<Ipv6Addr>() {
        Ok(address) => format!("[{address}]"),
        Err(_other) => Host::parse(host).map_or_else(|_| host.to_owned(), |host| host.to_string()),
    }
}

/// Whether an address is one of the public network.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let is_within = |(network, length): &(Ipv4Addr, u32)| {
                (address.to_bits() ^ network.to_bits()).leading_zeros() >= *length
            };
            !NOT_PUBLIC_V4.iter().any(is_within)
        }
        IpAddr::V6(address) => {
            let is_within = |(network, length): &(Ipv6Addr, u32)| {
                (address.to_bits() ^ network.to_bits()).leading_zeros() >= *length
            };
            match address.segments() {
                // Written as one of IPv6, as a network without IPv4 has them (RFC 6052).
                [0x64, 0xff9b, 0, 0, 0, 0, a, b] => {
                    let bits = (u32::from(a) << 16) | u32::from(b);
                    is_public(Ipv4Addr::from_bits(bits).into())
                }
                _ => is_within(&PUBLIC_V6) && !NOT_PUBLIC_V6.iter().any(is_within),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn target(policy: &Policy, address: &str) -> Result<String, Unmeasured> {
        let url = Url::parse(address).unwrap();
        policy.target(&url).map(String::from)
    }

    #[test]
    fn only_the_public_web_is_asked() {
        let policy = Policy::default();
        for address in [
            "https://images.example/a.jpg?w=1",
            "http://images.example:8080/",
            "http://8.8.8.8/a.jpg",
            "https://[2606:4700::1111]/a.jpg",
        ] {
            assert_eq!(target(&policy, address), Ok(address.to_owned()));
        }
        let spared = target(&policy, "https://me:secret@images.example/a.jpg#part");
        assert_eq!(spared, Ok("https://images.example/a.jpg".to_owned()));
        for address in [
            "http://127.0.0.1/",
            "http://0/",
            "http://0x7f.1/",
            "http://2130706433/",
            "http://0177.0.0.1:8080/",
            "http://10.1.2.3/",
            "http://100.64.0.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://172.31.255.255/",
            "http://192.168.0.1/",
            "http://198.19.0.1/",
            "http://224.0.0.1/",
            "http://255.255.255.255/",
            "http://[::]/",
            "http://[::1]/",
            "http://[::127.0.0.1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://[::ffff:8.8.8.8]/",
            "http://[64:ff9b::a00:1]/",
            "http://[2001::1]/",
            "http://[2002:7f00:1::]/",
            "http://[fc00::1]/",
            "http://[fd12::1]/",
            "http://[fe80::1]/",
            "http://[ff02::1]/",
            "http://images.example:22/",
            "http://images.example:25/",
        ] {
            assert_eq!(
                target(&policy, address),
                Err(Unmeasured::NotPublic),
                "{address}"
            );
        }
        for address in [
            "file:///etc/passwd",
            "ftp://images.example/",
            "data:,x",
            "a:b",
        ] {
            assert_eq!(
                target(&policy, address),
                Err(Unmeasured::NoAddress),
                "{address}"
            );
        }
    }

    #[test]
    fn what_a_name_leads_to_is_asked_for_too() {
        let policy = Policy::new(&["Intranet.Example.".to_owned()]);
        let private = "10.0.0.1".parse().unwrap();
        let public = "64:ff9b::808:808".parse().unwrap();
        assert!(policy.allows("images.example", public));
        assert!(!policy.allows("images.example", private));
        assert!(!policy.allows("sub.intranet.example", private));
        assert!(policy.allows("intranet.example", private));
    }

    #[test]
    fn hosts_that_are_named_may_be_asked_however_they_are_spelled() {
        let hosts = ["127.0.0.1", "::1", "LOCALHOST", "10.0.0.1"].map(str::to_owned);
        let policy = Policy::new(&hosts);
        for address in [
            "http://127.0.0.1:8080/",
            "http://2130706433:22/",
            "http://[0:0::1]:80/",
            "http://localhost:25/",
        ] {
            assert!(target(&policy, address).is_ok(), "{address}");
        }
        for address in ["http://127.0.0.2/", "http://[::2]/"] {
            assert!(target(&policy, address).is_err(), "{address}");
        }
    }
}
