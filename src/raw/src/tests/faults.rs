//! Files that are damaged, truncated or cannot be opened: reading fails and names them all, unless that is allowed.

use super::*;

const DAY: &str = "02-Jan-2025";

/// Returns the message on a folder's read faults, and the report if they are allowed.
fn read_both(raw: &Raw, tables: &[&Table]) -> (String, Report) {
    let options = |allow_unreadable| RawOptions {
        user_tables: tables,
        allow_unreadable,
        ..RawOptions::for_market(Market::India)
    };
    let error =
        read(raw.folder.path(), &options(false), &mut RefusedCount::default(), &SilentProgress).unwrap_err();
    assert!(matches!(error, RawError::ReadFaults { .. }), "{error}");
    (error.to_string(), raw.read_with(options(true)).report)
}

/// A bhavcopy of a day with bars of three stocks.
fn day() -> String {
    let rows = ["AROHI", "BELA", "CHARU"].map(|symbol| row(symbol, "EQ", DAY, 5.0));
    format!("{FULL}{}\n", rows.join("\n"))
}

fn sound() -> Raw {
    Raw::new().days(&[("AROHI", &[10.0])])
}

fn without_end(bytes: &[u8], less: usize) -> &[u8] {
    &bytes[..bytes.len() - less]
}

#[test]
fn a_cut_or_damaged_file_ends_the_reading_and_is_named() {
    let (gz, archive) = (gzip(&day()), zip(&[("day.csv", &day())]));
    let mut flipped = archive.clone();
    // The first bytes of an archive are a header and the member's name.
    flipped[60] ^= 0x55;
    let statements = "symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source\nAROHI,2024-1";
    for (name, bytes, rows) in [
        // A file truncated in the last line has the rows before it.
        ("cut.csv", without_end(day().as_bytes(), 25), 3),
        ("no_trailer.csv.gz", without_end(&gz, 8), 1),
        ("cut.csv.gz", without_end(&gz, gz.len() / 2), 1),
        ("cut.zip", without_end(&archive, 30), 1),
        ("flipped.zip", &flipped[..], 1),
        ("no.zip", b"<html>not found</html>", 1),
        ("statements.csv", statements.as_bytes(), 1),
        ("results.xml", b"<xbrl><context id='OneD'><entity>", 1),
    ] {
        let raw = sound().bytes(&format!("more/{name}"), bytes);
        let (message, report) = read_both(&raw, &[]);
        assert!(message.contains(&format!("more/{name}")), "{name}: {message}");
        assert!(message.contains("--allow-unreadable"), "{message}");
        let fault = &report.unreadable[0];
        assert!(fault.is_fault && fault.file.starts_with(&format!("more/{name}")), "{fault:?}");
        assert!(report.exceptions.iter().any(|said| said.contains(name)), "{:?}", report.exceptions);
        assert!(report.bars >= rows, "{name}: {} bars", report.bars);
    }
}

/// The newer list is truncated within its second row.
#[test]
fn a_list_of_members_that_is_cut_is_used_only_without_a_whole_one() {
    let list = "Company Name,Industry,Symbol,Series,ISIN Code\nArohi Ltd.,Power,AROHI,EQ,INE000A01011\nBela Ltd.,Power,BELA,EQ,INE000D01011\n";
    let cut = without_end(list.as_bytes(), 20);
    let raw = sound()
        .file("lists_202412/ind_nifty50list.csv", list)
        .bytes("lists_202501/ind_nifty50list.csv", cut)
        .bytes("lists_202501/ind_nifty100list.csv", cut);
    let (message, report) = read_both(&raw, &[]);
    assert!(message.contains("lists_202501/ind_nifty50list.csv: the file is cut"), "{message}");
    let mut used: Vec<_> = report.lists.iter().map(|list| (list.file.as_str(), list.members)).collect();
    used.sort_unstable();
    assert_eq!(used, [("lists_202412/ind_nifty50list.csv", 2), ("lists_202501/ind_nifty100list.csv", 1)]);
    let said = report.exceptions.join("\n");
    assert!(said.contains("lists_202501/ind_nifty50list.csv is cut and not used"), "{said}");
}

#[test]
#[cfg(unix)]
fn a_link_to_nothing_ends_the_reading() {
    let raw = sound();
    std::os::unix::fs::symlink("gone.csv", raw.folder.path().join("link.csv")).unwrap();
    let (message, report) = read_both(&raw, &[]);
    assert!(message.contains("link.csv: it is a link to gone.csv, which cannot be opened"), "{message}");
    assert_eq!(report.unreadable.len(), 1);
    // A document is opened later than other files.
    let raw = sound().file("documents/ALFA/2026-08-05_press_release.txt", "Sales rose.");
    std::os::unix::fs::symlink("gone.txt", raw.folder.path().join("documents/ALFA/link.txt")).unwrap();
    let (message, _) = read_both(&raw, &[]);
    assert!(message.contains("link.txt: it is a link to gone.txt, which cannot be opened"), "{message}");
}

#[test]
#[cfg(unix)]
fn sockets_and_devices_are_not_opened() {
    let raw = sound();
    let path_of = |name: &str| raw.folder.path().join(name);
    let _socket = std::os::unix::net::UnixListener::bind(path_of("socket.csv")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", path_of("zeros.csv")).unwrap();
    let report = raw.india().report;
    assert_eq!((report.bars, report.unreadable.len()), (1, 0));
    let mut noted: Vec<_> = report.gave_nothing.iter().map(|note| note.file.as_str()).collect();
    noted.sort_unstable();
    assert_eq!(noted, ["socket.csv", "zeros.csv"]);
}

#[test]
#[cfg(unix)]
fn a_folder_is_read_once_by_whatever_links_lead_to_it() {
    use std::os::unix::fs::symlink;
    let raw = sound().file("more/lists/industries.csv", "symbol,industry\nAROHI,Steel\n");
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(outside.path().join("days")).unwrap();
    let later = [row("AROHI", "EQ", "02-Jan-2025", 11.0)];
    fs::write(outside.path().join("days/02.csv"), format!("{FULL}{}\n", later.join("\n"))).unwrap();
    let path_of = |name: &str| raw.folder.path().join(name);
    // Links to the folder itself, to a folder around it, to one of its folders, and twice to a folder elsewhere.
    symlink(raw.folder.path(), path_of("more/self")).unwrap();
    symlink(raw.folder.path().parent().unwrap(), path_of("above")).unwrap();
    symlink(path_of("more/lists"), path_of("aside")).unwrap();
    symlink(outside.path().join("days"), path_of("other_1")).unwrap();
    symlink(outside.path(), path_of("other_2")).unwrap();
    let report = raw.india().report;
    assert_eq!(report.bars, 2);
    let again: Vec<_> = report.gave_nothing.iter().map(|note| note.file.as_str()).collect();
    assert_eq!(again, ["above", "aside", "more/self", "other_2/days"]);
    assert!(report.to_string().contains("a link to a folder that is read already"), "{report}");
}

#[test]
fn all_faults_are_told_at_once() {
    let raw = (0..25).fold(sound(), |raw, number| {
        raw.bytes(&format!("cut_{number:02}.csv"), without_end(day().as_bytes(), 25))
    });
    let (message, report) = read_both(&raw, &[]);
    assert!(message.starts_with("25 of the raw files cannot be read whole"), "{message}");
    assert_eq!(message.matches("cut_").count(), 20);
    assert!(message.contains("and 5 more"), "{message}");
    assert_eq!(report.unreadable.len(), 25);
}

#[test]
fn what_is_whole_is_no_fault() {
    let market = sound()
        .file("empty.csv", "")
        .file("notes.txt", "some words without an end of line")
        .file("other.xml", "<a><b>")
        // Invalid rows are refused as rows, and a last line may lack its end.
        .file("short.csv", &format!("{FULL}BELA, EQ, 01-Jan-2025\n"))
        .file("open.csv", day().trim_end())
        .india();
    assert_eq!(market.report.unreadable, []);
    assert_eq!(market.symbols(), ["AROHI", "BELA", "CHARU"]);
    assert_eq!(market.refused(Reason::WrongFieldCount), 1);
}

#[test]
fn an_open_last_line_is_a_fault_where_no_other_file_of_the_format_has_one() {
    let prices = [10.0; 20];
    let open = Raw::new().days(&[("AROHI", &prices)]).file("open.csv", day().trim_end());
    let (message, report) = read_both(&open, &[]);
    assert!(
        message.contains("open.csv: its last line has no end, as if it were cut; 20 other files"),
        "{message}"
    );
    assert_eq!(report.bars, 22, "what is there is read");
    // Too few files to know whether the format ends with a line end.
    let few = Raw::new().days(&[("AROHI", &prices[1..])]).file("open.csv", day().trim_end());
    assert_eq!(few.india().report.unreadable, []);
    // Files of people and web sites often lack a last line end.
    let list = Raw::new().days(&[("AROHI", &prices)]).file("industries.csv", "symbol,industry\nAROHI,Steel");
    assert_eq!(list.india().company("AROHI").industry.as_deref(), Some("Steel"));
}

#[test]
fn files_that_give_a_table_are_held_to_the_same() {
    let text = "-- Calls: of a stock.\n--\n-- key: symbol\n-- source: user-supplied\n-- column: symbol text \"Symbol.\"\n\
                -- column: tone int? \"Tone.\"\n";
    let table = Table::parse("tables/calls.sql", text).unwrap().remove(0);
    for (name, text) in [
        ("calls.csv", "symbol,tone\nAROHI,1\nBE"),
        ("calls.ndjson", "{\"symbol\": \"AROHI\"}\n{\"symbol\": \"BE"),
        ("calls.json", "[{\"symbol\": \"AROHI\"}, {\"sym"),
    ] {
        let (message, report) = read_both(&sound().file(name, text), &[&table]);
        assert!(message.contains(name), "{message}");
        assert_eq!(report.unreadable.len(), 1, "{name}");
    }
    // A file without the columns of the table, or with values of another kind, is intact.
    let options = RawOptions { user_tables: &[&table], ..RawOptions::for_market(Market::India) };
    let raw = sound().file("calls.csv", "name,tone\nx,1\n").file("calls_b.json", "[{\"symbol\": \"A\"}, 7]");
    let unreadable = raw.read_with(options).report.unreadable;
    assert_eq!(unreadable.iter().map(|file| file.is_fault).collect::<Vec<_>>(), [false, false]);
}

#[test]
fn a_file_with_a_fault_is_not_cached() {
    let cache = tempfile::tempdir().unwrap();
    let statements = "symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source\n\
                      AROHI,2024-12-31,annual,consolidated,income,revenue,5,INR crore,INR,2025-01-01,x\nAROHI,2024-1";
    let raw = sound()
        .bytes("cut.csv", without_end(day().as_bytes(), 25))
        .bytes("day.csv.gz", without_end(&gzip(&day()), 8))
        .file("statements.csv", statements);
    let options = RawOptions {
        parse_cache: Some(cache.path()),
        allow_unreadable: true,
        ..RawOptions::for_market(Market::India)
    };
    for _ in 0..3 {
        let names = raw.read_with(options).report.unreadable;
        assert_eq!(
            names.iter().map(|fault| fault.file.as_str()).collect::<Vec<_>>(),
            ["cut.csv", "day.csv.gz", "statements.csv"]
        );
    }
    let options = RawOptions { allow_unreadable: false, ..options };
    assert!(read(raw.folder.path(), &options, &mut RefusedCount::default(), &SilentProgress).is_err());
}

#[test]
fn a_cached_file_keeps_its_open_last_line() {
    let cache = tempfile::tempdir().unwrap();
    let raw = Raw::new().days(&[("AROHI", &[10.0; 19])]).file("open.csv", day().trim_end());
    let options = RawOptions { parse_cache: Some(cache.path()), ..RawOptions::for_market(Market::India) };
    for _ in 0..2 {
        assert_eq!(raw.read_with(options).report.unreadable, []);
    }
    let raw = raw.full("prices/19.csv", &[row("AROHI", "EQ", "20-Jan-2025", 10.0)]);
    let error = read(raw.folder.path(), &options, &mut RefusedCount::default(), &SilentProgress).unwrap_err();
    assert!(error.to_string().contains("open.csv"), "{error}");
}
