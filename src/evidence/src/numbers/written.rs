//! Parses numbers in texts: digits with separators, a sign, a unit, and a word that makes them approximate.

use super::parts::{Letters, is_among};

/// A number in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WrittenNumber {
    /// Position of the sign or first digit.
    pub(super) start: usize,
    /// End of the number, including an attached unit, as in `12%`.
    pub(super) end: usize,
    /// End of the unit, attached or not.
    pub(super) unit_end: usize,
    /// Value in the written unit, with the sign: 450.0 for `Rs 450 crore`.
    pub(super) value: f64,
    /// True if a sign is written.
    pub(super) is_signed: bool,
    /// Half a unit of the last significant digit.
    pub(super) tolerance: f64,
    /// Number of digits after the point.
    pub(super) decimals: usize,
    pub(super) unit: NumberUnit,
    /// Unit of the next number, if this one has none and both are a range or list, as in `12-15 %`.
    pub(super) range_unit: Option<NumberUnit>,
    /// True if a currency precedes the number.
    pub(super) is_money: bool,
    /// True for four bare digits from 1900 to 2100.
    pub(super) may_be_year: bool,
}

/// Unit of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NumberUnit {
    None,
    Percent,
    BasisPoints,
    /// A multiple, such as `28x`.
    Times,
    /// A multiplier: 1e7 for crore, 1e9 for billion.
    Scale(f64),
    /// A length of time, in any unit.
    Duration,
    /// A rank, such as `87th`.
    Ordinal,
}

/// Letters that make the digits directly after them an amount of money.
const MONEY: [&str; 6] = ["rs", "inr", "usd", "us", "eur", "re"];
/// Letters that name a figure when digits directly follow them; after other letters the digits are part of a name, such as `P2P`.
const METRICS: [&str; 14] =
    ["rs", "rsi", "pe", "pb", "ps", "de", "roe", "roa", "roce", "eps", "opm", "ecs", "rank", "rating"];
/// Number of digits from which digits next to letters are a figure and not part of a name.
const LONG_DIGITS: usize = 3;
/// Words that make a number approximate.
const APPROXIMATE_WORDS: &str = "about around nearly roughly approximately over under almost some circa \
    approx than above below";

/// Returns the unmasked numbers of a text, in order.
pub(super) fn find(letters: &Letters, masked: &[bool]) -> Vec<WrittenNumber> {
    let mut numbers = Vec::new();
    let mut index = 0;
    while index < letters.folded.len() {
        let is_unmasked = !masked.get(index).copied().unwrap_or(false);
        if !(is_unmasked && letters.char_at(index).is_ascii_digit()) {
            index += 1;
            continue;
        }
        let (end, number) = read_number(letters, index);
        numbers.extend(number);
        index = end.max(index + 1);
    }
    share_units(letters, &mut numbers);
    numbers
}

/// Reads the number at a position and returns it with the position at which to continue; `None` if the digits are part of a name.
fn read_number(letters: &Letters, start: usize) -> (usize, Option<WrittenNumber>) {
    let digits_end = grouped_end(letters, start);
    let has_point = letters.char_at(digits_end) == '.' && letters.char_at(digits_end + 1).is_ascii_digit();
    let end = if has_point { digits_end_from(letters, digits_end + 1) } else { digits_end };
    let led_by_point =
        letters.char_before(start) == '.' && !letters.char_before(start.saturating_sub(1)).is_alphanumeric();
    let (unit, glued_end, unit_end) = unit_after(letters, start, end);
    let prefix = letters.word_before(start);
    if is_name(letters, start, &prefix, unit, glued_end) {
        return (letters.run_end(end, char::is_alphanumeric), None);
    }
    let text: String = letters.slice(start, end).chars().filter(|c| *c != ',').collect();
    let text = if led_by_point { format!("0.{text}") } else { text };
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let Ok(size) = text.parse::<f64>() else { return (end, None) };
    let (sign_at, is_money) = sign_and_money(letters, start, &prefix);
    let is_signed = sign_at.is_some();
    let is_negative = sign_at.is_some_and(|index| letters.char_at(index) == '-');
    let is_bare =
        unit == NumberUnit::None && !is_money && !is_signed && decimals == 0 && digits_end - start == 4;
    let number = WrittenNumber {
        start: sign_at.filter(|index| index + 1 == start).unwrap_or(start - usize::from(led_by_point)),
        end: glued_end,
        unit_end,
        value: if is_negative { -size } else { size },
        is_signed,
        tolerance: tolerance(letters, start, &text, decimals),
        decimals,
        unit,
        range_unit: None,
        is_money,
        may_be_year: is_bare && (1_900.0..=2_100.0).contains(&size),
    };
    (glued_end, Some(number))
}

/// Returns the end of an integer with thousands separators, as in 1,234,567 or in 12,34,567. With groups of neither kind, the commas
/// separate numbers.
fn grouped_end(letters: &Letters, start: usize) -> usize {
    let first = digits_end_from(letters, start);
    let mut ends = vec![first];
    let mut end = first;
    while letters.char_at(end) == ',' && letters.char_at(end + 1).is_ascii_digit() && first - start <= 3 {
        end = digits_end_from(letters, end + 1);
        ends.push(end);
    }
    let sizes: Vec<usize> = ends
        .windows(2)
        .map(|pair| pair.iter().rev().copied().reduce(|b, a| b - a - 1).unwrap_or(0))
        .collect();
    let fits = |groups: usize| {
        let groups = sizes.get(..groups).unwrap_or_default();
        let Some((last, middle)) = groups.split_last() else { return true };
        *last == 3 && (middle.iter().all(|n| *n == 3) || middle.iter().all(|n| *n == 2) && first - start <= 2)
    };
    let groups = (0..ends.len()).rev().find(|groups| fits(*groups)).unwrap_or(0);
    ends.get(groups).copied().unwrap_or(first)
}

/// Returns the end of the digits from a position on.
fn digits_end_from(letters: &Letters, start: usize) -> usize {
    letters.run_end(start, |c| c.is_ascii_digit())
}

/// Returns true if digits are part of a name: `EMA50`, `P2P`, `5G`, `10-K`. Long digits and decimals are not, so that no figure hides
/// behind a letter; names with such digits that a run saw are masked before.
fn is_name(letters: &Letters, start: usize, prefix: &str, unit: NumberUnit, end: usize) -> bool {
    let (next, after) = (letters.char_at(end), letters.char_at(end + 1));
    let is_form =
        next == '-' && matches!(after, 'k' | 'q' | 'f') && !letters.char_at(end + 2).is_alphanumeric();
    let digits = letters.run_end(start, |c| c.is_ascii_digit() || matches!(c, '.' | ','));
    let length = letters.slice(start, digits).trim_end_matches(['.', ',']).len();
    let is_long = length >= LONG_DIGITS;
    let is_average = length <= 3 && matches!(prefix, "ema" | "sma" | "dma" | "ma");
    let has_letters_after = unit == NumberUnit::None && (next.is_alphabetic() || next == '_');
    let has_letters_before = !prefix.is_empty() || letters.char_before(start) == '_';
    let is_figure = MONEY.contains(&prefix) || METRICS.contains(&prefix) || unit == NumberUnit::Percent;
    is_form || (!is_long && (has_letters_after || (has_letters_before && !is_figure))) || is_average
}

/// Returns the position of the sign before a number, and true if the number is an amount of money.
fn sign_and_money(letters: &Letters, start: usize, prefix: &str) -> (Option<usize>, bool) {
    let sign = |index: usize| {
        let before = letters.char_before(index);
        let is_sign = matches!(letters.char_at(index), '-' | '+')
            && !before.is_alphanumeric()
            && !matches!(before, ')' | '%');
        is_sign.then_some(index)
    };
    let mut first = start - prefix.chars().count();
    let mut sign_at = if prefix.is_empty() { start.checked_sub(1).and_then(sign) } else { None };
    if sign_at.is_some() {
        first = first.saturating_sub(1);
    }
    let gap = usize::from(letters.char_before(first) == ' ') + usize::from(letters.char_before(first) == '.');
    let currency_end = first.saturating_sub(gap);
    let has_symbol = matches!(letters.char_before(currency_end), '₹' | '$' | '€' | '£');
    let word_end = currency_end.saturating_sub(usize::from(letters.char_before(currency_end) == '.'));
    let word = letters.word_before(word_end);
    let is_money =
        has_symbol || MONEY.contains(&prefix) || (prefix.is_empty() && MONEY.contains(&word.as_str()));
    if sign_at.is_none() && is_money {
        let currency_start =
            if has_symbol { currency_end.saturating_sub(1) } else { word_end - word.chars().count() };
        let at = if MONEY.contains(&prefix) { first } else { currency_start };
        sign_at = at.checked_sub(1).and_then(sign);
    }
    (sign_at, is_money)
}

/// Returns half a unit of the last digit; after a word such as `about`, of the last nonzero digit, with at least two significant digits.
fn tolerance(letters: &Letters, start: usize, text: &str, decimals: usize) -> f64 {
    let before = letters.slice(start.saturating_sub(24), start);
    let mut words =
        before.split(|c: char| !c.is_alphabetic() && c != '~').filter(|word| !word.is_empty()).rev().take(3);
    let about = before.trim_end().ends_with(['~', '>', '<', '≈'])
        || words.any(|word| is_among(APPROXIMATE_WORDS, word));
    let zeros = text.len() - text.trim_end_matches('0').len();
    let rough = if about && decimals == 0 { zeros.min(text.len().saturating_sub(2)) } else { 0 };
    0.5 * 10_f64.powi(rough as i32 - decimals as i32)
}

/// Returns the unit after a number, the end of the text attached to the number, and the end of the unit.
fn unit_after(letters: &Letters, start: usize, end: usize) -> (NumberUnit, usize, usize) {
    let (next, after) = (letters.char_at(end), letters.char_at(end + 1));
    let gap = usize::from(matches!(next, ' ' | '-') && (after.is_alphabetic() || after == '%'));
    if letters.char_at(end + gap) == '%' {
        return (NumberUnit::Percent, end + gap + 1, end + gap + 1);
    }
    let word_start = end + gap;
    let word_end = letters.run_end(word_start, char::is_alphabetic);
    let word = letters.slice(word_start, word_end);
    let second_end = letters.run_end(word_end + 1, char::is_alphabetic);
    let second = if letters.char_at(word_end) == ' ' {
        letters.slice(word_end + 1, second_end)
    } else {
        String::new()
    };
    let is_part_of_name = letters.char_at(word_end).is_alphanumeric() || letters.char_at(word_end) == '_';
    let is_short = end - start <= 2;
    let unit_and_end = match (word.as_str(), second.as_str()) {
        _ if is_part_of_name => None,
        ("lakh" | "lac", "crore" | "cr" | "crores") => Some((NumberUnit::Scale(1e12), second_end)),
        ("per", "cent") | ("percentage", "points" | "point") => Some((NumberUnit::Percent, second_end)),
        ("basis", "points" | "point") => Some((NumberUnit::BasisPoints, second_end)),
        _ => unit_of_word(&word, gap, is_short, &letters.original(word_start, word_end))
            .map(|unit| (unit, word_end)),
    };
    match unit_and_end {
        Some((unit, unit_end)) if gap == 0 => (unit, unit_end, unit_end),
        Some((unit, unit_end)) => (unit, end, unit_end),
        None => (NumberUnit::None, end, end),
    }
}

/// Returns the unit that a word denotes. A single letter must be attached to the number; a lower-case `3m` is months.
fn unit_of_word(word: &str, gap: usize, is_short: bool, original: &str) -> Option<NumberUnit> {
    let unit = match word {
        "percent" | "pct" | "pp" | "ppt" => NumberUnit::Percent,
        "bps" | "bp" => NumberUnit::BasisPoints,
        "times" | "fold" => NumberUnit::Times,
        "x" if gap == 0 => NumberUnit::Times,
        "crore" | "crores" | "cr" => NumberUnit::Scale(1e7),
        "lakh" | "lakhs" | "lac" | "lacs" => NumberUnit::Scale(1e5),
        "thousand" => NumberUnit::Scale(1e3),
        "million" | "millions" | "mn" | "mio" | "mln" => NumberUnit::Scale(1e6),
        "billion" | "billions" | "bn" => NumberUnit::Scale(1e9),
        "trillion" | "trillions" | "tn" => NumberUnit::Scale(1e12),
        "m" if gap == 0 && is_short && original == "m" => NumberUnit::Duration,
        "m" if gap == 0 => NumberUnit::Scale(1e6),
        "k" if gap == 0 => NumberUnit::Scale(1e3),
        "b" if gap == 0 => NumberUnit::Scale(1e9),
        "t" if gap == 0 => NumberUnit::Scale(1e12),
        "d" | "w" | "y" | "yr" | "yrs" if gap == 0 => NumberUnit::Duration,
        "day" | "days" | "week" | "weeks" | "month" | "months" | "year" | "years" | "yr" | "yrs"
        | "quarter" | "quarters" | "session" | "sessions" | "period" | "periods" | "bar" | "bars"
        | "hour" | "hours" => NumberUnit::Duration,
        "st" | "nd" | "rd" | "th" if gap == 0 => NumberUnit::Ordinal,
        _ => return None,
    };
    Some(unit)
}

/// Copies the last unit to all numbers of `12-15 %`, `Rs 1,200 to 1,400 crore` and `10/20/40-day`.
fn share_units(letters: &Letters, numbers: &mut [WrittenNumber]) {
    let mut following: Option<(usize, NumberUnit)> = None;
    for number in numbers.iter_mut().rev() {
        let between = following.map(|(start, unit)| (letters.slice(number.end, start), unit));
        if let Some((between, unit)) = between
            && number.unit == NumberUnit::None
            && (matches!(between.trim(), "-" | "--" | "/" | "to" | "and" | "or" | ",")
                || is_money_range(&between))
        {
            number.range_unit = (unit != NumberUnit::None).then_some(unit);
            number.may_be_year = number.may_be_year && number.range_unit.is_none();
        }
        following = Some((number.start, number.range_unit.unwrap_or(number.unit)));
    }
}

/// Returns true if the text between two numbers is a dash or `to`, and a currency, as in a range of amounts.
fn is_money_range(between: &str) -> bool {
    let rest = between.trim().trim_start_matches(['-', ' ']).trim_start_matches("to ").trim();
    rest.len() < between.trim().len() && matches!(rest, "₹" | "$" | "rs" | "rs." | "inr" | "usd")
}
