//! Names of the columns of financial statements; one name is different for each kind of document.

/// The column of figures in a data set of the SEC. Each kind of document has another name for this column, so that formats can tell them
/// apart.
pub const FIGURE_OF_DATA_SET: &str = "FIGURE OF DATA SET";
/// The column of figures in company facts.
pub const FIGURE_OF_COMPANY_FACTS: &str = "FIGURE OF COMPANY FACTS";
/// The column of figures in results.
pub const FIGURE_OF_RESULTS: &str = "FIGURE OF RESULTS";
/// The column of figures in a workbook.
pub const FIGURE_OF_WORKBOOK: &str = "FIGURE OF WORKBOOK";

/// Returns the columns of a document; `figures` is the name of the last one.
pub(crate) const fn columns(figures: &'static str) -> [&'static str; 12] {
    ["SYMBOL", "CIK", "COMPANY", "ADSH", "FILED", "VERSION", "TAG", "DDATE", "QTRS", "BASIS", "UOM", figures]
}

/// The columns of a list of filings, the first under a name that no other file has.
pub const SUBMISSION_COLUMNS: [&str; 5] = ["ADSH OF DATA SET", "CIK", "FILED", "FORM", "SIC"];

/// Returns true if twelve months in this form of the SEC are a fiscal year. Those of a quarterly report end with the quarter;
/// any other form may restate years.
pub fn has_years(form: &str) -> bool {
    !form.starts_with("10-Q")
}

/// Returns true if a form of the SEC is one of foreign companies.
pub fn is_foreign(form: &str) -> bool {
    ["20-F", "40-F", "6-K"].iter().any(|prefix| form.starts_with(prefix))
}
