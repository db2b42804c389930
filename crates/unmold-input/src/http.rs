//! Takes the page out of an HTTP response.

use std::io::{self, Read};

use super::coding;
use super::format::looks_like_html;
use super::head::{Head, read_head};
use super::peek::Peek;

const NOT_2XX: &str = "HTTP status is not 2xx";
const NOT_HTML: &str = "not HTML";

/// What a response or a resource holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Payload {
    Html { charset: Option<String>, bytes: Vec<u8> },
    Skip(&'static str),
}

/// What a media type says about a body.
#[derive(Debug, PartialEq, Eq)]
enum Media {
    Html,
    /// No type, or XML: old sites serve XHTML as `text/xml`. The content decides.
    Perhaps,
    Other,
}

/// Reads status, headers and body; at most `limit` decoded bytes of the body.
///
/// `is_cut`: the archive says that the body is incomplete, so errors at its end are ignored.
pub fn read_response(block: &mut dyn Read, limit: usize, is_cut: bool) -> Result<Payload, String> {
    let mut block = Peek::new(block);
    let head = read_head(&mut block, false)
        .map_err(|error| error.to_string())?
        .ok_or("the HTTP header never ends")?;
    let status = status_of(&head).ok_or("no HTTP status line at the start of the response")?;
    if !(200..300).contains(&status) {
        return Ok(Payload::Skip(NOT_2XX));
    }
    let content_type = head.get("Content-Type");
    read_html(&mut block, content_type, &codings_of(&head), limit, is_cut)
}

/// Reads a resource: a body without HTTP around it.
pub fn read_resource(
    block: &mut dyn Read,
    content_type: Option<&str>,
    limit: usize,
    is_cut: bool,
) -> Result<Payload, String> {
    read_html(block, content_type, &[], limit, is_cut)
}

fn read_html(
    body: &mut dyn Read,
    content_type: Option<&str>,
    codings: &[String],
    limit: usize,
    is_cut: bool,
) -> Result<Payload, String> {
    let media = media_of(content_type);
    if media == Media::Other {
        return Ok(Payload::Skip(NOT_HTML));
    }
    let mut bytes = Vec::new();
    let outcome = coding::decoded(body, codings)
        .and_then(|body| body.take(limit as u64).read_to_end(&mut bytes));
    if let Err(error) = outcome
        && !is_cut
    {
        return Err(undecodable(codings, &error));
    }
    if media == Media::Perhaps && !looks_like_html(&bytes) {
        return Ok(Payload::Skip(NOT_HTML));
    }
    Ok(Payload::Html { charset: content_type.and_then(charset_of), bytes })
}

fn undecodable(codings: &[String], error: &io::Error) -> String {
    match codings {
        [] => format!("the body cannot be read: {error}"),
        _ => format!("the body cannot be decoded ({}): {error}", codings.join(", ")),
    }
}

fn status_of(head: &Head) -> Option<u16> {
    let mut words = head.first_line.split_ascii_whitespace();
    let is_http = words.next()?.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("HTTP/"));
    words.next()?.parse().ok().filter(|_| is_http)
}

/// Content codings, then transfer codings: the order in which the server applied them.
fn codings_of(head: &Head) -> Vec<String> {
    let values = head.all("Content-Encoding").chain(head.all("Transfer-Encoding"));
    values
        .flat_map(|value| value.split(','))
        .map(|coding| coding.trim().to_ascii_lowercase())
        .filter(|coding| !coding.is_empty() && coding != "identity")
        .collect()
}

fn media_of(content_type: Option<&str>) -> Media {
    let full = content_type.unwrap_or_default();
    let essence = full.split([';', ',']).next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "text/html" | "application/xhtml+xml" => Media::Html,
        "" | "text/xml" | "application/xml" => Media::Perhaps,
        _ => Media::Other,
    }
}

fn charset_of(content_type: &str) -> Option<String> {
    let parameters = content_type.split(';').skip(1);
    let named = parameters.filter_map(|parameter| parameter.split_once('='));
    let mut charsets = named.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let charset = charsets.next()?.1.trim().trim_matches(['"', '\'']).trim();
    (!charset.is_empty()).then(|| charset.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charset_in_content_type() {
        let check = |value: &str, expected: Option<&str>| {
            assert_eq!(charset_of(value).as_deref(), expected, "{value}");
        };
        check("text/html; charset=utf-8", Some("utf-8"));
        check("text/html;Charset = \"ISO-8859-1\"", Some("ISO-8859-1"));
        check("text/html; a=b; charset='koi8-r'", Some("koi8-r"));
        check("text/html; charset=", None);
        check("text/html", None);
    }

    #[test]
    fn responses_by_status_and_type() {
        let check = |response: &str, expected: Result<&str, &str>| {
            let payload = read_response(&mut response.as_bytes(), 1000, false);
            let shown = match &payload {
                Ok(Payload::Html { bytes, .. }) => Ok(std::str::from_utf8(bytes).unwrap()),
                Ok(Payload::Skip(why)) => Err(*why),
                Err(what) => Err(what.as_str()),
            };
            assert_eq!(shown, expected, "{response:?}");
        };
        check("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nx", Ok("x"));
        check("HTTP/1.1 200 OK\nContent-Type: TEXT/HTML; charset=x\n\nx", Ok("x"));
        check("HTTP/2 203\r\ncontent-type: application/xhtml+xml\r\n\r\nx", Ok("x"));
        check("HTTP/1.1 200 OK\r\n\r\n<html>", Ok("<html>"));
        check(
            "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n<?xml?><html>",
            Ok("<?xml?><html>"),
        );
        check("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n<?xml?><rss>", Err(NOT_HTML));
        check("HTTP/1.1 200 OK\r\n\r\nplain", Err(NOT_HTML));
        check("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n<html>", Err(NOT_HTML));
        check("HTTP/1.1 301 Moved\r\nContent-Type: text/html\r\n\r\n<html>", Err(NOT_2XX));
        check("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", Ok(""));
        check("<html>", Err("no HTTP status line at the start of the response"));
    }
}
