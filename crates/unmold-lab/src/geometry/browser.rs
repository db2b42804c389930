//! A headless browser, spoken to through a pipe (the Chrome DevTools Protocol).
//!
//! Nothing reaches the network: every request is caught, the page itself is answered with the bytes
//! given, all others are refused; names are not resolved, should one slip through. Scripts do not
//! run.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use base64::Engine;
use command_fds::{CommandFdExt, FdMapping};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::align::{Snapshot, SnapshotNode};

/// Where the pages seem to come from. The name cannot exist.
const ADDRESS: &str = "http://page.unmold.invalid/";
const PROGRAMS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Types of nodes, as the DOM counts them.
const ELEMENT: u64 = 1;
const TEXT: u64 = 3;

/// A running browser with one tab.
pub struct Browser {
    process: Child,
    to: PipeWriter,
    from: Receiver<Value>,
    last_id: u64,
    session: Option<String>,
    patience: Duration,
    // Deleted when the browser is.
    _profile: TempDir,
}

/// The browser to use.
pub fn find(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(program) = named {
        return Ok(program.to_owned());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found =
        PROGRAMS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    found.into_iter().find(|program| program.is_file()).context(
        "no browser found: install Chromium (on Debian: apt-get install chromium) or name one with --browser; \
         without one, `unmold sections` estimates areas from the mark-up",
    )
}

impl Browser {
    /// Starts the browser with one empty tab of this width; `patience` bounds the wait for each
    /// page.
    pub fn start(program: &Path, width: u32, patience: Duration) -> Result<Browser> {
        let profile =
            tempfile::tempdir().context("cannot make a folder for the browser's profile")?;
        let (theirs_in, to) = std::io::pipe().context("cannot make a pipe")?;
        let (from, theirs_out) = std::io::pipe().context("cannot make a pipe")?;
        let mut command = Command::new(program);
        command
            .args([
                "--headless",
                "--remote-debugging-pipe",
                "--no-first-run",
                "--disable-gpu",
                "--mute-audio",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .args([
                "--disable-extensions",
                "--hide-scrollbars",
                "--host-resolver-rules=MAP * ~NOTFOUND",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // Chromium refuses to run as root inside its sandbox.
        if std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
            command.arg("--no-sandbox");
        }
        command.arg("about:blank");
        let ends = [(OwnedFd::from(theirs_in), 3), (OwnedFd::from(theirs_out), 4)];
        command
            .fd_mappings(ends.map(|(parent_fd, child_fd)| FdMapping { parent_fd, child_fd }).into())
            .context("cannot hand pipes to the browser")?;
        let process = command.spawn().with_context(|| {
            format!("cannot start {}: name another with --browser", program.display())
        })?;
        // The command holds our copies of the browser's ends.
        drop(command);
        let mut browser = Browser {
            process,
            to,
            from: listen(from),
            last_id: 0,
            session: None,
            patience,
            _profile: profile,
        };
        browser.open_tab(width).context("the browser does not answer: is it Chromium?")?;
        Ok(browser)
    }

    fn open_tab(&mut self, width: u32) -> Result<()> {
        let tab = self.call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let attached = self.call(
            "Target.attachToTarget",
            json!({ "targetId": tab["targetId"], "flatten": true }),
        )?;
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        self.call("Page.enable", json!({}))?;
        self.call("DOMSnapshot.enable", json!({}))?;
        self.call("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] }))?;
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }))?;
        let size =
            json!({ "width": width, "height": 768, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size)?;
        Ok(())
    }

    /// Loads a page and says where everything is.
    pub fn render(&mut self, html: &[u8], charset: Option<&str>) -> Result<Snapshot> {
        let deadline = Instant::now() + self.patience;
        self.send("Page.navigate", json!({ "url": ADDRESS }))?;
        let mut answered = false;
        loop {
            let message = self.receive(deadline)?;
            let parameters = &message["params"];
            match message["method"].as_str() {
                Some("Fetch.requestPaused") => {
                    let is_page = parameters["request"]["url"] == ADDRESS
                        && parameters["resourceType"] == "Document"
                        && !answered;
                    if is_page {
                        self.send(
                            "Fetch.fulfillRequest",
                            answer(&parameters["requestId"], html, charset),
                        )?;
                        answered = true;
                    } else {
                        self.refuse(parameters)?;
                    }
                }
                Some("Page.loadEventFired") if answered => break,
                Some("Inspector.targetCrashed") => bail!("the browser's tab crashed"),
                _ => {}
            }
        }
        let captured = self.call("DOMSnapshot.captureSnapshot", json!({ "computedStyles": [] }))?;
        snapshot(&captured)
    }

    fn refuse(&mut self, parameters: &Value) -> Result<()> {
        let refusal = json!({ "requestId": parameters["requestId"], "errorReason": "Aborted" });
        self.send("Fetch.failRequest", refusal).map(drop)
    }

    fn send(&mut self, method: &str, parameters: Value) -> Result<u64> {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = serde_json::to_vec(&message)?;
        bytes.push(0);
        self.to.write_all(&bytes).context("the browser has gone")?;
        Ok(self.last_id)
    }

    /// Sends a command and waits for its result.
    fn call(&mut self, method: &str, parameters: Value) -> Result<Value> {
        let deadline = Instant::now() + self.patience;
        let id = self.send(method, parameters)?;
        loop {
            let mut message = self.receive(deadline)?;
            if message["id"] == id {
                if !message["error"].is_null() {
                    bail!("{method}: {}", message["error"]["message"]);
                }
                return Ok(message["result"].take());
            }
            if message["method"] == "Fetch.requestPaused" {
                self.refuse(&message["params"])?;
            }
        }
    }

    fn receive(&mut self, deadline: Instant) -> Result<Value> {
        match self.from.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(message) => Ok(message),
            Err(RecvTimeoutError::Timeout) => bail!("the browser took too long: raise --patience"),
            Err(RecvTimeoutError::Disconnected) => bail!("the browser has gone"),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads messages, each ended by a zero, as they come.
fn listen(from: PipeReader) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for message in BufReader::new(from).split(0) {
            let Ok(message) = message else { return };
            let Ok(message) = serde_json::from_slice(&message) else { continue };
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    receiver
}

fn answer(request: &Value, html: &[u8], charset: Option<&str>) -> Value {
    let kind = match charset {
        Some(charset) => format!("text/html; charset={charset}"),
        None => "text/html".to_owned(),
    };
    json!({
        "requestId": request,
        "responseCode": 200,
        "responseHeaders": [{ "name": "Content-Type", "value": kind }],
        "body": base64::engine::general_purpose::STANDARD.encode(html),
    })
}

/// The main document of what `DOMSnapshot.captureSnapshot` gives.
fn snapshot(captured: &Value) -> Result<Snapshot> {
    let strings = captured["strings"].as_array().context("the browser sent no strings")?;
    let string = |index: &Value| {
        let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| strings.get(index)).and_then(Value::as_str).unwrap_or("")
    };
    let document = &captured["documents"][0];
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (parents, names) =
        (list(&document["nodes"]["parentIndex"]), list(&document["nodes"]["nodeName"]));
    let values = list(&document["nodes"]["nodeValue"]);
    let types = list(&document["nodes"]["nodeType"]);
    let mut nodes: Vec<SnapshotNode> = names
        .iter()
        .enumerate()
        .map(|(id, name)| SnapshotNode {
            parent: parents.get(id).and_then(Value::as_u64).map(|parent| parent as usize),
            name: match types.get(id).and_then(Value::as_u64) {
                Some(ELEMENT) => string(name).to_ascii_lowercase(),
                Some(TEXT) => "#text".to_owned(),
                // The doctype's name is `html` too.
                _ => "#other".to_owned(),
            },
            text: values.get(id).map(string).unwrap_or("").to_owned(),
            bounds: None,
        })
        .collect();
    let bounds = list(&document["layout"]["bounds"]);
    for (index, bounds) in list(&document["layout"]["nodeIndex"]).iter().zip(&bounds) {
        let number = |at: usize| bounds[at].as_f64().unwrap_or(0.0);
        let node = index.as_u64().and_then(|index| nodes.get_mut(index as usize));
        if let Some(node) = node.filter(|node| node.bounds.is_none()) {
            node.bounds = Some([0, 1, 2, 3].map(number));
        }
    }
    let size = |name: &str| document[name].as_f64().unwrap_or(0.0);
    Ok(Snapshot { nodes, width: size("contentWidth"), height: size("contentHeight") })
}
