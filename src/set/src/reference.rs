//! References of callers to a set: an id, a number, a date, or the pair of ids that responses carry.

use chrono::NaiveDate;

use super::manifest::Set;
use parquote_catalogue::operation::Market;

/// A selector of one set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetSelector {
    /// The set with an id.
    Id(String),
    /// The set with a number.
    Number(u64),
    /// The set with the latest last session on or before a date.
    Day(NaiveDate),
}

/// A parsed reference of a caller to a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    text: String,
    /// Selectors of India and the US.
    selectors: [SetSelector; 2],
}

impl Reference {
    /// Description of the format, for messages.
    pub const FORM: &str =
        "a set's number such as 12, its id (16 hexadecimal digits), or a date such as 2026-10-15";

    /// The format as a regular expression, for schemas. It omits February 29.
    pub const PATTERN: &str = "^([1-9][0-9]{0,8}|[0-9a-fA-F]{16}(-[0-9a-fA-F]{16})?|[0-9]{4}-((01|03|05|07|08|10|12)-(0[1-9]|[12][0-9]|3[01])|\
                               (04|06|09|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))$";

    /// Parses an id, a number, a date, or the value of an `X-Snapshot` header: the ids of both markets, separated by a dash.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let selectors = match text.split_once('-') {
            Some((india, us)) if NaiveDate::parse_from_str(text, "%Y-%m-%d").is_err() => {
                [SetSelector::Id(id(india)?), SetSelector::Id(id(us)?)]
            }
            _ => {
                let selector = parse_selector(text)?;
                [selector.clone(), selector]
            }
        };
        Some(Self { text: text.to_owned(), selectors })
    }

    /// Returns the selector of a market.
    pub fn selector(&self, market: Market) -> &SetSelector {
        let [india, us] = &self.selectors;
        match market {
            Market::India => india,
            Market::Us => us,
        }
    }

    /// Returns true if the reference selects a set of each market: a date, or the ids of both.
    pub fn is_of_both_markets(&self) -> bool {
        let [india, us] = &self.selectors;
        matches!(india, SetSelector::Day(_)) || india != us
    }

    /// Returns the trimmed text of the caller.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl SetSelector {
    /// Returns true if the selector is this id.
    pub fn is_id(&self, id: &str) -> bool {
        matches!(self, Self::Id(requested) if requested == id)
    }

    /// Returns the set that it selects among published and past ones. Published sets come oldest first, and precede past ones of the
    /// same session; past sets have no number to select them by.
    pub fn among<'a>(
        &self,
        published: impl DoubleEndedIterator<Item = &'a Set>,
        mut past: impl Iterator<Item = &'a Set>,
    ) -> Option<&'a Set> {
        let published = self.among_published(published);
        let past = match self {
            Self::Number(_) => None,
            Self::Id(id) => past.find(|set| set.id == *id),
            Self::Day(day) => {
                past.filter(|set| set.as_of.is_some_and(|as_of| as_of <= *day)).max_by_key(|set| set.as_of)
            }
        };
        match (published, past) {
            (Some(published), Some(past)) if past.as_of > published.as_of => Some(past),
            (published, past) => published.or(past),
        }
    }

    fn among_published<'a>(&self, published: impl DoubleEndedIterator<Item = &'a Set>) -> Option<&'a Set> {
        published.rev().find(|set| match self {
            Self::Id(id) => set.id == *id,
            Self::Number(number) => set.number == *number,
            Self::Day(day) => set.as_of.is_some_and(|as_of| as_of <= *day),
        })
    }
}

/// Parses an id to lower case; an empty text, for a market without a set, remains empty.
fn id(text: &str) -> Option<String> {
    const DIGITS: usize = 16;
    let is_id = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_id || text.is_empty()).then(|| text.to_ascii_lowercase())
}

fn parse_selector(text: &str) -> Option<SetSelector> {
    /// Maximum digits of a number; a longer one is an id that consists of digits.
    const NUMBER_DIGITS: usize = 10;
    if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Some(SetSelector::Day(day));
    }
    if text.len() <= NUMBER_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().filter(|number| *number > 0).map(SetSelector::Number);
    }
    id(text).filter(|id| !id.is_empty()).map(SetSelector::Id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_numbers_dates_and_pairs_are_parsed() {
        let read = |text: &str| Reference::parse(text).map(|reference| reference.selectors);
        let both = |selector: SetSelector| Some([selector.clone(), selector]);
        assert_eq!(read("12"), both(SetSelector::Number(12)));
        let day = NaiveDate::from_ymd_opt(2026, 10, 15).unwrap();
        assert_eq!(read(" 2026-10-15 "), both(SetSelector::Day(day)));
        let (a, b) = ("0123456789abcdef", "1111222233334444");
        assert_eq!(read("0123456789ABCDEF"), both(SetSelector::Id(a.into())));
        assert_eq!(read(b), both(SetSelector::Id(b.into())));
        let pair = Some([SetSelector::Id(a.into()), SetSelector::Id(b.into())]);
        assert_eq!(read("0123456789abcdef-1111222233334444"), pair);
        assert_eq!(
            read("0123456789abcdef-"),
            Some([SetSelector::Id(a.into()), SetSelector::Id(String::new())])
        );
        let pattern = regex::Regex::new(Reference::PATTERN).unwrap();
        for text in ["12", "2026-10-15", a, b, "0123456789ABCDEF-1111222233334444", "999999999", "0001-01-31"]
        {
            assert!(pattern.is_match(text) && read(text).is_some(), "{text}");
        }
        for text in ["", "0", "latest", "-1", "2026-13-01", "0123456789abcdeg", "0123456789abcdef-x", "1 2"] {
            assert_eq!(read(text), None, "{text}");
            assert!(!pattern.is_match(text), "{text}");
        }
    }
}
