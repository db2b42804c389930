//! Runs of the command within limits on memory and processor time.

use std::path::Path;
use std::process::Command;

/// Address space of a run, in kilobytes.
const MAX_KILOBYTES: usize = 3 << 20;
/// Processor time of a run, in seconds.
const MAX_SECONDS: usize = 60;

/// How a run ended.
pub struct Outcome {
    /// Processor time in seconds.
    pub seconds: f64,
    pub stdout: String,
    pub stderr: String,
    pub ended: Ended,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// With an exit code that the manual lists.
    Well,
    Panicked,
    /// By a signal, as when memory is exhausted.
    Aborted,
    /// It took all the time it was given.
    Hung,
}

/// Runs `unmold` with these arguments. The shell sets the limits and measures the time.
pub fn run(folder: &Path, arguments: &[&str]) -> Outcome {
    let script = format!(
        "ulimit -v {MAX_KILOBYTES}; ulimit -t {MAX_SECONDS}; \
         \"$@\" >out.txt 2>err.txt; echo $?; times"
    );
    let output = Command::new("bash")
        .current_dir(folder)
        .args(["-c", &script, "bash"])
        .arg(env!("CARGO_BIN_EXE_unmold"))
        .args(arguments)
        .output()
        .expect("bash runs");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = report.lines();
    let code: i32 = lines.next().and_then(|code| code.parse().ok()).expect("an exit code");
    let seconds = lines.nth(1).map_or(0.0, |times| times.split(' ').map(seconds).sum());
    let read = |name: &str| {
        let bytes = std::fs::read(folder.join(name)).expect("written by the run");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (stdout, stderr) = (read("out.txt"), read("err.txt"));
    let ended = match code {
        137 | 152 => Ended::Hung,
        128.. => Ended::Aborted,
        _ if stderr.contains("panicked at") => Ended::Panicked,
        _ => Ended::Well,
    };
    Outcome { seconds, stdout, stderr, ended }
}

/// `1m2.345s`, as the shell prints it.
fn seconds(text: &str) -> f64 {
    let (minutes, seconds) = text.split_once('m').expect("minutes");
    let number = |text: &str| text.trim_end_matches('s').parse::<f64>().expect("a number");
    number(minutes) * 60.0 + number(seconds)
}
