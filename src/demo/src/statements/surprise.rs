//! The surprise of a result, derived from the stock's idiosyncratic return around its announcement.
//!
//! Prices are simulated before statements and do not depend on them. A result counts as good if the stock rose after it.

use chrono::NaiveDate;

use crate::calendar::SessionCalendar;
use crate::company::InventedCompany;
use crate::draw::Draw;
use crate::factors::Factors;
use crate::prices::History;
use crate::share_split::ShareSplit;

/// Adjusted log closes, and the returns of market and sector that they contain.
#[derive(Debug)]
pub(super) struct LogCloses {
    /// Session and log close, oldest first.
    logs: Vec<(usize, f64)>,
    /// Cumulative returns that all stocks share, up to each session.
    shared: Vec<f64>,
    volatility: f64,
}

impl LogCloses {
    /// Builds the closes of a company.
    pub(super) fn from_history(company: &InventedCompany, history: &History, factors: &Factors) -> Self {
        let mut factor: f64 = history.actions.iter().map(ShareSplit::factor).product();
        let mut actions = history.actions.iter().peekable();
        let mut logs = Vec::with_capacity(history.bars.len());
        for bar in &history.bars {
            let session = usize::from(bar.session);
            while let Some(action) = actions.next_if(|action| action.session <= session) {
                factor /= action.factor();
            }
            logs.push((session, (f64::from(bar.close.max(1)) * factor).ln()));
        }
        let model = &company.price_model;
        let mut sum = 0.0;
        let shared = factors.sector_returns(company.industry.sector).map(|(market, sector)| {
            sum += model.beta * market + model.sector_beta * sector;
            sum
        });
        Self { logs, shared: shared.collect(), volatility: model.volatility.max(1e-4) }
    }

    /// Returns the log close of the last bar up to a session; `None` before the first bar.
    pub(super) fn log_close_at(&self, session: usize) -> Option<f64> {
        let index = self.logs.partition_point(|(it, _)| *it <= session).checked_sub(1)?;
        self.logs.get(index).map(|(_, close)| *close)
    }

    /// Returns the mean log close of the year that ends with a session; `None` if the year has no bar.
    pub(super) fn mean_log_close(&self, session: usize) -> Option<f64> {
        let from = self.logs.partition_point(|(it, _)| it + 252 <= session);
        let to = self.logs.partition_point(|(it, _)| *it <= session);
        let year = self.logs.get(from..to).filter(|year| !year.is_empty())?;
        Some(year.iter().map(|(_, close)| close).sum::<f64>() / year.len() as f64)
    }

    /// Draws the surprise of a result filed on a day, in standard deviations: mostly the idiosyncratic return from the previous close to
    /// the close two sessions after the filing, plus noise.
    pub(super) fn surprise(&self, calendar: &SessionCalendar, filed: NaiveDate, draw: &mut Draw) -> f64 {
        let chance = draw.normal().clamp(-2.2, 2.2);
        match self.stock_return(calendar, filed) {
            Some(stock_return) => (0.85 * stock_return + 0.5 * chance).clamp(-2.5, 2.5),
            None => chance,
        }
    }

    fn stock_return(&self, calendar: &SessionCalendar, filed: NaiveDate) -> Option<f64> {
        let day = calendar.session_by(filed)?;
        let before = day.checked_sub(1)?;
        let last = (day + 2).min(self.shared.len().checked_sub(1)?);
        let all = self.log_close_at(last)? - self.log_close_at(before)?;
        let shared = self.shared.get(last)? - self.shared.get(before)?;
        Some(((all - shared) / (self.volatility * 3.0_f64.sqrt())).clamp(-2.5, 2.5))
    }
}
