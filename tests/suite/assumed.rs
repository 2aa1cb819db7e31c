//! Values of a day that are taken from a later one are marked as assumed: numbers of shares, members of indices, weights.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use parquote::engine::Snapshot;
use parquote::operation::Market;
use serde_json::{Value as Json, json};

use crate::demo_market::{derive_into, open_whole};
use crate::selected::select;

/// Derives tables from raw files, each given with its path.
fn tables(files: &[(&str, &str)]) -> (tempfile::TempDir, Snapshot) {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (path, text) in files {
        let path = raw.path().join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        fs::write(path, text).unwrap();
    }
    derive_into(raw.path(), data.path(), None);
    let tables = open_whole(data.path());
    (data, tables)
}

/// Returns the cells of a SELECT's rows.
fn cells(tables: &Snapshot, market: Market, sql: &str) -> Vec<Vec<Json>> {
    let rows = select(tables, market, sql).into_iter();
    rows.map(|row| row.as_object().unwrap().values().cloned().collect()).collect()
}

/// Returns US prices of five days; DOWN falls on each, and LATE until the fourth, its last.
fn us_prices() -> String {
    let mut text = "symbol,date,open,high,low,close,volume\n".to_owned();
    for day in 2..7 {
        for (symbol, price) in [("DOWN", 20 - day), ("LATE", 30 - day), ("SAME", 10), ("ALSO", 10)] {
            if symbol != "LATE" || day < 6 {
                writeln!(text, "{symbol},2025-01-0{day},{price},{price},{price},{price},5").unwrap();
            }
        }
    }
    text
}

fn us(listings: &str) -> (tempfile::TempDir, Snapshot) {
    // SAME has 100 million shares at the list's price, so its market cap is 1,000 million dollars at 10 a share.
    let list = "symbol,name,sector,industry,market_cap,price\nDOWN,Down Inc.,Energy,Oil,,\nLATE,Late Inc.,Energy,Oil,,\n\
                SAME,Same Inc.,Energy,Oil,2000000000,20\n";
    let filed = "symbol,period_end,period_type,basis,statement,line,value,unit,currency,filed_at,source\n\
                 SAME,2023-12-31,annual,consolidated,income,pat,50,USD million,USD,2024-02-15,paper\n\
                 SAME,2023-12-31,annual,consolidated,balance,equity,400,USD million,USD,2024-02-15,paper\n";
    tables(&[("us/prices.csv", &us_prices()), (listings, list), ("us/statements.csv", filed)])
}

#[test]
fn an_assumed_cap_is_in_no_ratio_and_meets_no_limit() {
    let sql = "SELECT s.market_cap, s.market_cap_assumed, f.pe, f.pb, c.market_cap_b \
               FROM stocks s JOIN fundamentals f ON f.symbol = s.symbol JOIN screen c ON c.symbol = s.symbol WHERE s.symbol = 'SAME'";
    let (_data, of_the_day) = us("us/listings_2025-01-06/nasdaq.csv");
    assert_eq!(
        cells(&of_the_day, Market::Us, sql),
        [[json!(1e9), json!(false), json!(20.0), json!(2.5), json!(1.0)]]
    );
    let (_data, later) = us("us/listings_2025-02-20/nasdaq.csv");
    assert_eq!(
        cells(&later, Market::Us, sql),
        [[json!(1e9), json!(true), json!(null), json!(null), json!(null)]]
    );
    let none = "SELECT market_cap, market_cap_assumed FROM stocks WHERE symbol = 'ALSO'";
    assert_eq!(cells(&later, Market::Us, none), [[json!(null), json!(null)]]);
}

#[test]
fn sectors_count_the_moves_that_breadth_counts() {
    let (_data, tables) = us("us/listings_2025-01-06/nasdaq.csv");
    let sectors = "SELECT stock_count, advances, declines FROM sectors";
    assert_eq!(
        cells(&tables, Market::Us, sectors),
        [[json!(3), json!(0), json!(1)]],
        "LATE is counted, its fall is not"
    );
    let breadth = "SELECT advances, declines FROM breadth WHERE session = DATE '2025-01-06'";
    assert_eq!(cells(&tables, Market::Us, breadth), [[json!(0), json!(1)]]);
}

#[test]
fn members_and_weights_of_before_their_lists_are_assumed() {
    let header = "SYMBOL, SERIES, DATE1, PREV_CLOSE, OPEN_PRICE, HIGH_PRICE, LOW_PRICE, LAST_PRICE, CLOSE_PRICE, \
                  AVG_PRICE, TTL_TRD_QNTY, TURNOVER_LACS, NO_OF_TRADES, DELIV_QTY, DELIV_PER\n";
    let prices = |day: usize| {
        let row = |symbol: &str, price: usize| {
            format!(
                "{symbol}, EQ, 0{day}-Jan-2025, {price}, {price}, {price}, {price}, {price}, {price}, {price}, 100, 1, 1, 50, 50\n"
            )
        };
        format!("{header}{}{}", row("AROHI", 10 + day), row("BELA", 20 + day))
    };
    let days: Vec<(String, String)> =
        (1..5).map(|day| (format!("india/prices_{day}.csv"), prices(day))).collect();
    let list = "Company Name,Symbol,ISIN Code\nArohi Ltd.,AROHI,INE000A01011\nBela Ltd.,BELA,INE000B01011\n";
    let sizes = "Trade Date,Symbol,Series,Security Name,Issue Size\n02 JAN 2025,AROHI,EQ,AROHI LTD,1000\n02 JAN 2025,BELA,EQ,BELA LTD,1000\n";
    let mut files = vec![
        ("india/lists_20250103/ind_nifty500list.csv", list),
        ("india/lists_20250103/ind_nifty50list.csv", list),
        ("india/mcap02012025.csv", sizes),
        ("india/sectors.csv", "symbol,sector\nAROHI,Realty\nBELA,Realty\n"),
    ];
    files.extend(days.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let (_data, tables) = tables(&files);
    let flags = |sql: &str| -> Vec<bool> {
        cells(&tables, Market::India, sql).iter().map(|row| row[0].as_bool().unwrap()).collect()
    };
    let caps = "SELECT market_cap_assumed FROM daily_prices WHERE symbol = 'AROHI' ORDER BY session";
    assert_eq!(flags(caps), [true, false, false, false], "counted on the second");
    let members = "SELECT universe_assumed FROM universe ORDER BY session";
    assert_eq!(flags(members), [true, true, false, false], "listed on the third");
    // The first change is on the second day, weighted by the market caps of the first.
    assert_eq!(flags("SELECT weights_assumed FROM sector_indices ORDER BY session"), [true, false, false]);
    assert_eq!(flags("SELECT benchmark_assumed FROM benchmark ORDER BY session"), [true, false, false]);
    assert_eq!(flags("SELECT weights_assumed FROM sector_rotation ORDER BY session"), [true, true, true]);
}
