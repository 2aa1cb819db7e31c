//! Statements: units, versions, duplicates and refusals, over small invented files.

use std::fmt::Write as _;

use super::*;

const LONG: &str = "symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source";

fn one_day() -> Raw {
    Raw::new().days(&[("AROHI", &[100.0, 100.0, 100.0]), ("BELA", &[50.0, 50.0, 50.0])])
}

/// Symbol, end, period, basis, line, value and filing date of each figure, as one text.
fn shown(market: &RawMarket) -> Vec<String> {
    let statements = market.statements.as_ref().unwrap();
    let show = |row: &StatementRow| {
        format!(
            "{} {} {} {} {} {} {} {}",
            statements.symbols[row.company as usize],
            row.period_end,
            row.span.word(),
            row.basis.word(),
            row.line.word(),
            row.value,
            String::from_utf8_lossy(&row.currency),
            row.filed_at.map_or("-".to_owned(), |date| date.to_string()),
        )
    };
    statements.rows.iter().map(show).collect()
}

#[test]
fn figures_of_any_unit_become_plain() {
    let market = one_day()
        .file(
            "one/mine.csv",
            &format!(
                "{LONG}\n\
                 arohi,2024-09-30,quarterly,consolidated,income,revenue,\"1,234.5\",INR crore,INR,2024-10-20,given\n\
                 AROHI,2024-09-30,quarterly,consolidated,income,eps_basic,7.25,per share,INR,2024-10-20,given\n\
                 AROHI,2024-09-30,quarterly,standalone,income,revenue,-2.5,INR lakh,,2024-10-20,given\n\
                 AROHI,2024-03-31,annual,consolidated,balance,shares_outstanding,5,million shares,,,\n\
                 AROHI,2024-03-31,annual,consolidated,balance,tier1_pct,17.5,%,,,\n"
            ),
        )
        // Columns in another order and case; what is optional left out.
        .bytes("two.gz", &gzip("LINE,Value,Unit,Symbol,PERIOD_TYPE,period_end\ncfo,3,thousand,BELA,Annual,31-Mar-2024\n"))
        .india();
    assert_eq!(
        shown(&market),
        [
            "AROHI 2024-03-31 annual consolidated shares_outstanding 5000000 INR -",
            "AROHI 2024-03-31 annual consolidated tier1_pct 17.5 INR -",
            "AROHI 2024-09-30 quarterly consolidated eps_basic 7.25 INR 2024-10-20",
            "AROHI 2024-09-30 quarterly consolidated revenue 12345000000 INR 2024-10-20",
            "AROHI 2024-09-30 quarterly standalone revenue -250000 INR 2024-10-20",
            "BELA 2024-03-31 annual consolidated cfo 3000 INR -",
        ]
    );
    let statements = market.statements.as_ref().unwrap();
    assert_eq!(statements.sources, ["given", "statement lines"]);
}

#[test]
fn filings_of_one_figure_stay_beside_each_other() {
    let row = |value: &str, filed: &str| {
        format!("AROHI,2024-03-31,annual,consolidated,income,pat,{value},USD million,USD,{filed},\n")
    };
    let market = one_day()
        .file("2024-05-10.csv", &format!("{LONG}\n{}", row("5", "2024-05-10")))
        // The next year's report repeats it, a correction changes it, another repeats the correction.
        .file(
            "2024-06-10.csv",
            &format!(
                "{LONG}\n{}{}{}",
                row("5", "2025-05-11"),
                row("6", "2025-07-01"),
                row("6", "2025-08-01")
            ),
        )
        // The same filing again with the same figure, and once with another, in a newer file that therefore holds.
        .file("2024-07-10.csv", &format!("{LONG}\n{}{}", row("6", "2025-07-01"), row("7", "2025-09-01")))
        .file("2024-08-10.csv", &format!("{LONG}\n{}", row("8", "2025-09-01")))
        // A source without dates gives way to filings, whatever it says.
        .file("2024-09-10.csv", &format!("{LONG}\n{}{}", row("5", ""), row("8", "")))
        .file("prices.csv", "symbol,date,open,high,low,close,volume\nAROHI,2025-01-02,1,1,1,1,5\n")
        .us();
    assert_eq!(
        shown(&market),
        [
            "AROHI 2024-03-31 annual consolidated pat 5000000 USD 2024-05-10",
            "AROHI 2024-03-31 annual consolidated pat 6000000 USD 2025-07-01",
            "AROHI 2024-03-31 annual consolidated pat 8000000 USD 2025-09-01",
        ]
    );
    let tally = market.report.formats["statement lines"];
    assert_eq!((tally.read, tally.kept, tally.identical, tally.differing), (9, 3, 4, 2));
}

#[test]
fn what_is_not_understood_is_refused() {
    let market = one_day()
        .file(
            "mine.csv",
            &format!(
                "{LONG}\n\
                 AROHI,2024-09-30,quarterly,consolidated,income,gravity,1,INR,,,\n\
                 AROHI,2024-09-30,quarterly,consolidated,balance,revenue,1,INR,,,\n\
                 AROHI,2024-09-30,quarterly,consolidated,income,revenue,1,bushels,,,\n\
                 AROHI,2024-09-30,quarterly,consolidated,income,revenue,1,shares,,,\n\
                 AROHI,2024-09-30,quarterly,consolidated,income,revenue,1,,,,\n\
                 AROHI,2024-09-30,weekly,consolidated,income,revenue,1,INR,,,\n\
                 AROHI,2024-09-30,quarterly,both,income,revenue,1,INR,,,\n\
                 AROHI,2024-09-31,quarterly,consolidated,income,revenue,1,INR,,,\n\
                 AROHI,2024-09-30,quarterly,consolidated,income,revenue,1,INR,,2024-09-29,\n\
                 AROHI,2024-09-30,quarterly,consolidated,income,revenue,(1),INR,,,\n\
                 ,2024-09-30,quarterly,consolidated,income,revenue,1,INR,,,\n\
                 AROHI,2024-09-30,quarterly,consolidated,income,revenue,1,INR,,,\n"
            ),
        )
        .india();
    assert_eq!(market.statements.as_ref().unwrap().rows.len(), 1);
    for (reason, rows) in [
        (Reason::UnknownLine, 2),
        (Reason::UnknownUnit, 3),
        (Reason::UnknownPeriod, 1),
        (Reason::UnknownBasis, 1),
        (Reason::BadDate, 2),
        (Reason::BadNumber, 1),
        (Reason::NoSymbol, 1),
    ] {
        assert_eq!(market.refused(reason), rows, "{}", reason.label());
    }
}

#[test]
fn figures_follow_a_change_of_symbol() {
    let market = Raw::new()
        .days(&[
            ("AROHI", &[100.0, 100.0, 0.0]),
            ("CHARU", &[0.0, 0.0, 100.0]),
            ("BELA", &[50.0, 50.0, 50.0]),
        ])
        .file("symbolchange.csv", "Arohi Limited,AROHI,CHARU,03-JAN-2025\n")
        .file(
            "mine.csv",
            &format!(
                "{LONG}\nAROHI,2024-09-30,quarterly,,income,pat,1,INR,,2024-11-01,\n\
                 CHARU,2024-12-31,quarterly,,income,pat,2,INR,,2025-01-03,\n"
            ),
        )
        .india();
    assert_eq!(
        shown(&market),
        [
            "CHARU 2024-09-30 quarterly consolidated pat 1 INR 2024-11-01",
            "CHARU 2024-12-31 quarterly consolidated pat 2 INR 2025-01-03",
        ]
    );
}

#[test]
fn a_report_under_a_former_name_is_of_the_company_that_had_it() {
    let named = |name: &str, end: &str| format!("{name},{end},annual,,income,pat,1,INR,,,\n");
    let market = Raw::new()
        .days(&[("CARS", &[100.0, 100.0, 100.0]), ("LORRIES", &[50.0, 50.0, 50.0]), ("PIIND", &[1.0, 1.0, 1.0])])
        .file(
            "EQUITY_L.csv",
            "SYMBOL,NAME OF COMPANY, SERIES, DATE OF LISTING, PAID UP VALUE, MARKET LOT, ISIN NUMBER, FACE VALUE\n\
             CARS,Motors Passenger Vehicles Limited,EQ,22-JUL-1998,2,1,INE000000001,2\n\
             LORRIES,Motors Limited,EQ,12-NOV-2024,2,1,INE000000002,2\n\
             PIIND,PI Industries Limited,EQ,15-JUN-2011,1,1,INE000000003,1\n",
        )
        .file(
            "namechange.csv",
            "NCH_SYMBOL, NCH_PREV_NAME, NCH_NEW_NAME, NCH_DT\n\
             CARS,Motors Limited,Motors Passenger Vehicles Limited,24-OCT-2024\n",
        )
        .file(
            "mine.csv",
            &format!(
                "{}\n{}{}",
                LONG.replace("symbol", "company"),
                named("MOTORS LTD", "2021-03-31"),
                named("P I INDUSTRIES LTD", "2022-03-31")
            ),
        )
        .india();
    assert_eq!(
        shown(&market),
        [
            "CARS 2021-03-31 annual consolidated pat 1 INR -",
            "PIIND 2022-03-31 annual consolidated pat 1 INR -",
        ]
    );
    assert!(market.report.unused_files.is_empty());
}

const US_PRICES: &str = "symbol,date,open,high,low,close,volume\nAROHI,2025-01-02,1,1,1,1,5\n";

const TICKERS: &str = r#"{"0":{"cik_str":77,"ticker":"AROHI","title":"Arohi Inc."}}"#;

/// Start, end, value, filing and its date.
type Figure<'a> = (&'a str, &'a str, f64, &'a str, &'a str);

/// Company facts: tags, their units and figures.
fn facts(tags: &[(&str, &str, &[Figure<'_>])]) -> String {
    let tags: Vec<String> = tags
        .iter()
        .map(|(tag, unit, figures)| {
            let figures: Vec<String> = figures
                .iter()
                .map(|(start, end, value, filing, filed)| {
                    let start =
                        if start.is_empty() { String::new() } else { format!(r#""start":"{start}","#) };
                    format!(
                        r#"{{{start}"end":"{end}","val":{value},"accn":"0000000077-24-{filing}","filed":"{filed}"}}"#
                    )
                })
                .collect();
            format!(r#""{tag}":{{"label":"x","units":{{"{unit}":[{}]}}}}"#, figures.join(","))
        })
        .collect();
    format!(r#"{{"cik":77,"entityName":"AROHI INC","facts":{{"us-gaap":{{{}}}}}}}"#, tags.join(","))
}

/// The lines of a company whose facts these are.
fn of_facts(tags: &[(&str, &str, &[Figure<'_>])]) -> Vec<String> {
    let market = Raw::new()
        .file("prices.csv", US_PRICES)
        .file("company_tickers.json", TICKERS)
        .file("CIK77.json", &facts(tags))
        .us();
    shown(&market)
}

#[test]
fn a_cousin_of_a_line_is_no_newer_version_of_it() {
    // Amphenol's equity of 30 September 2024 in USD million: the balance sheet, then the roll-forward of the next year's report, which
    // has the minorities in it. What the wider tag says first gives way to the line itself.
    let own = ("2024-09-30", 9_452.5, "2024-10-25");
    let wider = [("2024-09-30", 9_506.1, "2025-10-24"), ("2024-06-30", 9_100.0, "2024-07-26")];
    let equity: &[Figure<'_>] =
        &[("", own.0, own.1, "000002", own.2), ("", "2024-06-30", 9_050.0, "000002", "2024-10-25")];
    let including: &[Figure<'_>] = &[
        ("", wider[0].0, wider[0].1, "000003", wider[0].2),
        ("", wider[1].0, wider[1].1, "000001", wider[1].2),
    ];
    let revenue: &[Figure<'_>] = &[
        ("2024-07-01", "2024-09-30", 4_039.0, "000002", "2024-10-25"),
        ("2024-04-01", "2024-06-30", 3_610.0, "000001", "2024-07-26"),
    ];
    let lines = of_facts(&[
        ("StockholdersEquity", "USD", equity),
        ("StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest", "USD", including),
        ("Revenues", "USD", revenue),
    ]);
    let equity: Vec<&String> = lines.iter().filter(|line| line.contains(" equity ")).collect();
    assert_eq!(
        equity,
        [
            "AROHI 2024-06-30 quarterly consolidated equity 9100 USD 2024-07-26",
            "AROHI 2024-06-30 quarterly consolidated equity 9050 USD 2024-10-25",
            "AROHI 2024-09-30 quarterly consolidated equity 9452.5 USD 2024-10-25",
        ]
    );
}

#[test]
fn a_year_that_is_filed_again_makes_its_last_quarter_again() {
    // Kimberly-Clark's sales of 2014 in USD million: nine months, the year, the nine months without a business that was spun off, and
    // the year as it then stays.
    let revenue: &[Figure<'_>] = &[
        ("2014-01-01", "2014-09-30", 16_063.0, "000001", "2014-10-21"),
        ("2014-01-01", "2014-12-31", 19_724.0, "000002", "2015-02-18"),
        ("2014-01-01", "2014-09-30", 14_896.0, "000003", "2015-10-21"),
        ("2014-01-01", "2014-12-31", 19_724.0, "000004", "2016-02-11"),
    ];
    // AMD's depreciation of 2022: the report of the year counts less under the tag than those of the quarters.
    let depreciation: &[Figure<'_>] = &[
        ("2022-01-01", "2022-09-24", 3_141.0, "000005", "2022-11-02"),
        ("2022-01-01", "2022-12-31", 626.0, "000006", "2023-02-27"),
    ];
    let lines = of_facts(&[
        ("Revenues", "USD", revenue),
        ("DepreciationDepletionAndAmortization", "USD", depreciation),
    ]);
    assert_eq!(
        lines,
        [
            "AROHI 2014-12-31 annual consolidated revenue 19724 USD 2015-02-18",
            "AROHI 2014-12-31 quarterly consolidated revenue 3661 USD 2015-02-18",
            "AROHI 2014-12-31 quarterly consolidated revenue 4828 USD 2016-02-11",
            "AROHI 2022-12-31 annual consolidated depreciation 626 USD 2023-02-27",
        ]
    );
}

#[test]
fn a_line_that_is_made_of_others_is_made_of_those_of_one_filing() {
    // Kimberly-Clark in 2025: EBIT of the quarter, depreciation since the start of the year. The half-year restates the first quarter, so
    // that EBITDA by difference would be that of no quarter.
    let ebit: &[Figure<'_>] = &[
        ("2025-01-01", "2025-03-31", 769.0, "000001", "2025-04-22"),
        ("2025-04-01", "2025-06-30", 592.0, "000002", "2025-08-01"),
        ("2025-01-01", "2025-06-30", 1_240.0, "000002", "2025-08-01"),
    ];
    let depreciation: &[Figure<'_>] = &[
        ("2025-01-01", "2025-03-31", 205.0, "000001", "2025-04-22"),
        ("2025-01-01", "2025-06-30", 427.0, "000002", "2025-08-01"),
    ];
    let lines = of_facts(&[
        ("OperatingIncomeLoss", "USD", ebit),
        ("DepreciationDepletionAndAmortization", "USD", depreciation),
    ]);
    let ebitda: Vec<&String> = lines.iter().filter(|line| line.contains(" ebitda ")).collect();
    assert_eq!(
        ebitda,
        [
            "AROHI 2025-03-31 quarterly consolidated ebitda 974 USD 2025-04-22",
            "AROHI 2025-06-30 quarterly consolidated ebitda 814 USD 2025-08-01",
        ]
    );
}

#[test]
fn a_filing_is_in_one_currency() {
    // A filer of form 20-F: two years in yen, and the last one in dollars too.
    let yen: &[Figure<'_>] = &[
        ("2008-04-01", "2009-03-31", 1_075.0, "000001", "2010-06-30"),
        ("2009-04-01", "2010-03-31", 933.0, "000001", "2010-06-30"),
    ];
    let dollars: &[Figure<'_>] = &[("2009-04-01", "2010-03-31", 10.0, "000001", "2010-06-30")];
    let market = Raw::new()
        .file("prices.csv", US_PRICES)
        .file("company_tickers.json", TICKERS)
        .file(
            "CIK77.json",
            &facts(&[
                ("Revenues", "JPY", yen),
                ("OperatingIncomeLoss", "USD", dollars),
                ("NetIncomeLoss", "USD", dollars),
            ]),
        )
        .us();
    // As many figures are in dollars: the market's own currency stands.
    assert_eq!(shown(&market).len(), 2);
    assert_eq!(market.report.statements.as_ref().unwrap().other_currencies, 2);
    let lines = of_facts(&[("Revenues", "JPY", yen), ("NetIncomeLoss", "USD", dollars)]);
    assert_eq!(
        lines,
        [
            "AROHI 2009-03-31 annual consolidated revenue 1075 JPY 2010-06-30",
            "AROHI 2010-03-31 annual consolidated revenue 933 JPY 2010-06-30",
        ]
    );
}

#[test]
fn quarters_follow_from_the_year_so_far() {
    // A year from July 2023: 10 and 25 until December, 45 until March, 70 in all; years of whole weeks end beside the month.
    let cfo: &[Figure<'_>] = &[
        ("2023-07-02", "2023-09-30", 10.0, "000001", "2023-11-01"),
        ("2023-07-02", "2023-12-30", 25.0, "000002", "2024-02-01"),
        ("2023-07-02", "2024-03-30", 45.0, "000003", "2024-05-01"),
        ("2023-07-02", "2024-06-29", 70.0, "000004", "2024-08-01"),
        // The next year's report corrects the year.
        ("2023-07-02", "2024-06-29", 71.0, "000005", "2025-08-01"),
    ];
    let assets: &[Figure<'_>] = &[
        ("", "2023-09-30", 500.0, "000001", "2023-11-01"),
        ("", "2024-06-29", 600.0, "000004", "2024-08-01"),
        // No period of the company ends then.
        ("", "2024-05-17", 1.0, "000004", "2024-08-01"),
    ];
    let market = Raw::new()
        .file("prices.csv", US_PRICES)
        .file("company_tickers.json", TICKERS)
        .file(
            "CIK77.json",
            &facts(&[
                ("NetCashProvidedByUsedInOperatingActivities", "USD", cfo),
                ("Assets", "USD", assets),
                ("AmountOfLuck", "USD", &[("", "2024-06-29", 1.0, "000004", "2024-08-01")]),
            ]),
        )
        .us();
    assert_eq!(
        shown(&market),
        [
            "AROHI 2023-09-30 quarterly consolidated total_assets 500 USD 2023-11-01",
            "AROHI 2024-06-30 annual consolidated total_assets 600 USD 2024-08-01",
            "AROHI 2024-06-30 quarterly consolidated total_assets 600 USD 2024-08-01",
            "AROHI 2023-09-30 quarterly consolidated cfo 10 USD 2023-11-01",
            "AROHI 2023-12-31 quarterly consolidated cfo 15 USD 2024-02-01",
            "AROHI 2024-03-31 quarterly consolidated cfo 20 USD 2024-05-01",
            "AROHI 2024-06-30 annual consolidated cfo 70 USD 2024-08-01",
            "AROHI 2024-06-30 annual consolidated cfo 71 USD 2025-08-01",
            "AROHI 2024-06-30 quarterly consolidated cfo 25 USD 2024-08-01",
            "AROHI 2024-06-30 quarterly consolidated cfo 26 USD 2025-08-01",
        ]
    );
    let statements = market.statements.as_ref().unwrap();
    let source = |at: usize| statements.sources[statements.rows[at].source as usize].as_str();
    assert_eq!((source(3), source(4)), ("SEC company facts", "SEC company facts, by difference"));
    let counts = market.report.statements.unwrap();
    assert_eq!((counts.companies, counts.lines, counts.differences), (1, 10, 4));
    // Half, nine months, and the day on which nothing ends.
    assert_eq!(counts.unused_spans, 3);
    assert_eq!(market.report.noted["SEC company facts"].unmapped["AmountOfLuck"], 1);
    assert_eq!(market.report.formats["SEC company facts"].read, 8);
}

#[test]
fn data_sets_name_their_companies_in_a_list_of_filings() {
    let sub = "adsh\tcik\tname\tform\tperiod\tfiled\n\
               0000000077-24-000001\t77\tAROHI INC\t10-Q\t20240930\t20241101\n\
               0000000078-24-000001\t78\tNOBODY INC\t10-Q\t20240930\t20241101\n";
    let num = "adsh\ttag\tversion\tddate\tqtrs\tuom\tsegments\tcoreg\tvalue\tfootnote\n\
               0000000077-24-000001\tSalesRevenueNet\tus-gaap/2024\t20240930\t1\tUSD\t\t\t900.0000\t\n\
               0000000077-24-000001\tRevenues\tus-gaap/2024\t20240930\t1\tUSD\t\t\t1000.0000\t\n\
               0000000077-24-000001\tRevenues\tus-gaap/2024\t20240930\t1\tUSD\tSegment=A;\t\t400.0000\t\n\
               0000000077-24-000001\tRevenues\tus-gaap/2024\t20240930\t4\tUSD\t\t\t3900.0000\t\n\
               0000000077-24-000001\tRevenues\tus-gaap/2024\t20240930\t7\tUSD\t\t\t9000.0000\t\n\
               0000000077-24-000001\tMyOwn\t0000000077-24-000001\t20240930\t1\tUSD\t\t\t5.0000\t\n\
               0000000077-24-000001\tEntityCommonStockSharesOutstanding\tdei/2024\t20241025\t0\tshares\t\t\t50.0000\t\n\
               0000000078-24-000001\tRevenues\tus-gaap/2024\t20240930\t1\tUSD\t\t\t1000.0000\t\n";
    let market = Raw::new()
        .file("prices.csv", US_PRICES)
        .file("company_tickers.json", TICKERS)
        .bytes("2024q4.zip", &zip(&[("num.txt", num), ("sub.txt", sub), ("readme.htm", "<html>")]))
        .us();
    // Of two tags for one line the one of the lower rank; the shares on the cover are those of the period.
    assert_eq!(
        shown(&market),
        [
            "AROHI 2024-09-30 quarterly consolidated shares_outstanding 50 USD 2024-11-01",
            "AROHI 2024-09-30 quarterly consolidated revenue 1000 USD 2024-11-01",
        ]
    );
    let noted = &market.report.noted["SEC data sets, figures"];
    assert_eq!((noted.of_parts, noted.own_tags, noted.other_spans, noted.unmapped.len()), (1, 1, 1, 0));
    assert_eq!(market.refused(Reason::UnknownCompany), 1);
    // Twelve months in the report of a quarter are no year of the company.
    assert_eq!(market.refused(Reason::UnknownPeriod), 1);
    assert_eq!(market.report.formats["SEC data sets, figures"].read, 5);
}

#[test]
fn what_was_filed_after_the_date_of_the_set_is_not_known() {
    let raw = Raw::new().file("prices.csv", US_PRICES).file("company_tickers.json", TICKERS).file(
        "CIK77.json",
        &facts(&[
            (
                "Assets",
                "USD",
                &[
                    ("", "2024-09-30", 5.0, "000001", "2024-11-01"),
                    ("", "2024-12-31", 6.0, "000002", "2025-02-01"),
                ],
            ),
            ("Revenues", "USD", &[("2024-07-01", "2024-09-30", 7.0, "000001", "2024-11-01")]),
        ]),
    );
    let market = raw.read_with(RawOptions { as_of: Some(january(2)), ..RawOptions::of(Market::Us) });
    assert_eq!(
        shown(&market),
        [
            "AROHI 2024-09-30 quarterly consolidated total_assets 5 USD 2024-11-01",
            "AROHI 2024-09-30 quarterly consolidated revenue 7 USD 2024-11-01",
        ]
    );
    assert_eq!(market.refused(Reason::AfterAsOf), 1);
}

/// A workbook with one sheet, whose rows are label and cells; a date is its number of days.
fn workbook(sheet: &str, rows: &[(&str, &[&str])]) -> Vec<u8> {
    let mut cells = String::new();
    for (number, (label, values)) in (1..).zip(rows) {
        write!(cells, "<row r=\"{number}\"><c r=\"A{number}\" t=\"str\"><v>{label}</v></c>").unwrap();
        for (column, value) in ('B'..).zip(*values) {
            let kind = if value.parse::<f64>().is_ok() { "n" } else { "str" };
            write!(cells, "<c r=\"{column}{number}\" t=\"{kind}\"><v>{value}</v></c>").unwrap();
        }
        cells += "</row>";
    }
    let of_sheets = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let of_documents = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let of_packages = "http://schemas.openxmlformats.org/package/2006";
    zip(&[
        (
            "[Content_Types].xml",
            &format!(
                "<Types xmlns=\"{of_packages}/content-types\"><Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>"
            ),
        ),
        (
            "_rels/.rels",
            &format!(
                "<Relationships xmlns=\"{of_packages}/relationships\"><Relationship Id=\"r1\" Type=\"{of_documents}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            &format!(
                "<workbook xmlns=\"{of_sheets}\" xmlns:r=\"{of_documents}\"><sheets><sheet name=\"{sheet}\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            &format!(
                "<Relationships xmlns=\"{of_packages}/relationships\"><Relationship Id=\"r1\" Type=\"{of_documents}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            &format!("<worksheet xmlns=\"{of_sheets}\"><sheetData>{cells}</sheetData></worksheet>"),
        ),
    ])
}

#[test]
fn workbooks_are_of_the_company_that_has_their_name() {
    let sheet: &[(&str, &[&str])] = &[
        ("COMPANY NAME", &["AROHI FOODS LTD"]),
        ("PROFIT &amp; LOSS", &[]),
        // 45,016 days after 30 December 1899 is 31 March 2023.
        ("Report Date", &["45016"]),
        ("Sales", &["100"]),
        ("Raw Material Cost", &["30"]),
        ("Change in Inventory", &["-2"]),
        ("Other Income", &["4"]),
        ("Depreciation", &["5"]),
        ("Interest", &["6"]),
        ("Profit before tax", &["25"]),
        ("Net profit", &["20"]),
        ("BALANCE SHEET", &[]),
        ("Report Date", &["45016"]),
        ("Equity Share Capital", &["7"]),
        ("Reserves", &["50"]),
        ("Total", &["90"]),
        ("Total", &["90"]),
        ("No. of Equity Shares", &["700000"]),
    ];
    let other: &[(&str, &[&str])] = &[
        ("COMPANY NAME", &["NOBODY LTD"]),
        ("PROFIT &amp; LOSS", &[]),
        ("Report Date", &["45016"]),
        ("Sales", &["1"]),
    ];
    let list = "SYMBOL,NAME OF COMPANY, SERIES, DATE OF LISTING, PAID UP VALUE, MARKET LOT, ISIN NUMBER, FACE VALUE\n\
                AROHI,Arohi Food Limited,EQ,01-JAN-2000,10,1,INE000A01011,10\n";
    let market = one_day()
        .file("EQUITY_L.csv", list)
        .bytes("a.xlsx", &workbook("Data Sheet", sheet))
        .bytes("b.xlsx", &workbook("Data Sheet", other))
        .bytes("c.xlsx", &workbook("Sheet1", &[]))
        .india();
    let year = |line: &str, value: &str| format!("AROHI 2023-03-31 annual consolidated {line} {value} INR -");
    // No quarter of the company ends with its year, so balances are the year's alone.
    let mut expected = vec![
        year("equity", "570000000"),
        year("reserves", "500000000"),
        year("share_capital", "70000000"),
        year("shares_outstanding", "700000"),
        year("total_assets", "900000000"),
    ];
    expected.extend([
        year("cost_of_goods", "320000000"),
        year("depreciation", "50000000"),
        // 25 before tax, 6 of interest, without 4 of other income.
        year("ebit", "270000000"),
        year("ebitda", "320000000"),
        year("gross_profit", "680000000"),
        year("interest", "60000000"),
        year("other_income", "40000000"),
        year("pat", "200000000"),
        year("profit_before_tax", "250000000"),
        year("revenue", "1000000000"),
    ]);
    assert_eq!(shown(&market), expected);
    assert_eq!((market.refused(Reason::UnknownCompany), market.refused(Reason::Unreadable)), (1, 0));
    assert_eq!(market.report.unused_files, ["c.xlsx"]);
}

#[test]
fn extracts_that_do_not_say_whose_figures_they_are_are_refused() {
    let extract = "DateOfEndOfReportingPeriod,ProfitLossForThePeriod,BasicEarningsPerShareAfterExtraordinaryItems,NumberOfSharesOutstanding\n\
                   31Dec2024,1000.0,2.5,400\n";
    let market = one_day().file("arohi.csv", extract).india();
    assert!(market.statements.is_none());
    assert_eq!(market.refused(Reason::UnknownBasis), 1);
}
