//! Allowed names of functions, and of types in casts.

use datafusion::sql::sqlparser::ast::Ident;

/// Scalar functions.
const SCALAR: [&str; 65] = [
    "abs",
    "array_element",
    "array_has",
    "array_length",
    "array_position",
    "as_of",
    "btrim",
    "cardinality",
    "ceil",
    "char_length",
    "character_length",
    "coalesce",
    "concat",
    "contains",
    "date_bin",
    "date_part",
    "date_trunc",
    "datepart",
    "datetrunc",
    "ends_with",
    "exp",
    "extract",
    "floor",
    "greatest",
    "ifnull",
    "initcap",
    "isnan",
    "iszero",
    "least",
    "left",
    "length",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "make_date",
    "market",
    "nanvl",
    "nullif",
    "nvl",
    "nvl2",
    "position",
    "pow",
    "power",
    "reverse",
    "right",
    "round",
    "rtrim",
    "session_ago",
    "session_on",
    "signum",
    "split_part",
    "sqrt",
    "starts_with",
    "strpos",
    "substr",
    "substring",
    "to_char",
    "to_date",
    "trim",
    "trunc",
    "upper",
    "instr",
];
/// Aggregate functions.
const AGGREGATE: [&str; 32] = [
    "approx_distinct",
    "approx_median",
    "approx_percentile_cont",
    "avg",
    "bool_and",
    "bool_or",
    "corr",
    "count",
    "covar",
    "covar_pop",
    "covar_samp",
    "first_value",
    "last_value",
    "max",
    "mean",
    "median",
    "min",
    "percentile_cont",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "sum",
    "var",
    "var_pop",
    "var_samp",
];
/// Window functions. Indicators read each row once, for any width of window.
const WINDOW: [&str; 14] = [
    "ago",
    "cume_dist",
    "dense_rank",
    "ema",
    "lag",
    "lead",
    "nth_value",
    "ntile",
    "percent_rank",
    "rank",
    "roc",
    "row_number",
    "rsi",
    "sma",
];
/// Aggregates that read all rows of a window again for each of its rows.
pub(super) const NOT_OVER_WINDOWS: [&str; 6] =
    ["approx_distinct", "approx_median", "approx_percentile_cont", "median", "percentile_cont", "string_agg"];
/// Functions that allow WITHIN GROUP.
pub(super) const WITHIN_GROUP: [&str; 2] = ["approx_percentile_cont", "percentile_cont"];
/// Frequently written names that do not exist here, with their substitutes.
pub(super) const INSTEAD: [(&str, &str); 26] = [
    ("current_date", "`as_of()` is the market's last session"),
    ("current_timestamp", "`as_of()` is the market's last session"),
    ("now", "`as_of()` is the market's last session"),
    ("today", "`as_of()` is the market's last session"),
    ("curdate", "`as_of()` is the market's last session"),
    ("getdate", "`as_of()` is the market's last session"),
    ("sysdate", "`as_of()` is the market's last session"),
    ("array_agg", "`string_agg` joins texts"),
    ("group_concat", "`string_agg(x, ', ')` joins texts"),
    ("listagg", "`string_agg(x, ', ')` joins texts"),
    ("year", "EXTRACT(YEAR FROM x) is there"),
    ("month", "EXTRACT(MONTH FROM x) is there"),
    ("day", "EXTRACT(DAY FROM x) is there"),
    ("weekday", "EXTRACT(DOW FROM x) is there"),
    ("quarter", "EXTRACT(QUARTER FROM x) is there"),
    ("datediff", "one date less another is the number of days"),
    ("dateadd", "a date + INTERVAL '1 month' is there"),
    ("date_add", "a date + INTERVAL '1 month' is there"),
    ("date_format", "`to_char(x, 'YYYY-MM-DD')` is there"),
    ("strftime", "`to_char(x, 'YYYY-MM-DD')` is there"),
    ("if", "CASE WHEN ... THEN ... ELSE ... END is there"),
    ("iff", "CASE WHEN ... THEN ... ELSE ... END is there"),
    ("isnull", "`coalesce` and IS NULL are there"),
    ("sign", "`signum` is there"),
    ("replace", "`split_part`, `substr` and `concat` are there"),
    ("regexp_replace", "LIKE, `split_part`, `substr` and `strpos` are there"),
];
/// Types in casts.
pub(super) const TYPES: [&str; 24] = [
    "BIGINT",
    "BOOL",
    "BOOLEAN",
    "CHAR",
    "CHARACTER",
    "DATE",
    "DEC",
    "DECIMAL",
    "DOUBLE",
    "FLOAT",
    "FLOAT4",
    "FLOAT8",
    "INT",
    "INT2",
    "INT4",
    "INT8",
    "INTEGER",
    "NUMERIC",
    "REAL",
    "SMALLINT",
    "STRING",
    "TEXT",
    "TINYINT",
    "VARCHAR",
];

/// The names of all functions, in named groups.
pub(super) const FUNCTIONS: [(&str, &[&str]); 3] =
    [("of one row", &SCALAR), ("of many rows", &AGGREGATE), ("over a window", &WINDOW)];

/// Normalizes a name as the planner does: in lower case, unless it is quoted.
pub(super) fn plain(name: &Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquote_catalogue::operation::Market;
    use parquote_functions::Calendar;
    use parquote_functions::context::market_context;

    #[test]
    fn the_guide_lists_the_functions() {
        let guide = include_str!("../../../../docs/guides/sql.md");
        let (_, rest) = guide.split_once("\n## Functions\n").unwrap();
        for (kind, names) in FUNCTIONS {
            let kind = format!("{}{}:", kind[..1].to_uppercase(), &kind[1..]);
            let (_, listed) = rest.split_once(&kind).unwrap_or_else(|| panic!("no `{kind}`"));
            let (listed, _) = listed.split_once(".\n").unwrap();
            let listed: Vec<&str> = listed.split('`').skip(1).step_by(2).collect();
            let mut expected = names.to_vec();
            expected.sort_unstable();
            assert_eq!(listed, expected, "{kind}");
        }
    }

    #[test]
    fn every_function_of_the_list_is_there() {
        let state = market_context(Market::India, &Calendar::default()).state();
        let planned = ["extract"];
        for (kind, names) in FUNCTIONS {
            for name in names.iter().filter(|name| !planned.contains(name)) {
                let is_there = state.scalar_functions().contains_key(*name)
                    || state.aggregate_functions().contains_key(*name)
                    || state.window_functions().contains_key(*name);
                assert!(is_there, "{name} {kind}");
            }
        }
    }
}
