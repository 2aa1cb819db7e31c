//! A source of files: URL, time of publication, content of a good file, and target path.
//!
//! A source is parsed and checked once, and does not change after that.

use std::collections::BTreeSet;

use chrono::{DateTime, Days, Months, NaiveDate, NaiveTime, TimeZone as _, Utc};
use serde::Deserialize;
use url::Url;

use super::declared_source::{self, CompanyId, KeyUse, Kind, PublicationTime, Step};
use super::expected_content::ExpectedContent;
use super::filed_documents::FilingListRules;
use super::pass_on::PassOnPermission;
use super::path_template::{PathTemplate, Placeholder};
use super::time_span::TimeSpan;
use parquote_catalogue::operation::{Market, TradingDays};

/// A source of files.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The name of the source, which is that of its declaration's file.
    #[serde(skip)]
    pub name: String,
    /// The market of the files.
    #[serde(skip)]
    pub market: Market,
    /// Description of the files.
    pub what: String,
    /// The way in which the files are requested.
    pub kind: Kind,
    /// True if a session is incomplete without the file of this source.
    #[serde(default)]
    pub core: bool,
    /// True if the source is fetched when the caller names no source.
    #[serde(default = "default_true", rename = "default")]
    pub by_default: bool,
    /// Date when the URL was last verified.
    #[serde(deserialize_with = "declared_source::deserialize_date")]
    pub seen: NaiveDate,
    /// URL of the page for manual downloads, if it differs from the host group's.
    pub by_hand: Option<String>,
    /// Permission to pass on the files, if it differs from the host group's.
    pub pass_on: Option<PassOnPermission>,
    pub(crate) url: PathTemplate,
    /// The host in the URL.
    #[serde(skip)]
    pub(crate) host: String,
    #[serde(default)]
    pub(crate) step: Step,
    /// The first day with a file.
    #[serde(default = "first_day", deserialize_with = "declared_source::deserialize_date")]
    pub since: NaiveDate,
    #[serde(default, deserialize_with = "declared_source::deserialize_day")]
    pub(crate) until: Option<NaiveDate>,
    ready: Option<PublicationTime>,
    /// The interval between two snapshots.
    #[serde(default = "default_interval")]
    pub(crate) every: TimeSpan,
    /// The period in which a late file is requested again.
    #[serde(default = "default_retry")]
    pub(crate) retry: TimeSpan,
    pub(crate) corrected: Option<TimeSpan>,
    /// True if a HEAD request checks for changes first.
    #[serde(default)]
    pub(crate) head: bool,
    #[serde(default)]
    pub(crate) each: Vec<String>,
    /// The kind of company identifier, for a source with one file for each company; `None` for other sources.
    pub per: Option<CompanyId>,
    /// Pattern of the names of linked files; `None` for a source without links.
    pub(crate) links: Option<String>,
    /// The rules for documents, for a source of lists of filings.
    pub(crate) filed: Option<FilingListRules>,
    pub(crate) into: PathTemplate,
    /// Number of copies of a snapshot that are retained; `None` for all.
    pub(crate) keep: Option<usize>,
    /// Usual length of a file in bytes.
    #[serde(default)]
    pub bytes: u64,
    /// Maximum bytes of a file.
    #[serde(default = "default_limit", rename = "most")]
    pub(crate) max_bytes: u64,
    pub(crate) key: Option<KeyUse>,
    pub(crate) expect: ExpectedContent,
}

const fn default_true() -> bool {
    true
}

const fn first_day() -> NaiveDate {
    NaiveDate::MIN
}

const fn default_interval() -> TimeSpan {
    TimeSpan::hours(20)
}

const fn default_retry() -> TimeSpan {
    TimeSpan::days(5)
}

const fn default_limit() -> u64 {
    64 << 20
}

impl Source {
    /// Returns the days in a range that have a file, newest first. A range of one day is not filtered by trading days.
    pub(crate) fn days(&self, calendar: &TradingDays, from: NaiveDate, to: NaiveDate) -> Vec<NaiveDate> {
        let from = from.max(self.since);
        let until = self.until.map_or(to, |until| until.min(to));
        if from > until {
            return Vec::new();
        }
        let all = from.iter_days().take_while(|day| *day <= until);
        let mut days: Vec<NaiveDate> = match self.step {
            Step::Session => all.filter(|day| from == to || calendar.may_trade(self.market, *day)).collect(),
            Step::Quarter => all.filter(|day| quarter_end(*day) == *day).collect(),
        };
        days.reverse();
        days
    }

    /// Parses the declaration of the source `name`.
    ///
    /// # Errors
    /// The mistake, in words, with its line or key.
    pub(crate) fn parse(name: &str, market: Market, text: &str) -> Result<Self, String> {
        let source: Self = declared_source::parse_toml(text)?;
        check_name(name)?;
        let host = host_of(source.url.text())?;
        check_declaration(&source, market)?;
        Ok(Self { name: name.to_owned(), market, host, ..source })
    }

    /// Returns the time of publication; without a declared time, the beginning of the day in the market's time zone.
    pub(crate) fn ready(&self) -> PublicationTime {
        let midnight = || PublicationTime { days: 0, time: NaiveTime::MIN, zone: self.market.time_zone() };
        self.ready.unwrap_or_else(midnight)
    }

    /// Returns the time from which the file of a day is requested.
    pub(crate) fn ready_at(&self, date: NaiveDate) -> DateTime<Utc> {
        let ready = self.ready();
        let day = date.checked_add_days(Days::new(ready.days.unsigned_abs())).unwrap_or(date);
        let local = day.and_time(ready.time);
        // A local time that a clock change skips is read as UTC.
        let at = ready.zone.from_local_datetime(&local).earliest();
        at.map_or_else(|| local.and_utc(), |at| at.to_utc())
    }

    /// Returns the last day whose file is published.
    pub(crate) fn last_ready(&self, now: DateTime<Utc>) -> NaiveDate {
        let mut day = now.with_timezone(&self.ready().zone).date_naive();
        while self.ready_at(day) > now {
            let Some(before) = day.pred_opt() else { break };
            day = before;
        }
        day
    }

    /// Returns true if the source has a file for each session: the files contain the date, or are core files. Other sources have another
    /// calendar, such as an index of filings, whose holidays are not those of the exchanges.
    pub(crate) fn follows_sessions(&self) -> bool {
        let has_date_inside = self.expect.date.is_some() || self.expect.member_date;
        matches!(self.kind, Kind::Dated | Kind::Listed)
            && self.step == Step::Session
            && (self.core || has_date_inside)
    }

    /// Returns true if the declaration of the source includes a day.
    pub(crate) fn includes_day(&self, date: NaiveDate) -> bool {
        date >= self.since && self.until.is_none_or(|until| date <= until)
    }

    /// Returns the names of the environment variables of the keys.
    pub fn key_names(&self) -> Vec<&str> {
        self.key
            .iter()
            .flat_map(|key| [Some(key.env.as_str()), key.secret_env.as_deref()])
            .flatten()
            .collect()
    }

    /// Returns the folder below `raw/` that all files of the source share.
    pub fn folder(&self) -> String {
        let text = self.into.text();
        let fixed = text.split('{').next().unwrap_or(text);
        fixed.rsplit_once('/').map_or_else(|| self.market.word().to_owned(), |(folder, _)| folder.to_owned())
    }
}

/// Returns the last day of a quarter.
pub(crate) fn quarter_end(date: NaiveDate) -> NaiveDate {
    use chrono::Datelike as _;
    let first = NaiveDate::from_ymd_opt(date.year(), date.month0() / 3 * 3 + 1, 1);
    let next = first.and_then(|first| first.checked_add_months(Months::new(3)));
    next.and_then(|next| next.pred_opt()).unwrap_or(date)
}

fn check_name(name: &str) -> Result<(), String> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if !name.is_empty() && name.bytes().all(fits) {
        return Ok(());
    }
    Err("the file's name, which is the source's, must be of `a` to `z`, digits and `_`".to_owned())
}

/// Returns the host of a URL, which must not contain a placeholder.
pub(super) fn host_of(url: &str) -> Result<String, String> {
    let wrong = "`url` must begin with https:// and a host without places in it";
    let host = url.strip_prefix("https://").and_then(|rest| rest.split('/').next()).ok_or(wrong)?;
    let parsed = Url::parse(&format!("https://{host}/")).map_err(|_| wrong)?;
    match parsed.host_str() {
        Some(name) if name == host && !host.contains('{') => Ok(host.to_owned()),
        _ => Err(wrong.to_owned()),
    }
}

/// Checks that a declaration is consistent; the error names the key of the first mistake.
fn check_declaration(file: &Source, market: Market) -> Result<(), String> {
    let mistake = |is_wrong: bool, words: &str| if is_wrong { Err(words.to_owned()) } else { Ok(()) };
    let is = |kind| file.kind == kind;
    let into = file.into.text();
    mistake(file.what.trim().is_empty(), "`what` must say what the source is")?;
    mistake(!into.starts_with(&format!("{}/", market.word())), "`into` must begin with the market's folder")?;
    let leaves_folder = into.split('/').any(|part| part.is_empty() || part.starts_with('.'));
    mistake(
        leaves_folder || into.contains('\\'),
        "`into` must be a path below raw/ without `.`, `..` and empty parts",
    )?;
    mistake(
        is(Kind::Dated) && !(file.url.has_date() && file.into.has_date()),
        "a dated source needs the date in `url` and `into`",
    )?;
    let has_capture_time = file.into.has(Placeholder::Capture) && file.into.has(Placeholder::Time);
    mistake(is(Kind::Rolling) && !has_capture_time, "`into` of a rolling source needs {CAPTURE} and {TIME}")?;
    mistake(is(Kind::Linked) != file.links.is_some(), "`links` is of linked sources, and they need it")?;
    let is_named = file.into.has(Placeholder::Name);
    mistake(is(Kind::Linked) && !is_named, "`into` of a linked source needs {name}")?;
    mistake(is(Kind::Filed) != file.filed.is_some(), "`[filed]` is of filed sources, and they need it")?;
    let is_complete = is_named && (file.per == Some(CompanyId::Cik) || !file.each.is_empty());
    mistake(
        is(Kind::Filed) && !is_complete,
        "a filed source needs {name} in `into`, and `per = \"cik\"` or the CIKs in `each`",
    )?;
    file.filed.iter().try_for_each(FilingListRules::check)?;
    let has_window = file.url.has(Placeholder::From)
        && file.url.has(Placeholder::To)
        && file.into.has(Placeholder::From)
        && file.into.has(Placeholder::To);
    mistake(is(Kind::Window) && !has_window, "a window needs {FROM} and {TO} in `url` and `into`")?;
    mistake(
        is(Kind::Listed) && !has_monthly_folder(&file.url),
        "a listed source needs an `url` whose folder has no day and whose file has one",
    )?;
    let is_repeated = !file.each.is_empty() || file.per.is_some();
    mistake(
        is_repeated != file.url.has(Placeholder::Each)
            || (is_repeated && !is(Kind::Filed)) != file.into.has(Placeholder::Each),
        "`each` and `per` need {each} in `url` and `into`",
    )?;
    mistake(!file.each.is_empty() && file.per.is_some(), "`each` and `per` exclude each other")?;
    let unique: BTreeSet<&String> = file.each.iter().collect();
    mistake(unique.len() != file.each.len(), "`each` names one twice")?;
    mistake(file.until.is_some_and(|until| file.since > until), "`since` is after `until`")?;
    mistake(file.keep == Some(0), "`keep` must be 1 or more")?;
    check_key(file)?;
    file.expect.first_contradiction().map_or(Ok(()), |words| Err(words.to_owned()))
}

fn check_key(file: &Source) -> Result<(), String> {
    let sent = file.key.as_ref().map(|key| {
        usize::from(key.header.is_some())
            + usize::from(key.secret_env.is_some())
            + usize::from(file.url.has(Placeholder::Key))
    });
    match (sent, file.kind) {
        (None, Kind::Listed) => Err("a listed source needs `[key]` with `secret_env`".to_owned()),
        (None, _) if file.url.has(Placeholder::Key) => Err("{key} in `url` needs `[key]`".to_owned()),
        (None | Some(1), _) if !file.into.has(Placeholder::Key) => Ok(()),
        _ => Err("`[key]` is sent one way: {key} in `url`, or `header`, or `secret_env` to sign as S3 does"
            .to_owned()),
    }
}

/// Returns true if the folder in a URL belongs to a month, and the file to a day.
fn has_monthly_folder(url: &PathTemplate) -> bool {
    let (folder, _) = url.text().rsplit_once('/').unwrap_or_default();
    PathTemplate::try_from(folder.to_owned()).is_ok_and(|folder| !folder.has_day()) && url.has_day()
}
