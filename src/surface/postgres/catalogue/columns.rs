//! The columns that a question answers: their names and types, as Postgres would tell them.

use std::collections::HashMap;
use std::sync::LazyLock;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    ObjectName, ObjectNamePart, Query, SelectItem, SetExpr, UnaryOperator, Value,
};

use super::super::kind::PgKind;
use super::functions::{self, FunctionKind};

/// The tables of the catalogue.
pub(super) const TABLES: &str = include_str!("tables.sql");

/// The types of all columns of the catalogue by name: no two tables give one name to two types.
static COLUMNS: LazyLock<HashMap<&str, PgKind>> = LazyLock::new(|| {
    let tables = TABLES.split("CREATE TABLE ").skip(1).filter_map(|table| table.split_once('('));
    let columns = tables.flat_map(|(_, rest)| rest.split(");").next().unwrap_or_default().split(','));
    let typed = columns.filter_map(|column| {
        let mut words = column.split_whitespace();
        Some((words.next()?, PgKind::of_word(words.next()?)?))
    });
    typed.collect()
});

/// The type of a column of the catalogue.
pub(super) fn kind_of_column(name: &str) -> PgKind {
    COLUMNS.get(name).copied().unwrap_or(match name {
        "usesysid" => PgKind::Oid,
        "usesuper" | "hasindexes" | "hasrules" | "hastriggers" | "rowsecurity" => PgKind::Bool,
        "numeric_precision" | "numeric_scale" | "datetime_precision" | "character_maximum_length" => {
            PgKind::Int4
        }
        _ => PgKind::Text,
    })
}

/// The columns that a query answers, under the names that Postgres gives them.
pub(super) fn columns(query: &Query) -> Option<Vec<(String, PgKind)>> {
    let mut body = &*query.body;
    loop {
        match body {
            SetExpr::Select(select) => return select.projection.iter().map(column).collect(),
            SetExpr::Query(inner) => body = &inner.body,
            SetExpr::SetOperation { left, .. } => body = left,
            _ => return None,
        }
    }
}

fn column(item: &SelectItem) -> Option<(String, PgKind)> {
    match item {
        SelectItem::UnnamedExpr(expr) => Some((name_of(expr), kind_of(expr))),
        SelectItem::ExprWithAlias { expr, alias } => Some((plain(alias), kind_of(expr))),
        _ => None,
    }
}

pub(super) fn plain(name: &Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_lowercase() }
}

pub(super) fn last(name: &ObjectName) -> String {
    name.0.last().and_then(ObjectNamePart::as_ident).map(plain).unwrap_or_default()
}

fn name_of(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(name) => plain(name),
        Expr::CompoundIdentifier(names) => names.last().map(plain).unwrap_or_default(),
        Expr::Function(function) => last(&function.name),
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => name_of(inner),
        Expr::Cast { expr, data_type, .. } => match name_of(expr) {
            name if name == "?column?" => word_of(data_type),
            name => name,
        },
        Expr::Case { .. } => "case".to_owned(),
        Expr::Exists { .. } => "exists".to_owned(),
        Expr::Array(_) => "array".to_owned(),
        Expr::Subquery(query) => columns(query)
            .and_then(|columns| columns.into_iter().next())
            .map_or_else(String::new, |(name, _)| name),
        Expr::Value(value) if matches!(value.value, Value::Boolean(_)) => "bool".to_owned(),
        _ => "?column?".to_owned(),
    }
}

/// The type of an expression, as far as it shows.
fn kind_of(expr: &Expr) -> PgKind {
    match expr {
        Expr::Identifier(name) => kind_of_column(&plain(name)),
        Expr::CompoundIdentifier(names) => kind_of_column(&names.last().map(plain).unwrap_or_default()),
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) if digits.parse::<i32>().is_ok() => PgKind::Int4,
            Value::Number(digits, _) if digits.parse::<i64>().is_ok() => PgKind::Int8,
            Value::Number(..) => PgKind::Number,
            Value::Boolean(_) => PgKind::Bool,
            _ => PgKind::Text,
        },
        Expr::Function(function) => match functions::kind_of(&last(&function.name)) {
            Some(FunctionKind::AsFirst) => {
                arguments(function).first().map_or(PgKind::Text, |first| kind_of(first))
            }
            Some(FunctionKind::Always(kind)) => kind,
            None => PgKind::Text,
        },
        Expr::Cast { data_type, .. } => {
            PgKind::of_word(&word_of(data_type).to_uppercase()).unwrap_or(PgKind::Text)
        }
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => kind_of(inner),
        Expr::UnaryOp { op: UnaryOperator::Not, .. }
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::Exists { .. }
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::Like { .. }
        | Expr::ILike { .. }
        | Expr::AnyOp { .. }
        | Expr::AllOp { .. } => PgKind::Bool,
        Expr::UnaryOp { expr, .. } => kind_of(expr),
        Expr::BinaryOp { left, op, right } => match op {
            BinaryOperator::StringConcat => PgKind::Text,
            BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo => {
                let is_number = [left, right].iter().any(|side| kind_of(side) == PgKind::Number);
                if is_number { PgKind::Number } else { PgKind::Int8 }
            }
            _ => PgKind::Bool,
        },
        Expr::Case { conditions, else_result, .. } => {
            let results = conditions.iter().map(|when| &when.result).chain(else_result.as_deref());
            let said = |result: &&Expr| !matches!(result, Expr::Value(value) if value.value == Value::Null);
            results.clone().find(said).map_or(PgKind::Text, kind_of)
        }
        Expr::Subquery(query) => {
            columns(query).and_then(|columns| columns.first().map(|(_, kind)| *kind)).unwrap_or(PgKind::Text)
        }
        _ => PgKind::Text,
    }
}

/// A type in one word, without its schema.
pub(super) fn word_of(ty: &DataType) -> String {
    let name = ty.to_string().to_lowercase().replace('"', "");
    name.rsplit('.').next().unwrap_or_default().split('(').next().unwrap_or_default().trim().to_owned()
}

fn arguments(function: &Function) -> Vec<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return Vec::new() };
    list.args.iter().filter_map(argument).collect()
}

pub(super) fn argument(argument: &FunctionArg) -> Option<&Expr> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    }
}
