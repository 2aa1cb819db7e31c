//! `a IS DISTINCT FROM b AND c`: the parser takes `b AND c` as the right operand. So the words are replaced by one operator, which binds
//! correctly, and restored after parsing.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Statement, VisitMut, VisitorMut};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

const DISTINCT: &str = "IS DISTINCT FROM";
const NOT_DISTINCT: &str = "IS NOT DISTINCT FROM";

/// Replaces these words in the tokens by one operator.
pub(super) fn replace_with_operator(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut merged: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    for token in tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))) {
        let ends_with = |words: &[Keyword]| {
            let last_keywords = merged.iter().rev().map(|token| keyword(&token.token));
            merged.len() >= words.len()
                && last_keywords.zip(words.iter().rev()).all(|(last, word)| last == Some(*word))
        };
        let (count, operator) = if keyword(&token.token) != Some(Keyword::FROM) {
            (0, None)
        } else if ends_with(&[Keyword::IS, Keyword::NOT, Keyword::DISTINCT]) {
            (3, Some(NOT_DISTINCT))
        } else if ends_with(&[Keyword::IS, Keyword::DISTINCT]) {
            (2, Some(DISTINCT))
        } else {
            (0, None)
        };
        merged.truncate(merged.len() - count);
        let operator = operator.map(|operator| Token::CustomBinaryOperator(operator.to_owned()));
        merged.push(TokenWithSpan { token: operator.unwrap_or(token.token), span: token.span });
    }
    merged
}

fn keyword(token: &Token) -> Option<Keyword> {
    match token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.keyword),
        _ => None,
    }
}

/// Restores the words in the statement.
pub(super) fn restore(statement: &mut Statement) {
    // The visitor never breaks.
    let _ = statement.visit(&mut Restore);
}

struct Restore;

impl VisitorMut for Restore {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::BinaryOp { left, op: BinaryOperator::Custom(operator), right } = expr {
            let (left, right) = (left.clone(), right.clone());
            match operator.as_str() {
                DISTINCT => *expr = Expr::IsDistinctFrom(left, right),
                NOT_DISTINCT => *expr = Expr::IsNotDistinctFrom(left, right),
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }
}
