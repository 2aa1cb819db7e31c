//! Damaged raw files of every format: each is read together with a valid price file, and no reader panics.

use std::cell::Cell;
use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use parquote::operation::Market;
use parquote::raw::{self, DeclaredFormat, RawOptions, RefusedCount, SilentProgress};

use super::harness::run;
use crate::demo_market::{CATALOGUE, LITTLE};
use crate::hostile_files::workbook;

/// The longest seed, because more rows of a format test nothing new.
const LONGEST: usize = 6_000;

/// Returns a file's name and content as one case: the name on the first line, so that it is saved with the case.
fn case(market: Market, name: &str, bytes: &[u8]) -> Vec<u8> {
    [format!("{market} {name}\n").as_bytes(), bytes].concat()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Returns a file of each kind in the demo market, cut to its first lines; of archives the first members.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for market in Market::ALL {
        let folder = LITTLE.raw.join(market.word());
        let mut paths = Vec::new();
        files(&folder, &mut paths);
        paths.sort();
        let kind = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        let mut kinds = std::collections::BTreeSet::new();
        for path in paths {
            let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
            let is_list = name.contains("lists_") && kinds.contains("list");
            if is_list || !kinds.insert(if name.contains("lists_") { "list".to_owned() } else { kind(&name) })
            {
                continue;
            }
            let bytes = fs::read(&path).unwrap();
            if path.extension().is_some_and(|ending| ending == "zip") {
                let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
                for position in 0..archive.len().min(2) {
                    let mut member = archive.by_index(position).unwrap();
                    let mut bytes = Vec::new();
                    member.read_to_end(&mut bytes).unwrap();
                    let inner = member.name().unwrap().to_string();
                    seeds.push(case(market, &inner.replace('/', "_"), &bytes[..bytes.len().min(1 << 16)]));
                }
                continue;
            }
            let end = bytes[..bytes.len().min(LONGEST)].iter().rposition(|byte| *byte == b'\n');
            let end = if bytes.len() <= LONGEST { bytes.len() } else { end.map_or(LONGEST, |end| end + 1) };
            seeds.push(case(market, name.rsplit('/').next().unwrap(), &bytes[..end]));
        }
    }
    seeds.extend(others());
    seeds
}

/// Returns files of kinds that the demo market lacks.
fn others() -> Vec<Vec<u8>> {
    let results = "<?xml version=\"1.0\"?><xbrl><context id='OneD'><entity><identifier scheme='s'>AROHI</identifier></entity><period>\
        <startDate>2024-01-01</startDate><endDate>2024-03-31</endDate></period></context><Symbol contextRef='OneD'>AROHI</Symbol>\
        <RevenueFromOperations contextRef='OneD' unitRef='INR'>700.00</RevenueFromOperations>\
        <PaidUpValueOfEquityShareCapital contextRef='OneD' unitRef='INR'>50</PaidUpValueOfEquityShareCapital></xbrl>";
    let holding = "<xbrl xmlns='in-bse-shp'><context id='ShareholdingPatternI'><entity><identifier scheme='NSESymbol'>AROHI</identifier>\
        </entity><period><instant>2024-03-31</instant></period></context><ShareholdingAsAPercentageOfTotalNumberOfShares \
        contextRef='ShareholdingPatternI'>1</ShareholdingAsAPercentageOfTotalNumberOfShares></xbrl>";
    let facts = r#"{"cik":77,"entityName":"A","facts":{"us-gaap":{"Assets":{"units":{"USD":[{"end":"2024-12-31","val":5000,
        "accn":"0000000077-25-000001","form":"10-K","filed":"2025-02-20"}]}}}}}"#;
    let index = "Description:   Daily Index of EDGAR Dissemination Feed by Form Type\n\nForm Type   Company Name           CIK         \
        Date Filed  File Name\n----------\n10-K        Beta Corp              7           20210130    edgar/data/7/x.txt\n";
    let set = "adsh\ttag\tversion\tddate\tqtrs\tuom\tsegments\tcoreg\tvalue\n0000000077-25-000001\tAssets\tus-gaap/2024\t20241231\t0\tUSD\t\t\t5\n";
    let udiff = "TradDt,BizDt,Sgmt,Src,FinInstrmTp,FinInstrmId,ISIN,TckrSymb,SctySrs,OpnPric,HghPric,LwPric,ClsPric,TtlTradgVol\n\
        2024-07-08,2024-07-08,CM,NSE,STK,1,INE000A01011,AROHI,EQ,10,11,9,10.5,1000\n";
    let rows = "[{\"symbol\": \"AAPL\", \"name\": \"Apple\", \"marketCap\": \"3,000\", \"country\": \"US\", \"sector\": \"T\", \"industry\": \"C\"}]";
    vec![
        case(Market::India, "results.xml", results.as_bytes()),
        case(Market::India, "holding.xml", holding.as_bytes()),
        case(Market::India, "udiff.csv", udiff.as_bytes()),
        case(
            Market::India,
            "Arohi.xlsx",
            &workbook("<row r=\"1\"><c r=\"A1\" t=\"str\"><v>COMPANY NAME</v></c></row>", 0),
        ),
        case(Market::Us, "CIK0000000077.json", facts.as_bytes()),
        case(Market::Us, "form.idx", index.as_bytes()),
        case(Market::Us, "num.txt", set.as_bytes()),
        case(Market::Us, "screener.json", rows.as_bytes()),
        case(Market::India, "stocks.parquet", &fs::read(LITTLE.data.join("india/stocks.parquet")).unwrap()),
    ]
}

static DECLARED: LazyLock<Vec<DeclaredFormat>> =
    LazyLock::new(|| DeclaredFormat::table_formats(&CATALOGUE).unwrap());

const SOUND: [(Market, &str, &str); 2] = [
    (
        Market::India,
        "sound.csv",
        "SYMBOL, SERIES, DATE1, PREV_CLOSE, OPEN_PRICE, HIGH_PRICE, LOW_PRICE, LAST_PRICE, CLOSE_PRICE, AVG_PRICE, \
         TTL_TRD_QNTY, TURNOVER_LACS, NO_OF_TRADES, DELIV_QTY, DELIV_PER\n\
         AROHI, EQ, 02-Jan-2025, 1, 10, 10, 10, , 10, 10, 100, 1, 1, 50, 50\n",
    ),
    (Market::Us, "sound.csv", "symbol,date,open,high,low,close,volume\nAAPL,2025-01-02,10,10,10,10,100\n"),
];

/// Reads one file of a market together with a valid one, also packed.
fn read(folder: &Path, market: Market, name: &str, bytes: &[u8]) {
    let root = folder.join(market.word());
    let _ = fs::remove_dir_all(&root);
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    for (of, name, text) in SOUND {
        if of == market {
            fs::write(root.join(name), text).unwrap();
        }
    }
    let filled: Vec<_> = CATALOGUE.tables_in(market).filter(|it| it.accepts_declared_formats()).collect();
    let options = RawOptions {
        user_tables: &filled,
        declared_formats: &DECLARED,
        allow_unreadable: true,
        ..RawOptions::for_market(market)
    };
    match raw::read(&root, &options, &mut RefusedCount::default(), &SilentProgress) {
        Ok(read) => {
            assert!(read.report.adds_up(), "the report does not add up: {}", read.report);
            for file in &read.report.unreadable {
                assert!(!file.why.contains("reader failed"), "{}: {}", file.file, file.why);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

#[test]
fn raw_files_of_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let turn = Cell::new(0_u32);
    run("raw_files", &seeds(), |bytes| {
        let at = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let (head, bytes) = (String::from_utf8_lossy(&bytes[..at]), bytes.get(at + 1..).unwrap_or_default());
        let (market, name) = head.split_once(' ').unwrap_or(("india", "any.csv"));
        let market = if market.ends_with("us") { Market::Us } else { Market::India };
        // Names that the system refuses, or that lead outside the folder, are tested elsewhere.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let name: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(80).collect();
        let name = if name.trim_matches('.').is_empty() { "any.csv" } else { name.trim_matches('.') };
        turn.set(turn.get() + 1);
        match turn.get() % 8 {
            0 => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(bytes).unwrap();
                read(folder.path(), market, &format!("{name}.gz"), &encoder.finish().unwrap());
            }
            _ => read(folder.path(), market, name, bytes),
        }
    });
}
