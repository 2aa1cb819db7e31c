//! Title of a filing, in words: the items of an 8-K, the period of a report, otherwise the SEC's description of the document.
//!
//! The items are those of Form 8-K since 2004, with the later 1.05, 5.08 and 6.06.

use chrono::NaiveDate;

/// Items of Form 8-K, one in each row: its number, a semicolon, and its words.
const ITEMS: &str = include_str!("filing_items.csv");

/// Returns the title of a filing; `items` are the numbers of its items, separated by commas.
pub fn title(
    form: &str,
    items: Option<&str>,
    report_date: Option<NaiveDate>,
    description: Option<&str>,
) -> String {
    let base = form.trim_end_matches("/A");
    let amended = if base == form { "" } else { ", amended" };
    let report = |words: &str| {
        let period = report_date.map(|date| format!(" for the period ended {date}")).unwrap_or_default();
        format!("{words}{period}{amended}")
    };
    match base {
        "8-K" => items
            .map(item_titles)
            .filter(|words| !words.is_empty())
            .unwrap_or_else(|| report("Current report")),
        "10-K" | "10-KT" => report("Annual report"),
        "10-Q" | "10-QT" => report("Quarterly report"),
        "20-F" | "40-F" => report("Annual report of a foreign issuer"),
        "6-K" => report("Report of a foreign issuer"),
        "3" => format!("Initial statement of an insider's holdings{amended}"),
        "4" => format!("Statement of changes in an insider's holdings{amended}"),
        "5" => format!("Annual statement of changes in an insider's holdings{amended}"),
        _ => description.filter(|text| *text != form).map_or_else(|| format!("Form {form}"), str::to_owned),
    }
}

/// Returns the titles of the items, joined by `; `. Items 9 (exhibits) are omitted if there are others; an unknown item remains a number.
fn item_titles(items: &str) -> String {
    let numbers: Vec<&str> = items.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
    let others: Vec<&str> = numbers.iter().copied().filter(|item| !item.starts_with("9.")).collect();
    let selected = if others.is_empty() { numbers } else { others };
    let items = ITEMS.lines().filter_map(|row| row.split_once(';'));
    let title = |item: &str| items.clone().find(|(number, _)| *number == item).map(|(_, words)| words);
    selected.iter().map(|item| title(item).unwrap_or(item)).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_says_what_is_filed() {
        let day = NaiveDate::from_ymd_opt(2026, 9, 30);
        assert_eq!(
            title("8-K", Some("2.02,9.01"), day, None),
            "Results of Operations and Financial Condition"
        );
        assert_eq!(title("8-K", Some("9.01"), day, None), "Financial Statements and Exhibits");
        assert_eq!(title("8-K", Some("7.01,99.9"), None, None), "Regulation FD Disclosure; 99.9");
        assert_eq!(
            title("10-Q/A", None, day, Some("10-Q/A")),
            "Quarterly report for the period ended 2026-09-30, amended"
        );
        assert_eq!(title("SC 13G", None, None, Some("SC 13G")), "Form SC 13G");
        assert_eq!(title("DEF 14A", None, None, Some("Proxy statement")), "Proxy statement");
    }
}
