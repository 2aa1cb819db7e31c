//! The proof that figures are of their day: a market is derived again as of past days (the *past* tables), and every row that was known
//! then is compared with the row of the published tables (the *whole* ones).
//!
//! It reads published tables and writes nothing but a folder that it removes. What may differ is declared under `queries/audit`; a
//! difference that nothing there explains is a figure that knew the future, or one that the raw files do not make.

mod compare;
mod error;
mod pairs;
mod reasons;
mod report;
mod sides;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::NaiveDate;

pub use error::AuditError;
pub use report::{ComparedRows, DifferenceKind, Example, FoundDifference, MarketAudit};

use compare::SideComparison;
use pairs::pairs;
use reasons::Reasons;
use sides::ComparedSide;

use parquote_catalogue::operation::{Catalogue, Market};
use parquote_derive::{Allowed, DeriveOptions, Publishing, derive, identities};
use parquote_raw::{Progress, Silent, UnpackBounds};
use parquote_set::{Home, Retention};

/// What is audited, and how.
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// The folder that holds a folder of raw files for each market.
    pub raw: PathBuf,
    /// The folder of the sets that were derived from them.
    pub data: PathBuf,
    /// As of how many past days all is derived again.
    pub days: usize,
    /// The folder in which a folder for these derivations is made; without it, the one that the data folder lies in.
    pub temp: Option<PathBuf>,
    /// The date of lists whose path has none.
    pub lists_as_of: Option<NaiveDate>,
    /// Whether damaged raw files are used as far as they can be read.
    pub allow_unreadable: bool,
    /// What raw files may unpack to.
    pub bounds: UnpackBounds,
}

/// Audits the newest set of a market.
///
/// # Errors
/// No published set, or one of other formulas; a past day that cannot be derived; rows that cannot be read.
pub async fn audit(
    catalogue: &Arc<Catalogue>,
    market: Market,
    options: &AuditOptions,
    progress: &dyn Progress,
) -> Result<MarketAudit, AuditError> {
    let home = Home::new(&options.data);
    let missing = || AuditError::NotPublished { market, data: options.data.clone() };
    let set = home.newest(market)?.ok_or_else(missing)?;
    let whole = ComparedSide { home, set };
    is_of_these_formulas(catalogue, market, &whole)?;
    let sessions = catalogue.table(market, "sessions").ok_or_else(missing)?;
    let sessions = whole.sessions(sessions).await.map_err(AuditError::rows("sessions"))?;
    let days = spread(&sessions, options.days);
    let folder = folder(options)?;
    let mut found = MarketAudit::new(market, whole.set.number, days.clone());
    progress.start(&format!("{market}: past days"), days.len() as u64);
    for day in days {
        let past = derived(catalogue, market, options, folder.path(), day).await?;
        compared(catalogue, market, day, (&past, &whole), &mut found).await?;
        progress.advance(1);
    }
    progress.finish();
    found.sort();
    found.identities = identities(catalogue, market, &whole.home.files(market, &whole.set)).await?;
    Ok(found)
}

/// Refuses tables that other formulas made: what differs would say nothing of what was known.
fn is_of_these_formulas(
    catalogue: &Catalogue,
    market: Market,
    whole: &ComparedSide,
) -> Result<(), AuditError> {
    let other = catalogue.tables_in(market).filter_map(|table| {
        let made_by = whole.set.tables.get(&table.name)?.formula.as_ref()?;
        let shown = format!("{} is of {made_by}", table.name);
        (table.formula.as_ref() != Some(made_by)).then_some(shown)
    });
    let tables: Vec<String> = other.collect();
    if tables.is_empty() { Ok(()) } else { Err(AuditError::OtherFormulas { market, tables }) }
}

/// So many sessions, spread evenly over all but the last.
fn spread(sessions: &[NaiveDate], days: usize) -> Vec<NaiveDate> {
    let past = sessions.len().saturating_sub(1);
    let mut places: Vec<usize> = (1..=days).map(|nth| past * nth / (days + 1)).collect();
    places.dedup();
    places.into_iter().filter_map(|place| sessions.get(place).copied()).collect()
}

fn folder(options: &AuditOptions) -> Result<tempfile::TempDir, AuditError> {
    let beside = || options.data.parent().filter(|it| !it.as_os_str().is_empty()).map(Path::to_owned);
    let folder = options.temp.clone().or_else(beside).unwrap_or_else(|| PathBuf::from("."));
    tempfile::Builder::new()
        .prefix(".parquote-audit-")
        .tempdir_in(&folder)
        .map_err(|source| AuditError::Temp { folder, source })
}

/// The tables as of a day.
async fn derived(
    catalogue: &Arc<Catalogue>,
    market: Market,
    options: &AuditOptions,
    folder: &Path,
    day: NaiveDate,
) -> Result<ComparedSide, AuditError> {
    let how = DeriveOptions {
        raw: options.raw.clone(),
        data: folder.to_owned(),
        as_of: Some(day),
        lists_as_of: options.lists_as_of,
        full: false,
        // Raw files are parsed once for all days.
        remember: true,
        allow: Allowed { unreadable: options.allow_unreadable, fewer: true },
        bounds: options.bounds,
        bars_held: None,
        publishing: Publishing { keep: Retention { sets: 1, ..Retention::default() }, lean: false },
        units: None,
    };
    let made = Box::pin(derive(catalogue, market, &how, &Silent)).await;
    let made = made.map_err(|source| AuditError::Past { day, source: Box::new(source) })?;
    Ok(ComparedSide { home: Home::new(folder), set: made.set })
}

async fn compared(
    catalogue: &Catalogue,
    market: Market,
    day: NaiveDate,
    (past, whole): (&ComparedSide, &ComparedSide),
    found: &mut MarketAudit,
) -> Result<(), AuditError> {
    let context =
        sides::context(catalogue, market, past, whole).await.map_err(AuditError::rows("of both"))?;
    let reasons = Reasons::find(catalogue, &context).await?;
    let comparison = SideComparison { day, context: &context, past, whole, reasons: &reasons };
    for pair in pairs(catalogue, market) {
        comparison.of(&pair, found).await.map_err(AuditError::rows(&pair.past.name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn past_days_are_spread_over_all_sessions_but_the_last() {
        let sessions: Vec<NaiveDate> =
            (1..=11).map(|day| NaiveDate::from_ymd_opt(2026, 1, day).unwrap()).collect();
        let days = |count| spread(&sessions, count).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(days(1), ["2026-01-06"]);
        assert_eq!(days(3), ["2026-01-03", "2026-01-06", "2026-01-08"]);
        assert_eq!(days(100).len(), 10, "each past session once");
        assert!(spread(&[], 12).is_empty());
    }
}
