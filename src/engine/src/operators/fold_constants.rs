//! Folds the parts of a logical plan that the shape of a call makes constant: a bound value is not null, and a parameter of words has one
//! word.
//!
//! The planner's simplifier continues from there. It does not itself compare the words of `CASE 'a' WHEN 'b' ...`, and does not always see
//! that a placeholder's value is never null.

use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Case, Expr, lit};

/// Folds an expression whose placeholders have their nullability as metadata.
pub(crate) fn fold_constants(expr: Expr) -> Result<Transformed<Expr>> {
    expr.transform_up(|expr| {
        Ok(match expr {
            Expr::IsNull(inner) if is_never_null(&inner) => Transformed::yes(lit(false)),
            Expr::IsNotNull(inner) if is_never_null(&inner) => Transformed::yes(lit(true)),
            Expr::Case(case) => match compare_words(&case) {
                Some(conditions) => Transformed::yes(build_case(case, conditions)),
                None => Transformed::no(Expr::Case(case)),
            },
            other => Transformed::no(other),
        })
    })
}

fn is_never_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Placeholder(Placeholder { field: Some(field), .. }) if !field.is_nullable())
}

/// Compares the word of `CASE word WHEN word ...` with that of each WHEN; `None` if one of them is not a literal text.
fn compare_words(case: &Case) -> Option<Vec<bool>> {
    let Expr::Literal(word, _) = case.expr.as_deref()? else { return None };
    case.when_then_expr
        .iter()
        .map(|(when, _)| match when.as_ref() {
            Expr::Literal(when, _) => equal_texts(word, when),
            _ => None,
        })
        .collect()
}

/// Compares as SQL does: null equals no value; `None` for values other than texts.
fn equal_texts(a: &ScalarValue, b: &ScalarValue) -> Option<bool> {
    Some(match (a.try_as_str()?, b.try_as_str()?) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    })
}

/// Builds the same CASE with constant conditions. All branches remain, because together they decide the type of the result.
fn build_case(case: Case, conditions: Vec<bool>) -> Expr {
    let branches = case.when_then_expr.into_iter().zip(conditions);
    let when_then_expr = branches.map(|((_, then), holds)| (Box::new(lit(holds)), then)).collect();
    Expr::Case(Case { expr: None, when_then_expr, else_expr: case.else_expr })
}
