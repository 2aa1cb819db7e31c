//! Members of indices from the holdings of index funds, of invented companies.

use super::*;

/// CIK and series of the two trusts and the two larger funds that are read, and of a fund of no index.
const SP500_TRUST: (&str, &str) = ("0000884394", "N/A");
const NDX100_TRUST: (&str, &str) = ("0001067839", "N/A");
const SP500_SERIES: (&str, &str) = ("0009000000500", "S000004310");
const OTHER_SERIES: (&str, &str) = ("0009000000500", "S000999999");

/// Prices and listings of ten companies; the second has two classes of shares.
fn market() -> Raw {
    let symbols = ["A0", "A1", "A1C", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9"];
    let prices = symbols.map(|symbol| format!("{symbol},2026-09-30,10,10,10,10,5\n")).concat();
    let name = |symbol: &str| match symbol {
        "A1" => "Company One Inc. Class A Common Stock".to_owned(),
        "A1C" => "Company One Inc. Class C Capital Stock".to_owned(),
        _ => format!("Company {symbol} Inc. Common Stock"),
    };
    let listings = symbols.map(|symbol| format!("{symbol},{},T,T,1,NYSE\n", name(symbol))).concat();
    Raw::new()
        .file("prices.csv", &format!("symbol,date,open,high,low,close,volume\n{prices}"))
        .file("listings.csv", &format!("symbol,name,sector,industry,market_cap,exchange\n{listings}"))
}

/// A holding: name, title, the elements of its identifiers, category, and side.
type TestHolding = (String, String, String, &'static str, &'static str);

/// A share with only a CUSIP and a name.
fn share(name: &str, title: &str, cusip: &str) -> TestHolding {
    let id = format!("<cusip>{cusip}</cusip><identifiers><other value=\"1\"/></identifiers>");
    (name.to_owned(), title.to_owned(), id, "EC", "Long")
}

/// A share with a ticker.
fn ticker(symbol: &str) -> TestHolding {
    let id = format!("<cusip>N/A</cusip><identifiers><ticker value=\"{symbol}\"/></identifiers>");
    (format!("Name of {symbol}"), String::new(), id, "EC", "Long")
}

/// The shares of all companies but the last, named as their listings are.
fn nine() -> Vec<TestHolding> {
    (2..=9).map(|n| share(&format!("COMPANY A{n} INC"), "", &format!("Z0000010{n}"))).collect()
}

/// Returns as many shares as a list of the fund's index has at least, 0 of a fund of no index. [`lists`] leaves them out.
fn padding((cik, series): (&str, &str)) -> usize {
    match (cik, series) {
        ("0000884394", _) | (_, "S000004310" | "S000002839") => 450,
        ("0001067839", _) => 90,
        ("0001041130", _) => 27,
        _ => 0,
    }
}

/// Returns a filing of these holdings and, if there are any, the padding of the fund.
fn filing(fund: (&str, &str), form: &str, dates: (&str, &str), holdings: &[TestHolding]) -> String {
    let padding = if holdings.is_empty() { 0 } else { padding(fund) };
    let padding = (0..padding).map(|at| ticker(&format!("PAD{at}")));
    filing_of(fund, form, dates, &holdings.iter().cloned().chain(padding).collect::<Vec<_>>())
}

/// Returns a filing of these holdings alone.
fn filing_of(
    (cik, series): (&str, &str),
    form: &str,
    (date, signed): (&str, &str),
    holdings: &[TestHolding],
) -> String {
    let holding = |(name, title, id, category, side): &TestHolding| {
        let category = match category.split_once(':') {
            Some((_, words)) => format!("<assetConditional desc=\"{words}\" assetCat=\"OTHER\"/>"),
            None => format!("<assetCat>{category}</assetCat>"),
        };
        format!(
            "<invstOrSec><name>{name}</name><title>{title}</title>{id}<balance>10.00</balance><units>NS</units>\
             <payoffProfile>{side}</payoffProfile>{category}</invstOrSec>"
        )
    };
    let holdings: String = holdings.iter().map(holding).collect();
    format!(
        "<?xml version=\"1.0\"?>\n<edgarSubmission xmlns=\"http://www.sec.gov/edgar/nport\"><headerData><submissionType>{form}</submissionType>\
         </headerData><formData><genInfo><regCik>{cik}</regCik><seriesId>{series}</seriesId><repPdDate>{date}</repPdDate></genInfo>\
         <invstOrSecs>{holdings}</invstOrSecs><signature><dateSigned>{signed}</dateSigned></signature></formData></edgarSubmission>"
    )
}

const JUNE: (&str, &str) = ("2026-06-30", "2026-08-20");

/// Returns the members of each list, as `INDEX date: symbols`.
fn lists(market: &RawMarket) -> Vec<String> {
    let lists = market.members.chunk_by(|a, b| (&a.index, a.list_date) == (&b.index, b.list_date));
    let words = |list: &[Member]| {
        let symbols = list.iter().map(|member| member.symbol.as_str());
        let symbols: Vec<&str> = symbols.filter(|symbol| !symbol.starts_with("PAD")).collect();
        format!("{} {}: {}", list[0].index, list[0].list_date, symbols.join(" "))
    };
    lists.map(words).collect()
}

fn has_note(market: &RawMarket, words: &str) -> bool {
    market.report.exceptions.iter().any(|note| note.contains(words))
}

#[test]
fn a_fund_of_an_index_lists_its_members() {
    let mut holdings = nine();
    holdings.extend([
        share("COMPANY ONE INC", "Company One Inc CL A", "Z00000111"),
        share("COMPANY ONE INC", "Company One Inc CL C", "Z00000112"),
        // The name of no company, whose CUSIP is in a list of the user and whose ISIN has it.
        share("FORMERLY ZERO", "", "Z00000100"),
    ]);
    // A trust in real estate, by the words of a fund.
    let trust = share("PAD TRUST", "", "Z00000200");
    holdings.push((trust.0, trust.1, trust.2, "conditional:Real Estate Investment Trust", "Long"));
    let isin = "<cusip>000000000</cusip><identifiers><isin value=\"USZ000001000\"/></identifiers>";
    let others = [
        ("FORMERLY ZERO", isin, "EC", "Long"),
        ("COMPANY A9 INC", "<cusip>Z00000109</cusip>", "EC", "Short"),
        ("Index future", "<cusip>N/A</cusip>", "DE", "N/A"),
        ("Cash fund", "<cusip>Z00000777</cusip>", "STIV", "Long"),
        ("A bond", "<cusip>Z00000888</cusip>", "DBT", "Long"),
    ];
    let others = others
        .map(|(name, id, category, side)| (name.to_owned(), String::new(), id.to_owned(), category, side));
    holdings.extend(others);
    let market = market()
        .file("cusips.csv", "cusip,symbol\nZ00000100,A0\nZ00000200,A0\n")
        .file("a/primary_doc.xml", &filing(SP500_TRUST, "NPORT-P", JUNE, &holdings))
        .us();
    assert_eq!(lists(&market), ["SP500 2026-06-30: A0 A1 A1C A2 A3 A4 A5 A6 A7 A8 A9"]);
    let tally = market.report.formats["fund holdings"];
    assert_eq!((tally.files, tally.read, tally.kept, tally.refused), (1, 467, 463, 4));
    assert_eq!(market.refused_as("not a long position in common equity"), 4);
    assert!(!has_note(&market, "index fund"), "{:?}", market.report.exceptions);
}

#[test]
fn a_ticker_stands_before_a_cusip_if_it_trades() {
    // `A1/C` is another spelling; A2's ticker is misspelt, but its name is known; GONE is a company without prices.
    let mut holdings: Vec<TestHolding> =
        ["A0", "A1", "A1/C", "A3", "A4 US", "A5", "A6", "GONE"].map(ticker).into();
    let id = "<cusip>Z00000102</cusip><identifiers><ticker value=\"A2X\"/></identifiers>";
    holdings.push(("COMPANY A2 INC".to_owned(), String::new(), id.to_owned(), "EC", "Long"));
    // The name is that of another company.
    holdings[3].0 = "COMPANY A9 INC".to_owned();
    // The other fund has the ticker of a CUSIP, and Form 13F the class of another.
    let with_ticker = "<cusip>Z00000107</cusip><identifiers><ticker value=\"A7\"/></identifiers>";
    let with_ticker = ("Seven".to_owned(), String::new(), with_ticker.to_owned(), "EC", "Long");
    let alone = [share("Anything", "", "Z00000107"), share("Company One Inc", "", "Z00000112")];
    let form_13f = "<SEC-DOCUMENT>a\nACCESSION NUMBER: 9900000001-26-000001\nCONFORMED SUBMISSION TYPE: 13F-HR\nFILED AS OF DATE: 20260820\n\
        CENTRAL INDEX KEY: 9900000001\nCONFORMED PERIOD OF REPORT: 20260630\n<XML><informationTable><infoTable><nameOfIssuer>COMPANY ONE INC</nameOfIssuer>\
        <titleOfClass>CAP STK CL C</titleOfClass><cusip>Z00000112</cusip><value>40</value><shrsOrPrnAmt><sshPrnamt>2</sshPrnamt></shrsOrPrnAmt>\
        </infoTable></informationTable></XML>\n</SEC-DOCUMENT>";
    let raw = market()
        .file("a.xml", &filing(SP500_SERIES, "NPORT-P", JUNE, &[holdings, vec![with_ticker]].concat()))
        .file("b.xml", &filing(NDX100_TRUST, "NPORT-P", JUNE, &alone));
    assert_eq!(
        lists(&raw.us()),
        ["NDX100 2026-06-30: A7", "SP500 2026-06-30: A0 A1 A1.C A2 A3 A4 A5 A6 A7 GONE"]
    );
    let market = raw.file("13f.txt", form_13f).us();
    assert_eq!(lists(&market)[0], "NDX100 2026-06-30: A1C A7");
}

#[test]
fn half_a_list_is_none() {
    let unknown = |count| vec![share("UNKNOWN PLC", "", "Z00009999"); count];
    let market_with = |holdings: Vec<TestHolding>| {
        market().file("a.xml", &filing_of(SP500_TRUST, "NPORT-P", JUNE, &holdings)).us()
    };
    let known = |count: usize| (0..count).map(|at| ticker(&format!("T{at}"))).collect::<Vec<_>>();
    let listed = market_with([known(468), unknown(52)].concat());
    assert_eq!((listed.members.len(), listed.refused(Reason::NoSymbol)), (468, 52));
    let words = "of 520 holdings in lists of index funds, those of 1 security have no symbol; a file with the columns cusip and symbol helps: \
                 UNKNOWN PLC,Z00009999";
    assert!(has_note(&listed, words), "{:?}", listed.report.exceptions);
    // Under nine tenths of the holdings, and of the index.
    for (of_list, without) in [(467, 52), (449, 0), (3, 0)] {
        let refused = market_with([known(of_list), unknown(without)].concat());
        assert_eq!(refused.members, []);
        let counts = (refused.refused(Reason::IncompleteList), refused.refused(Reason::NoSymbol));
        assert_eq!(counts, (of_list as u64, without as u64));
        let words = format!(
            "1 list of an index fund is not used: under 90 % of the holdings, or of the members of the index, have a symbol; a file with the \
             columns cusip and symbol helps: a.xml (SP500 of 2026-06-30, {of_list} of {})",
            of_list + without
        );
        assert!(has_note(&refused, &words), "{:?}", refused.report.exceptions);
    }
}

#[test]
fn an_amendment_replaces_the_report() {
    let symbols = |symbols: &[&str]| symbols.iter().map(|it| ticker(it)).collect::<Vec<_>>();
    let report =
        |form, signed, held: &[&str]| filing(SP500_TRUST, form, ("2026-06-30", signed), &symbols(held));
    let outcome = |first: &str, second: &str| {
        let market = market().file("a.xml", first).file("b.xml", second).us();
        let tally = market.report.formats["fund holdings"];
        assert_eq!((tally.kept, tally.restated), (452, 452), "{first} {second}");
        lists(&market).remove(0)
    };
    let of = |symbols: &str| format!("SP500 2026-06-30: {symbols}");
    let original = report("NPORT-P", "2026-08-20", &["A0", "A1"]);
    let amended = report("NPORT-P/A", "2026-09-02", &["A0", "A2"]);
    assert_eq!(outcome(&original, &amended), of("A0 A2"));
    assert_eq!(outcome(&amended, &original), of("A0 A2"));
    // A report that was filed after an amendment is the newer one.
    assert_eq!(outcome(&amended, &original.replace("2026-08-20", "2026-09-10")), of("A0 A1"));
    // Without the day of one, the amendment counts.
    let undated = amended.replace("<dateSigned>2026-09-02</dateSigned>", "");
    assert_eq!(outcome(&undated, &original), of("A0 A2"));
}

#[test]
fn the_list_of_the_provider_then_that_of_the_trust_counts() {
    let series = filing(SP500_SERIES, "NPORT-P", JUNE, &[ticker("A0"), ticker("A1")]);
    let trust = filing(SP500_TRUST, "NPORT-P", JUNE, &[ticker("A0"), ticker("A2")]);
    // The file of the series comes later, and so does its filing.
    let raw = market().file("a.xml", &trust).file("b.xml", &series.replace("2026-08-20", "2026-08-25"));
    let market_of_funds = raw.us();
    assert_eq!(lists(&market_of_funds), ["SP500 2026-06-30: A0 A2"]);
    assert!(has_note(&market_of_funds, "b.xml lists SP500 of 2026-06-30 too; a.xml is used"));
    let other_day = series.replace("2026-06-30", "2026-03-31");
    let raw = raw.file("sp500_2026-06-30.csv", "symbol,name\nA0,Zero\nA3,Three\n").file("c.xml", &other_day);
    let market = raw.us();
    assert_eq!(lists(&market), ["SP500 2026-03-31: A0 A1", "SP500 2026-06-30: A0 A3"]);
    assert!(has_note(&market, "a.xml lists SP500 of 2026-06-30 too; sp500_2026-06-30.csv is used"));
    // Of two funds that are no trust, the one with fewer unknown holdings counts.
    let many = vec![ticker("A3"); 10];
    let fewer = filing(SP500_SERIES, "NPORT-P", JUNE, &many);
    let unknown = [many, vec![share("UNKNOWN PLC", "", "Z00009999")]].concat();
    let more = filing(("1", "S000002839"), "NPORT-P", JUNE, &unknown).replace("\"A3\"", "\"A4\"");
    let market = self::market().file("a.xml", &fewer).file("b.xml", &more).us();
    assert_eq!(lists(&market), ["SP500 2026-06-30: A3"]);
}

#[test]
fn other_funds_and_damaged_files_list_nothing() {
    let other = filing(OTHER_SERIES, "NPORT-P", JUNE, &nine());
    let nothing = filing(NDX100_TRUST, "NPORT-P", JUNE, &[]);
    let late = filing(NDX100_TRUST, "NPORT-P", ("2026-09-30", "2026-08-20"), &[ticker("A1")]);
    let undated = filing(NDX100_TRUST, "NPORT-P", ("soon", "2026-08-20"), &[ticker("A1")]);
    let none_held = filing(NDX100_TRUST, "NPORT-P", JUNE, &[ticker("A1")]).replace(">10.00<", ">0<");
    let raw = market()
        .file("other.xml", &other)
        .file("nothing.xml", &nothing)
        .file("late.xml", &late)
        .file("undated.xml", &undated)
        .file("none.xml", &none_held);
    let market = raw.us();
    assert_eq!(market.members, []);
    let words = [
        "fund of no known index",
        "says that there are no records",
        "bad date",
        "the day of the holdings is after that of the filing",
        "bad number",
    ];
    assert_eq!(words.map(|words| market.refused_as(words)), [8, 1, 91, 91, 91]);
    let named: Vec<&str> = market.report.gave_nothing.iter().map(|note| note.file.as_str()).collect();
    assert_eq!(named, ["late.xml", "none.xml", "undated.xml"], "the fund of no index is understood");

    let whole = filing(SP500_TRUST, "NPORT-P", JUNE, &nine());
    let raw = raw.file("cut.xml", &whole[..whole.len() / 2]);
    let options = RawOptions { allow_unreadable: true, ..RawOptions::for_market(Market::Us) };
    let market = raw.read_with(options);
    assert_eq!((market.members.len(), market.report.unreadable[0].file.as_str()), (0, "cut.xml"));
    let error = read(
        raw.folder.path(),
        &RawOptions::for_market(Market::Us),
        &mut RefusedCount::default(),
        &SilentProgress,
    );
    assert!(error.unwrap_err().to_string().contains("cut.xml"));
}

#[test]
fn a_filing_is_known_from_its_day() {
    let dated = filing(SP500_TRUST, "NPORT-P", JUNE, &[ticker("A0")]);
    let unsigned =
        dated.replace("<dateSigned>2026-08-20</dateSigned>", "").replace(SP500_TRUST.0, NDX100_TRUST.0);
    let named = dated.replace(SP500_TRUST.0, "0001041130");
    let raw = market()
        .file("prices_before.csv", "symbol,date,open,high,low,close,volume\nA0,2026-06-01,10,10,10,10,5\n")
        .file("dated.xml", &dated)
        .file("unsigned.xml", &unsigned)
        .file("DIA/NPORT-P_000175272426200811_2026-08-28.xml", &named);
    let known = |day: &str| {
        let options = RawOptions { as_of: Some(day.parse().unwrap()), ..RawOptions::for_market(Market::Us) };
        lists(&raw.read_with(options)).iter().map(|list| list[..3].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(known("2026-08-19"), [""; 0]);
    assert_eq!(known("2026-08-20"), ["SP5"]);
    assert_eq!(known("2026-08-28"), ["DOW", "SP5"]);
    // 60 days after 30 June.
    assert_eq!(known("2026-08-29"), ["DOW", "NDX", "SP5"]);
}

#[test]
fn a_fund_with_thousands_of_holdings_is_read() {
    let cusip = |n: usize| format!("Z{n:08}");
    let holdings: Vec<TestHolding> = (0..5_000).map(|n| share("A", "", &cusip(n))).collect();
    let cusips: Vec<String> = (0..5_000).map(|n| format!("{},M{n}", cusip(n))).collect();
    let market = market()
        .file("cusips.csv", &format!("cusip,symbol\n{}\n", cusips.join("\n")))
        .file("a.xml", &filing(SP500_TRUST, "NPORT-P", JUNE, &holdings))
        .file("b.xml", &filing(OTHER_SERIES, "NPORT-P", JUNE, &holdings))
        .us();
    assert_eq!((market.members.len(), market.refused_as("fund of no known index")), (5_450, 5_000));
}
