//! Words against figures: statements of texts about a quarter are recomputed from the statements filed for it.
//!
//! Every amount, percentage and multiple in a text must belong to the quarter, and growth in words must be growth in figures.

use std::collections::BTreeSet;

use parquote::operation::Market;

use serde_json::{Value as Json, json};

use crate::definitions::TABLES;
use crate::selected::{Rows, select};

const SAID: &str = include_str!("../definitions/texts.sql");

/// The figures of a quarter, formatted as in texts.
struct Quarter {
    amounts: BTreeSet<String>,
    percents: BTreeSet<String>,
    points: Option<String>,
    leverage: Option<String>,
    revenue_growth: Option<f64>,
    profit_growth: Option<f64>,
}

/// Groups the digits of an integer: thousands, then groups of `upper`.
fn grouped(digits: &str, upper: usize) -> String {
    let (head, tail) = digits.split_at(digits.len().saturating_sub(3));
    let mut parts: Vec<String> =
        head.as_bytes().rchunks(upper).map(|part| String::from_utf8_lossy(part).into()).collect();
    parts.reverse();
    parts.push(tail.to_owned());
    parts.join(",")
}

/// Formats an amount of money as in texts.
fn amount(market: Market, money: f64) -> String {
    let (unit, upper) = if market == Market::India { (1e7, 2) } else { (1e6, 3) };
    let money = money.abs() / unit;
    if money < 100.0 { tenths(money) } else { grouped(&format!("{:.0}", money.round()), upper) }
}

fn tenths(figure: f64) -> String {
    format!("{:.1}", (figure * 10.0).round() / 10.0)
}

impl Quarter {
    fn from_row(market: Market, row: &Json) -> Self {
        let of = |name: &str| row[name].as_f64();
        let growth = |now: Option<f64>, before: Option<f64>| {
            let before = before.filter(|before| *before > 0.0)?;
            Some(100.0 * (now? / before - 1.0))
        };
        let margin =
            |ebitda: &str, revenue: &str| Some(100.0 * of(ebitda)? / of(revenue)?).filter(|m| *m > 0.0);
        let (now, before) = (margin("ebitda", "revenue"), margin("ebitda_before", "revenue_before"));
        let revenue_growth = growth(of("revenue"), of("revenue_before"));
        let profit_growth = growth(of("pat"), of("pat_before"));
        let percents = [revenue_growth, profit_growth, now];
        Self {
            amounts: [of("revenue"), of("pat")]
                .into_iter()
                .flatten()
                .map(|money| amount(market, money))
                .collect(),
            percents: percents.into_iter().flatten().map(|figure| tenths(figure.abs())).collect(),
            points: now.zip(before).map(|(now, before)| tenths((now - before).abs())),
            leverage: of("debt").zip(of("equity")).map(|(debt, equity)| format!("{:.2}", debt / equity)),
            revenue_growth,
            profit_growth,
        }
    }

    /// Returns the first words that no figure supports.
    fn problem(&self, words: &str) -> Option<String> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let word = |at: usize| words.get(at).map_or("", |word| word.trim_end_matches(['.', ',', ';', ':']));
        (0..words.len()).find_map(|at| {
            let (here, next) = (word(at), word(at + 1));
            let is_true = match (here, next) {
                ("INR" | "USD", amount) => self.amounts.contains(amount),
                ("grew" | "fell", figure) if figure.parse::<f64>().is_ok() => {
                    let growth = if word(at.checked_sub(1)?) == "tax" {
                        self.profit_growth
                    } else {
                        self.revenue_growth
                    };
                    growth.is_some_and(|growth| {
                        (growth > 0.0) == (here == "grew") && tenths(growth.abs()) == figure
                    })
                }
                (figure, "%") => self.percents.contains(figure),
                (figure, "points") => self.points.as_deref() == Some(figure),
                (figure, "times") => self.leverage.as_deref() == Some(figure),
                _ => true,
            };
            (!is_true).then(|| format!("`{here} {next}` in \"{}\"", words.join(" ")))
        })
    }
}

fn said(market: Market) -> Rows {
    select(&TABLES, market, SAID)
}

#[test]
fn figures_in_texts_are_those_of_the_statements() {
    for market in Market::ALL {
        let rows = said(market);
        assert!(rows.len() > 200, "{market}: {} texts", rows.len());
        let problems: Vec<String> = rows
            .iter()
            .filter_map(|row| {
                let problem = Quarter::from_row(market, row).problem(row["words"].as_str()?)?;
                Some(format!("{} {}: {problem}", row["symbol"], row["period_end"]))
            })
            .collect();
        assert!(
            problems.is_empty(),
            "{market}: {} of {}:\n  {}",
            problems.len(),
            rows.len(),
            problems.join("\n  ")
        );
    }
}

/// The test above must be able to fail.
#[test]
fn a_wrong_figure_would_be_found() {
    let row = |words: &str| {
        json!({
            "revenue": 55e8, "pat": 4e8, "ebitda": 11e8, "debt": null, "equity": null,
            "revenue_before": 5e9, "pat_before": 5e8, "ebitda_before": 9e8, "words": words,
        })
    };
    // 550 and 40 crore; revenue up a tenth, profit down a fifth; margin 20 % after 18 %.
    for (words, holds) in [
        ("Revenue grew 10.0 % to INR 550 crore.", true),
        ("Revenue grew 10.1 % to INR 550 crore.", false),
        ("Revenue fell 10.0 %.", false),
        ("Profit after tax fell 20.0 % to INR 40.0 crore.", true),
        ("Profit after tax grew 20.0 %.", false),
        ("Operating margin widened by 2.0 points to 20.0 %.", true),
        ("Operating margin widened by 2.1 points.", false),
        ("Debt of 0.50 times equity.", false),
        ("Revenue of INR 551 crore.", false),
    ] {
        let row = row(words);
        assert_eq!(Quarter::from_row(Market::India, &row).problem(words).is_none(), holds, "{words}");
    }
    assert_eq!(amount(Market::India, 1_234_567e7), "12,34,567");
    assert_eq!(amount(Market::Us, 1_234_567e6), "1,234,567");
}

#[test]
fn key_numbers_are_those_of_the_statements() {
    let sql = "SELECT n.symbol, n.period_end, n.metric, n.metric_value, l.value, l.unit, l.currency
               FROM   call_numbers n
               JOIN   (SELECT symbol, period_end, basis, line, unit, currency, FIRST_VALUE(value ORDER BY filed_at) AS value
                       FROM statement_lines WHERE period_type = 'quarterly' GROUP BY symbol, period_end, basis, line, unit, currency) l
               ON     l.symbol = n.symbol AND l.period_end = n.period_end
               AND    l.line = CASE n.metric WHEN 'revenue' THEN 'revenue' WHEN 'profit after tax' THEN 'pat' WHEN 'earnings per share' THEN 'eps_basic' END
               JOIN   (SELECT symbol, MIN(basis) AS basis FROM statement_lines GROUP BY symbol) g ON g.symbol = l.symbol AND g.basis = l.basis";
    for market in Market::ALL {
        let unit = if market == Market::India { 1e7 } else { 1e6 };
        let rows = select(&TABLES, market, sql);
        assert!(rows.len() > 300, "{market}: {}", rows.len());
        for row in rows {
            let scale = if row["unit"] == "money" { unit } else { 1.0 };
            let (told, filed) =
                (row["metric_value"].as_f64().unwrap(), row["value"].as_f64().unwrap() / scale);
            assert!((told - filed).abs() < 0.0051 + 0.005 * f64::from(u8::from(scale < 2.0)), "{row:?}");
        }
    }
}

#[test]
fn profiles_have_their_ten_sections_and_texts_are_whole() {
    const SECTIONS: &str = "business model, competitive moat, management quality, growth drivers, risk factors, financial health, industry dynamics, recent developments, investment thesis, bull/bear case";
    for market in Market::ALL {
        let profiles = select(
            &TABLES,
            market,
            "SELECT array_to_string(array_agg(section ORDER BY position), ', ') AS sections FROM ai_profiles GROUP BY symbol, period_end",
        );
        assert!(profiles.len() > 50, "{market}: {}", profiles.len());
        assert!(profiles.iter().all(|row| row["sections"] == SECTIONS));
        let texts = select(
            &TABLES,
            market,
            "SELECT text FROM ai_profiles UNION ALL SELECT headline_verdict FROM ai_summaries UNION ALL SELECT management_outlook FROM ai_summaries UNION ALL SELECT investor_lens FROM management_tones UNION ALL SELECT investor_lens FROM call_decoders UNION ALL SELECT tone_read FROM call_decoders",
        );
        for row in &texts {
            let text = row["text"].as_str().unwrap();
            let starts = text.chars().next().is_some_and(char::is_uppercase);
            assert!(
                starts && text.ends_with('.') && !text.contains(['{', '}']) && !text.contains(".."),
                "{text}"
            );
            assert!(!text.contains("  ") && !text.contains("recommend"), "{text}");
        }
        let distinct: BTreeSet<_> = texts.iter().map(|row| row["text"].as_str()).collect();
        assert!(
            10 * distinct.len() > 6 * texts.len(),
            "{market}: {} of {} texts differ",
            distinct.len(),
            texts.len()
        );
        let sources = select(
            &TABLES,
            market,
            "SELECT DISTINCT source FROM ai_profiles UNION SELECT DISTINCT source FROM ai_summaries UNION SELECT DISTINCT source FROM management_tones",
        );
        assert!(
            sources.iter().all(|row| row["source"].as_str().unwrap().contains("invented")),
            "{sources:?}"
        );
    }
}

/// Classes follow the formula book's rule; a change is the score less that of the previous quarter.
#[test]
fn tones_have_the_class_of_their_score() {
    for market in Market::ALL {
        let rows = select(
            &TABLES,
            market,
            "SELECT symbol, period_end, tone_score, tone, tone_change, calls_ago FROM tone_history ORDER BY symbol, period_end",
        );
        assert!(rows.len() > 200, "{market}: {}", rows.len());
        let mut before: Option<&Json> = None;
        for row in &rows {
            let score = row["tone_score"].as_f64().unwrap();
            let tone = if score >= 60.0 {
                "positive"
            } else if score >= 40.0 {
                "neutral"
            } else {
                "negative"
            };
            assert_eq!(row["tone"], tone, "{row:?}");
            if let (Some(before), Some(change)) =
                (before.filter(|b| b["symbol"] == row["symbol"]), row["tone_change"].as_f64())
            {
                assert!((score - before["tone_score"].as_f64().unwrap() - change).abs() < 1e-9, "{row:?}");
                assert!(
                    before["calls_ago"].as_f64() == row["calls_ago"].as_f64().map(|ago| ago + 1.0),
                    "{row:?}"
                );
            }
            before = Some(row);
        }
    }
}
