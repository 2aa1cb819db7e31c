//! The fictional market: invented companies under the real taxonomy, generated from a seed.
//!
//! The crate writes raw files in the layouts that exchanges publish, and derives nothing: the derivation reads them like real data. The
//! same seed gives the same files, and a company stays the same when others are added.
//!
//! To add a kind of raw file: draw its inputs under a new `Purpose`, store them with the company's history in `World` if other files need
//! them, and write it in a separate file under `write_india` or next to `write_us`.

/// Random substreams.
mod draw;

/// Sectors, industries, index names.
mod taxonomy;

/// Invented names, symbols, ISINs.
mod names;

/// Sessions.
mod calendar;

/// Company sizes.
mod size;

/// Fixed properties of a company.
mod company;

/// Listing periods.
mod listing_period;

/// Returns of the market and of sectors.
mod factors;

/// Returns of a company beyond those of market and sector.
mod idiosyncratic;

/// Splits and bonuses.
mod share_split;

/// Rounding and price bands.
mod tick;

/// The price model.
mod prices;

/// Holders of a company, by quarter.
mod holders;

/// Changes of ownership.
mod ownership;

/// Trades of insiders.
mod insiders;

/// Bulk and block deals.
mod deals;

/// Dividends, rights, buybacks, splits and bonuses in the exchange's wording.
mod events;

/// Quarterly and annual statements.
pub(crate) mod statements;

/// Texts about companies: summaries, profiles, calls, reports.
pub(crate) mod texts;

/// Analysts' data on India's companies: pledges, banking and sector figures, groups, orders, guidance.
mod intel;

/// The finished market in memory.
mod world;

/// Generation of a market.
mod generate;

/// Index members.
mod membership;

/// The index fund.
mod basket;

/// The output folder.
mod output;

/// Bars of all instruments, session by session.
mod pending_bars;

/// India's files.
mod write_india;

/// SEC filings.
mod sec;

/// The files of the US.
mod write_us;

/// Statements of both markets.
mod write_statements;

#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use self::generate::generate_market;
use self::output::OutputFolder;
use parquote_catalogue::operation::Market;

/// The size of a market.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarketSize {
    /// Number of companies on the main board, including new listings and delisted ones.
    pub companies: usize,
    /// Number of trading sessions, including the last one.
    pub sessions: usize,
}

/// Options of the demo market.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoOptions {
    /// The seed; the same seed gives the same files.
    pub seed: u64,
    /// The last session; if it is a holiday, the session before it.
    pub last_session: NaiveDate,
    /// The size of India; `None` to leave it out.
    pub india: Option<MarketSize>,
    /// The size of the US; `None` to leave it out.
    pub us: Option<MarketSize>,
}

/// The shipped demo market's seed: its market ends with rising, basing and falling stocks.
const SEED: u64 = 4;
/// The last session of the shipped demo market: Friday, 30 October 2026.
const LAST_SESSION: Option<NaiveDate> = NaiveDate::from_ymd_opt(2026, 10, 30);

impl DemoOptions {
    /// Returns the market of a fresh clone: 200 and 180 companies, 420 sessions; at least three companies in most industries.
    pub fn small() -> Self {
        Self::with_sizes(
            MarketSize { companies: 200, sessions: 420 },
            MarketSize { companies: 180, sessions: 420 },
        )
    }

    /// Returns a market of real size: 2,000 and 6,400 companies, 2,500 sessions.
    pub fn full() -> Self {
        Self::with_sizes(
            MarketSize { companies: 2_000, sessions: 2_500 },
            MarketSize { companies: 6_400, sessions: 2_500 },
        )
    }

    fn with_sizes(india: MarketSize, us: MarketSize) -> Self {
        let last_session = LAST_SESSION.unwrap_or_default();
        Self { seed: SEED, last_session, india: Some(india), us: Some(us) }
    }
}

/// Counts of the files written for one market.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenMarket {
    /// The market that was written.
    pub market: Market,
    /// Number of companies on the main board.
    pub companies: u64,
    /// Number of sessions with prices.
    pub sessions: u64,
    /// Number of rows of companies in the price files.
    pub bars: u64,
    /// Number of splits and bonuses.
    pub actions: u64,
    /// Number of files; an archive counts as one.
    pub files: u64,
    /// Size of the files in bytes.
    pub bytes: u64,
}

/// Counts of all files written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenDemo {
    /// One entry per market, India first.
    pub markets: Vec<WrittenMarket>,
}

/// Error of writing the demo market.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The size is out of bounds.
    #[error("{companies} companies x {sessions} sessions: a demo market has 1 to {} companies and 1 to 10000 sessions", names::CAPACITY - SPARE_NAMES)]
    Size {
        /// The requested number of companies.
        companies: usize,
        /// The requested number of sessions.
        sessions: usize,
    },
    /// A file or folder could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The error of the file system.
        #[source]
        source: io::Error,
    },
    /// A table could not be written as CSV.
    #[error("cannot write {}", path.display())]
    Csv {
        /// The path of the CSV file.
        path: PathBuf,
        /// The error of the CSV writer.
        #[source]
        source: csv::Error,
    },
    /// An archive could not be written.
    #[error("cannot write {}", path.display())]
    Zip {
        /// The path of the archive.
        path: PathBuf,
        /// The error of the ZIP writer.
        #[source]
        source: zip::result::ZipError,
    },
}

/// Number of names reserved for companies outside the main board.
const SPARE_NAMES: usize = 100;

/// Reporter of progress under the name of a market.
pub(crate) struct MarketProgress<'a> {
    market: Market,
    progress: &'a mut dyn FnMut(&str, u64, u64),
}

impl MarketProgress<'_> {
    fn report(&mut self, what: &str, done: u64, total: u64) {
        (self.progress)(&format!("{} {what}", self.market), done, total);
    }
}

/// Writes raw files under `<raw>/india` and `<raw>/us`; returns counts.
///
/// `progress` receives the current step (`india price files`), its progress and its total. Existing files with other names are not touched.
///
/// # Errors
/// The size is out of bounds, or a file cannot be written.
pub fn write(
    raw: &Path,
    options: &DemoOptions,
    progress: &mut dyn FnMut(&str, u64, u64),
) -> Result<WrittenDemo, DemoError> {
    let sizes = [(Market::India, options.india), (Market::Us, options.us)];
    let mut written = WrittenDemo::default();
    for (market, size) in sizes.into_iter().filter_map(|(market, size)| Some((market, size?))) {
        let mut step = MarketProgress { market, progress: &mut *progress };
        written.markets.push(write_market(raw, options, size, &mut step)?);
    }
    Ok(written)
}

/// Content of `source.txt`, which marks every row without a source as invented.
const SOURCE: &[u8] = b"invented by the demo market\n";

fn write_market(
    raw: &Path,
    options: &DemoOptions,
    size: MarketSize,
    step: &mut MarketProgress<'_>,
) -> Result<WrittenMarket, DemoError> {
    let MarketSize { companies, sessions } = size;
    if !(1..=names::CAPACITY - SPARE_NAMES).contains(&companies) || !(1..=10_000).contains(&sessions) {
        return Err(DemoError::Size { companies, sessions });
    }
    let market = step.market;
    let mut output = OutputFolder::create(raw.join(market.word()))?;
    output.file("source.txt", SOURCE)?;
    let world =
        generate_market(options, market, size, &mut |done| step.report("companies", done, companies as u64));
    match market {
        Market::India => write_india::write(&world, &mut output, step)?,
        Market::Us => write_us::write(&world, &mut output, step)?,
    }
    write_statements::write(&world, &mut output, step)?;
    texts::write(&world, &mut output)?;
    Ok(WrittenMarket {
        market,
        companies: companies as u64,
        sessions: sessions as u64,
        bars: world.bars(),
        actions: world.listings.iter().map(|listing| listing.history.actions.len() as u64).sum(),
        files: output.files,
        bytes: output.bytes,
    })
}
