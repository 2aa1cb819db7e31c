//! A source: its files, their URL, their time of publication, the content of a good file, and the target folder.
//!
//! A source is parsed and checked once and never changes.

use std::collections::BTreeSet;

use chrono::{DateTime, Days, Months, NaiveDate, TimeZone as _, Utc};
use url::Url;

use super::declared_source::{self, CompanyId, DeclaredSource, KeyUse, Kind, PublicationTime, Step};
use super::expected_content::ExpectedContent;
use super::pass_on::PassOn;
use super::path_template::{PathTemplate, Placeholder};
use super::time_span::TimeSpan;
use parquote_catalogue::operation::{Market, TradingDays};

/// Default period in which a late file is requested again.
const RETRY: TimeSpan = TimeSpan::days(5);
/// Default interval between two snapshots.
const EVERY: TimeSpan = TimeSpan::hours(20);
/// Default size limit of a file in bytes.
const MOST: u64 = 64 << 20;

/// A source of files.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its name, which is that of its file.
    pub name: String,
    /// The market of its files.
    pub market: Market,
    /// Description of its files.
    pub what: String,
    /// The way its files are requested.
    pub kind: Kind,
    /// True if a session is incomplete without it.
    pub core: bool,
    /// True if it is fetched when no source is named.
    pub by_default: bool,
    /// Date when its URL was last verified.
    pub seen: NaiveDate,
    /// URL of the page for manual downloads, if it differs from the host group's.
    pub by_hand: Option<String>,
    /// Permission to pass on its files, if it differs from the host group's.
    pub pass_on: Option<PassOn>,
    pub(crate) url: PathTemplate,
    /// The host of its address.
    pub(crate) host: String,
    pub(crate) step: Step,
    /// The first day with a file.
    pub since: NaiveDate,
    pub(crate) until: Option<NaiveDate>,
    pub(crate) ready: PublicationTime,
    pub(crate) every: TimeSpan,
    pub(crate) retry: TimeSpan,
    pub(crate) corrected: Option<TimeSpan>,
    /// True if a HEAD request checks for changes first.
    pub(crate) head: bool,
    pub(crate) each: Vec<String>,
    /// The kind of company identifier, if it has one file for each company.
    pub per: Option<CompanyId>,
    /// Pattern of the names of linked files.
    pub(crate) links: Option<String>,
    pub(crate) into: PathTemplate,
    /// Number of copies of a snapshot that are retained; all if `None`.
    pub(crate) keep: Option<usize>,
    /// Usual bytes of a file.
    pub bytes: u64,
    /// Size limit of a file in bytes.
    pub(crate) most: u64,
    pub(crate) key: Option<KeyUse>,
    pub(crate) expect: ExpectedContent,
}

impl Source {
    /// Returns the days in a range with a file, newest first. A range of one day is not filtered by trading days.
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
        let file: DeclaredSource = declared_source::read(text)?;
        check_name(name)?;
        let host = host_of(file.url.text())?;
        check(&file, market)?;
        let ready = match file.ready {
            Some(ready) => ready,
            None => PublicationTime::try_from(format!("00:00 {}", market.time_zone().name()))?,
        };
        Ok(Self {
            name: name.to_owned(),
            market,
            what: file.what,
            kind: file.kind,
            core: file.core,
            by_default: file.default,
            seen: file.seen.ok_or("`seen` must be a date")?,
            by_hand: file.by_hand,
            pass_on: file.pass_on,
            host,
            url: file.url,
            step: file.step,
            since: file.since.unwrap_or(NaiveDate::MIN),
            until: file.until,
            ready,
            every: file.every.unwrap_or(EVERY),
            retry: file.retry.unwrap_or(RETRY),
            corrected: file.corrected,
            head: file.head,
            each: file.each,
            per: file.per,
            links: file.links,
            into: file.into,
            keep: file.keep,
            bytes: file.bytes,
            most: file.most.unwrap_or(MOST),
            key: file.key,
            expect: file.expect,
        })
    }

    /// Returns the time from which the file of a day is requested.
    pub(crate) fn ready_at(&self, date: NaiveDate) -> DateTime<Utc> {
        let day = date.checked_add_days(Days::new(self.ready.days.unsigned_abs())).unwrap_or(date);
        let local = day.and_time(self.ready.time);
        // A local time that a clock change skips is taken an hour later.
        let at = self.ready.zone.from_local_datetime(&local).earliest();
        at.map_or_else(|| local.and_utc(), |at| at.to_utc())
    }

    /// Returns the last day whose file is published.
    pub(crate) fn last_ready(&self, now: DateTime<Utc>) -> NaiveDate {
        let mut day = now.with_timezone(&self.ready.zone).date_naive();
        while self.ready_at(day) > now {
            let Some(before) = day.pred_opt() else { break };
            day = before;
        }
        day
    }

    /// Returns true if its files follow the market's sessions: they contain the date, or are core files. Others have a different
    /// calendar, such as an index of filings, which is closed on other days than the exchanges.
    pub(crate) fn is_of_sessions(&self) -> bool {
        let tells = self.expect.date.is_some() || self.expect.member_date;
        matches!(self.kind, Kind::Dated | Kind::Listed) && self.step == Step::Session && (self.core || tells)
    }

    /// Returns true if the declaration of the source includes a day.
    pub(crate) fn covers(&self, date: NaiveDate) -> bool {
        date >= self.since && self.until.is_none_or(|until| date <= until)
    }

    /// Returns the environment variables of its keys.
    pub fn key_names(&self) -> Vec<&str> {
        self.key
            .iter()
            .flat_map(|key| [Some(key.env.as_str()), key.secret_env.as_deref()])
            .flatten()
            .collect()
    }

    /// Returns the folder below `raw/` that all its files share.
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
fn check(file: &DeclaredSource, market: Market) -> Result<(), String> {
    let mistake = |is_wrong: bool, words: &str| if is_wrong { Err(words.to_owned()) } else { Ok(()) };
    let is = |kind| file.kind == kind;
    let into = file.into.text();
    mistake(file.what.trim().is_empty(), "`what` must say what the source is")?;
    mistake(!into.starts_with(&format!("{}/", market.word())), "`into` must begin with the market's folder")?;
    let climbs = into.split('/').any(|part| part.is_empty() || part.starts_with('.'));
    mistake(
        climbs || into.contains('\\'),
        "`into` must be a path below raw/ without `.`, `..` and empty parts",
    )?;
    mistake(
        is(Kind::Dated) && !(file.url.has_date() && file.into.has_date()),
        "a dated source needs the date in `url` and `into`",
    )?;
    let captured = file.into.has(Placeholder::Capture) && file.into.has(Placeholder::Time);
    mistake(is(Kind::Rolling) && !captured, "`into` of a rolling source needs {CAPTURE} and {TIME}")?;
    mistake(is(Kind::Linked) != file.links.is_some(), "`links` is of linked sources, and they need it")?;
    mistake(is(Kind::Linked) && !file.into.has(Placeholder::Name), "`into` of a linked source needs {name}")?;
    let windowed = file.url.has(Placeholder::From)
        && file.url.has(Placeholder::To)
        && file.into.has(Placeholder::From)
        && file.into.has(Placeholder::To);
    mistake(is(Kind::Window) && !windowed, "a window needs {FROM} and {TO} in `url` and `into`")?;
    mistake(
        is(Kind::Listed) && !listable(&file.url),
        "a listed source needs an `url` whose folder has no day and whose file has one",
    )?;
    let several = !file.each.is_empty() || file.per.is_some();
    mistake(
        several != file.url.has(Placeholder::Each) || several != file.into.has(Placeholder::Each),
        "`each` or `per` goes with {each} in `url` and `into`",
    )?;
    mistake(!file.each.is_empty() && file.per.is_some(), "`each` and `per` exclude each other")?;
    let unique: BTreeSet<&String> = file.each.iter().collect();
    mistake(unique.len() != file.each.len(), "`each` names one twice")?;
    mistake(matches!((file.since, file.until), (Some(a), Some(b)) if a > b), "`since` is after `until`")?;
    mistake(file.keep == Some(0), "`keep` must be 1 or more")?;
    check_key(file)?;
    file.expect.mistake().map_or(Ok(()), |words| Err(words.to_owned()))
}

fn check_key(file: &DeclaredSource) -> Result<(), String> {
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

/// Returns true if the folder of a URL is that of a month, and its file that of a day.
fn listable(url: &PathTemplate) -> bool {
    let (folder, _) = url.text().rsplit_once('/').unwrap_or_default();
    PathTemplate::try_from(folder.to_owned()).is_ok_and(|folder| !folder.has_day()) && url.has_day()
}
