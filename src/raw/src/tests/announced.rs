//! Deals, disclosures, corporate actions, bands, indices: small invented files of each layout.

use super::*;
use crate::domain::event_kind::EventKind;
use crate::formats::events::Event;

const DEALS: &str =
    "Date,Symbol,Security Name,Client Name,Buy/Sell,Quantity Traded,Trade Price / Wght. Avg. Price";

pub(super) fn one_day() -> Raw {
    Raw::new().days(&[("AROHI", &[100.0, 100.0, 100.0]), ("BELA", &[50.0, 50.0, 50.0])])
}

#[test]
fn deals_of_reports_and_of_the_website_are_one_list() {
    let export = DEALS.replace(',', " \",\"").replace("Buy/Sell", "Buy / Sell");
    let market = one_day()
        .file(
            "2025-01-02/bulk.csv",
            &format!("{DEALS},Remarks\n02-JAN-2025,AROHI,Arohi Ltd,QOXI FUND,BUY,1205,100.5,-\n02-JAN-2025,AROHI,Arohi Ltd,QOXI FUND,BUY,1205,100.5,-\n02-JAN-2025,AROHI,Arohi Ltd,ZEBO LLP,SELL,7,100,Late\n02-JAN-2025,AROHI,Arohi Ltd,ZEBO LLP,LEND,7,100,-\n"),
        )
        .file("2025-01-02/block.csv", &format!("{DEALS}\n02-JAN-2025,BELA,Bela Ltd,QOXI FUND,SELL,10,50\n"))
        .file("2025-01-03/block.csv", &format!("{DEALS}\nNO RECORDS,,,,,,\n"))
        .file(
            "Bulk-Deals-01-01-2025-to-03-01-2025.csv",
            &format!("\u{feff}\"{export} \",\"Remarks \"\n\"02-JAN-2025\",\"AROHI\",\"Arohi Ltd\",\"QOXI FUND\",\"BUY\",\"1,205\",\"100.50\",\"-\"\n\"03-JAN-2025\",\"AROHI\",\"Arohi Ltd\",\"QOXI FUND\",\"BUY\",\"1,20,58,807\",\"100.50\",\"-\"\n"),
        )
        .india();
    // The two equal rows of the report are two deals; the third, in the export, is one of them.
    assert_eq!(
        market.cells("deals", "symbol deal_date sequence deal_type side quantity remarks"),
        [
            "AROHI | 02 Jan | 1 | bulk | buy | 1205 | -",
            "AROHI | 02 Jan | 2 | bulk | buy | 1205 | -",
            "AROHI | 02 Jan | 3 | bulk | sell | 7 | Late",
            "AROHI | 03 Jan | 1 | bulk | buy | 12058807 | -",
            "BELA | 02 Jan | 1 | block | sell | 10 | -",
        ]
    );
    let tally = market.report.formats["bulk and block deals"];
    assert_eq!((tally.files, tally.read, tally.kept, tally.identical, tally.refused), (4, 8, 5, 1, 2));
    assert_eq!(
        (market.refused_as("neither purchase nor sale"), market.refused_as("says that there are no records")),
        (1, 1)
    );
}

#[test]
fn disclosures_come_in_two_layouts() {
    let market = one_day()
        .file(
            "api.csv",
            "symbol,company,anex,acqName,date,secAcq,tdpTransactionType,personCategory,befAcqSharesNo,befAcqSharesPer,secVal,securitiesTypePost,afterAcqSharesNo,afterAcqSharesPer,acqfromDt,acqtoDt,acqMode,exchange,xbrl\n\
             AROHI,Arohi Ltd,7(2),Daqe Boxi,2025-01-03 19:17:00,100.0,Sell,Promoters,1000.0,1.0,10050.0,Equity Shares,900.0,0.9,01-Jan-2025,02-Jan-2025,Market Sale,NSE,https://example.com/1\n\
             AROHI,Arohi Ltd,7(2),Daqe Boxi,2025-01-03 19:17:00,50.0,Buy,Promoters,900.0,0.9,0,Equity Shares,950.0,0.95,,,Gift,NA,\n\
             AROHI,Arohi Ltd,7(2),,2025-01-03 19:17:00,,,,,,,,,,,,,,\n",
        )
        .file(
            "export.csv",
            "SYMBOL,COMPANY,NAME OF THE ACQUIRER/DISPOSER,CATEGORY OF PERSON,% SHAREHOLDING (PRIOR),NO. OF SECURITIES (ACQUIRED/DISPLOSED),VALUE OF SECURITY (ACQUIRED/DISPLOSED),ACQUISITION/DISPOSAL TRANSACTION TYPE,TYPE OF SECURITY (POST),NO. OF SECURITY (POST),MODE OF ACQUISITION,BROADCASTE DATE AND TIME\n\
             AROHI,Arohi Ltd,DAQE BOXI,Promoters,1.0,100,10050,Sell,Equity Shares,900,Market Sale,03/01/25 19:17\n\
             BELA,Bela Ltd,Rozu Qane,-,0.5,20,1000,Pledge,Equity Shares,20,Pledge Creation,02/01/25 09:00\n",
        )
        .india();
    assert_eq!(
        market
            .cells("insider_trades", "symbol filed_on sequence side shares value_cr category trade_exchange"),
        [
            "AROHI | 03 Jan | 1 | sell | 100 | 0.001005 | Promoters | -",
            "AROHI | 03 Jan | 2 | other | 50 | 0 | Promoters | -",
            "BELA | 02 Jan | 1 | other | 20 | 0.0001 | - | -",
        ]
    );
    let tally = market.report.formats["insider disclosures"];
    assert_eq!((tally.read, tally.kept, tally.identical, tally.refused), (5, 3, 1, 1));
}

#[test]
fn announced_splits_and_bonuses_adjust_prices_once() {
    let bc = "SERIES,SYMBOL,SECURITY,RECORD_DT,BC_STRT_DT,BC_END_DT,EX_DT,ND_STRT_DT,ND_END_DT,PURPOSE\n";
    let market = Raw::new()
        .days(&[("AROHI", &[100.0, 20.0, 20.0, 10.0]), ("BELA", &[50.0, 50.0, 25.0, 25.0])])
        .file(
            "bc01012025.csv",
            &format!(
                "{bc}EQ,AROHI,AROHI LTD,2025-01-02,,,2025-01-02,,,FV SPLT FRM RS 10 TO RS 2\n\
                 BE,AROHI,AROHI LTD,2025-01-02,,,2025-01-02,,,FV SPLT FRM RS 10 TO RS 2\n\
                 EQ,AROHI,AROHI LTD,2025-01-04,,,2025-01-04,,,BONUS 1:1\n\
                 EQ,AROHI,AROHI LTD,2025-01-03,,,2025-01-03,,,INTDIV - RS 2 PER SH\n\
                 N1,AROHI,AROHI NCD,2025-01-03,,,2025-01-03,,,INTEREST PAYMENT\n\
                 EQ,BELA,BELA LTD,2025-02-03,,,2025-02-03,,,BONUS 1:1\n"
            ),
        )
        .file("actions.csv", "symbol,ex_date,action,factor\nAROHI,2025-01-02,split 1:5,0.2\nBELA,2025-01-03,split 1:2,0.5\nBELA,2025-01-02,real move,1\n")
        .india();
    assert_eq!(market.factors("AROHI"), [0.1, 0.5, 0.5, 1.0]);
    // The bonus of February is after the last session: announced, not in force.
    assert_eq!(market.factors("BELA"), [0.5, 0.5, 1.0, 1.0]);
    let events = market.tables.rows::<Event>().unwrap();
    let events: Vec<_> = events
        .iter()
        .map(|it| (it.symbol.as_str(), it.ex_date, it.kind, it.factor, it.source.words().unwrap()))
        .collect();
    let february = NaiveDate::from_ymd_opt(2025, 2, 3).unwrap();
    assert_eq!(
        events,
        [
            ("AROHI", january(2), EventKind::Split, Some(0.2), "official corporate actions"),
            ("AROHI", january(3), EventKind::Other, None, "official corporate actions"),
            ("AROHI", january(4), EventKind::Bonus, Some(0.5), "official corporate actions"),
            ("BELA", january(3), EventKind::Split, Some(0.5), "corporate actions"),
            ("BELA", february, EventKind::Bonus, Some(0.5), "official corporate actions"),
        ]
    );
    let tally = market.report.formats["official corporate actions"];
    assert_eq!((tally.read, tally.kept, tally.identical, tally.refused), (6, 4, 1, 1));
}

#[test]
fn a_list_of_actions_stands_before_the_exchange() {
    let market = one_day()
        .file(
            "bc.csv",
            "SERIES,SYMBOL,SECURITY,RECORD_DT,EX_DT,PURPOSE\nEQ,AROHI,A,2025-01-02,2025-01-02,BONUS 1:1\n",
        )
        .file("actions.csv", "symbol,ex_date,action,factor\nAROHI,2025-01-02,bonus 2:1,0.333333\n")
        .india();
    assert_eq!(market.factors("AROHI"), [0.333_333, 1.0, 1.0]);
    let message = market.report.exceptions.join("\n");
    assert!(
        message.contains(
            "another factor than the exchange announces, and takes precedence: AROHI on 2025-01-02"
        ),
        "{message}"
    );
}

/// Two lists, other wordings, a moved date, a part in addition to the whole: the action counts once, on the date that prices confirm.
#[test]
fn an_action_of_several_rows_happened_once() {
    const BC: &str =
        "SERIES,SYMBOL,SECURITY,RECORD_DT,BC_STRT_DT,BC_END_DT,EX_DT,ND_STRT_DT,ND_END_DT,PURPOSE";
    const CF: &str =
        "\"SYMBOL\",\"COMPANY NAME\",\"SERIES\",\"PURPOSE\",\"FACE VALUE\",\"EX-DATE\",\"RECORD DATE\"";
    let bc =
        |purpose: &str, day: u32| format!("EQ,AROHI,AROHI LTD,2025-01-0{day},,,2025-01-0{day},,,{purpose}\n");
    let cf = |purpose: &str, day: u32| {
        format!("\"AROHI\",\"Arohi\",\"EQ\",\"{purpose}\",\"10\",\"0{day}-Jan-2025\",\"0{day}-Jan-2025\"\n")
    };
    let bars: &[(&str, &[f64])] = &[("AROHI", &[90.0, 30.0, 30.0, 30.0]), ("BELA", &[50.0; 4])];
    for (daily, yearly, factors, message) in [
        (bc("BONUS 2:1", 2), cf("Bonus 2:1", 2), [1.0 / 3.0, 1.0], None),
        (
            bc("BON-2:1", 2),
            cf("Bonus Issue 2 For 1", 3),
            [1.0 / 3.0, 1.0],
            Some("AROHI: bonus 0.333333 on 2025-01-02, not 0.333333 on 2025-01-03"),
        ),
        (
            bc("BONUS 2:1", 4),
            cf("Bonus 2:1", 2),
            [1.0 / 3.0, 1.0],
            Some("on 2025-01-02, not 0.333333 on 2025-01-04"),
        ),
        (bc("BONUS 2:1", 2), cf("Bonus 1:1", 2), [1.0 / 3.0, 1.0], Some("not 0.500000 on 2025-01-02")),
        (
            bc("FVSPLT FRM RS 9 TO RS 3", 2),
            cf("Face Value Split (Sub-Division) - From Rs 9/- Per Share To Rs 3/- Per Share", 2),
            [1.0 / 3.0, 1.0],
            None,
        ),
        (bc("BONUS 1:2/FV SPL RS 2 TO RE 1", 2), cf("Bonus 1:2", 2), [1.0 / 3.0, 1.0], None),
    ] {
        let market = Raw::new()
            .days(bars)
            .file("bc02012025.csv", &format!("{BC}\n{daily}"))
            .file("CF-CA-equities.csv", &format!("{CF}\n{yearly}"))
            .india();
        let found = market.factors("AROHI");
        assert!(
            (found[0] - factors[0]).abs() < 1e-9
                && found[1..].iter().all(|it| (it - factors[1]).abs() < 1e-9),
            "{daily}{yearly}{found:?}"
        );
        let report = market.report.exceptions.join("\n");
        let is_said = message.map_or(!report.contains("cannot all be"), |message| report.contains(message));
        assert!(is_said, "{daily}{yearly}{report}");
        assert_eq!(market.tables.rows::<Event>().unwrap().len(), 1, "{daily}{yearly}");
    }
}

/// Prices move by both factors at once, so that they contradict neither action.
#[test]
fn a_split_and_a_bonus_of_one_date_are_judged_together() {
    let market = Raw::new()
        .days(&[("AROHI", &[120.0, 30.0, 30.0])])
        .file(
            "bc.csv",
            "SERIES,SYMBOL,SECURITY,RECORD_DT,EX_DT,PURPOSE\nEQ,AROHI,A,2025-01-02,2025-01-02,BONUS 1:1\n\
             EQ,AROHI,A,2025-01-02,2025-01-02,FV SPL RS 10 TO RS 5\n",
        )
        .india();
    assert_eq!(market.factors("AROHI"), [0.25, 1.0, 1.0]);
    let message = market.report.exceptions.join("\n");
    assert!(!message.contains("contradicted") && !message.contains("cannot all be"), "{message}");
}

#[test]
fn dividends_of_series_wordings_and_moved_dates_are_paid_once() {
    let bc = "SERIES,SYMBOL,SECURITY,RECORD_DT,EX_DT,PURPOSE\n";
    let market = one_day()
        .file(
            "bc01012025.csv",
            &format!(
                "{bc}EQ,AROHI,A,2025-01-02,2025-01-02,INTDIV - RS 5 PER SH\nBE,AROHI,A,2025-01-02,2025-01-02,Interim Dividend - Rs 5 Per Share\n\
                 EQ,AROHI,A,2025-01-02,2025-01-02,SPL DIV RS 5\nEQ,BELA,B,2025-01-02,2025-01-02,DIV RS 3\nEQ,BELA,B,2025-03-02,2025-03-02,DIV RS 3\n\
                 EQ,BELA,B,2025-01-03,2025-01-03,DIV-40% ZORBL\n\
                 EQ,AROHI,A,2025-02-10,2025-02-10,AGM/DIV-RS 5/SPL DIV-RS 2\n"
            ),
        )
        .file("bc03012025.csv", &format!("{bc}EQ,BELA,B,2025-01-09,2025-01-09,DIVIDEND - RS 3 PER SHARE\nEQ,AROHI,A,2025-02-10,2025-02-10,DIV RS 5\nEQ,AROHI,A,2025-02-10,2025-02-10,SPL DIV RS 2\n"))
        .india();
    let events = market.tables.rows::<Event>().unwrap();
    let found: Vec<_> = events
        .iter()
        .map(|it| (it.symbol.as_str(), it.ex_date.to_string(), it.dividend, it.unread.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("AROHI", "2025-01-02".to_owned(), Some((5.0, 0.0)), ""),
            ("AROHI", "2025-01-02".to_owned(), Some((5.0, 5.0)), ""),
            ("AROHI", "2025-02-10".to_owned(), None, ""),
            ("AROHI", "2025-02-10".to_owned(), Some((5.0, 0.0)), ""),
            ("AROHI", "2025-02-10".to_owned(), Some((2.0, 2.0)), ""),
            ("BELA", "2025-01-03".to_owned(), None, "dividend, ZORBL"),
            ("BELA", "2025-01-09".to_owned(), Some((3.0, 0.0)), ""),
            ("BELA", "2025-03-02".to_owned(), Some((3.0, 0.0)), ""),
        ]
    );
    let report = market.report.exceptions.join("\n");
    assert!(
        report.contains("1 corporate action is not understood whole")
            && report.contains("ZORBL; bc01012025.csv, line 7"),
        "{report}"
    );
}

#[test]
fn names_with_commas_keep_their_rows() {
    let market = one_day()
        .file(
            "bc01012025.csv",
            "SERIES,SYMBOL,SECURITY,RECORD_DT,BC_STRT_DT,BC_END_DT,EX_DT,ND_STRT_DT,ND_END_DT,PURPOSE\n\
             EQ,AROHI,Arohi, Sons And Co, LTD,2025-01-02, , ,2025-01-02, , ,BONUS 1:1\n",
        )
        .file("EQUITY_L.csv", "SYMBOL,NAME OF COMPANY,SERIES,DATE OF LISTING,PAID UP VALUE,MARKET LOT,ISIN NUMBER,FACE VALUE\nAROHI,Arohi, Sons And Co,EQ,01-JAN-2020,10,1,INE000A01011,10\n")
        .india();
    assert_eq!(market.factors("AROHI"), [0.5, 1.0, 1.0]);
    assert_eq!(market.refused(Reason::WrongFieldCount), 0);
    let company = market.companies.iter().find(|company| company.symbol == "AROHI").unwrap();
    assert_eq!(company.name.as_deref(), Some("Arohi, Sons And Co"));
    let market = one_day()
        .file(
            "bc01012025.csv",
            "SERIES,SYMBOL,SECURITY,RECORD_DT,BC_STRT_DT,BC_END_DT,EX_DT,ND_STRT_DT,ND_END_DT,PURPOSE\n\
             EQ,AROHI,Arohi LTD,2025-01-02, , ,2025-01-02, , ,DIV RS 5, BONUS 1:1\n",
        )
        .india();
    assert_eq!((market.factors("AROHI"), market.refused(Reason::WrongFieldCount)), (vec![0.5, 1.0, 1.0], 0));
}

#[test]
fn changes_of_symbols_are_read_with_and_without_their_header() {
    let rows = ["Arohi, Sons Ltd,OLDA,AROHI,03-JAN-2025", "Bela Ltd,OLDB,BELA,03-JAN-2025"];
    let header = "SYMB_COMPANY_NAME, SM_KEY_SYMBOL, SM_NEW_SYMBOL, SM_APPLICABLE_FROM";
    for lines in [vec![header, rows[0], rows[1]], vec![rows[0], rows[1]], vec![rows[1], rows[0]]] {
        let market = Raw::new()
            .days(&[
                ("OLDA", &[90.0, 91.0, 0.0]),
                ("OLDB", &[50.0, 51.0, 0.0]),
                ("AROHI", &[0.0, 0.0, 92.0]),
                ("BELA", &[0.0, 0.0, 52.0]),
            ])
            .file("symbolchange.csv", &(lines.join("\n") + "\n"))
            .india();
        assert_eq!(market.factors("AROHI").len(), 3, "{lines:?}");
        assert_eq!(market.factors("BELA").len(), 3, "{lines:?}");
    }
}

#[test]
fn bands_are_dated_by_their_path() {
    let list = "Symbol,Series,Security Name,Band,Remarks\nAROHI,EQ,AROHI LTD,20,\"-\"\nBELA,BE,BELA LTD,No Band,GSM STAGE - 0\nTINY,ST,TINY LTD,5,-\n";
    let market = one_day()
        .file("sec_list_02012025.csv", list)
        .file("sec_list_priceband_202501.csv", list)
        .file("sec_list.csv", &list.replace("AROHI", "CHARU"))
        .india();
    assert_eq!(
        market.cells("price_bands", "symbol band_date band_pct remarks"),
        [
            // A dated list holds from the next day; an undated list has the assumed date.
            "AROHI | 03 Jan | 20 | -",
            "BELA | 03 Jan | - | GSM STAGE - 0",
            "CHARU | 03 Jan | 20 | -",
        ]
    );
    assert_eq!(market.refused(Reason::NotCommonSeries), 2);
    // Bands change within a month, so a list that names only its month is refused.
    assert_eq!(market.refused_as("the name of the list says its month, not its day"), 3);
    let note = &market.report.gave_nothing[0];
    assert!(
        note.file == "sec_list_priceband_202501.csv" && note.why.contains("name it after its day"),
        "{note:?}"
    );
}

#[test]
fn indices_are_read_from_the_days_prices() {
    let pr = "MKT,SECURITY,PREV_CL_PR,OPEN_PRICE,HIGH_PRICE,LOW_PRICE,CLOSE_PRICE,NET_TRDVAL,NET_TRDQTY,IND_SEC,CORP_IND,TRADES,HI_52_WK,LO_52_WK\n\
              Y,Nifty 50,   99.00,  100.00,  110.00,  90.00,  105.50,1,1,Y, ,1,0.00,0.00\nN,AROHI LTD,1,1,1,1,1,1,1,N, ,1,0,0\n";
    let pd = pr
        .replace("MKT,SECURITY", "MKT,SERIES,SYMBOL,SECURITY")
        .replace("Y,Nifty", "Y, , ,Nifty")
        .replace("N,AROHI", "N,EQ,AROHI,AROHI");
    let market = one_day().file("pr02012025.csv", pr).file("pd02012025.csv", &pd).india();
    let index = &market.indices[0];
    assert_eq!((index.symbol.as_str(), index.session.as_slice()), ("NIFTY50", &[1][..]));
    assert_eq!((index.open[0], index.high[0], index.low[0], index.close[0]), (100.0, 110.0, 90.0, 105.5));
    let tally = market.report.formats["index prices"];
    assert_eq!((tally.read, tally.kept, tally.identical, tally.refused), (4, 1, 1, 2));
    assert!(market.report.benchmarks.is_empty() && market.report.indices == 1);
}

#[test]
fn closes_of_all_indices_stand_behind_the_days_prices() {
    let pr = "MKT,SECURITY,PREV_CL_PR,OPEN_PRICE,HIGH_PRICE,LOW_PRICE,CLOSE_PRICE,NET_TRDVAL,NET_TRDQTY,IND_SEC,CORP_IND,TRADES,HI_52_WK,LO_52_WK\n\
              Y,Nifty 50,   99.00,  100.00,  110.00,  90.00,  105.50,1,1,Y, ,1,0.00,0.00\n";
    let all = "Index Name,Index Date,Open Index Value,High Index Value,Low Index Value,Closing Index Value,Points Change,Change(%),Volume,\
               Turnover (Rs. Cr.),P/E,P/B,Div Yield\n";
    let rows = "Nifty 50,02-01-2025,101,111,91,106,-.5,-.47,1,1,20.5,2.9,1.2\nNifty IT,02-01-2025,50,52,49,51,1,2,-,-,-,-,-\n\
                India VIX,02-01-2025,-,-,-,14.5,-,-,-,-,-,-,-\nNifty Bank,02/30/2025,1,1,1,1,0,0,0,0,0,0,0\nNifty Pharma,02-01-2025,5,4,3,4,0,0,0,0,0,0,0\n";
    // The columns are in another order, and the day is another.
    let other = "Closing Index Value,Index Date,Low Index Value,High Index Value,Open Index Value,Index Name\n53,01-01-2025,50,54,51,Nifty IT\n";
    let market = one_day()
        .file("pr02012025.csv", pr)
        .file("ind_close_all_02012025.csv", &format!("{all}{rows}"))
        .file("ind_close_all_01012025.csv", other)
        .india();
    let of = |symbol: &str| market.indices.iter().find(|index| index.symbol == symbol).unwrap();
    // The format that comes first in the list wins, as with prices of stocks.
    assert_eq!((of("NIFTY50").close.as_slice(), of("NIFTY50").open.as_slice()), (&[105.5][..], &[100.0][..]));
    let it = of("NIFTYIT");
    assert_eq!((it.session.as_slice(), it.open.as_slice()), (&[0, 1][..], &[51.0, 50.0][..]));
    assert_eq!((it.high[1], it.low[1], it.close[1]), (52.0, 49.0, 51.0));
    let tally = market.report.formats["index closes"];
    assert_eq!((tally.read, tally.kept, tally.differing, tally.refused), (6, 2, 1, 3));
    assert_eq!((market.refused(Reason::BadNumber), market.refused(Reason::BadDate)), (1, 1));
    assert_eq!(market.refused(Reason::InconsistentPrices), 1);
}

/// The mode counts too: a `Buy` by gift is no purchase.
#[test]
fn the_mode_tells_a_purchase_from_what_only_looks_like_one() {
    let rows = [
        ("Buy", "Market Purchase", "buy"),
        ("Sell", "Off Market", "sell"),
        ("Buy", "ESOP", "other"),
        ("Sell", "Gift", "other"),
        ("Pledge", "Pledge Creation", "other"),
        ("Pledge Revoke", "Revokation of Pledge", "other"),
        ("Buy", "Inter-se-Transfer", "other"),
        ("Sell", "Scheme of Amalgamation/Merger/Demerger/Arrangement", "other"),
        ("", "", "other"),
    ];
    let lines: Vec<String> = (10..)
        .zip(rows)
        .map(|(number, (what, way, _))| format!("AROHI,02-Jan-2025,{what},{way},100,5000,P{number}\n"))
        .collect();
    let header = "symbol,date,tdpTransactionType,acqMode,secAcq,secVal,acqName\n";
    let market = one_day().file("insider.csv", &format!("{header}{}", lines.concat())).india();
    assert_eq!(market.cells("insider_trades", "side"), rows.map(|(_, _, side)| side));
}

#[test]
fn the_name_of_a_file_tells_day_from_month() {
    let closes = |written: &str, close: u32| {
        format!(
            "Index Name,Index Date,Open Index Value,High Index Value,Low Index Value,Closing Index Value\n\
             Nifty 50,{written},{close},{close},{close},{close}\n"
        )
    };
    let raw = ["04-03-2025", "03-04-2025", "05-03-2025"].iter().fold(Raw::new(), |raw, day| {
        let date = NaiveDate::parse_from_str(day, "%d-%m-%Y").unwrap().format("%d-%b-%Y").to_string();
        raw.full(&format!("prices/{day}.csv"), &[row("AROHI", "EQ", &date, 10.0)])
    });
    let market = raw
        .file("ind_close_all_04032025.csv", &closes("04-03-2025", 20))
        // The rows of this file have day and month swapped.
        .file("ind_close_all_03042025.csv", &closes("04-03-2025", 30))
        // A date that the file's name does not contradict is used as written.
        .file("ind_close_all_06032025.csv", &closes("05-03-2025", 40))
        .india();
    let [index] = market.indices.as_slice() else { panic!("{:?}", market.indices) };
    assert_eq!(index.close, [20.0, 40.0, 30.0]);
    let message = "ind_close_all_03042025.csv writes 2025-03-04; its name says 2025-04-03, which is used";
    assert!(market.report.exceptions.iter().any(|line| line == message), "{:?}", market.report.exceptions);
}
