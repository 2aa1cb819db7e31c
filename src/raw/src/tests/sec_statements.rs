//! Statements as the SEC publishes them: company facts and data sets, their versions, currencies, years and quarters.

use super::statements::row_texts;
use super::*;

const US_PRICES: &str = "symbol,date,open,high,low,close,volume\nAROHI,2025-01-02,1,1,1,1,5\n";

const TICKERS: &str = r#"{"0":{"cik_str":77,"ticker":"AROHI","title":"Arohi Inc."}}"#;

/// Start, end and value of a figure, number and date of its filing.
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

/// Returns the lines of a company with these facts.
fn lines_of_facts(tags: &[(&str, &str, &[Figure<'_>])]) -> Vec<String> {
    let market = Raw::new()
        .file("prices.csv", US_PRICES)
        .file("company_tickers.json", TICKERS)
        .file("CIK77.json", &facts(tags))
        .us();
    row_texts(&market)
}

#[test]
fn files_of_the_sec_alone_are_a_market_without_prices() {
    let revenue: &[Figure<'_>] = &[("2024-07-01", "2024-09-30", 4_039.0, "000002", "2024-10-25")];
    let tickers = r#"{"0":{"cik_str":77,"ticker":"AROHI","title":"Arohi Inc."},"1":{"cik_str":78,"ticker":"BELA","title":"Bela ETF"}}"#;
    let files = Raw::new()
        .file("company_tickers.json", tickers)
        .file("CIK77.json", &facts(&[("Revenues", "USD", revenue)]))
        .file("form4.xml", "<ownershipDocument/>");
    let market = files.us();
    assert_eq!(row_texts(&market), ["AROHI 2024-09-30 quarterly consolidated revenue 4039 USD 2024-10-25"]);
    let [company] = market.companies.as_slice() else { panic!("{:?}", market.companies) };
    assert_eq!((company.symbol.as_str(), company.name.as_deref()), ("AROHI", Some("Arohi Inc.")));
    // The only session is the filing day, a Friday.
    let days: Vec<String> = market.sessions.iter().map(|session| session.date.to_string()).collect();
    assert_eq!(days, ["2024-10-25"]);
    assert!(market.stocks.is_empty() && market.report.symbols == 0);
    let message = market.report.exceptions.join("\n");
    assert!(message.contains("there is no price file"), "{message}");
}

#[test]
fn a_cousin_of_a_line_is_no_newer_version_of_it() {
    // Amphenol's equity of 30 September 2024 in USD million: the balance sheet, then the roll-forward of the next year's report, which
    // includes the minorities. An earlier figure of the wider tag is superseded by the line itself.
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
    let lines = lines_of_facts(&[
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
    let lines = lines_of_facts(&[
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
    let lines = lines_of_facts(&[
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
    // Half of the figures are in dollars: the market's own currency is used.
    assert_eq!(row_texts(&market).len(), 2);
    assert_eq!(market.report.statements.as_ref().unwrap().other_currencies, 2);
    let lines = lines_of_facts(&[("Revenues", "JPY", yen), ("NetIncomeLoss", "USD", dollars)]);
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
    // A year from July 2023: 10 and 25 until December, 45 until March, 70 in all; years of whole weeks do not end with the month.
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
        row_texts(&market),
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
    // The half-year, the nine months, and a balance of a day on which no period ends.
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
    // Of two tags for one line, the tag of the lower rank is used; the shares on the cover belong to the period.
    assert_eq!(
        row_texts(&market),
        [
            "AROHI 2024-09-30 quarterly consolidated shares_outstanding 50 USD 2024-11-01",
            "AROHI 2024-09-30 quarterly consolidated revenue 1000 USD 2024-11-01",
        ]
    );
    let noted = &market.report.noted["SEC data sets, figures"];
    assert_eq!((noted.of_parts, noted.own_tags, noted.other_spans, noted.unmapped.len()), (1, 1, 1, 0));
    assert_eq!(market.refused(Reason::UnknownCompany), 1);
    // Twelve months in a quarterly report are no fiscal year of the company.
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
    let market = raw.read_with(RawOptions { as_of: Some(january(2)), ..RawOptions::for_market(Market::Us) });
    assert_eq!(
        row_texts(&market),
        [
            "AROHI 2024-09-30 quarterly consolidated total_assets 5 USD 2024-11-01",
            "AROHI 2024-09-30 quarterly consolidated revenue 7 USD 2024-11-01",
        ]
    );
    assert_eq!(market.refused(Reason::AfterAsOf), 1);
}
