//! Allows expressions by their form, and functions by their name; others are refused. No allowed expression waits, or reads files, clocks
//! or random numbers.

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArgumentClause, FunctionArgumentList, FunctionArguments,
    UnaryOperator,
};

use super::names::{NAMES, normalize_name};
use super::refusal::SelectRefusal;

/// Checks that an expression is allowed; nested expressions are checked separately.
pub(super) fn check(expr: &Expr) -> Result<(), SelectRefusal> {
    match expr {
        Expr::Function(function) => check_function(function),
        Expr::BinaryOp { op, .. } if is_operator(op) => Ok(()),
        Expr::Cast { data_type, format: None, array: false, .. } => {
            let name = data_type.to_string().to_uppercase();
            let word = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            if NAMES.types.iter().any(|ty| ty == word) && !name.contains('[') {
                Ok(())
            } else {
                Err(unsupported_form(&format!("to make a value {data_type}")))
            }
        }
        Expr::UnaryOp { op: UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Not, .. }
        | Expr::Identifier(_)
        | Expr::CompoundIdentifier(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotUnknown(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::Like { any: false, .. }
        | Expr::ILike { any: false, .. }
        | Expr::Extract { .. }
        | Expr::Ceil { .. }
        | Expr::Floor { .. }
        | Expr::Position { .. }
        | Expr::Substring { .. }
        | Expr::Trim { .. }
        | Expr::Nested(_)
        | Expr::Value(_)
        | Expr::TypedString(_)
        | Expr::Case { .. }
        | Expr::Exists { .. }
        | Expr::Subquery(_)
        | Expr::Interval(_)
        | Expr::Wildcard(_)
        | Expr::QualifiedWildcard(..) => Ok(()),
        Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_) => {
            Err(unsupported_form("GROUPING SETS, CUBE and ROLLUP"))
        }
        other => Err(unsupported_form(&other.to_string())),
    }
}

fn unsupported_form(what: &str) -> SelectRefusal {
    SelectRefusal::Form(what.to_owned())
}

fn is_operator(op: &BinaryOperator) -> bool {
    matches!(
        op,
        BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo
            | BinaryOperator::Gt
            | BinaryOperator::Lt
            | BinaryOperator::GtEq
            | BinaryOperator::LtEq
            | BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::And
            | BinaryOperator::Or
            | BinaryOperator::StringConcat
    )
}

fn check_function(function: &Function) -> Result<(), SelectRefusal> {
    let name = match function.name.0.as_slice() {
        [part] => part.as_ident().map(normalize_name).unwrap_or_default().to_lowercase(),
        _ => function.name.to_string(),
    };
    if !NAMES.functions().iter().any(|(_, names)| names.contains(&name)) {
        return Err(SelectRefusal::Function(name));
    }
    if function.over.is_some() && NAMES.not_over_windows.contains(&name) {
        return Err(unsupported_form(&format!("`{name}` with OVER")));
    }
    let list = match &function.args {
        FunctionArguments::List(list) => Some(list),
        FunctionArguments::None | FunctionArguments::Subquery(_) => None,
    };
    let only_orders = |clause: &FunctionArgumentClause| matches!(clause, FunctionArgumentClause::OrderBy(_));
    let is_plain = function.null_treatment.is_none()
        && (function.within_group.is_empty() || NAMES.within_group.contains(&name))
        && matches!(function.parameters, FunctionArguments::None)
        && list.is_none_or(|list| list.clauses.iter().all(only_orders));
    if !is_plain {
        return Err(unsupported_form(&format!("more than arguments, FILTER and OVER with `{name}`")));
    }
    if name == "approx_percentile_cont" && !list.is_none_or(|list| has_small_digest(function, list)) {
        return Err(unsupported_form(
            "a third argument of `approx_percentile_cont` that is not a number from 10 to 1000",
        ));
    }
    Ok(())
}

/// Returns true if the digest size, which sets the size of an allocation, is absent or small.
fn has_small_digest(function: &Function, list: &FunctionArgumentList) -> bool {
    let position = if function.within_group.is_empty() { 2 } else { 1 };
    list.args.get(position).is_none_or(|size| {
        let size = size.to_string().parse::<u32>();
        size.is_ok_and(|size| (10..=1_000).contains(&size))
    })
}
