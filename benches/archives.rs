//! Cost of reading an archive of many small members, the form in which the SEC publishes filings and figures in bulk.
//!
//! `cargo bench --profile dev --bench archives`, in seconds with `-- --small`
//!
//! An archive is read together with a price file, then one with ten times as many members: each member is inspected, then
//! read. The cost per member must not grow with their number; the ratio of the two runs shows it. Peak memory is printed
//! too.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::ensure;
use parquote::operation::Market;
use parquote::raw::{self, RawOptions, RefusedCount, SilentProgress};
use zip::write::SimpleFileOptions;

#[path = "measure/scale.rs"]
mod scale;

use scale::Scale;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Members of the smaller archive, in a full and in a small run.
const MEMBERS: [usize; 2] = [10_000, 1_000];

/// Largest ratio of the cost per member in the larger archive to that in the smaller one.
const MOST: f64 = 2.0;

const PRICES: &str = "symbol,date,open,high,low,close,volume\nAAPL,2025-01-02,10,10,10,10,100\n";

/// Writes an archive of filings, one company per member.
fn archive(path: &Path, members: usize) -> anyhow::Result<()> {
    let mut archive = zip::ZipWriter::new(File::create(path)?);
    for cik in 1..=members {
        archive.start_file(format!("CIK{cik:010}.json"), SimpleFileOptions::default())?;
        write!(
            archive,
            "{{\"cik\":\"{cik}\",\"sic\":\"3711\",\"name\":\"Company {cik}\",\"tickers\":[\"S{cik}\"],\"filings\":{{\"recent\":{{\
             \"accessionNumber\":[\"{cik:010}-25-000001\"],\"filingDate\":[\"2025-01-02\"],\"reportDate\":[\"\"],\
             \"acceptanceDateTime\":[\"\"],\"form\":[\"8-K\"],\"items\":[\"2.02\"],\"primaryDocument\":[\"a.htm\"],\
             \"primaryDocDescription\":[\"8-K\"]}},\"files\":[]}}}}"
        )?;
    }
    archive.finish()?;
    Ok(())
}

/// Reads a folder with such an archive; returns microseconds per member.
fn read(members: usize) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("prices.csv"), PRICES)?;
    archive(&folder.path().join("submissions.zip"), members)?;
    let options = RawOptions::for_market(Market::Us);
    let began = Instant::now();
    let market = raw::read(folder.path(), &options, &mut RefusedCount::default(), &SilentProgress)?;
    let each = began.elapsed().as_secs_f64() * 1e6 / members as f64;
    let files: u64 = market.report.formats.values().map(|tally| tally.files).sum();
    ensure!(files == members as u64 + 1, "{files} of {members} members are read");
    println!("{members:>8} members: {each:.1} us each{}", memory().unwrap_or_default());
    Ok(each)
}

/// Returns the peak memory so far, if the system reports it.
fn memory() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(format!(", {} MiB at most so far", kib >> 10))
}

fn main() -> anyhow::Result<()> {
    let Some(scale) = Scale::from_arguments()? else { return Ok(()) };
    let [full, small] = MEMBERS;
    let members = scale.pick(full, small);
    let (few, many) = (read(members)?, read(members * 10)?);
    println!("a member of {} costs {:.2} times as much as one of {members}", members * 10, many / few);
    ensure!(many < few * MOST, "the time grows faster than the number of members");
    Ok(())
}
