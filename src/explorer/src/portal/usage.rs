//! The page of usage: calls by day as a picture and a table, by operation, and by key.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};

use super::layout::{MenuPage, PortalReader, signed_in_page};
use crate::moment::day as day_text;
use parquote_access::ManagedKey;
use parquote_picture::Picture;
use parquote_picture::data::{ColumnValues, PictureData};
use parquote_picture::number::{MarketCurrency, NumberForm};
use parquote_picture::sheet::{PageWidth, PictureSize, PictureWords};
use parquote_picture::spec::PictureSpec;
use parquote_picture::theme::Theme;
use parquote_state::UseRow;

/// Picture: one bar for answered calls, one for refused ones.
const PICTURE: &str = r#"bars period=day value=calls:"Answered",refused:"Refused""#;

/// Content of the page of usage.
#[derive(Debug, Clone, Copy)]
pub struct UsageView<'a> {
    /// Number of calls by day, key and operation.
    pub rows: &'a [UseRow],
    /// Keys that the reader may see.
    pub keys: &'a [ManagedKey],
    /// Number of the present day.
    pub today: i64,
    /// Number of days shown.
    pub days: i64,
    /// Numbers of days to choose from.
    pub choices: &'a [i64],
}

/// Numbers of answered and refused calls.
#[derive(Debug, Clone, Copy, Default)]
struct Calls {
    answered: i64,
    refused: i64,
}

/// Builds the page of usage.
pub fn usage_page(reader: &PortalReader, view: UsageView<'_>) -> Markup {
    let days = by_day(&view);
    let operations = sums(view.rows, |row| row.operation.clone());
    let keys = sums(view.rows, |row| row.key_id);
    let content = html! {
        ul.choices { @for days in view.choices {
            li { a href={ "/portal/usage?days=" (days) } aria-current=[(*days == view.days).then_some("true")] { (days) " days" } }
        } }
        @if view.rows.is_empty() { p { "Nothing was called in these days." } } @else {
            figure.picture-box.to-1080 { (picture(&days)) }
            h2 { "By operation" }
            (table("Operation", operations.iter().map(|(name, calls)| (name.clone(), *calls))))
            h2 { "By key" }
            (table("Key", keys.iter().map(|(id, calls)| (key_name(&view, *id), *calls))))
            h2 { "By day" }
            @let called = days.iter().rev().filter(|(_, calls)| calls.answered + calls.refused > 0);
            (table("Day", called.map(|(day, calls)| (day_text(*day), *calls))))
        }
        p.soft {
            "Counted by the calendar day of India. The same figures: " code { "GET /v1/account/usage" } "."
        }
    };
    signed_in_page(reader, Some(MenuPage::Usage), "Usage", &content)
}

/// Names a key by its number, its first characters and its note; a key that the reader may not see, by its number alone.
fn key_name(view: &UsageView<'_>, id: i64) -> String {
    let row = view.keys.iter().map(|key| &key.row).find(|row| row.id == id);
    row.map_or_else(|| id.to_string(), |row| format!("{id} {}… {}", row.hint, row.note).trim_end().to_owned())
}

/// Returns every day shown, oldest first, including those without a call.
fn by_day(view: &UsageView<'_>) -> Vec<(i64, Calls)> {
    let called = sums(view.rows, |row| row.day);
    let called: BTreeMap<i64, Calls> = called.into_iter().collect();
    let from = view.today - view.days + 1;
    (from..=view.today).map(|day| (day, called.get(&day).copied().unwrap_or_default())).collect()
}

/// Sums rows by a common key, most calls first.
fn sums<K: Ord>(rows: &[UseRow], key: impl Fn(&UseRow) -> K) -> Vec<(K, Calls)> {
    let mut sums: BTreeMap<K, Calls> = BTreeMap::new();
    for row in rows {
        let sum = sums.entry(key(row)).or_default();
        sum.answered += row.calls;
        sum.refused += row.refused;
    }
    let mut sums: Vec<(K, Calls)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, calls)| -(calls.answered + calls.refused));
    sums
}

fn table(head: &str, lines: impl Iterator<Item = (String, Calls)>) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label=(head) { table {
            thead { tr {
                th scope="col" { (head) } th.n scope="col" { "Answered" } th.n scope="col" { "Refused" }
            } }
            tbody { @for (name, calls) in lines {
                tr { td { (name) } td.n { (calls.answered) } td.n { (calls.refused) } }
            } }
        } }
    }
}

/// Draws bars by day; nothing if they cannot be drawn, since the table has the same figures.
fn picture(days: &[(i64, Calls)]) -> Markup {
    let names: Vec<String> = days.iter().map(|(day, _)| day_text(*day)).collect();
    let names: Vec<Option<&str>> = names.iter().map(|name| Some(name.as_str())).collect();
    let figures = |count: fn(&Calls) -> i64| -> Vec<Option<f64>> {
        days.iter().map(|(_, calls)| Some(count(calls) as f64)).collect()
    };
    let (answered, refused) = (figures(|calls| calls.answered), figures(|calls| calls.refused));
    let data = PictureData::new()
        .with("day", ColumnValues::Texts(&names), NumberForm::Plain)
        .with("calls", ColumnValues::Numbers(&answered), NumberForm::Count)
        .with("refused", ColumnValues::Numbers(&refused), NumberForm::Count);
    let most = days.iter().max_by_key(|(_, calls)| calls.answered);
    let total: i64 = days.iter().map(|(_, calls)| calls.answered).sum();
    let description = most.map_or_else(String::new, |(day, calls)| {
        format!(
            "{total} calls answered in {} days; the most, {}, on {}",
            days.len(),
            calls.answered,
            day_text(*day)
        )
    });
    let Ok(spec) = PictureSpec::parse(PICTURE) else { return html! {} };
    let drawn = |width: PageWidth| {
        let id = format!("usage-{}", width.units());
        let title = "Calls by day";
        let words = PictureWords { id: &id, lang: "en", title, description: &description, footnote: "" };
        let (size, theme) = (PictureSize::Page(width), Theme::Page);
        let picture = Picture {
            spec: &spec,
            data: &data,
            words,
            size,
            theme,
            currency: MarketCurrency::Rupee,
            links: None,
        };
        picture.svg().unwrap_or_default()
    };
    html! {
        @for width in [PageWidth::Phone, PageWidth::Column, PageWidth::Page] {
            @let class = format!("form-{}", width.units());
            // The renderer writes SVG with every text escaped.
            div.picture-form.(class) { (PreEscaped(drawn(width))) }
        }
    }
}
