//! Parses the text of a SELECT and checks it against the allowed forms. A text that passes is bounded in every way in which a plan can
//! grow: length, nesting, chains of operators, tables and common table expressions.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, GroupByExpr, JoinConstraint, JoinOperator, ObjectName, Query, Select, SetExpr, Statement as Parsed,
    TableFactor, TableWithJoins, Visit, Visitor,
};
use datafusion::sql::sqlparser::dialect::{Dialect, GenericDialect};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::names::normalize_name;
use super::refusal::SelectRefusal;
use super::{distinct, forms};

/// Maximum length of a text, in bytes.
const LONGEST_SQL: usize = 16 << 10;
const MOST_TOKENS: usize = 2_500;
/// Maximum number of operators and words that join expressions or SELECTs: each may make a plan one step deeper.
const MOST_OPERATORS: usize = 300;
const MOST_BRACKET_DEPTH: usize = 24;
/// Maximum number of table references.
const MOST_RELATIONS: usize = 16;
/// Maximum number of common table expressions; a plan has a copy of an expression for each reference to it.
const MOST_TABLE_EXPRESSIONS: usize = 8;

/// A parsed and checked SELECT.
#[derive(Debug)]
pub(super) struct UserStatement {
    pub parsed: Box<Parsed>,
    /// The tables that it names, including references to its common table expressions.
    pub relations: Vec<ObjectName>,
    /// The names of its common table expressions.
    pub table_expressions: BTreeSet<String>,
}

impl UserStatement {
    /// Parses and checks a text.
    ///
    /// # Errors
    /// SQL that is not allowed.
    pub(super) fn parse(sql: &str) -> Result<Self, SelectRefusal> {
        let dialect = GenericDialect {};
        let tokens = distinct::replace_with_operator(tokenize_within_limits(sql, &dialect)?);
        let mut parser = Parser::new(&dialect).with_tokens_with_locations(tokens);
        let mut statements =
            parser.parse_statements().map_err(|error| SelectRefusal::Syntax(error.to_string()))?;
        let (Some(mut parsed), true) = (statements.pop(), statements.is_empty()) else {
            return Err(SelectRefusal::NotOneStatement);
        };
        distinct::restore(&mut parsed);
        if !matches!(parsed, Parsed::Query(_)) {
            return Err(SelectRefusal::NotSelect);
        }
        let mut names = StatementNames::default();
        if let ControlFlow::Break(refusal) = parsed.visit(&mut names) {
            return Err(*refusal);
        }
        let counts = [
            ("places at which tables are named", MOST_RELATIONS, names.relations.len()),
            ("common table expressions", MOST_TABLE_EXPRESSIONS, names.table_expressions.len()),
        ];
        if let Some((what, most, count)) = counts.into_iter().find(|(_, most, count)| count > most) {
            return Err(SelectRefusal::TooMuch { what, most, count });
        }
        Ok(Self {
            parsed: Box::new(parsed),
            relations: names.relations,
            table_expressions: names.table_expressions,
        })
    }
}

/// Tokenizes a text within the limits of size.
///
/// # Errors
/// An exceeded limit, or text that is not a token.
pub(crate) fn tokenize_within_limits(
    sql: &str,
    dialect: &dyn Dialect,
) -> Result<Vec<TokenWithSpan>, SelectRefusal> {
    if sql.len() > LONGEST_SQL {
        return Err(SelectRefusal::TooMuch { what: "bytes of SQL", most: LONGEST_SQL, count: sql.len() });
    }
    let tokens = Tokenizer::new(dialect, sql)
        .tokenize_with_location()
        .map_err(|error| SelectRefusal::Syntax(error.to_string()))?;
    check_size(tokens.iter().map(|token| &token.token))?;
    Ok(tokens)
}

/// Counts tokens, operators and brackets, because the parser and planner recurse as deep as these are nested.
fn check_size<'a>(tokens: impl Iterator<Item = &'a Token>) -> Result<(), SelectRefusal> {
    let (mut count, mut operators, mut depth, mut deepest) = (0, 0, 0_usize, 0);
    for token in tokens.filter(|token| !matches!(token, Token::Whitespace(_) | Token::EOF)) {
        count += 1;
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace => depth = depth.saturating_sub(1),
            token => operators += usize::from(may_nest(token)),
        }
        deepest = deepest.max(depth);
    }
    let counts = [
        ("words, numbers and signs", MOST_TOKENS, count),
        ("operators", MOST_OPERATORS, operators),
        ("brackets within brackets", MOST_BRACKET_DEPTH, deepest),
    ];
    match counts.into_iter().find(|(_, most, count)| count > most) {
        Some((what, most, count)) => Err(SelectRefusal::TooMuch { what, most, count }),
        None => Ok(()),
    }
}

/// Returns true if a token may deepen an expression or a SELECT without a bracket: every token may, except for those listed here.
fn may_nest(token: &Token) -> bool {
    const NESTING_KEYWORDS: [Keyword; 14] = [
        Keyword::AND,
        Keyword::OR,
        Keyword::NOT,
        Keyword::IS,
        Keyword::IN,
        Keyword::LIKE,
        Keyword::ILIKE,
        Keyword::BETWEEN,
        Keyword::UNION,
        Keyword::EXCEPT,
        Keyword::INTERSECT,
        Keyword::CASE,
        Keyword::JOIN,
        Keyword::COLLATE,
    ];
    match token {
        Token::Word(word) => word.quote_style.is_none() && NESTING_KEYWORDS.contains(&word.keyword),
        Token::Number(..)
        | Token::SingleQuotedString(_)
        | Token::DoubleQuotedString(_)
        | Token::Placeholder(_)
        | Token::Comma
        | Token::Period
        | Token::SemiColon => false,
        _ => true,
    }
}

/// The names that are collected while a statement is visited.
#[derive(Default)]
struct StatementNames {
    relations: Vec<ObjectName>,
    table_expressions: BTreeSet<String>,
}

type Flow = ControlFlow<Box<SelectRefusal>>;

fn refuse(refusal: SelectRefusal) -> Flow {
    ControlFlow::Break(Box::new(refusal))
}

fn unsupported_form(what: &'static str) -> Flow {
    refuse(SelectRefusal::Form(what.to_owned()))
}

/// Refuses the first of these forms whose flag is true.
fn refuse_forms(forms: &[(bool, &'static str)]) -> Flow {
    forms
        .iter()
        .find(|(is_there, _)| *is_there)
        .map_or(Flow::Continue(()), |(_, what)| unsupported_form(what))
}

impl Visitor for StatementNames {
    type Break = Box<SelectRefusal>;

    fn pre_visit_statement(&mut self, statement: &Parsed) -> Flow {
        if matches!(statement, Parsed::Query(_)) {
            Flow::Continue(())
        } else {
            refuse(SelectRefusal::NotSelect)
        }
    }

    fn pre_visit_query(&mut self, query: &Query) -> Flow {
        if let Some(with) = &query.with {
            refuse_forms(&[(with.recursive, "WITH RECURSIVE")])?;
            self.table_expressions
                .extend(with.cte_tables.iter().map(|table| normalize_name(&table.alias.name)));
        }
        refuse_forms(&[
            (!query.locks.is_empty(), "FOR UPDATE"),
            (query.for_clause.is_some(), "FOR XML"),
            (query.settings.is_some(), "SETTINGS"),
            (query.format_clause.is_some(), "FORMAT"),
            (!query.pipe_operators.is_empty(), "|>"),
        ])?;
        check_bodies(&query.body)
    }

    fn pre_visit_select(&mut self, select: &Select) -> Flow {
        let modifiers = match &select.group_by {
            GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers) => modifiers,
        };
        refuse_forms(&[
            (select.into.is_some(), "INTO"),
            (select.top.is_some(), "TOP"),
            (!select.lateral_views.is_empty(), "LATERAL VIEW"),
            (select.prewhere.is_some(), "PREWHERE"),
            (!select.connect_by.is_empty(), "CONNECT BY"),
            (!select.cluster_by.is_empty(), "CLUSTER BY"),
            (!select.distribute_by.is_empty(), "DISTRIBUTE BY"),
            (!select.sort_by.is_empty(), "SORT BY"),
            (select.value_table_mode.is_some(), "AS STRUCT"),
            (!modifiers.is_empty(), "GROUP BY WITH"),
        ])?;
        refuse_ambiguous_joins(&select.from)
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> Flow {
        self.relations.push(relation.clone());
        Flow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> Flow {
        match factor {
            TableFactor::Table { name, args, version, sample, json_path, with_ordinality, .. } => {
                if args.is_some() {
                    return refuse(SelectRefusal::TableFunction(name.to_string()));
                }
                refuse_forms(&[
                    (version.is_some(), "FOR SYSTEM_TIME"),
                    (sample.is_some(), "TABLESAMPLE"),
                    (json_path.is_some(), "a path into JSON"),
                    (*with_ordinality, "WITH ORDINALITY"),
                ])
            }
            TableFactor::Derived { lateral, sample, .. } => {
                refuse_forms(&[(*lateral, "LATERAL"), (sample.is_some(), "TABLESAMPLE")])
            }
            TableFactor::NestedJoin { table_with_joins, .. } => {
                refuse_ambiguous_joins(std::slice::from_ref(table_with_joins))
            }
            TableFactor::Function { name, .. } => refuse(SelectRefusal::TableFunction(name.to_string())),
            TableFactor::TableFunction { expr, .. } => refuse(SelectRefusal::TableFunction(expr.to_string())),
            TableFactor::UNNEST { .. } => refuse(SelectRefusal::TableFunction("unnest".to_owned())),
            _ => unsupported_form("this kind of table"),
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> Flow {
        forms::check(expr).map_or_else(refuse, |()| Flow::Continue(()))
    }
}

/// Refuses joins in which a merged column would have the value of the left side although a row may exist only on the right side.
fn refuse_ambiguous_joins(from: &[TableWithJoins]) -> Flow {
    let hides = from.iter().flat_map(|from| &from.joins).any(|join| match &join.join_operator {
        JoinOperator::Right(on) | JoinOperator::RightOuter(on) | JoinOperator::FullOuter(on) => {
            matches!(on, JoinConstraint::Using(_) | JoinConstraint::Natural)
        }
        _ => false,
    });
    if !hides {
        return Flow::Continue(());
    }
    let message = "USING and NATURAL are not there for RIGHT and FULL JOIN: write ON a.x = b.x, and coalesce(a.x, b.x) for the column";
    refuse(SelectRefusal::Unsupported(message.to_owned()))
}

/// Checks the SELECTs that are combined by UNION and similar operators.
fn check_bodies(body: &SetExpr) -> Flow {
    let mut pending = vec![body];
    while let Some(body) = pending.pop() {
        match body {
            SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) => {}
            SetExpr::SetOperation { left, right, .. } => pending.extend([&**left, &**right]),
            _ => return refuse(SelectRefusal::NotSelect),
        }
    }
    Flow::Continue(())
}
