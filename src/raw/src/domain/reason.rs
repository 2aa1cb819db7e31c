//! Reasons for which the program refuses a row. Staged tables have reasons in the words of their SELECT.
//!
//! Reasons for leaving a whole file unread are in the report with the file's name. Users see and search for these words.

use std::borrow::Cow;

/// Reason for refusing a row, in words, and the column to blame, if one is.
pub(crate) type Refusal = (Cow<'static, str>, Option<String>);

/// Reason for which a row of a raw file did not become part of the market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// More or fewer fields than the header names, as in a truncated file.
    WrongFieldCount,
    /// A quoted text that spans lines which look like rows.
    OpenQuote,
    /// The header line, once more.
    RepeatedHeader,
    /// No symbol.
    NoSymbol,
    /// A figure that is missing or no number.
    BadNumber,
    /// A date that is missing or invalid.
    BadDate,
    /// A date whose day and month may be either way round, in the whole file.
    AmbiguousDate,
    /// The date of the file's name, with day and month swapped.
    SwappedDate,
    /// Another day than that of the file's name, in a file of one day.
    OtherDay,
    /// Several different rows of one day in a file named after a symbol.
    SeveralSymbols,
    /// A price that is zero, negative or not finite.
    NonPositivePrice,
    /// High below low, or open or close outside both.
    InconsistentPrices,
    /// Dated after the date of the snapshot.
    AfterAsOf,
    /// An event of a day that has not come yet.
    StillToCome,
    /// Dated after the last session, so not in force yet.
    AfterLastSession,
    /// A bar of another length than a day.
    NotDaily,
    /// A row of a security in a file that is read for its indices.
    NotAnIndex,
    /// A row that states that there are no records.
    NoRecords,
    /// A disclosure without a number of shares and without a value.
    NoAmount,
    /// A line item that is unknown, or not one of the row's statement.
    UnknownLine,
    /// A unit that is unknown, or does not suit the line.
    UnknownUnit,
    /// A period that is neither a quarter nor a year.
    UnknownPeriod,
    /// A basis that is neither the group's nor the company's.
    UnknownBasis,
    /// A company without a symbol in any list.
    UnknownCompany,
    /// A symbol change in which both symbols are the same.
    SameSymbol,
    /// A series other than EQ, BE and BZ.
    NotCommonSeries,
    /// Superseded by another series of the same symbol and day.
    SeriesSuperseded,
    /// On a list of exchange-traded funds.
    Etf,
    /// In no list, and named like a fund.
    NamedAsEtf,
    /// An ISIN that does not start with INE.
    IsinNotIne,
    /// A rights entitlement.
    RightsEntitlement,
    /// A row of BSE in a set of NSE.
    BseRow,
    /// An instrument other than a share.
    NotAShare,
    /// Listed as a fund, unit, warrant, right, preferred or note.
    NotCommonStock,
    /// On a date that is no session.
    NotASession,
    /// A corporate action without a usable factor.
    BadFactor,
    /// A filing without its filing date.
    NoFilingDate,
    /// A filing without its form.
    NoForm,
    /// A filing without its filer.
    NoFiler,
    /// A filing without its accession number.
    NoAccession,
    /// A filing of a filer that has no symbol.
    FilerWithoutSymbol,
    /// A security without its CUSIP.
    NoCusip,
    /// A position whose value only repeats its shares, at another price than the market's.
    ValueIsShares,
    /// An empty cell of a required column.
    NoValue,
    /// A cell that is neither true nor false.
    BadFlag,
    /// A cell that is no list of texts.
    BadList,
    /// A value other than those that its table allows.
    NotAllowed,
    /// A line that is no JSON object.
    NotAnObject,
    /// The file could not be read from here on.
    Unreadable,
}

impl Reason {
    /// Reasons, known from the row alone, for which a parsed bar is not used.
    pub(crate) const UNUSED_BARS: [Self; 7] = [
        Self::AfterAsOf,
        Self::StillToCome,
        Self::RightsEntitlement,
        Self::Etf,
        Self::IsinNotIne,
        Self::NamedAsEtf,
        Self::NotCommonStock,
    ];

    /// Returns the reason in words, for the report and the list of refused rows.
    pub const fn label(self) -> &'static str {
        match self {
            Self::WrongFieldCount => "wrong number of fields",
            Self::OpenQuote => "a text in quotes goes on over the next row",
            Self::RepeatedHeader => "header line repeated",
            Self::NoSymbol => "no symbol",
            Self::BadNumber => "bad number",
            Self::BadDate => "bad date",
            Self::AmbiguousDate => "date may have its day or its month first",
            Self::SwappedDate => "day and month are swapped, by the name of the file",
            Self::OtherDay => "not of the day in the name of the file",
            Self::SeveralSymbols => "several rows of one day, and no column of symbols",
            Self::NonPositivePrice => "price not positive",
            Self::InconsistentPrices => "prices contradict each other",
            Self::AfterAsOf => "after the as-of date",
            Self::StillToCome => "dated after today",
            Self::AfterLastSession => "after the last session",
            Self::NotDaily => "bar is not one of a day",
            Self::NotAnIndex => "not an index",
            Self::NoRecords => "says that there are no records",
            Self::NoAmount => "neither number nor value",
            Self::UnknownLine => "not a line of the statement",
            Self::UnknownUnit => "unknown unit, or not one of the line",
            Self::UnknownPeriod => "period is neither a quarter nor a year",
            Self::UnknownBasis => "basis is neither consolidated nor standalone",
            Self::UnknownCompany => "no list gives the company a symbol",
            Self::SameSymbol => "old and new symbol are the same",
            Self::NotCommonSeries => "series is not common stock",
            Self::SeriesSuperseded => "another series of that day comes first",
            Self::Etf => "exchange-traded fund",
            Self::NamedAsEtf => "unlisted and named as a fund",
            Self::IsinNotIne => "ISIN does not start with INE",
            Self::RightsEntitlement => "rights entitlement",
            Self::BseRow => "row of BSE",
            Self::NotAShare => "instrument is not a share",
            Self::NotCommonStock => "listed as other than common stock",
            Self::NotASession => "date is not a session",
            Self::BadFactor => "factor is not positive",
            Self::NoFilingDate => "no date of filing",
            Self::NoForm => "no form",
            Self::NoFiler => "no filer",
            Self::NoAccession => "no accession number",
            Self::FilerWithoutSymbol => "filer has no symbol",
            Self::NoCusip => "no CUSIP",
            Self::ValueIsShares => "value repeats the number of shares",
            Self::NoValue => "no value",
            Self::BadFlag => "neither true nor false",
            Self::BadList => "no list of texts",
            Self::NotAllowed => "value that is not allowed",
            Self::NotAnObject => "no JSON object",
            Self::Unreadable => "file unreadable from here on",
        }
    }
}

/// Returns the remedy if all rows of a file are refused for the reason `label`; `None` if its rows are understood and not used.
pub(crate) fn remedy(label: &str) -> Option<&'static str> {
    const REMEDIES: [(Reason, &str); 17] = [
        (
            Reason::WrongFieldCount,
            "each row needs as many cells as the header: put cells that hold a comma in quotes, or fetch the file again",
        ),
        (Reason::OpenQuote, "a quote has no end: close it, or fetch the file again"),
        (Reason::NoSymbol, "add a column `symbol`, or name the file after its symbol"),
        (
            Reason::BadNumber,
            "figures are read as 1234.5, 1,234.5 or $1,234.5, and with decimal commas where the file as a whole shows them",
        ),
        (
            Reason::BadDate,
            "dates are read as 2026-06-08, 20260608, 08-Jun-2026 or Jun 8, 2026; as 06/13/2026 or 13/06/2026 where a day over \
             12 shows which number is the day",
        ),
        (
            Reason::AmbiguousDate,
            "write dates as YYYY-MM-DD, or add rows until a day over 12 (and none the other way round) shows which number is the day",
        ),
        (
            Reason::SeveralSymbols,
            "add a column `symbol`, or name the column so that says it; bars of parts of a day are not read",
        ),
        (Reason::SwappedDate, "write the dates as YYYY-MM-DD, or fetch the file again"),
        (Reason::OtherDay, "name the file after the day of its rows, or fetch it again"),
        (Reason::StillToCome, "nothing has happened on a day to come: compare the dates with the source"),
        (Reason::NonPositivePrice, "compare the columns of prices with the source"),
        (
            Reason::InconsistentPrices,
            "compare open, high, low and close with the source: columns may be swapped",
        ),
        (
            Reason::NoFilingDate,
            "the form says neither its signature's date nor its submission's: put the whole submission (`ACCESSION.txt`) in its place",
        ),
        (Reason::NotDaily, "only bars of a day are read: fetch the daily file"),
        (Reason::RepeatedHeader, "it has headers and no row: fetch it again"),
        (
            Reason::UnknownBasis,
            "the file does not say whose figures they are, the group's or the company's: use the results in XBRL, or rows of statements \
             with a column `basis`",
        ),
        (Reason::NotAnObject, "each line is a JSON object, or the file is an array of them"),
    ];
    /// A reason in the words of a SELECT.
    const MONTH: &str = "the name of the list says its month, not its day";
    let of_month = (label == MONTH).then_some("name it after its day, as sec_list_04042025.csv");
    REMEDIES.iter().find(|(reason, _)| reason.label() == label).map(|(_, remedy)| *remedy).or(of_month)
}
