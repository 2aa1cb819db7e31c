//! The parse cache of price and statement files: used if parsing would give the same, never if it would not.
//!
//! Each test reads one folder twice over one cache and compares with reading without one; the files written into the cache are the number
//! of files parsed.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::*;

/// A folder of raw files with its cache.
struct RawWithCache {
    market: Market,
    raw: Raw,
    cache: TempDir,
}

/// The whole result of reading: the market with its report, and the list of refused rows.
#[derive(Debug, PartialEq)]
struct Outcome {
    market: String,
    refused: String,
}

impl RawWithCache {
    /// Ten days of two stocks and a fund; a bar of the last day contradicts itself.
    fn new() -> Self {
        let raw = Raw::new()
            .days(&[("AROHI", &[10.0; 10]), ("BELA", &[20.0; 10]), ("GOLDETF", &[30.0; 10])])
            .file("legacy/cm01JAN2025bhav.csv", &legacy("CHARU", "INE000C01010"))
            .file("lists/EQUITY_L.csv", LISTED);
        Self { market: Market::India, raw, cache: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.raw.folder.path().join(name)
    }

    /// Rewrites a file, with a time a minute after all others.
    fn write(&self, name: &str, text: &str) {
        fs::write(self.file(name), text).unwrap();
        self.touch(name);
    }

    fn touch(&self, name: &str) {
        let later = SystemTime::now() + Duration::from_mins(1);
        let file = fs::OpenOptions::new().append(true).open(self.file(name)).unwrap();
        file.set_modified(later).unwrap();
    }

    fn read(&self, as_of: Option<NaiveDate>, cache: Option<&Path>) -> Outcome {
        self.read_with(RawOptions { as_of, parse_cache: cache, ..RawOptions::for_market(self.market) })
    }

    fn read_with(&self, options: RawOptions<'_>) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("refused.csv.gz");
        let mut sink = RefusedFile::create(&list).unwrap();
        let market = read(self.raw.folder.path(), &options, &mut sink, &SilentProgress).unwrap();
        assert!(market.report.adds_up(), "{}", market.report);
        let mut refused = String::new();
        let list = fs::File::open(list).unwrap();
        flate2::read::MultiGzDecoder::new(list).read_to_string(&mut refused).unwrap();
        Outcome { market: format!("{market:#?}"), refused }
    }

    /// Reads with and without the cache, compares, and returns the number of price files written into it.
    fn reread(&self, as_of: Option<NaiveDate>) -> usize {
        self.count_written("prices", as_of)
    }

    /// Reads with and without the cache, compares, and returns the number of statement files written into it.
    fn reread_statements(&self, as_of: Option<NaiveDate>) -> usize {
        self.count_written("statements", as_of)
    }

    fn count_written(&self, kind: &str, as_of: Option<NaiveDate>) -> usize {
        let before = self.cached(kind);
        let outcome = self.read(as_of, Some(self.cache.path()));
        let alone = self.read(as_of, None);
        assert_eq!(outcome.refused, alone.refused);
        assert_eq!(outcome.market, alone.market);
        let after = self.cached(kind);
        assert!(after.len() <= 32, "files that are gone stay cached");
        after.iter().filter(|(name, inode)| before.get(*name) != Some(inode)).count()
    }

    /// Returns the files of the cache: a rewritten file has another inode.
    fn cached(&self, kind: &str) -> BTreeMap<PathBuf, u64> {
        let files = fs::read_dir(self.cache.path().join(kind)).into_iter().flatten().flatten();
        files.map(|file| (file.path(), file.metadata().unwrap().ino())).collect()
    }

    /// Builds a cache of all files: ten of days, one of the older format.
    fn with_full_cache() -> Self {
        let twice = Self::new();
        assert_eq!(twice.reread(None), 11, "not all files were cached");
        assert_eq!(twice.reread(None), 0, "files that are as they were were parsed again");
        twice
    }
}

const LISTED: &str = "SYMBOL,NAME OF COMPANY, SERIES, DATE OF LISTING, PAID UP VALUE, MARKET LOT, ISIN NUMBER, FACE VALUE\n\
                      AROHI,Arohi Limited,EQ,01-JAN-2020,10,1,INE000A01010,10\n\
                      BELA,Bela Limited,EQ,01-JAN-2020,10,1,INE000B01010,10\n";

/// Builds a file of the older format, which has ISINs.
fn legacy(symbol: &str, isin: &str) -> String {
    format!(
        "SYMBOL,SERIES,OPEN,HIGH,LOW,CLOSE,LAST,PREVCLOSE,TOTTRDQTY,TOTTRDVAL,TIMESTAMP,TOTALTRADES,ISIN,\n\
         {symbol},EQ,5,5,5,5,5,5,100,500,01-JAN-2025,3,{isin},\n\
         {symbol},GS,5,5,5,5,5,5,100,500,01-JAN-2025,3,{isin},\n"
    )
}

#[test]
fn what_is_cached_gives_what_parsing_gives() {
    RawWithCache::with_full_cache();
}

#[test]
fn a_day_more_is_parsed_and_the_others_are_not() {
    let twice = RawWithCache::with_full_cache();
    twice.write(
        "prices/10.csv",
        &format!(
            "{FULL}{}\n{}\n",
            row("AROHI", "EQ", "11-Jan-2025", 11.0),
            row("DEEPA", "EQ", "11-Jan-2025", 4.5)
        ),
    );
    assert_eq!(twice.reread(None), 1);
    assert_eq!(twice.reread(None), 0);
}

#[test]
fn a_file_that_changed_is_parsed_and_takes_the_place_of_what_it_was() {
    let twice = RawWithCache::with_full_cache();
    // The text has the same length, so that only the time differs.
    twice.write(
        "prices/03.csv",
        &fs::read_to_string(twice.file("prices/03.csv")).unwrap().replace("20, 20, 20", "21, 21, 21"),
    );
    assert_eq!(twice.reread(None), 1);
    assert_eq!(twice.reread(None), 0);
    assert_eq!(twice.cached("prices").len(), 11);
}

#[test]
fn a_file_that_is_gone_is_forgotten() {
    let twice = RawWithCache::with_full_cache();
    fs::remove_file(twice.file("prices/03.csv")).unwrap();
    fs::remove_file(twice.file("legacy/cm01JAN2025bhav.csv")).unwrap();
    assert_eq!(twice.reread(None), 0);
    assert_eq!(twice.cached("prices").len(), 9);
}

#[test]
fn an_older_file_that_comes_later_takes_its_place() {
    let twice = RawWithCache::with_full_cache();
    twice.write("prices/00_earlier.csv", &format!("{FULL}{}\n", row("AROHI", "EQ", "02-Jan-2025", 99.0)));
    assert_eq!(twice.reread(None), 1, "files of another rank now were parsed again");
    assert_eq!(twice.reread(None), 0);
}

#[test]
fn a_list_that_alters_what_is_used_has_the_files_parsed_again() {
    let twice = RawWithCache::with_full_cache();
    twice.write("lists/eq_etfseclist.csv", "Symbol,Underlying,SecurityName\nBELA,Gold,A fund\n");
    assert_eq!(twice.reread(None), 10, "files with a symbol that is used no more");
    assert_eq!(twice.reread(None), 0);
    fs::remove_file(twice.file("lists/eq_etfseclist.csv")).unwrap();
    assert_eq!(twice.reread(None), 10, "files with a symbol that is used as at first");
}

#[test]
fn an_isin_in_one_file_alters_what_is_used_of_another() {
    let twice = RawWithCache::with_full_cache();
    // No list has the fund's name: the ISIN of a company makes it a stock, that of a fund does not.
    twice.write("legacy/cm02JAN2025bhav.csv", &legacy("GOLDETF", "INE000G01010"));
    assert_eq!(twice.reread(None), 11);
    assert_eq!(twice.reread(None), 0);
}

#[test]
fn another_as_of_date_has_the_files_of_the_days_between_parsed_again() {
    let twice = RawWithCache::with_full_cache();
    assert_eq!(twice.reread(Some(january(6))), 4, "those of four days");
    assert_eq!(twice.reread(Some(january(6))), 0);
    assert_eq!(twice.reread(None), 4);
}

#[test]
fn a_damaged_file_is_noticed() {
    let twice = RawWithCache::with_full_cache();
    let path = twice.cached("prices").into_keys().next().unwrap();
    let good = fs::read(&path).unwrap();
    let cases: [Vec<u8>; 5] = [
        good[..good.len() / 2].to_vec(),
        Vec::new(),
        flipped(&good, good.len() / 3),
        flipped(&good, good.len() - 1),
        [&good[..], b"more"].concat(),
    ];
    for damaged in cases {
        fs::write(&path, damaged).unwrap();
        assert_eq!(twice.reread(None), 1);
        assert_eq!(twice.reread(None), 0);
    }
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 1;
    bytes
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let twice = RawWithCache::new();
    let file = twice.cache.path().join("file");
    fs::write(&file, "").unwrap();
    let outcome = twice.read(None, Some(&file.join("folder")));
    assert_eq!(outcome, twice.read(None, None));
}

#[test]
fn a_long_file_is_cached_in_pieces() {
    // 120,000 rows are three pieces, each with rows of a symbol that becomes a fund.
    let rows: Vec<String> = (0..120_000)
        .map(|n| {
            row(
                &format!("S{}", n % 600),
                "EQ",
                &january(n / 600 % 28 + 1).format("%d-%b-%Y").to_string(),
                f64::from(n),
            )
        })
        .collect();
    let (market, raw) = (Market::India, Raw::new().full("all.csv", &rows));
    let twice = RawWithCache { market, raw, cache: tempfile::tempdir().unwrap() };
    assert_eq!(twice.reread(None), 1);
    assert_eq!(twice.reread(None), 0);
    twice.write("eq_etfseclist.csv", "Symbol,Underlying,SecurityName\nS7,Gold,A fund\n");
    assert_eq!(twice.reread(None), 1);
    assert_eq!(twice.reread(None), 0);
}

const LONG: &str = "symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source\n";

/// A figure of AROHI, filed on a day of January 2025.
fn figure(line: &str, value: &str, filed: u32) -> String {
    format!(
        "AROHI,2024-12-31,quarterly,consolidated,income,{line},{value},INR crore,INR,2025-01-{filed:02},given\n"
    )
}

/// Ten days with statements in two files, with rows of every outcome: used, repeated, refused, of an unknown company.
fn with_statements() -> RawWithCache {
    let mut twice = RawWithCache::new();
    let early = ["-2.5", "1e18", "0.30000000000000004"].map(|value| figure("revenue", value, 2)).concat()
        + &figure("sales", "1", 2);
    let unnamed = "company,period_end,period_type,line,value\nNobody Ltd,2024-12-31,annual,pat,5\nBela Ltd,2024-03-31,annual,pat,-0\n";
    twice.raw = std::mem::replace(&mut twice.raw, Raw::new())
        .file("statements/early.csv", &format!("{LONG}{early}"))
        .file("statements/late.csv", &format!("{LONG}{}", figure("pat", "7", 8)))
        .file("statements/named.csv", unnamed);
    assert_eq!(twice.reread_statements(None), 3, "not all files were cached");
    assert_eq!(twice.reread_statements(None), 0, "files that are as they were were parsed again");
    twice
}

#[test]
fn a_new_file_of_statements_is_parsed_and_the_others_are_not() {
    let twice = with_statements();
    twice.write("statements/restated.csv", &format!("{LONG}{}", figure("pat", "6", 9)));
    assert_eq!(twice.reread_statements(None), 1);
    twice.write("statements/late.csv", &format!("{LONG}{}", figure("pat", "8", 8)));
    assert_eq!(twice.reread_statements(None), 1);
    fs::remove_file(twice.file("statements/early.csv")).unwrap();
    assert_eq!(twice.reread_statements(None), 0);
}

#[test]
fn statements_are_cached_over_the_days_until_one_is_known() {
    let twice = with_statements();
    // Up to the 5th, the late filing is refused; the cache has all rows of the file and remains.
    for day in [5, 6, 8, 9, 5] {
        assert_eq!(twice.reread_statements(Some(january(day))), 0, "{day}");
    }
    twice.write("statements/late.csv", &format!("{LONG}{}", figure("pat", "8", 8)));
    assert_eq!(
        twice.reread_statements(Some(january(5))),
        0,
        "a file was cached of which rows are not known yet"
    );
    assert_eq!(twice.reread_statements(Some(january(8))), 1, "a filing that is known now was not parsed");
    assert_eq!(twice.reread_statements(Some(january(9))), 0);
}

#[test]
fn a_change_of_symbols_reaches_cached_statements() {
    let twice = with_statements();
    twice.write("symbolchange.csv", "A company,AROHI,DEEPA,09-JAN-2025\n");
    assert_eq!(twice.reread_statements(None), 0, "who a company is has nothing to do with the parsing");
}

#[test]
fn filings_of_data_sets_are_cached_with_what_is_noted_of_them() {
    let sub = "adsh\tcik\tname\tform\tperiod\tfiled\n0000000007-25-000001\t7\tAA\t10-Q\t20241231\t20250103\n0000000007-25-000002\t7\tAA\t10-K\t20241231\t20250109\n";
    let num = "adsh\ttag\tversion\tcoreg\tddate\tqtrs\tuom\tvalue\n\
               0000000007-25-000001\tRevenues\tus-gaap/2024\t\t20241231\t1\tUSD\t1000\n\
               0000000007-25-000001\tUnheardOf\tus-gaap/2024\t\t20241231\t1\tUSD\t1\n\
               0000000007-25-000001\tRevenues\t0000000007-25-000001\t\t20241231\t1\tUSD\t1\n\
               0000000007-25-000001\tRevenues\tus-gaap/2024\tPart\t20241231\t1\tUSD\t1\n\
               0000000007-25-000001\tRevenues\tus-gaap/2024\t\t20241231\t7\tUSD\t1\n\
               0000000007-25-000002\tNetIncomeLoss\tus-gaap/2024\t\t20241231\t4\tUSD\t-3\n\
               0000000009-25-000003\tNetIncomeLoss\tus-gaap/2024\t\t20241231\t4\tUSD\t-3\n";
    let prices =
        "symbol,date,open,high,low,close,volume\nAAA,2025-01-02,1,1,1,1,5\nAAA,2025-01-10,1,1,1,1,5\n";
    let raw = Raw::new()
        .file("prices.csv", prices)
        .file("company_tickers.csv", "cik,ticker,title\n7,AAA,Aa Inc\n")
        .file("2025q1/sub.txt", sub)
        .file("2025q1/num.txt", num);
    let twice = RawWithCache { market: Market::Us, raw, cache: tempfile::tempdir().unwrap() };
    assert_eq!(twice.reread_statements(None), 2, "not all files were cached");
    assert_eq!(twice.reread_statements(None), 0, "files that are as they were were parsed again");
    let outcome = twice.read(None, Some(twice.cache.path()));
    assert!(
        outcome.market.contains("\"UnheardOf\": 1") && outcome.market.contains("lines: 2"),
        "{}",
        outcome.market
    );
    // The filing of the 9th is not known on the 5th, according to the list of filings.
    twice.reread_statements(Some(january(5)));
    twice.reread_statements(Some(january(9)));
    twice.write("2025q1/sub.txt", &sub.replace("\t20250103", "\t20250104"));
    twice.reread_statements(None);
    fs::remove_file(twice.file("2025q1/sub.txt")).unwrap();
    twice.reread_statements(None);
}

/// Parses files like another machine: copies of them, written later; it leaves out `left_out`.
#[derive(Debug)]
struct OtherMachine {
    market: Market,
    left_out: &'static str,
    /// Inodes by file of a cache.
    made: Mutex<BTreeMap<PathBuf, u64>>,
}

impl FileParser for OtherMachine {
    fn parse(
        &self,
        files: Vec<UnparsedFile>,
        known: Option<KnownSymbols>,
        cache: &Path,
    ) -> RemoteParseResult {
        let (from, into) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let files: Vec<_> = files.into_iter().filter(|file| file.name != self.left_out).collect();
        for file in &files {
            let copy = from.path().join(&file.name);
            fs::create_dir_all(copy.parent().unwrap())?;
            fs::write(copy, fs::read(&file.path)?)?;
        }
        // The known facts are serialized, as for a network.
        let known: Option<KnownSymbols> = serde_json::from_str(&serde_json::to_string(&known)?)?;
        let versions = files.into_iter().map(|file| (file.name, file.version)).collect();
        let options = RawOptions { parse_cache: Some(into.path()), ..RawOptions::for_market(self.market) };
        crate::parse(from.path(), &options, &versions, known.as_ref())?;
        for made in fs::read_dir(into.path())? {
            let path = cache.join(made?.file_name());
            fs::copy(into.path().join(path.file_name().unwrap()), &path)?;
            let inode = fs::metadata(&path)?.ino();
            self.made.lock().unwrap().insert(path, inode);
        }
        Ok(())
    }
}

/// Reads with another machine over an empty cache, compares with reading without a cache, and returns the number of files that it parsed.
fn parsed_elsewhere(twice: &RawWithCache, left_out: &'static str) -> usize {
    let other = OtherMachine { market: twice.market, left_out, made: Mutex::default() };
    let cache = Some(twice.cache.path());
    let reads = RawOptions {
        parse_cache: cache,
        remote_parser: Some(&other),
        ..RawOptions::for_market(twice.market)
    };
    assert_eq!(twice.read_with(reads), twice.read(None, None));
    let made = other.made.into_inner().unwrap();
    let [prices, statements] = ["prices", "statements"].map(|kind| twice.cached(kind));
    let again = made
        .iter()
        .filter(|(path, inode)| prices.get(*path).or_else(|| statements.get(*path)) != Some(inode));
    assert_eq!(again.count(), 0, "what was parsed elsewhere was parsed again");
    assert_eq!(prices.len() + statements.len(), made.len() + usize::from(!left_out.is_empty()));
    assert_eq!((twice.reread(None), twice.reread_statements(None)), (0, 0));
    made.len()
}

#[test]
fn files_parsed_elsewhere_are_as_if_they_were_parsed_here() {
    let twice = with_statements();
    // A fund in a list, and a stock that only its ISIN in another file distinguishes from a fund.
    twice.write("lists/eq_etfseclist.csv", "Symbol,Underlying,SecurityName\nBELA,Gold,A fund\n");
    twice.write("legacy/cm02JAN2025bhav.csv", &legacy("GOLDETF", "INE000G01010"));
    // Members of an archive are separate files.
    let members =
        ["12-Jan-2025", "13-Jan-2025"].map(|day| format!("{FULL}{}\n", row("AROHI", "EQ", day, 12.0)));
    let [first, second] = members.each_ref().map(String::as_str);
    fs::write(twice.file("packed.zip"), zip(&[("first.csv", first), ("second.csv", second)])).unwrap();
    for left_out in ["", "prices/03.csv", "statements/late.csv"] {
        fs::remove_dir_all(twice.cache.path()).unwrap();
        assert_eq!(parsed_elsewhere(&twice, left_out), 17 - usize::from(!left_out.is_empty()), "{left_out}");
    }
}
