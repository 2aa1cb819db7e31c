//! `SUM(x), SUM(CAST(x AS DOUBLE))`: the engine leaves casts out of column names, so that it refuses these two as duplicates. Such a SELECT
//! is planned again with the types in the names.

use std::ops::ControlFlow;

use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, CastKind, Expr, Ident, Select, SelectItem, Statement, Value, VisitMut,
    VisitorMut, helpers::attached_token::AttachedToken,
};

/// Returns true if a statement is refused because two of its columns have the same name.
pub(super) fn is_duplicate_name(error: &DataFusionError) -> bool {
    match error.find_root() {
        DataFusionError::SchemaError(inner, _) => {
            matches!(
                inner.as_ref(),
                SchemaError::DuplicateUnqualifiedField { .. } | SchemaError::DuplicateQualifiedField { .. }
            )
        }
        DataFusionError::Plan(message) => message.contains("unique expression names"),
        _ => false,
    }
}

/// Adds the types of casts to the column names of a statement: each cast within a function becomes the result of a CASE whose condition has
/// the type as a text.
pub(super) fn distinguish_casts(mut statement: Statement) -> Statement {
    // The visitor never breaks.
    let _ = statement.visit(&mut CastTyper { functions: 0 });
    statement
}

struct CastTyper {
    /// Number of functions around the current expression.
    functions: usize,
}

impl VisitorMut for CastTyper {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(expr) = item
                && matches!(expr, Expr::Function(_))
            {
                let alias = Ident::with_quote('"', expr.to_string());
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.functions += usize::from(matches!(expr, Expr::Function(_)));
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.functions -= usize::from(matches!(expr, Expr::Function(_)));
        if let Expr::Cast { kind: CastKind::Cast | CastKind::DoubleColon, data_type, .. } = expr
            && self.functions > 0
        {
            let ty = || Box::new(Expr::value(Value::SingleQuotedString(data_type.to_string())));
            let condition = Expr::BinaryOp { left: ty(), op: BinaryOperator::Eq, right: ty() };
            let conditions = vec![CaseWhen { condition, result: expr.clone() }];
            let (case_token, end_token) = (AttachedToken::empty(), AttachedToken::empty());
            *expr = Expr::Case { case_token, end_token, operand: None, conditions, else_result: None };
        }
        ControlFlow::Continue(())
    }
}
