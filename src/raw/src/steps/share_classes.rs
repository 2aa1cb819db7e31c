//! Classes of shares of one company: if each has the market cap of the whole company, it is counted once.
//!
//! US listings give every class the cap of the company: its own price times the shares of all classes. Users expect this cap for a symbol,
//! but a sum or a weight over several classes would count the company twice. Classes of one company have the same CIK; the main one is the
//! first in the list of CIKs.

use std::collections::HashMap;

use crate::ciks::Ciks;
use crate::domain::bar::StockSpan;
use crate::domain::company::Company;
use parquote_catalogue::operation::Market;

/// Maximum relative difference of the shares, or the caps, of two classes that are those of the whole company: due to prices of different
/// days, or a class that trades at a discount.
const TOLERANCE: f64 = 0.05;

/// Shares and market cap of a stock at its last bar.
type Size = (f64, f64);

/// Sets the main class of each class whose market cap is that of the whole company. `companies` are in the order of `stocks`.
pub(crate) fn count_once(companies: &mut [Company], stocks: &[StockSpan], market: Market, ciks: &Ciks) {
    if market != Market::Us {
        return;
    }
    let sizes: HashMap<&str, Size> =
        stocks.iter().filter_map(|stock| Some((stock.symbol.as_str(), size(stock)?))).collect();
    let filers = ciks.by_symbol();
    for company in companies {
        let Some(cik) = filers.get(company.symbol.as_str()) else { continue };
        let main = ciks.symbol_where(*cik, |symbol| sizes.contains_key(symbol));
        let Some(main) = main.filter(|main| *main != company.symbol) else { continue };
        let both = sizes.get(company.symbol.as_str()).zip(sizes.get(main));
        company.cap_counted_in_symbol =
            both.filter(|(one, other)| are_of_company(**one, **other)).map(|_| main.to_owned());
    }
}

fn size(stock: &StockSpan) -> Option<Size> {
    let (shares, close) = (stock.last_shares, stock.last_close);
    shares.is_finite().then_some((shares, shares * close))
}

/// Returns true if the shares or the caps of two classes agree, so that both classes have those of the whole company.
fn are_of_company(one: Size, other: Size) -> bool {
    let near = |a: f64, b: f64| (a / b - 1.0).abs() <= TOLERANCE;
    near(one.0, other.0) || near(one.1, other.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ciks::Filer;

    fn stock(symbol: &str, last_shares: f64, last_close: f64) -> StockSpan {
        StockSpan {
            symbol: symbol.to_owned(),
            bars: 2,
            sessions: (0, 1),
            last_close,
            last_shares,
            shares_known_from: None,
            cumulative_split_factor_now: 1.0,
            shares_now: (last_shares, false),
        }
    }

    #[test]
    fn classes_with_the_cap_of_the_company_are_counted_once() {
        let stocks = [
            // Both classes have all 12,230 million shares of the company; the count of one comes from the price of another day.
            stock("ALFAA", 12_230.0, 340.0),
            stock("ALFAC", 12_150.0, 346.0),
            // A share of A is 1,500 of B: the caps agree, the shares do not.
            stock("BETAA", 1.5, 750_000.0),
            stock("BETAB", 2_250.0, 499.0),
            // Each class has its own shares.
            stock("GAMMA", 100.0, 10.0),
            stock("GAMMB", 7.0, 12.0),
            // The main class has no share count.
            stock("DELTA", f64::NAN, 10.0),
            stock("DELTB", 50.0, 10.0),
            stock("OMEGA", 12_230.0, 340.0),
        ];
        let mut ciks = Ciks::default();
        let filers = [
            (1, "ALFAA"),
            (1, "ALFAX"),
            (1, "ALFAC"),
            (2, "BETAB"),
            (2, "BETAA"),
            (3, "GAMMA"),
            (3, "GAMMB"),
            (4, "DELTA"),
            (4, "DELTB"),
            (5, "OMEGA"),
        ];
        for (cik, symbol) in filers {
            ciks.add(Filer { cik, symbol: symbol.to_owned(), name: None }, 1);
        }
        let company = |stock: &StockSpan| Company { symbol: stock.symbol.clone(), ..Company::default() };
        let mut companies: Vec<Company> = stocks.iter().map(company).collect();
        count_once(&mut companies, &stocks, Market::Us, &ciks);
        let counted: Vec<_> =
            companies.iter().map(|company| company.cap_counted_in_symbol.as_deref()).collect();
        assert_eq!(counted, [None, Some("ALFAA"), Some("BETAB"), None, None, None, None, None, None]);
        let mut companies: Vec<Company> = stocks.iter().map(company).collect();
        count_once(&mut companies, &stocks, Market::India, &ciks);
        assert!(companies.iter().all(|company| company.cap_counted_in_symbol.is_none()));
    }
}
