//! `SUM(x), SUM(CAST(x AS DOUBLE))`: the engine leaves casts out of the names of its columns, so that these two are one to it, and it
//! refuses them. Such a SELECT is planned again with the types in the names.

use std::ops::ControlFlow;

use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, CastKind, Expr, Ident, Select, SelectItem, Statement, Value, VisitMut,
    VisitorMut, helpers::attached_token::AttachedToken,
};

/// Tells whether a statement is refused for two columns of one name.
pub(super) fn are_one(error: &DataFusionError) -> bool {
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

/// The statement with the types of casts in the names of its columns.
pub(super) fn told_apart(mut statement: Statement) -> Statement {
    // It is never broken off.
    let _ = statement.visit(&mut Typed { functions: 0 });
    statement
}

struct Typed {
    /// The number of functions around the present expression.
    functions: usize,
}

impl VisitorMut for Typed {
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
