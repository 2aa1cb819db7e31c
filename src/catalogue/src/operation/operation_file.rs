//! `queries/api/<route>.sql`: one operation.

use super::column::Column;
use super::condition::Condition;
use super::declared_picture::DeclaredPicture;
use super::fact_words::{Answer, Effect, ExplorerPage, ShortForm};
use super::market::Market;
use super::param::Param;
use super::tier::{Access, Tier};
use super::wrap::WrapField;

/// Name of the parameter by which a caller chooses the market.
pub(super) const MARKET: &str = "market";

/// One SELECT of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// Conditions that must all hold for a call.
    pub when: Vec<Condition>,
    /// Shape of its answer.
    pub answer: Answer,
    /// Fields around the rows.
    pub wrap: Vec<WrapField>,
    /// Columns of the SQL that the answer does not have.
    pub omit: Vec<String>,
    /// Picture of its rows, if any.
    pub picture: Option<DeclaredPicture>,
    /// The SQL, with `$placeholders`.
    pub sql: String,
    /// First line of the SQL.
    pub line: usize,
}

impl Select {
    /// Returns true if its conditions allow calls for this market.
    pub fn serves(&self, market: Market) -> bool {
        let other = |condition: &Condition| matches!(condition, Condition::Is(param, word) if param == MARKET && word != market.word());
        !self.when.iter().any(other)
    }
}

/// An operation: a route, a tool, or both.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of the header that is there or not")]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Operation {
    /// Path below `queries/`.
    pub file: String,
    /// Its identity, such as `company/profile` or `us/market/breadth`, even without a route.
    pub name: String,
    /// True if `GET /v1/<name>` exists.
    pub has_route: bool,
    /// Market whose tables it reads.
    pub market: Market,
    /// Description in one line.
    pub title: String,
    /// Details; may be empty.
    pub prose: String,
    /// Name of its tool, if any.
    pub tool: Option<String>,
    /// Required access.
    pub access: Access,
    /// Tag that groups it.
    pub group: String,
    /// Parameters, in file order.
    pub params: Vec<Param>,
    /// Params of other operations of its file, which are null in its SELECTs.
    pub unset: Vec<Param>,
    /// Its SELECTs; a call uses the first whose conditions hold. Empty if a Rust function answers alone.
    pub selects: Vec<Select>,
    /// Tables that may be missing.
    pub optional_tables: Vec<String>,
    /// True if a free key is limited to its list of symbols.
    pub free_symbols: bool,
    /// Number of requests that a call counts as.
    pub cost: u32,
    /// Effect of a call on saved data.
    pub effect: Effect,
    /// Rust function that makes the answer, if any.
    pub run: Option<String>,
    /// True if that function returns rows that the caller selects, in the requested format.
    pub own_rows: bool,
    /// True if that function makes an object that is also written as a workbook, and each of its lists as CSV.
    pub has_workbook: bool,
    /// True if an app or key needs the scope of its owner's account for it.
    pub needs_account_scope: bool,
    /// Parameter with the text, if it searches companies by name.
    pub search: Option<String>,
    /// Short form in which tools send its answer, if any.
    pub short_form: Option<ShortForm>,
    /// Page of the explorer that shows its picture.
    pub page: Option<ExplorerPage>,
    /// Word by which `explore/coverage` counts the companies of its sums and means, if it has such figures.
    pub coverage: Option<String>,
    /// Descriptions of columns that no table describes, or that have a narrower meaning here.
    pub columns: Vec<Column>,
    /// Rules between parameters, or about what they name, that no JSON schema can express: a sentence each.
    pub constraints: Vec<String>,
    /// Query strings to show and to test, in addition to the query string made of the parameters' examples.
    pub examples: Vec<String>,
    /// Version that introduced it.
    pub since: Option<String>,
    /// Replacement, if it is deprecated.
    pub deprecated: Option<String>,
}

impl Operation {
    /// Returns an operation of a file that declares only its name.
    pub fn undeclared(file: &str, name: String) -> Self {
        let market = if name.starts_with("us/") { Market::Us } else { Market::India };
        Self { file: file.to_owned(), has_route: true, market, name, cost: 1, ..Self::default() }
    }

    /// Returns true if callers choose the market, by the parameter `market`.
    pub fn chooses_market(&self) -> bool {
        let words = self.param(MARKET).and_then(Param::allowed_words);
        words.is_some_and(|words| words.iter().eq(Market::ALL.map(Market::word).iter()))
    }

    /// Returns true if it reads the tables of this market.
    pub fn serves(&self, market: Market) -> bool {
        self.market == market || self.chooses_market()
    }

    /// Returns a parameter by its name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Returns the maximum rows that a caller of this tier may request at once; `None` if all are returned.
    pub fn most_rows(&self, tier: Tier) -> Option<i64> {
        let limit = self.param("limit")?;
        limit.cap_for(tier).or_else(|| limit.maximum())
    }

    /// Returns the maximum rows of a file for a caller of this tier; `None` for all that match. The cap of a tier holds for files too, except
    /// the highest one, which only keeps an answer small.
    pub fn most_file_rows(&self, tier: Tier) -> Option<i64> {
        let limit = self.param("limit")?;
        let highest = Tier::ALL.iter().filter_map(|tier| limit.cap_for(*tier)).max();
        limit.cap_for(tier).filter(|cap| Some(*cap) != highest)
    }

    /// Returns the display name of a parameter's word, if a wrap field has one.
    pub fn label(&self, param: &str, word: &str) -> Option<&str> {
        self.selects.iter().flat_map(|select| &select.wrap).find_map(|field| field.label(param, word))
    }

    /// Returns a call to show and to test: required parameters, or (`whole`) every one with an example.
    pub fn example_pairs(&self, whole: bool) -> Vec<(&str, String)> {
        let shown = self.params.iter().filter(|param| whole || param.is_required());
        shown.filter_map(|param| Some((param.name.as_str(), param.example.clone()?))).collect()
    }
}
