//! The site that a URL belongs to.

use url::{Host, Url};

/// Host of an `http` or `https` URL as a site name; `None` if there is no usable one.
///
/// Lower case, without user name, trailing dot and the ports 80 and 443; other ports tell sites
/// apart and are kept. A leading `www.` is dropped: both names lead to the same pages.
///
/// A name is kept in the form in which it is written, Unicode or Punycode, so that site names do
/// not depend on a version of the Unicode tables. IP addresses are normalized.
pub fn host_of(url: &str) -> Option<String> {
    let url = url.trim();
    let written = written_host(url)?;
    let parsed = Url::parse(url).ok()?;
    let host = match parsed.host()? {
        Host::Domain(name) if written.is_ascii() => site_name(name)?.to_owned(),
        Host::Domain(_) => site_name(&written.to_lowercase())?.to_owned(),
        address => address.to_string(),
    };
    match parsed.port() {
        None | Some(80 | 443) => Some(host),
        Some(port) => Some(format!("{host}:{port}")),
    }
}

/// The host as it is written, with the port unless the host is a name.
///
/// Browsers, and so the `url` crate, repair more than crawlers write: `http:name`, `http:///name`
/// and `http://%6eame` are no addresses of pages here.
fn written_host(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    // Browsers read a backslash as a slash.
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let host_and_port = authority.rsplit('@').next()?;
    let host = match host_and_port.starts_with('[') {
        true => host_and_port,
        false => host_and_port.split(':').next()?,
    };
    (!host.is_empty() && !host.contains('%')).then_some(host)
}

fn site_name(host: &str) -> Option<&str> {
    let host = host.strip_suffix('.').unwrap_or(host);
    match host.strip_prefix("www.") {
        // `www.com` is a name of its own.
        Some(rest) if rest.contains('.') => Some(rest),
        _ => (!host.is_empty()).then_some(host),
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
        check("http://example.org:443", "example.org");
        check("https://example.org:8443/x", "example.org:8443");
        check("http://example.org:/", "example.org");
        check("http://user:pa@ss@example.org/", "example.org");
        check("http://us%40er@example.org/", "example.org");
        check("http://example.org./", "example.org");
        check("http://www.com/", "www.com");
        check("http://www.example.org.:8080?q", "example.org:8080");
        check("http://[2001:DB8::1]:8080/", "[2001:db8::1]:8080");
        check("http://[2001:DB8:0:0:0:0:0:1]/", "[2001:db8::1]");
        check("http://[::1]", "[::1]");
        check("http://127.0.0.1:8000/a", "127.0.0.1:8000");
        check("http://a_b.example/", "a_b.example");
        check("  http://example.org\n", "example.org");
        check("http://example.org\\@evil.example/", "example.org");
        check("http://localhost", "localhost");
        check("", "");
        check("example.org", "");
        check("ftp://example.org/", "");
        check("dns:example.org", "");
        check("http:example.org", "");
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

    /// Templates are stored by the name of their site: a name must not change its form.
    #[test]
    fn international_names_keep_the_form_they_are_written_in() {
        let check = |url: &str, expected: &str| {
            assert_eq!(host_of(url).as_deref(), Some(expected), "{url}");
        };
        check("http://Müller.example/", "müller.example");
        check("http://www.Müller.example:8080/ü?ü", "müller.example:8080");
        check("http://XN--mller-kva.example/", "xn--mller-kva.example");
        check("http://пример.example./", "пример.example");
    }
}
