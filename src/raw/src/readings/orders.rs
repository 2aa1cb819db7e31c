//! Contracts that an announcement or the item 1.01 of a Form 8-K reports: kind, value, months and client, by the words of a paragraph.

use crate::readings::amounts::{Amount, AmountKind, amounts};
use crate::readings::fact_words::FACT_WORDS;
use crate::readings::words::SentenceWords;
use parquote_catalogue::operation::Market;
use parquote_catalogue::operation::period::MONTHS;

/// A contract that a paragraph reports.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OrderContract {
    pub(super) kind: &'static str,
    /// Value in crores of rupees or millions of dollars, by the market.
    pub(super) value: Option<f64>,
    pub(super) months: Option<i64>,
    pub(super) client: Option<String>,
}

/// Kind of a contract that another company or an authority awards.
pub(super) const WON_ORDER: &str = "order_win";
/// Kind of an agreement of no other kind.
pub(super) const OTHER_AGREEMENT: &str = "other";

/// Longest term of a contract, in months: a century.
const LONGEST_TERM: f64 = 1_200.0;

/// Maximum number of words of a client's name; more are a text in capitals.
const MOST_NAME_WORDS: usize = 12;

/// Returns the contract that a paragraph reports, if it reports one.
pub(super) fn contract(text: &str, market: Market) -> Option<OrderContract> {
    let words = SentenceWords::new(text);
    let kind = match market {
        Market::India => is_won(&words).then_some(WON_ORDER),
        Market::Us => agreement(&words),
    }?;
    let amounts = amounts(&words.written);
    Some(OrderContract {
        kind,
        value: value(&words, &amounts, market),
        months: months(&words, &amounts),
        client: if kind == WON_ORDER { client(&words) } else { None },
    })
}

/// Returns true if a paragraph says that an order was won.
fn is_won(words: &SentenceWords<'_>) -> bool {
    let mentions = |phrases: &[String]| phrases.iter().map(|phrase| words.mentions(phrase)).sum::<usize>();
    mentions(&FACT_WORDS.orders) > mentions(&FACT_WORDS.no_orders)
        && words.has_any(&FACT_WORDS.wins)
        && !words.has_any(&FACT_WORDS.no_wins)
}

/// Returns the kind of an agreement that a paragraph reports.
fn agreement(words: &SentenceWords<'_>) -> Option<&'static str> {
    let kind = FACT_WORDS.agreements.iter().find(|agreement| words.has_any(&agreement.phrases));
    let kind = kind.map(|agreement| agreement.kind.as_str());
    let is_other = words.has_any(&["entered into"]) && words.has_any(&["agreement", "contract"]);
    kind.or_else(|| is_other.then_some(OTHER_AGREEMENT))
}

/// Returns the value of a contract: the sum that is called a total, else the first sum.
fn value(words: &SentenceWords<'_>, amounts: &[Amount], home: Market) -> Option<f64> {
    let is_total = |amount: &&Amount| {
        let before = words.plain.get(amount.start.saturating_sub(4)..amount.start).unwrap_or_default();
        before.iter().any(|word| word.starts_with("total") || word.starts_with("aggregat"))
    };
    let sums = || amounts.iter().filter(move |amount| amount.is_sum(home));
    sums().find(is_total).or_else(|| sums().next()).map(|sum| sum.in_home_unit(home))
}

/// Returns the months in which a contract is carried out.
fn months(words: &SentenceWords<'_>, amounts: &[Amount]) -> Option<i64> {
    let is_term = |amount: &&Amount| {
        let before = amount.start.saturating_sub(2)..amount.start;
        amount.kind == AmountKind::Months
            && amount.value <= LONGEST_TERM
            && words.any_of(before, &["within", "in", "over", "period", "of"])
    };
    amounts.iter().find(is_term).map(|amount| amount.value as i64)
}

/// Returns the name in capitals that follows `from`, `by` or `with`.
fn client(words: &SentenceWords<'_>) -> Option<String> {
    let mut positions = (0..words.written.len()).filter(|at| {
        let is_open = words.written.get(*at).is_some_and(|word| !word.ends_with([',', '.', ';']));
        is_open && words.plain.get(*at).is_some_and(|word| ["from", "by", "with"].contains(&word.as_str()))
    });
    let is_sum = |name: &str| ["Rs", "INR", "USD"].iter().any(|sign| name.starts_with(sign));
    let is_month = |name: &str| MONTHS.iter().any(|month| month.eq_ignore_ascii_case(name));
    positions
        .find_map(|at| name(words.written.get(at + 1..)?).filter(|name| !is_sum(name) && !is_month(name)))
}

/// Returns the name that the words begin with; `None` if they begin with none, or with a text in capitals.
fn name(words: &[&str]) -> Option<String> {
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let (mut parts, mut words) = (Vec::new(), words.iter().peekable());
    words.next_if(|word| word.eq_ignore_ascii_case("the"));
    while let Some(word) = words.next() {
        let bare = word.trim_matches(|sign: char| "()\"'“”,;:".contains(sign));
        if is_capital(bare) {
            parts.push(if bare.matches('.').count() > 1 { bare } else { bare.trim_end_matches('.') });
        } else if !parts.is_empty()
            && ["of", "and", "&"].contains(word)
            && words.peek().is_some_and(|next| is_capital(next))
        {
            parts.push(word);
        } else {
            break;
        }
        let is_last =
            word.ends_with([',', ';', ':', ')']) || (word.ends_with('.') && word.matches('.').count() == 1);
        if is_last {
            break;
        }
    }
    (1..=MOST_NAME_WORDS).contains(&parts.len()).then(|| parts.join(" "))
}
