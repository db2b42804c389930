//! The HTTP server. Listens on loopback only and requires a token.
//!
//! Every request passes the same checks, in this order: `Host` must be our address, `Origin` one of
//! our own pages, and the first path segment the token. Only a POST with our own `Origin` changes
//! anything.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::Response;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use unmold::MethodName;

use super::connection::Connection;
use super::layout::Links;
use super::records_view::ColumnCorrection;
use super::resources::{self, Place, Refusal, Served, percent_decoded};
use super::site_view::Choice;
use super::state::{Correction, Viewer};
use super::{assets, css, policy};

/// Maximum size of a request body in bytes.
const MAX_BODY: usize = 16 << 10;
/// Maximum number of concurrent requests; others wait.
const WORKERS: usize = 8;
/// Maximum number of connections; others wait.
const CONNECTIONS: usize = 64;
/// A client must send the head of a request, and then its body, within this time, and must not
/// leave an answer lying for so long.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(200);
const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// A server that listens but does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    patience: Duration,
    connections: usize,
}

struct Shared {
    viewer: Arc<Viewer>,
    token: String,
    port: u16,
    patience: Duration,
}

impl Server {
    /// Listens on loopback; port 0 is any free port.
    pub fn bind(port: u16) -> Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .with_context(|| format!("cannot listen on port {port}: choose another with --port"))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let token = random_token()?;
        Ok(Server { listener, address, token, patience: PATIENCE, connections: CONNECTIONS })
    }

    #[cfg(test)]
    pub fn with_patience(self, patience: Duration) -> Server {
        Server { patience, ..self }
    }

    #[cfg(test)]
    pub fn with_connections(self, connections: usize) -> Server {
        Server { connections, ..self }
    }

    /// Returns the address to open in a browser.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Answers requests until the process ends.
    pub fn run(self, viewer: Arc<Viewer>) -> Result<()> {
        let Server { listener, address, token, patience, connections } = self;
        let shared = Arc::new(Shared { viewer, token, port: address.port(), patience });
        let router = Router::new().fallback(handle).with_state(shared);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(WORKERS)
            .build()
            .context("cannot start the server")?;
        let serve = accept(listener, router, patience, connections);
        runtime.block_on(serve).context("the server stopped")
    }
}

async fn accept(
    listener: TcpListener,
    router: Router,
    patience: Duration,
    connections: usize,
) -> Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let free = Arc::new(Semaphore::new(connections));
    loop {
        let place = Arc::clone(&free).acquire_owned().await?;
        match listener.accept().await {
            Ok((stream, _)) => {
                let conversation = converse(stream, router.clone(), patience);
                tokio::spawn(async move {
                    conversation.await;
                    drop(place);
                });
            }
            // Too many open files, for instance: room comes when other connections end.
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// Answers the requests of one connection, until one does not come in time.
async fn converse(stream: TcpStream, router: Router, patience: Duration) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience);
    let stream = TokioIo::new(Connection::new(stream, patience));
    let connection = http.serve_connection(stream, TowerToHyperService::new(router));
    // What goes wrong with a connection concerns only its client.
    let _ = connection.await;
}

/// Returns 128 random bits in hexadecimal.
fn random_token() -> Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow::anyhow!("cannot get random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

async fn handle(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = match timeout(shared.patience, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return Answer::plain(StatusCode::PAYLOAD_TOO_LARGE, "request too large")
                .into_response();
        }
        Err(_) => {
            return Answer::plain(StatusCode::REQUEST_TIMEOUT, "request incomplete")
                .into_response();
        }
    };
    let work = move || checked(&shared, &head.method, &head.uri, &head.headers, &body);
    // Reading and marking a page takes time and must not block other requests.
    let answer = tokio::task::spawn_blocking(work).await;
    let failed = || {
        Answer::plain(StatusCode::INTERNAL_SERVER_ERROR, "internal error: please report this page")
    };
    answer.unwrap_or_else(|_| failed()).into_response()
}

/// A response before its headers are set.
struct Answer {
    status: StatusCode,
    kind: &'static str,
    policy: String,
    body: Vec<u8>,
    /// The frame, which has no origin, may load it.
    for_frames: bool,
    /// The browser may cache it: the next run has another token and so another address.
    cacheable: bool,
}

impl Answer {
    fn new(kind: &'static str, policy: String, body: impl Into<Vec<u8>>) -> Answer {
        Answer {
            status: StatusCode::OK,
            kind,
            policy,
            body: body.into(),
            for_frames: false,
            cacheable: false,
        }
    }

    fn plain(status: StatusCode, body: impl Into<String>) -> Answer {
        Answer { status, ..Answer::new(TEXT, policy::OF_FILE.to_owned(), body.into()) }
    }

    fn not_found() -> Answer {
        Answer::plain(StatusCode::NOT_FOUND, "not found")
    }

    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        let mut set = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                response.headers_mut().insert(name, value);
            }
        };
        set(header::CONTENT_TYPE, self.kind);
        set(header::CONTENT_SECURITY_POLICY, &self.policy);
        set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        set(header::REFERRER_POLICY, "no-referrer");
        set(
            header::CACHE_CONTROL,
            if self.cacheable { "private, max-age=86400, immutable" } else { "no-store" },
        );
        set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
        if self.for_frames {
            // The frame has no origin, so it fetches fonts with the origin `null`.
            set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "null");
        } else {
            set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
        }
        response
    }
}

/// Checks a request, then answers it.
fn checked(
    shared: &Shared,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    body: &[u8],
) -> Answer {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let Some(host) = text(header::HOST).filter(|host| is_ours(host, shared.port)) else {
        return Answer::plain(StatusCode::FORBIDDEN, "unknown host");
    };
    let origin = format!("http://{host}");
    let is_file = uri.path().split('/').nth(2) == Some("files");
    match text(header::ORIGIN) {
        None => {}
        Some(found) if found == origin => {}
        Some("null") if is_file && method == Method::GET => {}
        Some(_) => {
            return Answer::plain(
                StatusCode::FORBIDDEN,
                "requests from other sites are not allowed",
            );
        }
    }
    let Some((token, path)) = uri.path().trim_start_matches('/').split_once('/') else {
        return Answer::not_found();
    };
    if !same(token, &shared.token) {
        return Answer::not_found();
    }
    let base = format!("{origin}/{}", shared.token);
    match *method {
        Method::GET | Method::HEAD => {
            get(&shared.viewer, &base, path, uri.query().unwrap_or_default())
        }
        Method::POST if matches!(path, "override" | "column") => {
            let is_json =
                text(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/json"));
            if text(header::ORIGIN).is_none() || !is_json {
                return Answer::plain(
                    StatusCode::FORBIDDEN,
                    "only the viewer's own pages may correct templates",
                );
            }
            match path {
                "column" => correct_column(&shared.viewer, body),
                _ => correct(&shared.viewer, body),
            }
        }
        _ => Answer::plain(StatusCode::METHOD_NOT_ALLOWED, "method not allowed"),
    }
}

fn is_ours(host: &str, port: u16) -> bool {
    [format!("127.0.0.1:{port}"), format!("localhost:{port}")].iter().any(|ours| ours == host)
}

/// Compares in constant time, so that timing does not reveal the token.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |found, (a, b)| found | (a ^ b)) == 0
}

fn correct(viewer: &Viewer, body: &[u8]) -> Answer {
    let Ok(correction) = serde_json::from_slice::<Correction>(body) else {
        return Answer::plain(StatusCode::BAD_REQUEST, "not a correction");
    };
    match viewer.correct(&correction) {
        Ok(message) => Answer::plain(StatusCode::OK, message),
        Err(error) => Answer::plain(StatusCode::CONFLICT, format!("{error:#}")),
    }
}

fn correct_column(viewer: &Viewer, body: &[u8]) -> Answer {
    let Ok(correction) = serde_json::from_slice::<ColumnCorrection>(body) else {
        return Answer::plain(StatusCode::BAD_REQUEST, "not a correction of a column");
    };
    match viewer.correct_column(&correction) {
        Ok(message) => Answer::plain(StatusCode::OK, message),
        Err(error) => Answer::plain(StatusCode::CONFLICT, format!("{error:#}")),
    }
}

fn get(viewer: &Viewer, base: &str, path: &str, query: &str) -> Answer {
    let own = match path {
        "view.css" => Some(("text/css; charset=utf-8", assets::VIEW_CSS)),
        "view.js" => Some(("text/javascript; charset=utf-8", assets::VIEW_JS)),
        "icon.svg" => Some(("image/svg+xml", assets::ICON)),
        _ => None,
    };
    if let Some((kind, text)) = own {
        return Answer { cacheable: true, ..Answer::new(kind, policy::OF_FILE.to_owned(), text) };
    }
    if let Some(file) = path.strip_prefix("files/") {
        return served(viewer, base, file);
    }
    let answer = page(viewer, base, path, &Query(query));
    answer.unwrap_or_else(|error| Answer::plain(StatusCode::NOT_FOUND, format!("{error:#}")))
}

/// Serves a file of the input to the frame.
fn served(viewer: &Viewer, base: &str, path: &str) -> Answer {
    let found = percent_decoded(path).and_then(|path| {
        let (root, path) = path.split_once('/')?;
        Some((root.parse().ok()?, path.to_owned()))
    });
    let Some((root, path)) = found else { return Answer::not_found() };
    match resources::serve(&viewer.catalog, root, &path) {
        Ok(mut file) => {
            if file.kind.starts_with("text/css") {
                let place = Some(Place::of_file(&viewer.catalog, root, &path));
                let resources = Served { place, base: base.to_owned() };
                let sheet = String::from_utf8_lossy(&file.bytes).into_owned();
                file.bytes = css::clean(&sheet, &|reference| {
                    super::frame::Resources::file(&resources, reference)
                })
                .into();
            }
            Answer {
                for_frames: true,
                ..Answer::new(file.kind, policy::OF_FILE.to_owned(), file.bytes)
            }
        }
        Err(Refusal::NotFound) => Answer::not_found(),
        Err(Refusal::TooLarge) => {
            Answer::plain(StatusCode::PAYLOAD_TOO_LARGE, "file too large to show")
        }
    }
}

/// The query string of a request.
struct Query<'a>(&'a str);

impl Query<'_> {
    fn get(&self, name: &str) -> Option<String> {
        let pairs = self.0.split('&').filter_map(|pair| pair.split_once('='));
        let value = pairs.into_iter().find(|(key, _)| *key == name)?.1;
        percent_decoded(&value.replace('+', " "))
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    fn method(&self) -> Option<MethodName> {
        self.get("method")?.parse().ok()
    }
}

/// Serves the views; their paths are `kind-number`.
fn page(viewer: &Viewer, base: &str, path: &str, query: &Query) -> Result<Answer> {
    let links = Links { exported: false };
    let html = |text: String| Answer::new(HTML, policy::of_page(base), text);
    if path.is_empty() {
        return Ok(html(viewer.home(links, query.number("from").unwrap_or(0))?));
    }
    #[cfg(feature = "search")]
    if path == "search" {
        return Ok(html(viewer.search_page(links, &query.get("q").unwrap_or_default())?));
    }
    let found =
        path.split_once('-').and_then(|(kind, number)| Some((kind, number.parse::<u32>().ok()?)));
    let Some((kind, number)) = found else { return Ok(Answer::not_found()) };
    let method = query.method();
    Ok(match kind {
        "site" => html(viewer.site_page(links, number)?),
        "costs" => html(viewer.cost_part(number)?),
        "cost" => html(viewer.cost_page(links, number)?),
        "pages" => {
            let from = query.number("from").unwrap_or(0);
            let choice =
                Choice { template: query.number("template"), flag: query.get("flag"), from };
            html(viewer.page_list(links, number, &choice)?)
        }
        "page" => html(viewer.page_page(links, number, method)?),
        "sections" => html(viewer.sections_page(links, number)?),
        "template" => {
            html(viewer.template_page(links, number as usize, query.number("missing"))?)
        }
        "records" => {
            let all = query.get("columns").as_deref() == Some("all");
            html(viewer.records_page(links, number as usize, all)?)
        }
        "nodes" => {
            let json = viewer.nodes_json(number, method)?;
            Answer::new("application/json", policy::OF_FILE.to_owned(), json)
        }
        "text" => {
            let markdown = query.get("format").as_deref() == Some("markdown");
            let text = viewer.text(number, method, markdown, query.number("threshold"))?;
            Answer::new(TEXT, policy::OF_FILE.to_owned(), text)
        }
        "frame" => {
            let place = Place::of(&viewer.catalog, viewer.entry(number)?);
            let resources = Served { place, base: base.to_owned() };
            Answer::new(
                HTML,
                policy::of_frame(base),
                viewer.frame(number, method, &resources, None)?,
            )
        }
        _ => Answer::not_found(),
    })
}
