//! The fictional market: invented companies under the real taxonomy, generated from a seed.
//!
//! It writes RAW files in the layouts that exchanges publish and derives nothing: the same derivation as for real data
//! reads them. The same seed gives the same files, and a company stays what it is when others are added.
//!
//! To add a kind of raw file: draw what it needs under a new `Purpose`, keep it beside the company's history in
//! `World` if others need it, and write it in a file of its own under `write_india` or beside `write_us`.

/// Random substreams.
mod draw;

/// Sectors, industries, index names.
mod taxonomy;

/// Invented names, symbols, ISINs.
mod names;

/// Sessions.
mod calendar;

/// How large companies are.
mod size;

/// Standing facts of a company.
mod company;

/// When a company trades.
mod listing_period;

/// Returns of the market and of sectors.
mod factors;

/// A company's own returns.
mod mood;

/// Splits and bonuses.
mod share_split;

/// Rounding and price bands.
mod tick;

/// The price model.
mod prices;

/// Who holds a company, by quarter.
mod holders;

/// How its owners change.
mod ownership;

/// Trades of insiders.
mod insiders;

/// Bulk and block deals.
mod deals;

/// Dividends, rights, buybacks, and the splits and bonuses as the exchange words them.
mod events;

/// Quarterly and annual statements.
pub(crate) mod statements;

/// What is written of companies: summaries, profiles, calls, reports.
pub(crate) mod texts;

/// What analysts gather of India's companies: pledges, banking and sector figures, groups, orders, guidance.
mod intel;

/// The finished market in memory.
mod world;

/// How it comes to be.
mod founding;

/// Index members.
mod membership;

/// The index fund.
mod basket;

/// The folder that files go to.
mod output;

/// Instruments side by side, session by session.
mod pending_bars;

/// India's files.
mod write_india;

/// What is filed with the SEC.
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

use self::founding::found;
use self::output::OutputFolder;
use parquote_catalogue::operation::Market;

/// How large a market is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarketSize {
    /// Companies on the main board, new listings and delisted ones included.
    pub companies: usize,
    /// Trading sessions, the last one included.
    pub sessions: usize,
}

/// What to generate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoOptions {
    /// The seed of everything; the same seed gives the same files.
    pub seed: u64,
    /// The last session, or the last session before it when it is a holiday.
    pub last_session: NaiveDate,
    /// The size of India; none leaves it out.
    pub india: Option<MarketSize>,
    /// The size of the US; none leaves it out.
    pub us: Option<MarketSize>,
}

/// The seed of the demo market as it is shipped: one that ends with rising, basing and falling stocks side by side.
const SEED: u64 = 4;
/// The last session of the shipped demo market: Friday, 30 October 2026.
const LAST_SESSION: Option<NaiveDate> = NaiveDate::from_ymd_opt(2026, 10, 30);

impl DemoOptions {
    /// The market that a fresh clone answers from: 200 and 180 companies, 420 sessions; three and more of most industries.
    pub fn small() -> Self {
        Self::sized(
            MarketSize { companies: 200, sessions: 420 },
            MarketSize { companies: 180, sessions: 420 },
        )
    }

    /// A market of real size: 2,000 and 6,400 companies, 2,500 sessions.
    pub fn full() -> Self {
        Self::sized(
            MarketSize { companies: 2_000, sessions: 2_500 },
            MarketSize { companies: 6_400, sessions: 2_500 },
        )
    }

    fn sized(india: MarketSize, us: MarketSize) -> Self {
        let last_session = LAST_SESSION.unwrap_or_default();
        Self { seed: SEED, last_session, india: Some(india), us: Some(us) }
    }
}

/// What was written for one market.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenMarket {
    /// The market.
    pub market: Market,
    /// Companies on the main board.
    pub companies: u64,
    /// Sessions.
    pub sessions: u64,
    /// Rows of companies in the price files.
    pub bars: u64,
    /// Splits and bonuses.
    pub actions: u64,
    /// Files; an archive counts as one.
    pub files: u64,
    /// Bytes on disk.
    pub bytes: u64,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenDemo {
    /// One entry a market, India first.
    pub markets: Vec<WrittenMarket>,
}

/// Why the demo market could not be written.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The size cannot be made.
    #[error("{companies} companies x {sessions} sessions: a demo market has 1 to {} companies and 1 to 10000 sessions", names::CAPACITY - SPARE_PLACES)]
    Size {
        /// The companies that were asked for.
        companies: usize,
        /// The sessions that were asked for.
        sessions: usize,
    },
    /// A file or folder could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A table could not be written as CSV.
    #[error("cannot write {}", path.display())]
    Csv {
        /// The file.
        path: PathBuf,
        /// What was wrong.
        #[source]
        source: csv::Error,
    },
    /// An archive could not be written.
    #[error("cannot write {}", path.display())]
    Zip {
        /// The archive.
        path: PathBuf,
        /// What was wrong.
        #[source]
        source: zip::result::ZipError,
    },
}

/// Names kept for companies outside the main board.
const SPARE_PLACES: usize = 100;

/// Progress under the name of a market.
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
/// `progress` hears what is being done (`india price files`), how much is done and how much there is. Files that are
/// there already and have other names are left alone.
///
/// # Errors
/// When a size cannot be made or a file not be written.
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

/// What `source.txt` says of all raw files, so that every row that names no source of its own says that it is invented.
const SOURCE: &[u8] = b"invented by the demo market\n";

fn write_market(
    raw: &Path,
    options: &DemoOptions,
    size: MarketSize,
    step: &mut MarketProgress<'_>,
) -> Result<WrittenMarket, DemoError> {
    let MarketSize { companies, sessions } = size;
    if !(1..=names::CAPACITY - SPARE_PLACES).contains(&companies) || !(1..=10_000).contains(&sessions) {
        return Err(DemoError::Size { companies, sessions });
    }
    let market = step.market;
    let mut output = OutputFolder::create(raw.join(market.word()))?;
    output.file("source.txt", SOURCE)?;
    let world = found(options, market, size, &mut |done| step.report("companies", done, companies as u64));
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
