//! Which addresses of images may be asked. An export decides what they are, so none may lead into
//! the network of whoever imports: not by its scheme or its port, not by its host, and not by what
//! a name of a host leads to.
//!
//! Pure: the same is asked of each address, of each that one redirects to, and of each address of
//! the network that a name leads to before a connection is made to it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use import::image::Unmeasured;
use url::{Host, Url};

/// The ports of the web below those that need no privilege: others are of other services.
const WEB_PORTS: [u16; 2] = [80, 443];
const PRIVILEGED_MAX: u16 = 1023;

/// Networks that are not public, each with the length of its prefix.
const NOT_PUBLIC: [(IpAddr, u32); 23] = [
    // This network (RFC 791), loopback (RFC 1122), and private ones (RFC 1918).
    v4([0, 0, 0, 0], 8),
    v4([127, 0, 0, 0], 8),
    v4([10, 0, 0, 0], 8),
    v4([172, 16, 0, 0], 12),
    v4([192, 168, 0, 0], 16),
    // Carriers (RFC 6598), of which a cloud has its metadata, and link-local (RFC 3927), as others.
    v4([100, 64, 0, 0], 10),
    v4([169, 254, 0, 0], 16),
    // The relay to the metadata of Azure, which is a public address everywhere else.
    v4([168, 63, 129, 16], 32),
    // Protocols (RFC 6890), 6to4 (RFC 7526), and tests of networks (RFC 2544).
    v4([192, 0, 0, 0], 24),
    v4([192, 88, 99, 0], 24),
    v4([198, 18, 0, 0], 15),
    // Documentation (RFC 5737).
    v4([192, 0, 2, 0], 24),
    v4([198, 51, 100, 0], 24),
    v4([203, 0, 113, 0], 24),
    // Multicast (RFC 5771), and reserved (RFC 1112).
    v4([224, 0, 0, 0], 4),
    v4([240, 0, 0, 0], 4),
    // Everything but 2000::/3, of which alone public addresses are (RFC 4291).
    v6([0; 3], 3),
    v6([0x4000, 0, 0], 2),
    v6([0x8000, 0, 0], 1),
    // Protocols, such as Teredo, which leads to addresses of IPv4 (RFC 2928, RFC 4380).
    v6([0x2001, 0, 0], 23),
    // 6to4, which leads to any address of IPv4 (RFC 3056).
    v6([0x2002, 0, 0], 16),
    // Documentation (RFC 3849, RFC 9637).
    v6([0x2001, 0xdb8, 0], 32),
    v6([0x3fff, 0, 0], 20),
];

const fn v4([a, b, c, d]: [u8; 4], length: u32) -> (IpAddr, u32) {
    (IpAddr::V4(Ipv4Addr::new(a, b, c, d)), length)
}

const fn v6([a, b, c]: [u16; 3], length: u32) -> (IpAddr, u32) {
    (IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)), length)
}

/// A host that may be asked wherever it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageHost {
    /// As it is compared.
    host: String,
    /// The only port of it, if one was named.
    port: Option<u16>,
}

/// Why a text names no host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be the name or the address of a host, alone or with a port, such as images.intranet or 10.0.0.5:8080"
)]
pub struct NotAHost;

impl FromStr for ImageHost {
    type Err = NotAHost;

    fn from_str(text: &str) -> Result<Self, NotAHost> {
        let is_v6 = text.parse::<Ipv6Addr>().is_ok();
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !is_v6 && !text.ends_with(']') => {
                let port = port.parse().ok().filter(|port| *port != 0);
                (host, Some(port.ok_or(NotAHost)?))
            }
            _ => (text, None),
        };
        let host = canonical(host);
        let is_in_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let is_host = host.starts_with('[') || host.chars().all(is_in_name);
        let is_host = is_host && Host::parse(&host).is_ok();
        is_host.then_some(Self { host, port }).ok_or(NotAHost)
    }
}

/// What may be asked.
#[derive(Debug, Default)]
pub(super) struct Policy {
    hosts: Vec<ImageHost>,
}

impl Policy {
    pub(super) fn new(hosts: &[ImageHost]) -> Self {
        let hosts = hosts.to_vec();
        Self { hosts }
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
        let named: Vec<&ImageHost> = self.named(&host.to_string()).collect();
        let is_asked = if named.is_empty() {
            is_web_port && address.is_none_or(is_public)
        } else {
            let is_its_port = |named: &&ImageHost| match named.port {
                Some(_) => named.port == url.port_or_known_default(),
                None => is_web_port,
            };
            named.iter().any(is_its_port)
        };
        if !is_asked {
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
        is_public(address) || self.named(host).next().is_some()
    }

    /// What names a host.
    fn named(&self, host: &str) -> impl Iterator<Item = &ImageHost> {
        let host = canonical(host);
        self.hosts.iter().filter(move |named| named.host == host)
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
    // Written as one of IPv6, as a network without IPv4 has them (RFC 6052).
    if let IpAddr::V6(v6) = address
        && let [0x64, 0xff9b, 0, 0, 0, 0, a, b] = v6.segments()
    {
        return is_public(Ipv4Addr::from_bits((u32::from(a) << 16) | u32::from(b)).into());
    }
    let bits = |address| match address {
        IpAddr::V4(v4) => u128::from(v4.to_bits()) << 96,
        IpAddr::V6(v6) => v6.to_bits(),
    };
    let is_within = |(network, length): &(IpAddr, u32)| {
        network.is_ipv4() == address.is_ipv4()
            && *length <= (bits(*network) ^ bits(address)).leading_zeros()
    };
    !NOT_PUBLIC.iter().any(is_within)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowing(hosts: &[&str]) -> Policy {
        let hosts: Vec<_> = hosts.iter().map(|host| host.parse().unwrap()).collect();
        Policy::new(&hosts)
    }

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
            "http://168.63.129.16/machine",
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
        let policy = allowing(&["Intranet.Example."]);
        let private = "10.0.0.1".parse().unwrap();
        let public = "64:ff9b::808:808".parse().unwrap();
        assert!(policy.allows("images.example", public));
        assert!(!policy.allows("images.example", private));
        assert!(!policy.allows("sub.intranet.example", private));
        assert!(policy.allows("intranet.example", private));
    }

    #[test]
    fn hosts_that_are_named_may_be_asked_however_they_are_spelled() {
        let policy = allowing(&[
            "127.0.0.1",
            "::1",
            "LOCALHOST",
            "[::3]:22",
            "10.0.0.1:25",
            "a.example:81",
        ]);
        for address in [
            "http://127.0.0.1:8080/",
            "http://2130706433/",
            "http://[0:0::1]:80/",
            "https://localhost/",
            "http://[::3]:22/",
            "http://10.0.0.1:25/",
            "http://a.example.:81/",
        ] {
            assert!(target(&policy, address).is_ok(), "{address}");
        }
        for address in [
            "http://127.0.0.2/",
            "http://[::2]/",
            // Without a port, those of the web are meant, and with one, only that.
            "http://127.0.0.1:22/",
            "http://[::3]/",
            "http://10.0.0.1/",
            "http://a.example/",
            "http://a.example:8080/",
        ] {
            assert!(target(&policy, address).is_err(), "{address}");
        }
    }

    #[test]
    fn what_names_no_host_is_refused() {
        for text in [
            "",
            " ",
            "*",
            "*.example",
            ".",
            "a.example:",
            "a.example:0",
            "a.example:65536",
            "a.example:*",
            "http://a.example",
            "a.example/b",
            "me@a.example",
            "a b",
            "a,b",
            "::g",
            "[::1",
            ":80",
            "10.0.0.0/8",
            "1.2.3.4.5",
        ] {
            assert_eq!(text.parse::<ImageHost>(), Err(NotAHost), "{text}");
        }
    }
}
