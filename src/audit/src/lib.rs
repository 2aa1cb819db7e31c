//! Checks that figures use only data known on their day: derives a market again as of past days (the *past* tables), and compares each of
//! their rows with the row of the published tables (the *whole* ones).
//!
//! An audit reads published tables and writes only a temporary folder. Permitted differences are declared under `queries/audit`; an
//! unexplained difference is a figure with look-ahead, or one that the raw files do not yield.

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
use parquote_derive::{AllowedFaults, DeriveOptions, Publishing, derive, identities};
use parquote_raw::{Progress, SilentProgress, UnpackBounds};
use parquote_set::{Home, Retention};

/// Options of an audit.
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// The folder that holds one folder of raw files for each market.
    pub raw: PathBuf,
    /// The folder of the sets derived from the raw files.
    pub data: PathBuf,
    /// Number of past days as of which the market is derived again.
    pub days: usize,
    /// The parent of the temporary folder for these derivations; `None` for the parent of the data folder.
    pub temp: Option<PathBuf>,
    /// The date of lists without a date in their path.
    pub lists_as_of: Option<NaiveDate>,
    /// True to use damaged raw files as far as they can be read.
    pub allow_unreadable: bool,
    /// Size limits for unpacked raw files.
    pub bounds: UnpackBounds,
}

/// Audits the newest set of a market.
///
/// # Errors
/// There is no published set, or it was made by other formulas; a past day cannot be derived; or rows cannot be read.
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
    check_formulas(catalogue, market, &whole)?;
    let sessions = catalogue.table(market, "sessions").ok_or_else(missing)?;
    let sessions = whole.sessions(sessions).await.map_err(AuditError::row_error("sessions"))?;
    let days = evenly_spaced(&sessions, options.days);
    let folder = temporary_folder(options)?;
    let mut report = MarketAudit::new(market, whole.set.number, days.clone());
    progress.start(&format!("{market}: past days"), days.len() as u64);
    for day in days {
        let past = derive_as_of(catalogue, market, options, folder.path(), day).await?;
        compare_sides(catalogue, market, day, (&past, &whole), &mut report).await?;
        progress.advance(1);
    }
    progress.finish();
    report.sort();
    report.identities = identities(catalogue, market, &whole.home.files(market, &whole.set)).await?;
    Ok(report)
}

/// Rejects tables made by other formulas: their differences would not show look-ahead.
fn check_formulas(catalogue: &Catalogue, market: Market, whole: &ComparedSide) -> Result<(), AuditError> {
    let mismatches = catalogue.tables_in(market).filter_map(|table| {
        let made_by = whole.set.tables.get(&table.name)?.formula.as_ref()?;
        let description = format!("{} is of {made_by}", table.name);
        (table.formula.as_ref() != Some(made_by)).then_some(description)
    });
    let tables: Vec<String> = mismatches.collect();
    if tables.is_empty() { Ok(()) } else { Err(AuditError::OtherFormulas { market, tables }) }
}

/// Selects `days` sessions, evenly spaced over all but the last.
fn evenly_spaced(sessions: &[NaiveDate], days: usize) -> Vec<NaiveDate> {
    let past = sessions.len().saturating_sub(1);
    let mut indices: Vec<usize> = (1..=days).map(|nth| past * nth / (days + 1)).collect();
    indices.dedup();
    indices.into_iter().filter_map(|index| sessions.get(index).copied()).collect()
}

fn temporary_folder(options: &AuditOptions) -> Result<tempfile::TempDir, AuditError> {
    let parent = || options.data.parent().filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned);
    let folder = options.temp.clone().or_else(parent).unwrap_or_else(|| PathBuf::from("."));
    tempfile::Builder::new()
        .prefix(".parquote-audit-")
        .tempdir_in(&folder)
        .map_err(|source| AuditError::Temp { folder, source })
}

/// Derives the tables as of a day.
async fn derive_as_of(
    catalogue: &Arc<Catalogue>,
    market: Market,
    options: &AuditOptions,
    folder: &Path,
    day: NaiveDate,
) -> Result<ComparedSide, AuditError> {
    let derive_options = DeriveOptions {
        raw: options.raw.clone(),
        data: folder.to_owned(),
        as_of: Some(day),
        lists_as_of: options.lists_as_of,
        // Raw files are parsed once for all days.
        use_parse_cache: true,
        allow: AllowedFaults { unreadable: options.allow_unreadable, fewer: true },
        bounds: options.bounds,
        publishing: Publishing {
            keep: Retention { sets: 1, ..Retention::default() },
            ..Publishing::default()
        },
        ..DeriveOptions::default()
    };
    let derived = Box::pin(derive(catalogue, market, &derive_options, &SilentProgress)).await;
    let derived = derived.map_err(|source| AuditError::Past { day, source: Box::new(source) })?;
    Ok(ComparedSide { home: Home::new(folder), set: derived.set })
}

async fn compare_sides(
    catalogue: &Catalogue,
    market: Market,
    day: NaiveDate,
    (past, whole): (&ComparedSide, &ComparedSide),
    report: &mut MarketAudit,
) -> Result<(), AuditError> {
    let context =
        sides::context(catalogue, market, past, whole).await.map_err(AuditError::row_error("of both"))?;
    let reasons = Reasons::evaluate(catalogue, &context).await?;
    let comparison = SideComparison { day, context: &context, past, whole, reasons: &reasons };
    for pair in pairs(catalogue, market) {
        comparison.compare(&pair, report).await.map_err(AuditError::row_error(&pair.past.name))?;
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
        let days =
            |count| evenly_spaced(&sessions, count).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(days(1), ["2026-01-06"]);
        assert_eq!(days(3), ["2026-01-03", "2026-01-06", "2026-01-08"]);
        assert_eq!(days(100).len(), 10, "each past session once");
        assert!(evenly_spaced(&[], 12).is_empty());
    }
}
