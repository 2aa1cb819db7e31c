//! Types of values in the declaration of a source, and the parser of TOML files.

use chrono::{NaiveDate, NaiveTime};
use chrono_tz::Tz;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use parquote_catalogue::operation::{read_toml, toml_date};

/// The way in which the files of a source are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One file a session (or quarter), under its date.
    Dated,
    /// One URL whose content is replaced: every distinct copy is saved under its time of capture.
    Rolling,
    /// Rows of a date range.
    Window,
    /// Files that a page links to.
    Linked,
    /// Files in the listing of a bucket (S3).
    Listed,
    /// Documents that the SEC's list of a company's filings names.
    Filed,
}

/// Interval between two files of a dated source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    /// One file for each session.
    #[default]
    Session,
    /// One file for each calendar quarter, under its last day.
    Quarter,
}

/// The meaning of `{each}` if callers name its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompanyId {
    /// The CIK of a company, in ten digits.
    Cik,
    /// A symbol.
    Symbol,
}

/// Time when the file of a day is published: a number of days later, at a local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct PublicationTime {
    pub(crate) days: i64,
    pub(crate) time: NaiveTime,
    pub(crate) zone: Tz,
}

impl TryFrom<String> for PublicationTime {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not a time; write for example `19:00 Asia/Kolkata` or `+1 day 11:00 America/New_York`"
            )
        };
        let mut words = text.split_whitespace();
        let mut next = || words.next().ok_or_else(wrong);
        let mut first = next()?;
        let mut days = 0;
        if let Some(number) = first.strip_prefix('+') {
            days = number.parse::<u8>().map_err(|_| wrong())?.into();
            if !["day", "days"].contains(&next()?) {
                return Err(wrong());
            }
            first = next()?;
        }
        let time = NaiveTime::parse_from_str(first, "%H:%M").map_err(|_| wrong())?;
        let zone = next()?.parse().map_err(|_| wrong())?;
        if words.next().is_some() { Err(wrong()) } else { Ok(Self { days, time, zone }) }
    }
}

/// The environment variables of a key, and how the key is sent: in the URL, in a header, or as an S3 signature.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyUse {
    /// The environment variable of the key.
    pub(crate) env: String,
    /// Environment variable of the secret, if requests are signed as for S3.
    pub(crate) secret_env: Option<String>,
    /// The header in which the key is sent; `None` if it is sent in another way.
    pub(crate) header: Option<String>,
    /// Prefix of the key in the header.
    #[serde(default)]
    pub(crate) before: String,
}

/// Deserializes a date, which TOML writes without quotes.
pub(crate) fn deserialize_date<'de, D: Deserializer<'de>>(text: D) -> Result<NaiveDate, D::Error> {
    let date = toml::value::Datetime::deserialize(text)?;
    toml_date(date).ok_or_else(|| serde::de::Error::custom("it must be a date such as 2019-10-01"))
}

/// Deserializes a date, for an optional TOML key.
pub(crate) fn deserialize_day<'de, D: Deserializer<'de>>(text: D) -> Result<Option<NaiveDate>, D::Error> {
    deserialize_date(text).map(Some)
}

/// Parses a TOML file; the error is one line of text, with the line number.
pub(crate) fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    read_toml(text).map_err(|(line, message)| format!("line {line}: {message}"))
}
