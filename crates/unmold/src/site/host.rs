//! Derives the name of a site from a URL.

/// The host of an `http` or `https` URL as a site name; `None` if there is no usable one.
///
/// The name is in lower case, without user name, trailing dot and the ports 80 and 443. Other ports
/// belong to other sites and stay. A leading `www.` is dropped, because both names lead to the same
/// pages.
#[must_use]
pub fn host_of(url: &str) -> Option<String> {
    let authority = authority_of(url.trim())?;
    let host_and_port = authority.rsplit_once('@').map_or(authority, |(_, rest)| rest);
    let (host, port) = split_port(host_and_port)?;
    let host = host.to_lowercase();
    let host = if host.starts_with('[') { host } else { plain_name(&host)?.to_owned() };
    match port {
        None | Some(80 | 443) => Some(host),
        Some(port) => Some(format!("{host}:{port}")),
    }
}

fn authority_of(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    // Browsers treat a backslash as a slash.
    rest.split(['/', '\\', '?', '#']).next()
}

fn split_port(host_and_port: &str) -> Option<(&str, Option<u16>)> {
    let host_end = match host_and_port.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => host_and_port.find(':').unwrap_or(host_and_port.len()),
    };
    let (host, port) = host_and_port.split_at(host_end);
    if host.starts_with('[') && !is_ipv6(host) {
        return None;
    }
    match port.strip_prefix(':') {
        None if port.is_empty() => Some((host, None)),
        None => None,
        Some("") => Some((host, None)),
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some((host, Some(digits.parse().ok()?)))
        }
        Some(_) => None,
    }
}

fn is_ipv6(bracketed: &str) -> bool {
    let address = bracketed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    address.is_some_and(|address| address.parse::<std::net::Ipv6Addr>().is_ok())
}

fn plain_name(host: &str) -> Option<&str> {
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_forbidden = |c: char| c.is_whitespace() || c.is_control() || "<>\"^`{|}%[]@".contains(c);
    if host.is_empty() || host.contains(is_forbidden) {
        return None;
    }
    match host.strip_prefix("www.") {
        // The host `www.com` has no prefix to drop.
        Some(rest) if rest.contains('.') => Some(rest),
        _ => Some(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_of_url() {
        let check = |url: &str, expected: &str| {
            assert_eq!(host_of(url).unwrap_or_default(), expected, "{url}");
        };
        check("http://example.org/a/b?c#d", "example.org");
        check("HTTPS://WWW.Example.ORG", "example.org");
        check("http://example.org:80/", "example.org");
        check("https://example.org:443", "example.org");
        check("https://example.org:8443/x", "example.org:8443");
        check("http://example.org:/", "example.org");
        check("http://user:pa@ss@example.org/", "example.org");
        check("http://example.org./", "example.org");
        check("http://www.com/", "www.com");
        check("http://www.example.org.:8080?q", "example.org:8080");
        check("http://[2001:DB8::1]:8080/", "[2001:db8::1]:8080");
        check("http://[::1]", "[::1]");
        check("http://127.0.0.1:8000/a", "127.0.0.1:8000");
        check("http://Müller.example/", "müller.example");
        check("  http://example.org\n", "example.org");
        check("http://example.org\\@evil.example/", "example.org");
        check("http://localhost", "localhost");
        check("", "");
        check("example.org", "");
        check("ftp://example.org/", "");
        check("dns:example.org", "");
        check("urn:uuid:1234", "");
        check("http://", "");
        check("http:///path", "");
        check("http://a b/", "");
        check("http://example.org:99999/", "");
        check("http://example.org:8x/", "");
        check("http://[::1", "");
        check("http://[zz]/", "");
        check("http://[::1]x/", "");
        check("http://%65xample.org/", "");
        check("http://./", "");
    }
}
