//! Raw files made to exhaust memory, stack or time: each affects only itself. The derivation continues, its report names the file, and
//! the process's memory stays within a bound.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;
use serde_json::Value as Json;

use crate::demo_market::{LITTLE, copy_folder};

/// Peak memory of the little market's derivation with all of these files in its folders, with two or four
/// cores reading at once.
const MOST_MEMORY: u64 = 1536 << 20;

const FULL: &str = "SYMBOL, SERIES, DATE1, PREV_CLOSE, OPEN_PRICE, HIGH_PRICE, LOW_PRICE, LAST_PRICE, CLOSE_PRICE, AVG_PRICE, \
    TTL_TRD_QNTY, TURNOVER_LACS, NO_OF_TRADES, DELIV_QTY, DELIV_PER\n";

/// The section of the report that names a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReportSection {
    /// Refused, with these words.
    Refused(&'static str),
    /// Not recognized.
    Unused,
    /// Read; some rows may be refused.
    Read,
}
use ReportSection::{Read, Refused, Unused};

/// A hostile file: its path among the raw files, its section in the report, and its bytes.
type Hostile = (&'static str, ReportSection, Vec<u8>);

fn gzipped(write: impl FnOnce(&mut dyn Write)) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    write(&mut encoder);
    encoder.finish().unwrap()
}

/// A member of an archive: its name, and the function that writes it.
type Member<'a> = (&'a str, &'a dyn Fn(&mut dyn Write));

fn zipped(members: &[Member<'_>]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, write) in members {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        write(&mut archive);
    }
    archive.finish().unwrap().into_inner()
}

fn zeros(mib: usize) -> impl Fn(&mut dyn Write) {
    move |to| (0..mib).for_each(|_| to.write_all(&vec![b'0'; 1 << 20]).unwrap())
}

/// Returns a workbook whose statement sheet has these rows, with `mib` MiB of further texts.
pub(crate) fn workbook(rows: &str, mib: usize) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let of = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006";
    let kinds = format!("<Types xmlns=\"{package}/content-types\"/>");
    let links = format!(
        "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"rId1\" Type=\"{of}/worksheet\" \
         Target=\"worksheets/sheet1.xml\"/></Relationships>"
    );
    let root = format!(
        "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"rId1\" Type=\"{of}/officeDocument\" \
         Target=\"xl/workbook.xml\"/></Relationships>"
    );
    let book = format!(
        "<workbook xmlns=\"{main}\" xmlns:r=\"{of}\"><sheets><sheet name=\"Data Sheet\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let sheet = format!("<worksheet xmlns=\"{main}\"><sheetData>{rows}</sheetData></worksheet>");
    let text = |text: String| move |to: &mut dyn Write| to.write_all(text.as_bytes()).unwrap();
    let texts = move |to: &mut dyn Write| {
        write!(to, "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><si><t>")
            .unwrap();
        zeros(mib)(to);
        write!(to, "</t></si></sst>").unwrap();
    };
    zipped(&[
        ("[Content_Types].xml", &text(kinds)),
        ("_rels/.rels", &text(root)),
        ("xl/workbook.xml", &text(book)),
        ("xl/_rels/workbook.xml.rels", &text(links)),
        ("xl/sharedStrings.xml", &texts),
        ("xl/worksheets/sheet1.xml", &text(sheet)),
    ])
}

fn parquet(columns: Vec<(&str, ArrayRef)>, times: usize) -> Vec<u8> {
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, rows.schema(), None).unwrap();
    (0..times).for_each(|_| writer.write(&rows).unwrap());
    writer.close().unwrap();
    bytes
}

/// Changes the unpacked size that a zip archive of one member declares, in both its headers.
fn lying(mut archive: Vec<u8>, size: u32) -> Vec<u8> {
    for (start, at) in [(&b"PK\x03\x04"[..], 22), (b"PK\x01\x02", 24)] {
        let places: Vec<usize> =
            (0..archive.len() - 4).filter(|place| archive[*place..].starts_with(start)).collect();
        for place in places {
            archive[place + at..place + at + 4].copy_from_slice(&size.to_le_bytes());
        }
    }
    archive
}

fn packed() -> Vec<Hostile> {
    let bomb = |to: &mut dyn Write| {
        to.write_all(FULL.as_bytes()).unwrap();
        let row = format!("AROHI, XX, 01-Jan-2025, 1{}{}\n", ", 1".repeat(11), " ".repeat(8_000)).repeat(100);
        (0..500).for_each(|_| to.write_all(row.as_bytes()).unwrap());
    };
    let member = |to: &mut dyn Write| to.write_all(FULL.as_bytes()).unwrap();
    let inner = zipped(&[("day.csv", &member)]);
    let nested = zipped(&[("inner.zip", &move |to: &mut dyn Write| to.write_all(&inner).unwrap())]);
    vec![
        ("india/bombs/rows.csv.gz", Refused("unpacks from"), gzipped(|to| bomb(to))),
        ("india/bombs/zeros.csv.gz", Unused, gzipped(|to| zeros(600)(to))),
        ("india/bombs/zeros.zip", Refused("unpacks from"), zipped(&[("zeros.csv", &zeros(300))])),
        (
            "india/bombs/lying.zip",
            Refused("larger than its declared"),
            lying(zipped(&[("rows.csv", &bomb)]), 1_000),
        ),
        ("india/bombs/nested.zip!inner.zip", Unused, nested),
        (
            "india/bombs/twice.csv.gz",
            Unused,
            gzipped(|to| to.write_all(&gzipped(|to| zeros(9)(to))).unwrap()),
        ),
        ("india/bombs/texts.xlsx", Refused("the workbook unpacks"), workbook("", 300)),
    ]
}

fn nested() -> Vec<Hostile> {
    let deep = format!("<xbrl>{}", "<a>".repeat(1_000_000));
    let leaves = format!("<xbrl>{}</xbrl>", "<a/>".repeat(4_000_000));
    let mut laughs = "<?xml version=\"1.0\"?><!DOCTYPE xbrl [<!ENTITY l0 \"lol\">".to_owned();
    for level in 1..20 {
        let before = format!("&l{};", level - 1);
        laughs = format!("{laughs}<!ENTITY l{level} \"{}\">", before.repeat(10));
    }
    laughs.push_str("]><xbrl>&l19;</xbrl>");
    let attributes = (0..400_000).map(|number| format!(" a{number}=''")).collect::<Vec<_>>().concat();
    let many = 1_000_000;
    let (opened, closed) = ("[".repeat(many), "]".repeat(many));
    let array = format!("[{{\"symbol\": \"A\", \"x\": {opened}{closed}}}]");
    let pledge = "\"symbol\": \"A\", \"period_end\": \"2026-03-31\", \"pledge_pct\": 1";
    let pledges = format!("[{{{pledge}, \"x\": {opened}{closed}}}]");
    let answer = format!("{{\"data\": {array}}}");
    let before = format!("{{\"x\": {opened}{closed}, \"data\": []}}");
    let filings = format!("{{\"cik\":\"1\",\"sic\":\"1\",\"filings\":{{}},\"x\":{opened}{closed}}}");
    let facts = format!("{{\"a\":{}1{}", "{\"a\":".repeat(many), "}".repeat(many + 1));
    let facts = format!("{{\"cik\":1,\"entityName\":\"A\",\"facts\":{facts}}}");
    let values =
        format!("{{\"cik\":\"1\",\"sic\":\"1\",\"filings\":{{}},\"x\":[{}1]}}", "1,".repeat(20_000_000));
    vec![
        ("india/deep/elements.xml", Refused("nested more than"), deep.into_bytes()),
        ("india/deep/leaves.xml", Refused("elements"), leaves.into_bytes()),
        ("india/deep/laughs.xml", Refused("entities"), laughs.into_bytes()),
        (
            "india/deep/attributes.xml",
            Refused("attributes"),
            format!("<xbrl><a{attributes}/></xbrl>").into_bytes(),
        ),
        ("india/deep/array.json", Unused, array.into_bytes()),
        ("india/deep/pledges.json", Refused("recursion limit"), pledges.into_bytes()),
        ("us/deep/answer.json", Refused("recursion limit"), answer.into_bytes()),
        ("us/deep/before.json", Read, before.into_bytes()),
        ("us/deep/facts.json", Refused("missing field"), facts.into_bytes()),
        ("us/deep/filings.json", Refused("recursion limit"), filings.into_bytes()),
        ("us/deep/values.json", Refused("values"), values.into_bytes()),
    ]
}

fn long() -> Vec<Hostile> {
    let row = "AROHI, EQ, 02-Jan-2025, 1, 10, 10, 10, , 10, 10, 100, 1, 1, 50, 50\n";
    let columns = (0..1_000_000).map(|number| format!("C{number},")).collect::<Vec<_>>().concat();
    let mut bytes =
        [FULL.as_bytes(), b"\xff\xfe\0\0, EQ, 02-Jan-2025\0, 1, \x80, 10, 10, , 10, 10, 100, 1, 1, 50, 50\n"]
            .concat();
    bytes.extend_from_slice(row.as_bytes());
    let text = "x".repeat(1 << 18);
    let texts: ArrayRef = Arc::new(StringArray::from(vec![text.as_str(); 400]));
    let figures: ArrayRef = Arc::new(Float64Array::from(vec![1.0; 1_000_000]));
    let [days, percent]: [ArrayRef; 2] =
        ["2026-03-31", "1"].map(|text| Arc::new(StringArray::from(vec![text; 400])) as ArrayRef);
    let pledges = vec![("symbol", texts), ("period_end", days), ("pledge_pct", percent)];
    let many = parquet(vec![("close", figures)], 70);
    vec![
        (
            "india/long/line.csv",
            Refused("longer than"),
            format!("{FULL}{}", "A".repeat(40 << 20)).into_bytes(),
        ),
        (
            "india/long/quotes.csv",
            Refused("longer than"),
            format!("{FULL}\"{}", row.repeat(400_000)).into_bytes(),
        ),
        ("india/long/columns.csv", Unused, format!("{columns}\n").into_bytes()),
        ("india/long/cells.csv", Read, format!("{FULL}{row}{}\n{row}", ",".repeat(1_000_000)).into_bytes()),
        ("india/long/bytes.csv", Read, bytes),
        ("us/long/lines.ndjson", Unused, b"{\"a\": \"".repeat(4_000_000)),
        (
            "us/long/answer.json",
            Refused("longer than"),
            format!("{{\"data\": [{{\"symbol\": \"{}\"}}]}}", "A".repeat(40 << 20)).into_bytes(),
        ),
        (
            "us/long/before.json",
            Unused,
            format!("{{\"x\": \"{}\", \"data\": []}}", "A".repeat(40 << 20)).into_bytes(),
        ),
        ("india/long/pledges.parquet", Refused("unpacks from"), parquet(pledges, 1)),
        ("us/long/prices.parquet", Refused("unpacks from"), many),
        ("india/long/cells.xlsx", Read, far_cells()),
    ]
}

/// Returns the cells A1 and XFD1048576 and a figure.
fn far_cells() -> Vec<u8> {
    let text = |at: &str, text: &str| format!("<c r=\"{at}\" t=\"str\"><v>{text}</v></c>");
    let number = |at: &str, number: &str| format!("<c r=\"{at}\"><v>{number}</v></c>");
    let rows = [
        (1, text("A1", "COMPANY NAME") + &text("B1", "AROHI LTD")),
        (2, text("A2", "PROFIT & LOSS").replace('&', "&amp;")),
        (3, text("A3", "Report Date") + &number("B3", "45016")),
        (4, text("A4", "Sales") + &number("B4", "100.5")),
        (1_048_576, number("XFD1048576", "1")),
    ];
    let rows = rows.iter().map(|(row, cells)| format!("<row r=\"{row}\">{cells}</row>"));
    workbook(&rows.collect::<Vec<_>>().concat(), 0)
}

/// Returns the peak memory of a process so far.
fn memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

/// Derives with the real program; returns true if it succeeds, its error output, and its peak memory.
fn derived(raw: &Path, data: &Path) -> (bool, String, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parquote"));
    command.arg("derive").arg("--raw").arg(raw).arg("--data").arg(data);
    let errors = data.join("errors");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(fs::File::create(&errors).unwrap());
    let (mut child, mut most) = (command.spawn().unwrap(), 0);
    let status = loop {
        most = most.max(memory(child.id()).unwrap_or_default());
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    (status.success(), fs::read_to_string(errors).unwrap(), most)
}

#[test]
fn a_hostile_file_costs_itself() {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy_folder(&LITTLE.raw, raw.path());
    let (ok, errors, usual) = derived(raw.path(), data.path());
    assert!(ok, "{errors}");
    let is_read = |(name, ..): &Hostile| {
        cfg!(feature = "xlsx") || Path::new(name).extension().is_none_or(|extension| extension != "xlsx")
    };
    let all: Vec<Hostile> = [packed(), nested(), long()].into_iter().flatten().filter(is_read).collect();
    for (name, _, bytes) in &all {
        let path = raw.path().join(name.split('!').next().unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let data = tempfile::tempdir().unwrap();
    let (ok, errors, most) = derived(raw.path(), data.path());
    assert!(ok, "{errors}");
    println!("memory at most {} MiB without these files, {} MiB with them", usual >> 20, most >> 20);
    let report = |market: &str| -> Json {
        serde_json::from_slice(&fs::read(data.path().join(market).join("report.json")).unwrap()).unwrap()
    };
    let mut faults = Vec::new();
    if cfg!(feature = "xlsx") {
        let workbooks = &report("india")["formats"]["statement workbooks"]["read"];
        assert_eq!(workbooks, 1, "the figure between the two farthest cells is read");
    }
    for (name, told, _) in &all {
        let (market, file) = name.split_once('/').unwrap();
        let report = report(market);
        let of = |list: &str| report[list].as_array().unwrap().clone();
        let refused = of("unreadable").into_iter().find(|it| it["file"].as_str().unwrap().starts_with(file));
        let is_unused = of("unused_files").iter().any(|it| it == file);
        println!("{name}: {}", refused.as_ref().map_or("", |it| it["why"].as_str().unwrap()));
        let is_so = match told {
            Refused(words) => refused
                .as_ref()
                .is_some_and(|it| it["is_fault"] == false && it["why"].as_str().unwrap().contains(words)),
            Unused => is_unused,
            Read => refused.is_none() && !is_unused,
        };
        if !is_so {
            faults.push(format!("{name} is not told as {told:?}: {refused:?}, unused: {is_unused}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(!errors.contains("panicked"), "{errors}");
    assert!(most < MOST_MEMORY, "{most} bytes");
}
