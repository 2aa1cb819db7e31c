//! Values of facts in the header of an operation that are one of a few words, and the page of the explorer.

use super::tier::{Access, Tier};

/// The shape of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// An object, made of one row; the HTTP status is 404 if there is no row.
    One,
    /// An array of rows.
    List,
    /// An object with the rows under `stocks` and the fields that `wrap:` names around them.
    Stocks,
}

/// Effect of a call on saved data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Effect {
    /// Read only.
    #[default]
    Reads,
    /// Adds or changes data.
    Changes,
    /// Removes data.
    Removes,
}

/// The part of a long answer that tools send unless a call requests the whole answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShortForm {
    /// The votes for each stock, and the gates that it fails.
    Gates,
    /// The highest correlations of pairs of stocks, and their mean.
    Correlations,
}

/// Page of the explorer that shows the picture of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplorerPage {
    /// Path below the market, in which `{symbol}` is replaced by the argument `symbol`.
    pub path: String,
    /// Parameters of the operation that the page takes under the same names.
    pub params: Vec<String>,
}

impl ExplorerPage {
    /// The name that means all parameters.
    pub(super) const ALL_PARAMS: &str = "*";

    /// Parses a path, followed by the names of parameters separated by commas.
    pub(super) fn parse(text: &str) -> Self {
        let (path, params) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let params = params.split(',').map(str::trim).filter(|name| !name.is_empty());
        Self { path: path.to_owned(), params: params.map(str::to_owned).collect() }
    }
}

pub(super) fn parse_access(word: &str) -> Result<Access, String> {
    if word == "none" { Ok(Access::Public) } else { word.parse::<Tier>().map(Access::From) }
}

pub(super) fn parse_answer(word: &str) -> Result<Answer, String> {
    match word {
        "one" => Ok(Answer::One),
        "list" => Ok(Answer::List),
        "stocks" => Ok(Answer::Stocks),
        _ => Err(format!("`{word}` is not an answer; the answers are one, list and stocks")),
    }
}

pub(super) fn parse_effect(word: &str) -> Result<Effect, String> {
    match word {
        "reads" => Ok(Effect::Reads),
        "changes" => Ok(Effect::Changes),
        "removes" => Ok(Effect::Removes),
        _ => Err(format!("`{word}` is not an effect; the effects are reads, changes and removes")),
    }
}

pub(super) fn parse_short_form(word: &str) -> Result<ShortForm, String> {
    match word {
        "gates" => Ok(ShortForm::Gates),
        "correlations" => Ok(ShortForm::Correlations),
        _ => Err(format!("`{word}` is not a short form; the short forms are gates and correlations")),
    }
}

pub(super) fn parse_flag(word: &str) -> Result<bool, String> {
    match word {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(format!("`{word}` is neither yes nor no")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Operation;
    use super::*;

    fn parsed(facts: &str) -> Result<Operation, String> {
        let text = format!(
            "-- T.\n-- tool: t\n-- tier: free\n-- group: G\n-- answer: list\n-- param: symbol text \"S.\" e.g. A\n\
             -- param: days int? \"D.\"\n{facts}\nSELECT close FROM t WHERE symbol = $symbol AND age < $days"
        );
        let parsed = Operation::parse("api/t.sql", &text);
        parsed.map(|mut found| found.remove(0)).map_err(|errors| errors[0].message.clone())
    }

    #[test]
    fn a_page_takes_params_of_the_operation() {
        let page = |value: &str| {
            let operation = parsed(&format!("-- picture: ranking of=symbol value=close\n-- page: {value}"));
            operation.map(|operation| operation.page.unwrap())
        };
        assert_eq!(page("heat").unwrap(), ExplorerPage { path: "heat".to_owned(), params: Vec::new() });
        assert_eq!(page("company/{symbol} days").unwrap().params, ["days"]);
        assert_eq!(page("heat *").unwrap().params, ["symbol", "days"]);
        assert_eq!(page("heat symbol, day").unwrap_err(), "`day` is not a param of this operation");
        assert!(parsed("-- page: heat").unwrap_err().contains("no SELECT has one"));
    }

    #[test]
    fn a_search_names_a_param_and_a_short_form_is_known() {
        assert_eq!(parsed("-- search: symbol").unwrap().search.as_deref(), Some("symbol"));
        assert_eq!(parsed("-- search: q").unwrap_err(), "`q` is not a param of this operation");
        assert_eq!(parsed("-- short: gates").unwrap().short_form, Some(ShortForm::Gates));
        assert!(parsed("-- short: all").unwrap_err().contains("gates and correlations"));
    }
}
