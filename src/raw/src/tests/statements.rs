//! Statements: units, versions, duplicates and refusals, over small invented files.

use super::*;

const LONG: &str = "symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source";

pub(super) fn one_day() -> Raw {
    Raw::new().days(&[("AROHI", &[100.0, 100.0, 100.0]), ("BELA", &[50.0, 50.0, 50.0])])
}

/// Symbol, end, period, basis, line, value and filing date of each figure, as one text.
pub(super) fn row_texts(market: &RawMarket) -> Vec<String> {
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
        // Columns in another order and case, without the optional ones.
        .bytes("two.gz", &gzip("LINE,Value,Unit,Symbol,PERIOD_TYPE,period_end\ncfo,3,thousand,BELA,Annual,31-Mar-2024\n"))
        .india();
    assert_eq!(
        row_texts(&market),
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
        // The next year's report repeats the figure, a correction changes it, and a later filing repeats the correction.
        .file(
            "2024-06-10.csv",
            &format!(
                "{LONG}\n{}{}{}",
                row("5", "2025-05-11"),
                row("6", "2025-07-01"),
                row("6", "2025-08-01")
            ),
        )
        // The same filing again with the same figure, and once with another, in a newer file, which therefore wins.
        .file("2024-07-10.csv", &format!("{LONG}\n{}{}", row("6", "2025-07-01"), row("7", "2025-09-01")))
        .file("2024-08-10.csv", &format!("{LONG}\n{}", row("8", "2025-09-01")))
        // An undated source is superseded by filings, whatever its figures.
        .file("2024-09-10.csv", &format!("{LONG}\n{}{}", row("5", ""), row("8", "")))
        .file("prices.csv", "symbol,date,open,high,low,close,volume\nAROHI,2025-01-02,1,1,1,1,5\n")
        .us();
    assert_eq!(
        row_texts(&market),
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
        row_texts(&market),
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
        row_texts(&market),
        [
            "CARS 2021-03-31 annual consolidated pat 1 INR -",
            "PIIND 2022-03-31 annual consolidated pat 1 INR -",
        ]
    );
    assert!(market.report.unused_files.is_empty());
}

#[test]
fn extracts_that_do_not_say_whose_figures_they_are_are_refused() {
    let extract = "DateOfEndOfReportingPeriod,ProfitLossForThePeriod,BasicEarningsPerShareAfterExtraordinaryItems,NumberOfSharesOutstanding\n\
                   31Dec2024,1000.0,2.5,400\n";
    let market = one_day().file("arohi.csv", extract).india();
    assert!(market.statements.is_none());
    assert_eq!(market.refused(Reason::UnknownBasis), 1);
}
