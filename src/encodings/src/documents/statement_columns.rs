//! Names of the columns for documents of statements, by which their files are distinguished.

/// The column of figures in a data set of the SEC; each kind of document has another name for it, by which the kinds are distinguished.
pub const OF_DATA_SET: &str = "FIGURE OF DATA SET";
/// The column of figures in company facts.
pub const OF_COMPANY_FACTS: &str = "FIGURE OF COMPANY FACTS";
/// The column of figures in results.
pub const OF_RESULTS: &str = "FIGURE OF RESULTS";
/// The column of figures in a workbook.
pub const OF_WORKBOOK: &str = "FIGURE OF WORKBOOK";

/// Returns the columns of documents; the last one, with the figures, has the name of the kind.
pub(crate) const fn columns(figures: &'static str) -> [&'static str; 12] {
    ["SYMBOL", "CIK", "COMPANY", "ADSH", "FILED", "VERSION", "TAG", "DDATE", "QTRS", "BASIS", "UOM", figures]
}

/// The columns of a list of filings, the first under a name that no other file has.
pub const SUBMISSION_COLUMNS: [&str; 5] = ["ADSH OF DATA SET", "CIK", "FILED", "FORM", "SIC"];

/// Returns true if twelve months in a form of the SEC are a fiscal year of the company. In a quarterly report they end with the quarter;
/// any other form may restate years.
pub fn has_years(form: &str) -> bool {
    !form.starts_with("10-Q")
}

/// Returns true if a form of the SEC is one of foreign companies.
pub fn is_foreign(form: &str) -> bool {
    ["20-F", "40-F", "6-K"].iter().any(|of| form.starts_with(of))
}
