//! Types of values and columns, and values as numbers, dates and amounts.

use serde::{Deserialize, Serialize};

/// The type of a column.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ColumnType {
    /// Whole numbers.
    Int,
    /// Numbers.
    Float,
    /// Amounts with a currency.
    Money,
    /// Days or months.
    Date,
    /// Numbers with a unit.
    Quantity,
    /// Numbers with a percent sign.
    Percent,
    /// Addresses of pages.
    Url,
    /// Addresses of mail.
    Email,
    /// Telephone numbers.
    Phone,
    /// Anything else.
    #[default]
    Text,
    /// Sentences.
    Prose,
}

impl ColumnType {
    /// The name in schemas and flags.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Int => "int",
            ColumnType::Float => "float",
            ColumnType::Money => "money",
            ColumnType::Date => "date",
            ColumnType::Quantity => "quantity",
            ColumnType::Percent => "percent",
            ColumnType::Url => "url",
            ColumnType::Email => "email",
            ColumnType::Phone => "phone",
            ColumnType::Text => "text",
            ColumnType::Prose => "prose",
        }
    }

    /// The type with this name.
    pub fn named(name: &str) -> Option<ColumnType> {
        use ColumnType::*;
        [Int, Float, Money, Date, Quantity, Percent, Url, Email, Phone, Text, Prose]
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    /// Whether values are parsed.
    pub fn is_parsed(self) -> bool {
        use ColumnType::*;
        matches!(self, Int | Float | Money | Date | Quantity | Percent)
    }
}

/// A value of a column's type.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Typed {
    /// A whole number.
    Int(i64),
    /// A number, or a percentage.
    Float(f64),
    /// An amount and its currency, as ISO 4217 where the sign says so.
    Money(f64, &'static str),
    /// A number and its unit.
    Quantity(f64, String),
    /// A day (`2026-11-16`) or a month (`2026-11`).
    Date(String),
    /// Text.
    Text(String),
}

/// Share of the values that must be of a column's type.
const PURITY: f64 = 0.9;
/// More words are prose.
const PROSE_WORDS: usize = 25;

/// What a single value looks like.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Looks {
    Typed(ColumnType),
    /// `-`, `n/a`: a value that says there is none.
    Nothing,
}

/// The type of a column with these values.
pub(super) fn column_type<'v>(values: impl IntoIterator<Item = &'v str>) -> ColumnType {
    use ColumnType::*;
    let mut counts = [0usize; 11];
    for value in values {
        if let Looks::Typed(kind) = looks(value) {
            counts[kind as usize] += 1;
        }
    }
    let total: usize = counts.iter().sum();
    let of = |kind: ColumnType| counts[kind as usize];
    let is_pure = |count: usize| total > 0 && count as f64 >= PURITY * total as f64;
    if is_pure(of(Int) + of(Float)) {
        return if of(Float) == 0 { Int } else { Float };
    }
    let typed = [Money, Date, Quantity, Percent, Url, Email, Phone, Prose];
    typed.into_iter().find(|&kind| is_pure(of(kind))).unwrap_or(Text)
}

/// What a value looks like.
pub(super) fn looks(value: &str) -> Looks {
    use ColumnType::*;
    let value = value.trim();
    if is_nothing(value) {
        return Looks::Nothing;
    }
    // Most texts are longer than anything that is parsed.
    if value.len() > 80 && !is_url(value) {
        let words = value.split_whitespace().count();
        return Looks::Typed(if words > PROSE_WORDS { Prose } else { Text });
    }
    Looks::Typed(if is_url(value) {
        Url
    } else if is_email(value) {
        Email
    } else if is_phone(value) {
        Phone
    } else if money(value).is_some() {
        Money
    } else if date(value).is_some() {
        Date
    } else if percent(value).is_some() {
        Percent
    } else if int(value).is_some() {
        Int
    } else if float(value).is_some() {
        Float
    } else if quantity(value).is_some() {
        Quantity
    } else if value.split_whitespace().count() > PROSE_WORDS {
        Prose
    } else {
        Text
    })
}

/// The value as a column of this type has it; `None` if it is not of the type.
pub fn parse(value: &str, kind: ColumnType) -> Option<Typed> {
    let value = value.trim();
    match kind {
        ColumnType::Int => int(value).map(Typed::Int),
        ColumnType::Float => {
            int(value).map(|n| n as f64).or_else(|| float(value)).map(Typed::Float)
        }
        ColumnType::Percent => percent(value).map(Typed::Float),
        ColumnType::Money => money(value).map(|(amount, code)| Typed::Money(amount, code)),
        ColumnType::Quantity => quantity(value).map(|(n, unit)| Typed::Quantity(n, unit)),
        ColumnType::Date => date(value).map(Typed::Date),
        _ => (!value.is_empty()).then(|| Typed::Text(value.to_owned())),
    }
}

fn is_nothing(value: &str) -> bool {
    let is_dashes = !value.is_empty() && value.chars().all(|c| matches!(c, '-' | '–' | '—' | '?'));
    let words = ["n/a", "na", "none", "not available", "unknown", "tbd", "tba"];
    value.is_empty() || is_dashes || words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

fn is_url(value: &str) -> bool {
    if value.contains(char::is_whitespace) {
        return false;
    }
    let lower = value.get(..8).unwrap_or(value).to_ascii_lowercase();
    if ["http://", "https://", "www."].iter().any(|start| lower.starts_with(start)) {
        return value.len() > 10;
    }
    let host = value.split('/').next().unwrap_or("");
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let ends = [".com", ".org", ".net", ".edu", ".gov", ".co.uk", ".de", ".fr"];
    let host_lower = host.to_ascii_lowercase();
    ends.iter().any(|end| host_lower.ends_with(end)) && host.split('.').all(is_label)
}

fn is_email(value: &str) -> bool {
    let Some((name, host)) = value.split_once('@') else { return false };
    let is_plain = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "._+-".contains(c))
    };
    is_plain(name) && is_plain(host) && host.contains('.')
}

/// A telephone number: enough digits, grouped, with nothing but a word or an extension beside them.
fn is_phone(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let start = ["telephone", "phone", "tel", "ph", "call"]
        .iter()
        .find_map(|word| lower.strip_prefix(word))
        .unwrap_or(&lower);
    let start = start.trim_start_matches(['.', ':', ' ']);
    let number = match start.find(['x', 'e']) {
        Some(end) => {
            let extension = start[end..].trim_start_matches(|c: char| !c.is_ascii_digit());
            if extension.is_empty() || !extension.bytes().all(|b| b.is_ascii_digit()) {
                return false;
            }
            &start[..end]
        }
        None => start,
    };
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    let plain = number.chars().all(|c| c.is_ascii_digit() || " ()-./+".contains(c));
    let groups: Vec<usize> = number
        .split(|c: char| !c.is_ascii_digit())
        .filter(|group| !group.is_empty())
        .map(str::len)
        .collect();
    let is_american = matches!(groups[..], [3, 3, 4] | [1, 3, 3, 4] | [3, 7]);
    let is_international = number.starts_with('+') && (8..=15).contains(&digits);
    let is_local = number.starts_with('0') && (9..=12).contains(&digits) && groups.len() >= 2;
    plain && (is_american || is_international || is_local && !is_date_like(number))
}

fn is_date_like(value: &str) -> bool {
    numeric_date(value).is_some()
}

/// Currency signs and codes; those that end with another come before it.
#[rustfmt::skip]
const CURRENCIES: [(&str, &str); 50] = [
    ("US$", "USD"), ("CA$", "CAD"), ("AU$", "AUD"), ("NZ$", "NZD"), ("HK$", "HKD"), ("NT$", "TWD"),
    ("MX$", "MXN"), ("C$", "CAD"), ("A$", "AUD"), ("S$", "SGD"), ("R$", "BRL"), ("$", "USD"),
    ("€", "EUR"), ("£", "GBP"), ("¥", "JPY"), ("₹", "INR"), ("₽", "RUB"), ("руб.", "RUB"),
    ("руб", "RUB"), ("р.", "RUB"), ("₴", "UAH"), ("грн.", "UAH"), ("грн", "UAH"), ("zł", "PLN"),
    ("Kč", "CZK"), ("лв.", "BGN"), ("лв", "BGN"), ("₺", "TRY"), ("TL", "TRY"), ("₫", "VND"),
    ("đ", "VND"), ("Rp", "IDR"), ("Rs.", "INR"), ("₩", "KRW"), ("₱", "PHP"), ("฿", "THB"),
    ("₪", "ILS"), ("₦", "NGN"), ("RM", "MYR"), ("kr", "SEK"), ("USD", "USD"), ("EUR", "EUR"),
    ("GBP", "GBP"), ("CHF", "CHF"), ("CAD", "CAD"), ("AUD", "AUD"), ("PLN", "PLN"), ("BYN", "BYN"),
    ("RUB", "RUB"), ("VND", "VND"),
];

/// Whether a text is nothing but a currency sign, as in elements beside an amount.
pub(super) fn is_currency(text: &str) -> bool {
    CURRENCIES.iter().any(|(sign, _)| text.trim() == *sign)
}

/// Whether a text is a number to which a currency sign may belong.
pub(super) fn is_amount(text: &str) -> bool {
    text.len() <= 24 && number(text.trim()).is_some()
}

/// An amount and its currency.
fn money(value: &str) -> Option<(f64, &'static str)> {
    let value = without_unit(value);
    let amount = |rest: &str| {
        let rest = rest.trim();
        let rest = rest.strip_suffix(".-").or_else(|| rest.strip_suffix(",-")).unwrap_or(rest);
        number(rest)
    };
    let is_sign = |start: &str, sign: &str| start.eq_ignore_ascii_case(sign);
    for (sign, code) in CURRENCIES {
        let start = value.get(..sign.len());
        if let Some(found) = start.filter(|start| is_sign(start, sign))
            && let Some(amount) = amount(strip_code(&value[found.len()..], code))
        {
            return Some((amount, code));
        }
        let cut = value.len().checked_sub(sign.len());
        let end = cut.and_then(|cut| value.get(cut..));
        if let Some(found) = end.filter(|end| is_sign(end, sign))
            && let Some(amount) = amount(&value[..value.len() - found.len()])
        {
            return Some((amount, code));
        }
    }
    None
}

/// `€5 / kg`, `$10/month`, `15 € TTC`: an amount for a unit, or with taxes.
fn without_unit(value: &str) -> &str {
    let start = value.split(" TTC").next().unwrap_or(value);
    match start.split_once('/') {
        Some((amount, unit)) if unit.len() <= 12 && !unit.contains(|c: char| c.is_numeric()) => {
            amount.trim_end()
        }
        _ => start.trim_end(),
    }
}

/// `$9 USD` names its currency twice.
fn strip_code<'v>(value: &'v str, code: &str) -> &'v str {
    value.trim_end().strip_suffix(code).unwrap_or(value)
}

fn percent(value: &str) -> Option<f64> {
    number(value.strip_suffix('%')?.trim_end())
}

fn int(value: &str) -> Option<i64> {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    let groups: Vec<&str> = digits.split(',').collect();
    let are_digits = |group: &&str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    if !groups.iter().all(are_digits) {
        return None;
    }
    let is_grouped = groups.len() == 1
        || groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3);
    let value = value.replace(',', "");
    is_grouped.then(|| value.trim_start_matches('+').parse().ok()).flatten()
}

fn float(value: &str) -> Option<f64> {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    let has_mark = digits.contains(['.', ',']);
    has_mark.then(|| number(value)).flatten()
}

/// A number with either mark for decimals: the last one is it, unless it groups thousands.
fn number(value: &str) -> Option<f64> {
    let (sign, digits) = match value.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, value.strip_prefix('+').unwrap_or(value)),
    };
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | ' ' | '\u{a0}');
    let starts = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let ends = digits.ends_with(|c: char| c.is_ascii_digit());
    if !starts || !ends || digits.len() > 24 || !digits.chars().all(plain) {
        return None;
    }
    let decimals = digits.rfind(['.', ',']).filter(|&at| {
        let is_thousands =
            digits[at..].starts_with(',') && digits.len() - at == 4 && !digits[..at].is_empty();
        digits.matches(&digits[at..=at]).count() == 1 && !is_thousands
    });
    let (whole, fraction) = match decimals {
        Some(at) => (&digits[..at], &digits[at + 1..]),
        None => (digits, ""),
    };
    let inner: Vec<&str> = whole.split(['.', ',', '\'', ' ', '\u{a0}']).collect();
    if inner.len() > 1 && inner[1..].iter().any(|group| group.len() != 3) {
        return None;
    }
    format!("{}.{}", inner.concat(), fraction).parse::<f64>().ok().map(|number| sign * number)
}

/// A number with a unit: `250 lb`, `1.5"`, `120 min.`; feet and inches in inches.
fn quantity(value: &str) -> Option<(f64, String)> {
    if let Some(inches) = feet_and_inches(value) {
        return Some((inches, "in".to_owned()));
    }
    let end = value.find(|c: char| !(c.is_ascii_digit() || ".,".contains(c)))?;
    let unit = value[end..].trim();
    let is_unit = |c: char| c.is_alphabetic() || "\"'°²³./µ".contains(c);
    let fits = !unit.is_empty()
        && unit.chars().count() <= 8
        && unit.chars().all(is_unit)
        && !matches!(unit, "st" | "nd" | "rd" | "th")
        && !unit.ends_with("/");
    let number = fits.then(|| number(value[..end].trim_end_matches(['.', ','])))??;
    Some((number, unit.trim_end_matches('.').to_owned()))
}

/// `6'7"`, `6-7`, `6 ft 7 in` and the like.
fn feet_and_inches(value: &str) -> Option<f64> {
    let parts: Vec<&str> = value
        .split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .filter(|part| !part.is_empty())
        .collect();
    let [feet, inches] = parts[..] else { return None };
    let rest: String = value.chars().filter(|c| !c.is_ascii_digit() && *c != ' ').collect();
    let rest = rest.replace('.', "").to_lowercase();
    let is_mark = matches!(
        rest.as_str(),
        "'\"" | "'" | "-" | "′″" | "’”" | "''" | "'''" | "ftin" | "ft-in" | "ft"
    );
    let (feet, inches) = (feet.parse::<f64>().ok()?, inches.parse::<f64>().ok()?);
    (is_mark && (1.0..=9.0).contains(&feet) && inches < 12.0).then_some(feet * 12.0 + inches)
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A day or month, as `2026-11-16` or `2026-11`.
fn date(value: &str) -> Option<String> {
    numeric_date(value).or_else(|| written_date(value))
}

/// `16/11/2026`, `11-16-26`, `2026-11-16`, with a time after it or not.
fn numeric_date(value: &str) -> Option<String> {
    let day = value.split([' ', 'T']).next().unwrap_or(value);
    let time = value[day.len()..].trim_start_matches([' ', 'T']);
    let is_time = |c: char| c.is_ascii_digit() || ":.+-ZAPMapmz ".contains(c);
    if !time.chars().all(is_time) {
        return None;
    }
    let mark = day.find(['-', '/', '.']).and_then(|at| day[at..].chars().next())?;
    let parts: Vec<&str> = day.split(mark).collect();
    let [first, second, third] = parts[..] else { return None };
    let number = |part: &str| -> Option<u32> {
        (!part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit()))
            .then(|| part.parse().ok())
            .flatten()
    };
    let (a, b, c) = (number(first)?, number(second)?, number(third)?);
    if first.len() == 4 && second.len() <= 2 && third.len() <= 2 {
        return iso(a, b, Some(c));
    }
    if first.len() > 2 || second.len() > 2 || !matches!(third.len(), 2 | 4) {
        return None;
    }
    let year = if third.len() == 4 {
        c
    } else if c < 50 {
        2000 + c
    } else {
        1900 + c
    };
    // Slashes and dashes put the month first, unless it cannot be one; dots put the day first.
    let month_first = if mark == '.' { b > 12 } else { a <= 12 };
    let (month, day) = if month_first { (a, b) } else { (b, a) };
    iso(year, month, Some(day))
}

/// `Nov 16, 2026`, `16th November 2026`, `Monday, November 16, 2026`, `November 2026`.
fn written_date(value: &str) -> Option<String> {
    let (mut month, mut day, mut year) = (None, None, None);
    let mut others = 0;
    for part in value.split([' ', ',', '-', '\u{a0}']).filter(|part| !part.is_empty()) {
        let lower = part.trim_end_matches('.').to_ascii_lowercase();
        let letters = lower.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &lower[..lower.len() - letters.len()];
        let is_ordinal = matches!(letters, "" | "st" | "nd" | "rd" | "th");
        if !digits.is_empty() && is_ordinal && digits.len() <= 2 && day.is_none() {
            day = digits.parse::<u32>().ok();
        } else if digits.len() == 4 && letters.is_empty() && year.is_none() {
            year = digits.parse::<u32>().ok();
        } else if digits.is_empty() && month.is_none() && is_month(letters) {
            let start = letters.get(..3)?;
            month = MONTHS.iter().position(|name| *name == start).map(|at| at as u32 + 1);
        } else if digits.is_empty() && is_weekday(letters) && others == 0 {
            others += 1;
        } else {
            return None;
        }
    }
    iso(year?, month?, day)
}

fn is_month(word: &str) -> bool {
    const FULL: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    word.len() >= 3 && FULL.iter().any(|name| name.starts_with(word)) || word == "sept"
}

fn is_weekday(word: &str) -> bool {
    const FULL: [&str; 7] =
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    word.len() >= 3 && FULL.iter().any(|name| name.starts_with(word))
}

fn iso(year: u32, month: u32, day: Option<u32>) -> Option<String> {
    let fits = (1000..=2999).contains(&year)
        && (1..=12).contains(&month)
        && day.is_none_or(|day| (1..=days(year, month)).contains(&day));
    fits.then(|| match day {
        Some(day) => format!("{year:04}-{month:02}-{day:02}"),
        None => format!("{year:04}-{month:02}"),
    })
}

fn days(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_types() {
        use ColumnType::*;
        let cases = [
            ("http://example.com/a", Url),
            ("www.example.edu", Url),
            ("example.org/x", Url),
            ("a.b@example.com", Email),
            ("(212) 555-0100", Phone),
            ("212-555-0100 ext. 12", Phone),
            ("+44 20 7946 0018", Phone),
            ("Phone: 212.555.0100", Phone),
            ("$1,299.00", Money),
            ("9,99 €", Money),
            ("EUR 12", Money),
            ("$9 USD", Money),
            ("2 900 р.", Money),
            ("Rp2,510,000", Money),
            ("0.27 BYN /шт.", Money),
            ("15,00€ TTC", Money),
            ("6 ft", Quantity),
            ("Nov 16, 2026", Date),
            ("16th November 2026", Date),
            ("11/16/2026", Date),
            ("2026-11-16", Date),
            ("November 2026", Date),
            ("12.5 %", Percent),
            ("1,024", Int),
            ("-7", Int),
            ("3.14", Float),
            ("250 lb", Quantity),
            ("6'7\"", Quantity),
            ("6-7", Quantity),
            ("120 min.", Quantity),
            ("Drama", Text),
            ("Rated R for language", Text),
            ("9780306406157", Int),
            ("May", Text),
            ("10-12-14-16", Text),
        ];
        for (value, kind) in cases {
            assert_eq!(looks(value), Looks::Typed(kind), "{value}");
        }
        for value in ["", "-", "—", "N/A", "unknown"] {
            assert_eq!(looks(value), Looks::Nothing, "{value}");
        }
    }

    #[test]
    fn values_are_parsed() {
        let check =
            |value: &str, kind, expected| assert_eq!(parse(value, kind), expected, "{value}");
        check("$1,299.50", ColumnType::Money, Some(Typed::Money(1299.5, "USD")));
        check("1.299,50 €", ColumnType::Money, Some(Typed::Money(1299.5, "EUR")));
        check("12,5 €", ColumnType::Money, Some(Typed::Money(12.5, "EUR")));
        check("AU$5", ColumnType::Money, Some(Typed::Money(5.0, "AUD")));
        check("1.299.000 €", ColumnType::Money, Some(Typed::Money(1_299_000.0, "EUR")));
        check("1.200.000 ₫", ColumnType::Money, Some(Typed::Money(1_200_000.0, "VND")));
        check("R$ 12,50", ColumnType::Money, Some(Typed::Money(12.5, "BRL")));
        check("€5 / kg", ColumnType::Money, Some(Typed::Money(5.0, "EUR")));
        check("Call us", ColumnType::Money, None);
        check("1,024", ColumnType::Int, Some(Typed::Int(1024)));
        check("1,02", ColumnType::Int, None);
        check("6'7\"", ColumnType::Quantity, Some(Typed::Quantity(79.0, "in".to_owned())));
        check("250 lb", ColumnType::Quantity, Some(Typed::Quantity(250.0, "lb".to_owned())));
        check("16/11/2026", ColumnType::Date, Some(Typed::Date("2026-11-16".to_owned())));
        check("3.4.2026", ColumnType::Date, Some(Typed::Date("2026-04-03".to_owned())));
        check("Feb 30, 2026", ColumnType::Date, None);
        check("Sept. 2026", ColumnType::Date, Some(Typed::Date("2026-09".to_owned())));
        check("99.5%", ColumnType::Percent, Some(Typed::Float(99.5)));
    }

    #[test]
    fn a_column_has_the_type_of_nearly_all_its_values() {
        let check = |values: &[&str], kind| assert_eq!(column_type(values.iter().copied()), kind);
        check(&["1", "2", "3"], ColumnType::Int);
        check(&["1", "2.5", "-"], ColumnType::Float);
        check(&["$1", "$2", "n/a"], ColumnType::Money);
        check(&["$1", "free", "gift"], ColumnType::Text);
        check(&[], ColumnType::Text);
    }
}
