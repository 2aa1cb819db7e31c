//! The names of the columns into which documents of statements are brought, by which their files are told apart.

/// The column of figures in each kind of document, which tells the kinds apart.
pub(crate) const OF_DATA_SET: &str = "FIGURE OF DATA SET";
pub(crate) const OF_COMPANY_FACTS: &str = "FIGURE OF COMPANY FACTS";
pub(crate) const OF_RESULTS: &str = "FIGURE OF RESULTS";
pub(crate) const OF_WORKBOOK: &str = "FIGURE OF WORKBOOK";

/// The columns of documents; the last one, of the figures, says of which kind.
pub(crate) const fn columns(figures: &'static str) -> [&'static str; 12] {
    ["SYMBOL", "CIK", "COMPANY", "ADSH", "FILED", "VERSION", "TAG", "DDATE", "QTRS", "BASIS", "UOM", figures]
}

/// The columns of a list of filings, under names that no other file has.
pub(crate) const SUBMISSION_COLUMNS: [&str; 5] = ["ADSH OF DATA SET", "CIK", "FILED", "FORM", "SIC"];

/// Whether twelve months in a form of the SEC are a fiscal year of the company. In a quarter's report they are those to the
/// end of the quarter; any other form may restate years.
pub(crate) fn has_years(form: &str) -> bool {
    !form.starts_with("10-Q")
}

/// Whether a form of the SEC is one of foreign companies.
pub(crate) fn is_foreign(form: &str) -> bool {
    ["20-F", "40-F", "6-K"].iter().any(|of| form.starts_with(of))
}
