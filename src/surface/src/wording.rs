//! The descriptions of an operation, the same in every document.

use std::fmt::Write as _;

use parquote_catalogue::operation::{
    Access, Answer, ColumnType, Operation, Param, ParamType, Select, Tier, Unit, ValueLimits,
};
use parquote_engine::ResultColumn;

/// Description of the program in one line.
pub const PROGRAM: &str =
    "Market intelligence for Indian and US equities from a folder of Parquet files, in one binary";

/// Returns the lowest tier that may call an operation, as text.
pub fn tier(operation: &Operation) -> &'static str {
    match operation.access {
        Access::Public => "no key",
        Access::From(tier) => tier.word(),
    }
}

/// Returns the allowed values of a parameter and its default, as the end of a paragraph.
pub fn allowed_values(param: &Param) -> String {
    let mut text = String::new();
    let characters = if matches!(param.ty, ParamType::Text | ParamType::Period) { " characters" } else { "" };
    let _ = match &param.limits {
        ValueLimits::Range(Some(low), Some(high)) => write!(text, " {low} to {high}{characters}."),
        ValueLimits::Range(Some(low), None) => write!(text, " {low}{characters} or more."),
        ValueLimits::Range(None, Some(high)) => write!(text, " At most {high}{characters}."),
        ValueLimits::Words(words) => write!(text, " One of {}.", words.join(", ")),
        ValueLimits::WordsOrDate(words) => write!(text, " A date YYYY-MM-DD or {}.", words.join(", ")),
        ValueLimits::Any | ValueLimits::Range(None, None) => Ok(()),
    };
    if let Some(default) = default(param) {
        let _ = write!(text, " Default {default}.");
    }
    text
}

/// Returns the default of a parameter as text; `None` without one.
pub fn default(param: &Param) -> Option<String> {
    let default = param.default_for(Tier::ApiMax)?;
    let mut text = String::new();
    default.write(&mut text);
    Some(text)
}

/// Describes the form of each answer of an operation, with its condition.
pub fn shapes(operation: &Operation) -> Vec<String> {
    match operation.run {
        Some(_) => vec!["An object".to_owned()],
        None => operation.selects.iter().map(shape).collect(),
    }
}

/// Describes the form of a SELECT's answer, with its condition.
fn shape(select: &Select) -> String {
    let mut text = match select.answer {
        Answer::One => "An object".to_owned(),
        Answer::List => "A list of objects".to_owned(),
        Answer::Stocks => {
            let around = select.wrap.iter().map(|field| field.name.as_str());
            let around: Vec<&str> = ["count"].into_iter().chain(around).collect();
            format!("An object with a list `stocks` beside {}", around.join(", "))
        }
    };
    if !select.when.is_empty() {
        let when: Vec<String> = select.when.iter().map(ToString::to_string).collect();
        let _ = write!(text, ", when {}", when.join(" and "));
    }
    text
}

/// Describes the pictures of an operation's answers, a sentence for each.
pub fn pictures(operation: &Operation) -> Vec<String> {
    let sentence = |select: &Select| {
        let kind = select.picture.as_ref()?.kind().replace('_', " ");
        let when: Vec<String> = select.when.iter().map(ToString::to_string).collect();
        let when = if when.is_empty() { String::new() } else { format!(", when {}", when.join(" and ")) };
        Some(format!(
            "`format=svg` and `format=png` draw the rows{when}: {kind}. `theme` is light or dark, `size` regular or large."
        ))
    };
    operation.selects.iter().filter_map(sentence).collect()
}

/// Describes the unit of a column, and the number of decimals if it is rounded.
pub fn unit(operation: &Operation, column: &ResultColumn) -> String {
    let decimals = match (column.ty, column.unit) {
        // Rows of a SELECT have whole sums; handlers round theirs to two decimals.
        (ColumnType::Number, Unit::Money) if operation.run.is_some() && !operation.answers_from_select() => {
            Some(2)
        }
        (ColumnType::Number, unit) => unit.decimals(),
        _ => None,
    };
    match (column.unit.label(), decimals) {
        (label, None) => label.to_owned(),
        (label, Some(0)) => format!("{label}; whole"),
        (label, Some(1)) => format!("{label}; 1 decimal"),
        (label, Some(decimals)) => format!("{label}; {decimals} decimals"),
    }
}

/// Describes the cost of a call, in requests.
pub fn cost(operation: &Operation) -> String {
    match (operation.access, operation.cost) {
        (Access::Public, _) | (_, 0) => "nothing".to_owned(),
        (_, 1) => "1 request".to_owned(),
        (_, cost) => format!("{cost} requests"),
    }
}

/// Returns the refusals of an operation: status and reason.
pub fn refusals(operation: &Operation) -> Vec<(u16, String)> {
    let Access::From(tier) = operation.access else { return Vec::new() };
    let symbol = operation.params.iter().find(|param| param.is_symbol());
    let mut all = vec![
        (
            400,
            "A parameter is missing, unknown, repeated or not allowed; all that is wrong is named."
                .to_owned(),
        ),
        (401, "The key is missing, wrong or revoked.".to_owned()),
    ];
    if tier != Tier::Free {
        all.push((403, format!("The key's tier is below {tier}.")));
    }
    if operation.free_symbols {
        all.push((403, "A free key asks for a symbol that is not on its list.".to_owned()));
    }
    if symbol.is_some() {
        all.push((404, "The market has no such symbol; the nearest are named.".to_owned()));
    }
    if operation.selects.iter().any(|select| select.answer == Answer::One) {
        all.push((404, "There is no data for it.".to_owned()));
    }
    if operation.is_formatted() {
        all.push((410, "The set that `snapshot` names is no longer retained.".to_owned()));
    }
    all.push((
        429,
        "The hour's or the day's allowance is used up; `Retry-After` says how long to wait.".to_owned(),
    ));
    all.push((503, "The data cannot be read now: a table is missing, or it takes too long.".to_owned()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_whole_in_rows_and_have_cents_in_answers_of_a_handler() {
        let column = ResultColumn {
            name: "paid".to_owned(),
            ty: ColumnType::Number,
            nullable: false,
            unit: Unit::Money,
            words: String::new(),
            fields: Vec::new(),
        };
        let label = Unit::Money.label();
        let handler = Operation { run: Some("backtest".to_owned()), ..Operation::default() };
        assert_eq!(unit(&Operation::default(), &column), format!("{label}; whole"));
        assert_eq!(unit(&handler, &column), format!("{label}; 2 decimals"));
    }
}
