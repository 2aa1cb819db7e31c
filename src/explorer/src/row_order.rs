//! Sorts all matching rows of a list by one of its columns, and selects the rows that a page shows.

use std::cmp::Ordering;

use serde_json::Value as Json;

use super::page_rows::{PageRow, PageRows};
use super::request::{EXPLAIN, FIELDS, PageRequest};
use super::spec::{ORDER, PartSpec};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Operation, Param, hint};
use parquote_engine::Extent;

/// Prefix of a column that is ordered with the largest value first.
const FALLING: char = '-';

/// Default number of rows of a page.
pub(crate) const DEFAULT_ROWS: usize = 50;

/// The order and the range of a page's rows among all rows that match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowOrder {
    /// Column that orders the rows; `None` for the order of the answer.
    column: Option<String>,
    is_rising: bool,
    /// The column that holds the rows, if the answer is an object, which always has all rows; `None` if the answer is a list.
    within: Option<String>,
    skip: usize,
    take: usize,
}

impl RowOrder {
    /// Removes the order and the range from the arguments of a part's call, so that the call asks for all rows; `None` if the operation
    /// itself orders its rows and selects a range of them.
    pub(crate) fn take_from(
        request: &PageRequest,
        part: &PartSpec,
        operation: &Operation,
        pairs: &mut Vec<(String, String)>,
    ) -> Option<Self> {
        if !operation.answers_from_select() || request.get(EXPLAIN).is_some() {
            return None;
        }
        let requested = request.get(ORDER);
        let falling = requested.and_then(|order| order.strip_prefix(FALLING));
        let order = Self {
            column: falling.or(requested).map(str::to_owned),
            is_rising: falling.is_none(),
            within: part.list_within().map(str::to_owned),
            skip: 0,
            take: usize::MAX,
        };
        if order.within.is_some() {
            return order.column.is_some().then_some(order);
        }
        // A handler is asked for all rows only if another order than its own is requested.
        if !part.has_whole_table() || operation.run.is_some() && order.column.is_none() {
            return None;
        }
        let number = |name: &str| -> Option<usize> {
            pairs.iter().find(|(known, _)| known == name).and_then(|(_, text)| text.parse().ok())
        };
        let take = number("limit").filter(|rows| *rows > 0).unwrap_or(DEFAULT_ROWS);
        let page_offset = number("page").map_or(0, |page| page.saturating_sub(1).saturating_mul(take));
        let skip = number("offset").filter(|rows| *rows > 0).unwrap_or(page_offset);
        // Other texts stay among the arguments, so that the operation refuses them.
        let is_number = |text: &str| text.parse::<usize>().is_ok();
        pairs.retain(|(name, text)| !matches!(name.as_str(), "offset" | "page") || !is_number(text));
        if operation.run.is_some() {
            let most = operation.param("limit").and_then(Param::maximum);
            pairs.retain(|(name, _)| name != "limit");
            pairs.extend(most.map(|most| ("limit".to_owned(), most.to_string())));
        }
        // The column of the order is needed even if the reader does not show it.
        if let Some(column) = order.column.as_deref()
            && operation.columns.iter().any(|known| known.name.rsplit('.').next() == Some(column))
        {
            add_named_column(pairs, column);
        }
        Some(Self { skip, take, ..order })
    }

    /// Returns the rows of the page out of all rows; `cap` is the largest number of rows that the reader may ask for at once.
    ///
    /// # Errors
    /// A column that the rows do not have.
    pub fn apply(&self, mut rows: PageRows, cap: Option<usize>) -> Result<PageRows, ClientError> {
        if let Some(within) = &self.within {
            return self.apply_within(within, rows);
        }
        if let Some(column) = &self.column {
            check(column, &rows)?;
            rows.rows.sort_by(|one, other| self.compare(one.get(column), other.get(column)));
        }
        let total = rows.rows.len();
        let take = cap.map_or(self.take, |cap| cap.min(self.take));
        let page_rows: Vec<PageRow> =
            std::mem::take(&mut rows.rows).into_iter().skip(self.skip).take(take).collect();
        let end = self.skip.saturating_add(page_rows.len());
        rows.extent =
            Some(Extent { offset: self.skip, rows: page_rows.len(), total: Some(total), more: end < total });
        Ok(PageRows { rows: page_rows, ..rows })
    }

    /// Orders the rows within a column of the only row.
    fn apply_within(&self, within: &str, mut rows: PageRows) -> Result<PageRows, ClientError> {
        let list = rows.rows.first_mut().and_then(|row| row.get_mut(within)).and_then(Json::as_array_mut);
        if let Some((column, list)) = self.column.as_ref().zip(list) {
            list.sort_by(|one, other| self.compare(one.get(column), other.get(column)));
            check(column, &rows.rows_within(within))?;
        }
        Ok(rows)
    }

    /// Compares two values; unknown ones come last in both directions.
    fn compare(&self, one: Option<&Json>, other: Option<&Json>) -> Ordering {
        let has_value = |value: Option<&Json>| value.is_some_and(|value| !value.is_null());
        match (one, other) {
            (Some(one), Some(other)) if !one.is_null() && !other.is_null() => {
                let order = compare_values(one, other);
                if self.is_rising { order } else { order.reverse() }
            }
            _ => has_value(other).cmp(&has_value(one)),
        }
    }
}

/// Adds a column to those that a call names; a call that names none has all.
pub(crate) fn add_named_column(pairs: &mut [(String, String)], column: &str) {
    if let Some((_, fields)) = pairs.iter_mut().find(|(name, _)| name == FIELDS)
        && !fields.split(',').any(|one| one.trim() == column)
    {
        fields.push(',');
        fields.push_str(column);
    }
}

/// Returns true if the page is ordered by a column with the smallest first, false for the largest first; `None` if it is not ordered by it.
pub(crate) fn present_order(request: &PageRequest, column: &str) -> Option<bool> {
    let order = request.get(ORDER)?;
    match order.strip_prefix(FALLING) {
        Some(falling) => (falling == column).then_some(false),
        None => (order == column).then_some(true),
    }
}

/// Returns the value of the parameter `order` for a column.
pub(crate) fn order_by(column: &str, is_rising: bool) -> String {
    if is_rising { column.to_owned() } else { format!("{FALLING}{column}") }
}

fn compare_values(one: &Json, other: &Json) -> Ordering {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        _ => sort_text(one).cmp(&sort_text(other)),
    }
}

fn sort_text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_lowercase)
}

/// Refuses a column that the operation does not have. A column that the reader hides is allowed.
fn check(column: &str, rows: &PageRows) -> Result<(), ClientError> {
    let names: Vec<&str> =
        rows.columns.iter().map(|description| description.name.as_str()).chain(rows.names()).collect();
    if names.contains(&column) {
        return Ok(());
    }
    let hint = hint(column, names.iter().copied());
    Err(ClientError::new(ErrorKind::BadRequest, format!("`{ORDER}`: the rows have no such column{hint}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rows() -> PageRows {
        let row = |symbol: &str, pe: Json| json!({"symbol": symbol, "pe": pe}).as_object().unwrap().clone();
        let rows = vec![row("b", json!(9)), row("A", json!(null)), row("c", json!(10.5)), row("d", json!(9))];
        PageRows { rows, ..PageRows::default() }
    }

    fn ordered(column: &str, is_rising: bool, skip: usize, take: usize) -> (String, Extent) {
        let order = RowOrder { column: Some(column.to_owned()), is_rising, within: None, skip, take };
        let rows = order.apply(rows(), None).unwrap();
        (rows.texts("symbol").join(""), rows.extent.unwrap())
    }

    #[test]
    fn all_rows_are_ordered_before_a_page_is_taken() {
        assert_eq!(ordered("pe", true, 0, 9).0, "bdcA");
        assert_eq!(ordered("pe", false, 0, 9).0, "cbdA");
        assert_eq!(ordered("symbol", true, 0, 9).0, "Abcd");
        let (shown, extent) = ordered("symbol", false, 1, 2);
        assert_eq!(shown, "cb");
        assert_eq!(extent, Extent { offset: 1, rows: 2, total: Some(4), more: true });
        assert!(!ordered("symbol", false, 2, 2).1.more);
        assert_eq!(ordered("symbol", true, 9, 2).0, "");
    }

    #[test]
    fn an_unknown_column_is_refused() {
        let order =
            RowOrder { column: Some("symbo".to_owned()), is_rising: true, within: None, skip: 0, take: 9 };
        let refused = order.apply(rows(), None).unwrap_err();
        assert!(refused.message.contains("did you mean `symbol`?"), "{}", refused.message);
    }

    #[test]
    fn rows_within_an_object_are_ordered_and_all_shown() {
        let object = json!({ "hit_count": 4, "hits": rows().rows }).as_object().unwrap().clone();
        let order = |column: &str| RowOrder {
            column: Some(column.to_owned()),
            is_rising: false,
            within: Some("hits".to_owned()),
            skip: 0,
            take: usize::MAX,
        };
        let object = PageRows { rows: vec![object], ..PageRows::default() };
        let ordered = order("pe").apply(object.clone(), Some(2)).unwrap();
        assert_eq!(ordered.rows_within("hits").texts("symbol").join(""), "cbdA");
        assert_eq!(ordered.extent, None);
        assert!(order("hit_count").apply(object, None).is_err());
    }

    #[test]
    fn a_cap_shortens_the_page() {
        let order = RowOrder { column: None, is_rising: true, within: None, skip: 0, take: 50 };
        let rows = order.apply(rows(), Some(2)).unwrap();
        assert_eq!(rows.texts("symbol"), ["b", "A"]);
        assert!(rows.extent.unwrap().more);
    }
}
