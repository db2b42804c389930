//! Dates as pages write them.

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The date, with the time if there is one, in the form of ISO 8601; `None` if it cannot be told.
///
/// Reads ISO dates, dates with the year first, and English dates with the name of the month.
/// `3/5/2024` is March in one country and May in another, so it is not read.
pub(super) fn iso(text: &str) -> Option<String> {
    let text = text.trim();
    year_first(text).or_else(|| with_month_name(text))
}

fn year_first(text: &str) -> Option<String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (year, month, day, rest) = match digits {
        4 => {
            let mut parts = text.splitn(3, ['-', '/', '.']);
            let (year, month, rest) = (parts.next()?, parts.next()?, parts.next()?);
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            (year, month, &rest[..end], &rest[end..])
        }
        8 => (&text[..4], &text[4..6], &text[6..8], &text[8..]),
        _ => return None,
    };
    let date = date(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
    Some(match time(rest) {
        Some(time) => format!("{date}T{time}"),
        None => date,
    })
}

/// `Tue, 05 Mar 2024 08:00:00 GMT`, `5 March 2024`, `March 5th, 2024`.
fn with_month_name(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split([' ', ',', '\u{a0}']).filter(|word| !word.is_empty()).take(12).collect();
    let month_of = |word: &&str| {
        let word = word.trim_end_matches('.').to_lowercase();
        let is_name = word.len() >= 3 && word.chars().all(char::is_alphabetic);
        MONTHS.iter().position(|&month| is_name && word.starts_with(month))
    };
    let (at, month) =
        words.iter().enumerate().find_map(|(at, word)| Some((at, month_of(word)?)))?;
    let number = |at: Option<usize>| {
        let word = at.and_then(|at| words.get(at))?;
        let word = word.trim_end_matches(|c: char| c.is_alphabetic() || c == '.');
        word.parse::<u32>().ok()
    };
    let (before, after) = (number(at.checked_sub(1)), number(Some(at + 1)));
    let (day, year) = match (before, after) {
        (Some(day @ 1..=31), Some(year @ 1000..)) => (day, year),
        (_, Some(day @ 1..=31)) => (day, number(Some(at + 2))?),
        _ => return None,
    };
    date(year, month as u32 + 1, day)
}

fn date(year: u32, month: u32, day: u32) -> Option<String> {
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    let plausible = (1000..=2999).contains(&year) && (1..=days).contains(&day);
    plausible.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// The time after a date: `T08:00`, ` 08:00:00 +0100`.
fn time(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix(['T', 't', ' '])?.trim_start();
    let end =
        rest.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.').unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(end);
    let mut parts = clock.split(':');
    let valid = |part: Option<&str>, limit: f64| {
        part.is_some_and(|part| part.len() >= 2 && part.parse().is_ok_and(|n: f64| n < limit))
    };
    if !valid(parts.next(), 24.0) || !valid(parts.next(), 60.0) {
        return None;
    }
    let seconds = parts.next();
    if parts.next().is_some() || seconds.is_some() && !valid(seconds, 61.0) {
        return None;
    }
    Some(format!("{clock}{}", offset(zone.trim())))
}

/// `Z`, `+01:00`, or nothing if it is not known.
fn offset(zone: &str) -> String {
    if matches!(zone, "Z" | "z" | "GMT" | "UTC") {
        return "Z".to_owned();
    }
    let Some(sign) = zone.chars().next().filter(|c| "+-".contains(*c)) else {
        return String::new();
    };
    let digits: String = zone[1..].chars().filter(|c| *c != ':').collect();
    match digits.len() {
        4 if digits.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{sign}{}:{}", &digits[..2], &digits[2..])
        }
        2 if digits.bytes().all(|b| b.is_ascii_digit()) => format!("{sign}{digits}:00"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_all_kinds() {
        for (text, expected) in [
            ("2024-03-05", "2024-03-05"),
            (" 2024-3-5 ", "2024-03-05"),
            ("2024/03/05", "2024-03-05"),
            ("20240305", "2024-03-05"),
            ("2024-03-05T08:00:00Z", "2024-03-05T08:00:00Z"),
            ("2024-03-05T08:00:00.123+0100", "2024-03-05T08:00:00.123+01:00"),
            ("2024-03-05 08:00:00 UTC", "2024-03-05T08:00:00Z"),
            ("2024-03-05T99:00", "2024-03-05"),
            ("Tue, 05 Mar 2024 08:00:00 GMT", "2024-03-05"),
            ("March 5th, 2024", "2024-03-05"),
            ("5. March 2024", "2024-03-05"),
            ("Published on Sept. 5, 2024 by Ann", "2024-09-05"),
        ] {
            assert_eq!(iso(text).as_deref(), Some(expected), "{text}");
        }
        for text in
            ["", "yesterday", "3/5/2024", "2024-13-01", "2023-02-29", "March", "2024", "May we 5"]
        {
            assert_eq!(iso(text), None, "{text}");
        }
    }
}
