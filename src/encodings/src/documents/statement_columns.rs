//! The names of the columns into which documents of statements are brought, by which their files are told apart.

/// The column of figures in a data set of the SEC; that of each kind of document has a name of its own, by which the kinds are told apart.
pub const OF_DATA_SET: &str = "FIGURE OF DATA SET";
/// That of company facts.
pub const OF_COMPANY_FACTS: &str = "FIGURE OF COMPANY FACTS";
/// That of results.
pub const OF_RESULTS: &str = "FIGURE OF RESULTS";
/// That of a workbook.
pub const OF_WORKBOOK: &str = "FIGURE OF WORKBOOK";

/// The columns of documents; the last one, of the figures, says of which kind.
pub(crate) const fn columns(figures: &'static str) -> [&'static str; 12] {
    ["SYMBOL", "CIK", "COMPANY", "ADSH", "FILED", "VERSION", "TAG", "DDATE", "QTRS", "BASIS", "UOM", figures]
}

/// The columns of a list of filings, under names that no other file has.
pub const SUBMISSION_COLUMNS: [&str; 5] = ["ADSH OF DATA SET", "CIK", "FILED", "FORM", "SIC"];

/// Whether twelve months in a form of the SEC are a fiscal year of the company. In a quarter's report they are those to the
/// end of the quarter; any other form may restate years.
pub fn has_years(form: &str) -> bool {
    !form.starts_with("10-Q")
}

/// Whether a form of the SEC is one of foreign companies.
pub fn is_foreign(form: &str) -> bool {
    ["20-F", "40-F", "6-K"].iter().any(|of| form.starts_with(of))
}
