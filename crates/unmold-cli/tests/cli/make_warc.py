#!/usr/bin/env python3
"""Writes every HTML file below FOLDER as a response record of a WARC, with warcio.

    python3 -m venv venv && venv/bin/pip install warcio
    venv/bin/python make_warc.py FOLDER OUT.warc.gz [--host NAME] [--manifest FILE]

URLs are http://HOST/PATH. HOST is the first folder below FOLDER, or NAME, with the whole
relative path as PATH. Bodies are in turn identity, chunked, gzip, and chunked gzip, as servers
send them. If OUT ends in .gz, each record is a gzip member.
The manifest lists "SHA-256 URL" of each page, to compare with the pages a reader returns.
"""

import argparse
import gzip
import hashlib
import io
import pathlib
import urllib.parse

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

EXTENSIONS = {".html", ".htm", ".xhtml", ".shtml", ".php", ".asp", ".aspx", ".jsp"}
CODINGS = [(), ("chunked",), ("gzip",), ("gzip", "chunked")]
CHUNK = 1000


def chunked(body):
    pieces = [body[start : start + CHUNK] for start in range(0, len(body), CHUNK)]
    framed = [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces]
    return b"".join(framed) + b"0\r\n\r\n"


def encoded(body, codings):
    """Returns the encoded body and its header fields."""
    fields = [("Content-Type", "text/html")]
    if "gzip" in codings:
        body = gzip.compress(body, mtime=0)
        fields.append(("Content-Encoding", "gzip"))
    if "chunked" in codings:
        body = chunked(body)
        fields.append(("Transfer-Encoding", "chunked"))
    else:
        fields.append(("Content-Length", str(len(body))))
    return body, fields


def url_of(path, host):
    parts = list(path.parts)
    if host is None:
        host = parts.pop(0) if len(parts) > 1 else "localhost"
    return f"http://{host}/{urllib.parse.quote('/'.join(parts))}"


def pages_below(folder):
    found = [path for path in folder.rglob("*") if path.suffix.lower() in EXTENSIONS]
    return sorted(path for path in found if path.is_file())


def write_page(writer, url, body, codings):
    sent, fields = encoded(body, codings)
    headers = StatusAndHeaders("200 OK", fields, protocol="HTTP/1.1")
    record = writer.create_warc_record(
        url, "response", payload=io.BytesIO(sent), http_headers=headers,
        warc_headers_dict={"WARC-Date": "2020-01-01T00:00:00Z"},
    )
    writer.write_record(record)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--host", help="host of all URLs")
    parser.add_argument("--manifest", type=pathlib.Path, help="write SHA-256 and URL of each page")
    arguments = parser.parse_args()
    lines = []
    with arguments.out.open("wb") as out:
        writer = WARCWriter(out, gzip=arguments.out.suffix == ".gz")
        writer.write_record(writer.create_warcinfo_record(arguments.out.name, {"software": "warcio"}))
        for number, path in enumerate(pages_below(arguments.folder)):
            url = url_of(path.relative_to(arguments.folder), arguments.host)
            body = path.read_bytes()
            write_page(writer, url, body, CODINGS[number % len(CODINGS)])
            lines.append(f"{hashlib.sha256(body).hexdigest()} {url}\n")
    if arguments.manifest:
        arguments.manifest.write_text("".join(lines))


if __name__ == "__main__":
    main()
