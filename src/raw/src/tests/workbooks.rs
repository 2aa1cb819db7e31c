//! Statements in workbooks with a sheet of data, which have the company's name.

use std::fmt::Write as _;

use super::statements::{one_day, row_texts};
use super::*;

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
        // Profit before tax of 25, plus 6 of interest, less 4 of other income, in ten millions.
        year("ebit", "270000000"),
        year("ebitda", "320000000"),
        year("gross_profit", "680000000"),
        year("interest", "60000000"),
        year("other_income", "40000000"),
        year("pat", "200000000"),
        year("profit_before_tax", "250000000"),
        year("revenue", "1000000000"),
    ]);
    assert_eq!(row_texts(&market), expected);
    assert_eq!((market.refused(Reason::UnknownCompany), market.refused(Reason::Unreadable)), (1, 0));
    assert_eq!(market.report.unused_files, ["c.xlsx"]);
}
