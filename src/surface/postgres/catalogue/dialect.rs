//! A question to a catalogue, from the SQL of Postgres to that of SQLite: one SELECT, of functions that are allowed.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    AccessExpr, BinaryOperator, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, Ident, ObjectName, ObjectNamePart, SelectItem, SetExpr, Statement, Subscript,
    TableAlias, TableFactor, UnaryOperator, Value, VisitMut as _, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
use datafusion::sql::sqlparser::parser::Parser;

use super::super::failure::SqlFailure;
use super::super::kind::PgKind;
use super::columns::{TABLES, argument, columns, last, plain, word_of};
use super::functions;
use crate::engine::own_select::measured;

/// A question that SQLite can be asked.
#[derive(Debug)]
pub(super) struct Question {
    /// The SELECT.
    pub sql: String,
    /// Its columns; none where it has a `*`.
    pub columns: Option<Vec<(String, PgKind)>>,
    /// Whether it reads what this catalogue has not, and so finds no rows.
    pub finds_nothing: bool,
}

/// Reads a question.
///
/// # Errors
/// What is no question to a catalogue.
pub(super) fn question(sql: &str) -> Result<Question, SqlFailure> {
    let syntax = |message: String| SqlFailure::new("42601", message);
    let dialect = PostgreSqlDialect {};
    let tokens = measured(sql, &dialect).map_err(|refused| SqlFailure::of(&refused.into()))?;
    let mut parser = Parser::new(&dialect).with_tokens_with_locations(tokens);
    let mut parsed = parser.parse_statements().map_err(|error| syntax(error.to_string()))?;
    let (Some(Statement::Query(mut query)), true) = (parsed.pop(), parsed.is_empty()) else {
        return Err(syntax("one SELECT at a time is asked of the catalogue".to_owned()));
    };
    let columns = columns(&query);
    let mut translator = Translator::default();
    if let ControlFlow::Break(refused) = query.visit(&mut translator) {
        return Err(refused);
    }
    if let Some(refused) = translator.refused.filter(|_| !translator.finds_nothing) {
        return Err(refused);
    }
    query.locks.clear();
    Ok(Question { sql: query.to_string(), columns, finds_nothing: translator.finds_nothing })
}

fn call(name: &str, args: Vec<Expr>) -> Expr {
    let args = args.into_iter().map(|expr| FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))).collect();
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args,
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

fn not(expr: Expr) -> Expr {
    Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(expr) }
}

/// Functions that make rows where a value is expected.
const MAKE_ROWS: [&str; 4] = ["_pg_expandarray", "unnest", "generate_series", "generate_subscripts"];

/// Rewrites what SQLite writes in another way.
#[derive(Default)]
struct Translator {
    finds_nothing: bool,
    /// What cannot be written for SQLite: it does not matter where nothing is found anyhow.
    refused: Option<SqlFailure>,
}

impl VisitorMut for Translator {
    type Break = SqlFailure;

    fn pre_visit_relation(&mut self, relation: &mut ObjectName) -> ControlFlow<SqlFailure> {
        let parts: Vec<String> = relation.0.iter().filter_map(ObjectNamePart::as_ident).map(plain).collect();
        let name = match parts.as_slice() {
            [.., schema, table] if schema == "information_schema" => format!("{schema}.{table}"),
            [.., schema, table] if schema == "pg_catalog" => table.clone(),
            [table] => table.clone(),
            _ => {
                return ControlFlow::Break(SqlFailure::new(
                    "42P01",
                    format!(
                        "`{relation}` is no table of the catalogue, of which the rest of this SELECT asks"
                    ),
                ));
            }
        };
        let is_known = [
            format!(" {name} ("),
            format!(" \"{name}\" ("),
            format!(" {name} AS"),
            format!(" \"{name}\" AS"),
        ];
        let is_of_catalogue = name.starts_with("pg_") || name.contains('.');
        self.finds_nothing |= is_of_catalogue && !is_known.iter().any(|known| TABLES.contains(known));
        *relation = ObjectName::from(vec![Ident::with_quote('"', name)]);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<SqlFailure> {
        let (name, argument, alias) = match factor {
            TableFactor::Table { name, .. } if last(name) == "json_each" => return ControlFlow::Continue(()),
            TableFactor::Table { args: None, .. }
            | TableFactor::Derived { lateral: false, .. }
            | TableFactor::NestedJoin { .. } => return ControlFlow::Continue(()),
            TableFactor::Table { name, args: Some(args), alias, .. } => {
                (last(name), of_rows(&last(name), &args.args), alias.take())
            }
            TableFactor::Function { name, args, alias, .. } => {
                (last(name), of_rows(&last(name), args), alias.take())
            }
            TableFactor::UNNEST { alias, array_exprs, .. } => {
                ("unnest".to_owned(), array_exprs.pop().map(|list| call("pg_json", vec![list])), alias.take())
            }
            _ => {
                // What looks at the rows beside it.
                self.finds_nothing = true;
                return ControlFlow::Continue(());
            }
        };
        match each(&name, argument, alias) {
            Some(rows) => *factor = rows,
            None => self.finds_nothing = true,
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<SqlFailure> {
        if let Expr::Function(function) = expr
            && MAKE_ROWS.contains(&last(&function.name).as_str())
        {
            self.finds_nothing = true;
        }
        let taken = std::mem::replace(expr, Expr::Value(Value::Null.into()));
        match translated(taken) {
            Ok(translated) => *expr = translated,
            Err(refused) => self.refused = self.refused.take().or(Some(refused)),
        }
        ControlFlow::Continue(())
    }
}

/// What a function that makes rows makes them of; none where it makes none here.
fn of_rows(name: &str, args: &[FunctionArg]) -> Option<Expr> {
    let args: Vec<Expr> = args.iter().filter_map(argument).cloned().collect();
    match name {
        "unnest" => Some(call("pg_json", args)),
        "generate_series" => Some(call("pg_series", args)),
        _ => None,
    }
}

/// The rows of such a function, as a table of one column.
fn each(name: &str, of: Option<Expr>, alias: Option<TableAlias>) -> Option<TableFactor> {
    let parser = Parser::new(&PostgreSqlDialect {});
    let mut query = parser.try_with_sql(include_str!("each.sql")).ok()?.parse_query().ok()?;
    let alias = alias.unwrap_or_else(|| TableAlias {
        explicit: true,
        name: Ident::new(name),
        columns: Vec::new(),
        at: None,
    });
    let column = alias.columns.first().map_or(&alias.name, |column| &column.name).clone();
    if let SetExpr::Select(select) = &mut *query.body {
        if let [SelectItem::ExprWithAlias { alias, .. }] = select.projection.as_mut_slice() {
            *alias = column;
        }
        if let Some(of) = of
            && let Some(TableFactor::Table { args: Some(args), .. }) =
                select.from.first_mut().map(|from| &mut from.relation)
        {
            args.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(of))];
        }
    }
    let alias = Some(TableAlias { columns: Vec::new(), ..alias });
    Some(TableFactor::Derived { lateral: false, subquery: query, alias, sample: None })
}

fn translated(expr: Expr) -> Result<Expr, SqlFailure> {
    Ok(match expr {
        Expr::CompoundIdentifier(mut names) if names.len() > 2 => {
            names.drain(..names.len() - 2);
            Expr::CompoundIdentifier(names)
        }
        Expr::Function(function) => of_function(function)?,
        Expr::BinaryOp { left, op, right } => of_operator(left, op, right),
        Expr::Collate { expr, .. } => *expr,
        Expr::Cast { expr, data_type, .. } => of_cast(*expr, &word_of(&data_type)),
        Expr::TypedString(typed) => of_cast(Expr::Value(typed.value), &word_of(&typed.data_type)),
        Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => of_any(*left, *right),
        Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => not(of_any(*left, *right)),
        Expr::Array(array) => call("pg_array", array.elem),
        Expr::CompoundFieldAccess { root, access_chain } => match access_chain.into_iter().next() {
            Some(AccessExpr::Subscript(Subscript::Index { index })) => call("pg_element", vec![*root, index]),
            _ => return Err(refused("a part of a value")),
        },
        Expr::Like { negated, any, expr, pattern, escape_char } => {
            let backslash = || Some(Value::SingleQuotedString("\\".to_owned()).into());
            Expr::Like { negated, any, expr, pattern, escape_char: escape_char.or_else(backslash) }
        }
        Expr::ILike { negated, any, expr, pattern, escape_char } => {
            let lower = |side: Box<Expr>| Box::new(call("lower", vec![*side]));
            Expr::Like { negated, any, expr: lower(expr), pattern: lower(pattern), escape_char }
        }
        Expr::Value(mut value) => {
            value.value = match value.value {
                Value::EscapedStringLiteral(text) | Value::NationalStringLiteral(text) => {
                    Value::SingleQuotedString(text)
                }
                Value::DollarQuotedString(text) => Value::SingleQuotedString(text.value),
                other => other,
            };
            Expr::Value(value)
        }
        Expr::Interval(_) | Expr::Extract { .. } | Expr::AtTimeZone { .. } => return Err(refused("a time")),
        other => other,
    })
}

fn refused(what: &str) -> SqlFailure {
    SqlFailure::new("0A000", format!("the catalogue answers no question with {what}"))
}

fn of_operator(left: Box<Expr>, op: BinaryOperator, right: Box<Expr>) -> Expr {
    let sign = match &op {
        BinaryOperator::PGCustomBinaryOperator(parts) => parts.last().cloned().unwrap_or_default(),
        other => other.to_string(),
    };
    let both = |name: &str, left: Box<Expr>, right: Box<Expr>| call(name, vec![*left, *right]);
    match sign.as_str() {
        "~" => both("pg_match", left, right),
        "!~" => not(both("pg_match", left, right)),
        "~*" => both("pg_imatch", left, right),
        "!~*" => not(both("pg_imatch", left, right)),
        "=" => Expr::BinaryOp { left, op: BinaryOperator::Eq, right },
        "<>" => Expr::BinaryOp { left, op: BinaryOperator::NotEq, right },
        _ => Expr::BinaryOp { left, op, right },
    }
}

fn of_any(left: Expr, right: Expr) -> Expr {
    match right {
        Expr::Nested(inner) => of_any(left, *inner),
        Expr::Subquery(subquery) => Expr::InSubquery { expr: Box::new(left), subquery, negated: false },
        list => call("pg_any", vec![left, list]),
    }
}

fn of_cast(expr: Expr, word: &str) -> Expr {
    let is_literal = matches!(&expr, Expr::Value(value) if !matches!(value.value, Value::Placeholder(_)));
    let cast = |expr: Expr, data_type: DataType| Expr::Cast {
        kind: datafusion::sql::sqlparser::ast::CastKind::Cast,
        expr: Box::new(expr),
        data_type,
        array: false,
        format: None,
    };
    match word {
        "regclass" if is_literal => call("to_regclass", vec![expr]),
        "regclass" => call("regclass_name", vec![expr]),
        "regtype" if is_literal => call("to_regtype", vec![expr]),
        "regtype" => call("format_type", vec![expr, Expr::Value(Value::Null.into())]),
        "regnamespace" if is_literal => call("to_regnamespace", vec![expr]),
        "regnamespace" => call("regnamespace_name", vec![expr]),
        "regproc" | "regprocedure" => call("regproc_name", vec![expr]),
        "regrole" => call("pg_get_userbyid", vec![expr]),
        "text" | "varchar" | "character varying" | "name" | "char" => cast(expr, DataType::Text),
        "int" | "int2" | "int4" | "int8" | "integer" | "bigint" | "smallint" | "oid" => {
            cast(expr, DataType::Integer(None))
        }
        "float8" | "numeric" | "double precision" | "real" => cast(expr, DataType::Real),
        _ => expr,
    }
}

fn of_function(mut function: Function) -> Result<Expr, SqlFailure> {
    let name = last(&function.name);
    if name == "array" {
        // `ARRAY(SELECT x ...)`: the values as a list.
        if let FunctionArguments::Subquery(mut query) = function.args {
            query.order_by = None;
            if let SetExpr::Select(select) = &mut *query.body
                && let [SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }] =
                    select.projection.as_mut_slice()
            {
                let taken = std::mem::replace(expr, Expr::Value(Value::Null.into()));
                *expr = call("array_agg", vec![taken]);
            }
            return Ok(Expr::Subquery(query));
        }
        return Err(refused("such a list"));
    }
    if functions::kind_of(&name).is_none() {
        let message =
            format!("the catalogue has no function `{name}`; the guide `sql` says what is asked of it");
        return Err(SqlFailure::new("42883", message));
    }
    function.name = ObjectName::from(vec![Ident::with_quote('"', functions::known_as(&name))]);
    if matches!(function.args, FunctionArguments::None) {
        function.args = FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: Vec::new(),
            clauses: Vec::new(),
        });
    }
    Ok(Expr::Function(function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_postgres_become_those_of_sqlite() {
        for (asked, expected) in [
            (
                "SELECT c.relname FROM pg_catalog.pg_class c WHERE c.relname OPERATOR(pg_catalog.~) '^(a)$' COLLATE pg_catalog.default",
                "SELECT c.relname FROM \"pg_class\" c WHERE pg_match(c.relname, '^(a)$')",
            ),
            (
                "SELECT c.oid::pg_catalog.regclass FROM pg_class c",
                "SELECT regclass_name(c.oid) FROM \"pg_class\" AS c",
            ),
            ("SELECT 'x'::regclass::oid", "SELECT CAST(to_regclass('x') AS INTEGER)"),
            (
                "SELECT 1 WHERE 'a' = ANY (current_schemas(true))",
                "SELECT 1 WHERE pg_any('a', \"current_schemas\"(true))",
            ),
            (
                "SELECT table_name FROM information_schema.tables",
                "SELECT table_name FROM \"information_schema.tables\"",
            ),
        ] {
            let sql = question(asked).unwrap().sql.replace(" AS c", " c");
            assert_eq!(sql, expected.replace(" AS c", " c"), "{asked}");
        }
        for wrong in [
            "SELECT load_extension('x')",
            "SELECT randomblob(1000000000)",
            "DELETE FROM pg_class",
            "SELECT 1; SELECT 2",
        ] {
            assert!(question(wrong).is_err(), "{wrong}");
        }
        assert!(question("SELECT * FROM pg_statistic_ext").unwrap().finds_nothing);
        assert!(!question("SELECT * FROM pg_tables, information_schema.columns").unwrap().finds_nothing);
    }

    #[test]
    fn columns_have_the_names_and_types_of_postgres() {
        let question = question(
            "SELECT a.attnum, NOT attisdropped, count(*), typname::text AS t, version(), 1, CASE WHEN true THEN false END FROM pg_attribute a, pg_type",
        );
        let columns = question.unwrap().columns.unwrap();
        let expected = [
            ("attnum", PgKind::Int2),
            ("?column?", PgKind::Bool),
            ("count", PgKind::Int8),
            ("t", PgKind::Text),
            ("version", PgKind::Text),
            ("?column?", PgKind::Int4),
            ("case", PgKind::Bool),
        ];
        assert_eq!(columns, expected.map(|(name, kind)| (name.to_owned(), kind)));
    }
}
