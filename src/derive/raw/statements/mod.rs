//! Financial statements: figures of income, balance sheets and cash flows, from every layout that companies' reports come in.
//!
//! A file gives lines as they are, or figures under the tags of a taxonomy, which rules make into lines; what holds is settled
//! over all files at once. Ratios, sums over quarters and growth are not made here.

// What a figure is.
mod row;
mod units;

// The layouts: of one's own files, and of figures under tags.
mod long_file;
mod results_extract;
mod tagged_file;
mod tags;

// What a piece of a file has of them.
mod piece;

// All figures together, and what becomes of them.
mod gathered;
mod made_lines;
mod naming;
mod settle;
mod some_companies;
mod spans;

use chrono::NaiveDate;

pub use row::{Basis, Span, StatementRow};
pub use settle::Statements;

pub(crate) use gathered::Gathered;
pub(crate) use long_file::StatementFile;
pub(crate) use naming::Companies;
pub(crate) use piece::StatementPiece;
pub(crate) use results_extract::ResultsExtract;
pub(crate) use row::ReadLine;
pub(crate) use settle::Settling;
pub(crate) use tagged_file::{
    SUBMISSION_COLUMNS, Submission, SubmissionFile, Tagged, TaggedFile, columns, has_years,
};

/// The column of figures in each kind of document, which tells the kinds apart.
pub(crate) const OF_DATA_SET: &str = "FIGURE OF DATA SET";
pub(crate) const OF_COMPANY_FACTS: &str = "FIGURE OF COMPANY FACTS";
pub(crate) const OF_RESULTS: &str = "FIGURE OF RESULTS";
pub(crate) const OF_WORKBOOK: &str = "FIGURE OF WORKBOOK";

/// The day on which a file of results was made, which its name says: `17Oct2023_1721_BANKING_97616_956099_17102023052102.xml`
/// begins with when it was published (again) and ends in when it was made, so the earlier of the two.
pub(crate) fn filed_by_name(name: &str) -> Option<NaiveDate> {
    let stem = name.split('.').next()?;
    let day = |part: &str| match part.len() {
        // The time follows the day.
        14 => super::dates::in_name(part.get(..8)?),
        9 => super::dates::in_name(part),
        _ => None,
    };
    stem.split('_').filter_map(day).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_results_say_when_they_were_filed() {
        let day = |name: &str| filed_by_name(name).map(|day| day.to_string());
        assert_eq!(day("17Oct2023_1721_BANKING_1_2_17102023052102.xml").as_deref(), Some("2023-10-17"));
        assert_eq!(day("09Sep2019_1231_INDAS_3_4_22072019025254_WEB_2.xml").as_deref(), Some("2019-07-22"));
        assert_eq!(day("results.xml"), None);
    }
}
