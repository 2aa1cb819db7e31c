//! Each rule of the formula book on sessions, prices, actions and lists.

use super::*;

#[test]
fn a_holiday_repeats_the_day_before() {
    let friday = [row("AROHI", "EQ", "03-Jan-2025", 10.0)];
    let market = Raw::new().full("full_03012025.csv", &friday).full("full_04012025.csv", &friday).india();
    assert_eq!((market.sessions.len(), market.stock("AROHI").len()), (1, 1));
    assert_eq!(market.report.formats["full bhavcopy"].identical, 1);
}

#[test]
fn a_truncated_day_is_no_session_where_it_is_allowed() {
    let symbols = ["A1", "A2", "A3", "A4"];
    let day = |date: &str| symbols.map(|symbol| row(symbol, "EQ", date, 10.0)).to_vec();
    let cut = format!("{FULL}{}\nA2, EQ, 02-Jan-2025, 11", row("A1", "EQ", "02-Jan-2025", 11.0));
    let market = Raw::new()
        .full("1.csv", &day("01-Jan-2025"))
        .file("2.csv", &cut)
        .full("3.csv", &day("03-Jan-2025"))
        .read_with(RawOptions { allow_unreadable: true, ..RawOptions::for_market(Market::India) });
    assert_eq!(market.sessions.iter().map(|s| s.date).collect::<Vec<_>>(), [january(1), january(3)]);
    assert_eq!((market.refused(Reason::Unreadable), market.refused(Reason::NotASession)), (1, 1));
    let unused = market.report.unused_dates[0];
    assert_eq!((unused.date, unused.stocks, unused.usual), (january(2), 1, 4.0));
    assert_eq!(market.stock("A1").session, [0, 1]);
}

#[test]
fn dates_that_no_bar_has_are_refused() {
    let day = |date: &str, symbol: &str| row(symbol, "EQ", date, 10.0);
    let market = Raw::new()
        .full("sec_bhavdata_full_10012025.csv", &[day("2025-01-10", "AROHI"), day("2025-10-01", "BELA")])
        .full("sec_bhavdata_full_13012025.csv", &[day("13-Jan-2025", "AROHI"), day("13-Jan-2062", "BELA")])
        .india();
    assert_eq!(market.symbols(), ["AROHI"]);
    assert_eq!((market.refused(Reason::SwappedDate), market.refused(Reason::StillToCome)), (1, 1));
}

#[test]
fn a_session_that_lacks_a_third_of_its_stocks_is_named() {
    let symbols = ["A1", "A2", "A3"];
    let whole = Raw::new().days(&symbols.map(|symbol| (symbol, &[10.0; 6][..])));
    assert!(!whole.india().report.exceptions.join(" ").contains("far fewer stocks"));
    let cut = [10.0, 10.0, 10.0, 0.0, 10.0, 10.0];
    let prices: [&[f64]; 3] = [&[10.0; 6], &[10.0; 6], &cut];
    let market = Raw::new().days(&std::array::from_fn::<_, 3, _>(|at| (symbols[at], prices[at]))).india();
    let message = market.report.exceptions.join(" ");
    assert!(
        message.contains("far fewer stocks") && message.contains("2025-01-04 (2 of about 3)"),
        "{message}"
    );
}

#[test]
fn rows_with_cells_too_many_are_joined_by_words_alone() {
    let header = "SERIES,SYMBOL,SECURITY,RECORD_DT,BC_STRT_DT,BC_END_DT,EX_DT,ND_STRT_DT,ND_END_DT,PURPOSE\n";
    let market = Raw::new()
        .days(&[("AROHI", &[10.0, 5.0])])
        .file(
            "bc01012025.csv",
            &format!("{header}EQ,AROHI,A,2025-01-01,2025-01-02, , ,2025-01-02, , ,BONUS 1:1\n"),
        )
        .india();
    assert_eq!(market.refused(Reason::WrongFieldCount) + market.refused(Reason::BadDate), 1);
}

#[test]
fn what_is_no_common_stock_is_refused_and_named() {
    let on = |symbol: &str, series: &str| row(symbol, series, "01-Jan-2025", 10.0);
    let bad = |cells: &str| format!("AROHI, EQ, {cells}, 100, 1, 1, 50, 50");
    let market = Raw::new()
        .full(
            "a.csv",
            &[
                on("AROHI", "EQ"), on("NIFTYBEES", "EQ"), on("LISTEDFUND", "EQ"), on("SOMEETF", "EQ"), on("OTHERBEES", "EQ"),
                on("AROHI-RE", "BE"), on("AROHI-RE1", "BE"), on("SMALL", "SM"), on("751GS2030", "GS"), on("BAJAJ-AUTO", "EQ"),
                bad("02-Foo-2025, 1, 1, 1, 1, , 1, 1"), bad("02-Jan-2025, 1, 1, x, 1, , 1, 1"),
                bad("02-Jan-2025, 1, 0, 1, 0, , 1, 1"), bad("02-Jan-2025, 1, 5, 4, 6, , 5, 5"), on("", "EQ"),
            ],
        )
        .file("etfs.csv", "Symbol,Underlying,SecurityName,DateofListing\nLISTEDFUND,Index,A fund,08-Jan-02\nNIFTYBEES,Nifty50,B,08-Jan-02\n")
        .india();
    assert_eq!(market.symbols(), ["AROHI", "BAJAJ-AUTO"]);
    assert_eq!(market.indices[0].symbol, "NIFTYBEES");
    let refused: Vec<(&str, u64)> =
        market.report.refused.iter().map(|(reason, rows)| (reason.as_str(), *rows)).collect();
    assert_eq!(
        refused,
        [
            ("bad date", 1),
            ("bad number", 1),
            ("exchange-traded fund", 1),
            ("no symbol", 1),
            ("price not positive", 1),
            ("prices contradict each other", 1),
            ("rights entitlement", 2),
            ("series is not common stock", 2),
            ("unlisted and named as a fund", 2),
        ]
    );
    assert_eq!(market.sessions[0].stocks, 2, "a benchmark is no stock");
}

#[test]
fn eq_wins_over_be_whatever_the_format() {
    let market = Raw::new()
        .full("a.csv", &[row("AROHI", "BE", "01-Jan-2025", 11.0), row("BELA", "BZ", "01-Jan-2025", 7.0), row("BELA", "BE", "01-Jan-2025", 8.0)])
        .file("b.csv", "SYMBOL,SERIES,OPEN,HIGH,LOW,CLOSE,TOTTRDQTY,TIMESTAMP,ISIN\nAROHI,EQ,10,10,10,10,5,01-JAN-2025,INE000A01011\n")
        .india();
    assert_eq!((market.stock("AROHI").close[0], market.stock("BELA").close[0]), (10.0, 8.0));
    assert_eq!(market.refused(Reason::SeriesSuperseded), 2);
}

#[test]
fn the_better_format_wins_then_the_newer_file() {
    let market = Raw::new()
        .full("full_01012025.csv", &[row("AROHI", "EQ", "01-Jan-2025", 10.0), row("BELA", "EQ", "01-Jan-2025", 5.0)])
        .full("full_02012025.csv", &[row("BELA", "EQ", "01-Jan-2025", 6.0)])
        .file("old_20250103.csv", "SYMBOL,SERIES,OPEN,HIGH,LOW,CLOSE,TOTTRDQTY,TIMESTAMP,ISIN\nAROHI,EQ,12,12,12,12,5,01-JAN-2025,INE000A01011\n")
        .india();
    assert_eq!((market.stock("AROHI").close[0], market.stock("BELA").close[0]), (10.0, 6.0));
    let differing: Vec<_> =
        market.report.differing.iter().map(|row| (row.symbol.as_str(), row.other_at.as_str())).collect();
    assert_eq!(differing, [("AROHI", "old_20250103.csv:2"), ("BELA", "full_01012025.csv:3")]);
}

#[test]
fn rows_after_the_as_of_date_are_refused() {
    let raw = Raw::new().days(&[("AROHI", &[10.0, 11.0, 12.0])]);
    let market =
        raw.read_with(RawOptions { as_of: Some(january(2)), ..RawOptions::for_market(Market::India) });
    assert_eq!((market.stock("AROHI").close.len(), market.refused(Reason::AfterAsOf)), (2, 1));
}

#[test]
fn factors_multiply_what_is_before_them() {
    let market = Raw::new()
        .days(&[("AROHI", &[100.0, 20.0, 21.0, 10.0])])
        .file("actions.csv", "symbol,ex_date,action,factor\nAROHI,2025-01-02,split 1:5,0.2\nAROHI,2025-01-04,bonus 1:1,0.5\nAROHI,2025-01-04,bonus 1:1,0.5\nAROHI,2025-02-01,bonus 1:1,0.5\nAROHI,2025-01-03,split,0\n")
        .india();
    assert_eq!(market.factors("AROHI"), [0.1, 0.5, 0.5, 1.0]);
    assert_eq!((market.jumps.len(), &market.stock("AROHI").price_segment), (0, &vec![0; 4]));
    let kinds: Vec<_> = market.actions.iter().map(|action| (action.kind, action.origin)).collect();
    assert_eq!(kinds, [(ActionKind::Split, ActionOrigin::Given), (ActionKind::Bonus, ActionOrigin::Given)]);
    let tally = market.report.formats["corporate actions"];
    assert_eq!((tally.read, tally.kept, tally.identical, tally.refused), (5, 2, 1, 2));
}

#[test]
fn an_unexplained_jump_starts_a_new_history() {
    // Four bars are put before the closes, since the first five bars of a listing have no jumps.
    let after_four = |closes: [f64; 5]| [[10.0; 4].as_slice(), &closes].concat();
    let market = Raw::new()
        .days(&[
            ("JUMPS", &after_four([10.0, 10.0, 4.0, 4.0, 8.0])),
            ("EXPLAINED", &after_four([10.0, 10.0, 4.0, 4.0, 4.0])),
            // The same fall two sessions after the action's date: the bar before it is older than the action.
            ("ABSENT", &after_four([10.0, 10.0, 0.0, 4.0, 4.0])),
            ("MOVES", &after_four([10.0, 7.1, 10.2, 10.2, 10.2])),
        ])
        .file(
            "actions.csv",
            "symbol,ex_date,action,factor\nEXPLAINED,2025-01-07,real move,1\nABSENT,2025-01-07,split,0.4\n",
        )
        .india();
    assert_eq!(market.stock("JUMPS").price_segment, [0, 0, 0, 0, 0, 0, 1, 1, 2]);
    let jumps: Vec<_> =
        market.jumps.iter().map(|jump| (jump.symbol.as_str(), jump.date, jump.ratio)).collect();
    assert_eq!(jumps, [("JUMPS", january(7), 0.4), ("JUMPS", january(9), 2.0)]);
}

/// A US price file in which each symbol has a price a day from 1 January 2025; 0 is no bar.
fn us_days(symbols: &[(&str, &[f64])]) -> String {
    let rows = symbols.iter().flat_map(|(symbol, prices)| {
        (1..)
            .zip(*prices)
            .filter(|(_, price)| **price > 0.0)
            .map(move |(day, p)| format!("{symbol},2025-01-{day:02},{p},{p},{p},{p},100\n"))
    });
    rows.fold("symbol,date,open,high,low,close,volume\n".to_owned(), |text, row| text + &row)
}

#[test]
fn a_crash_without_price_bands_stays_in_its_history() {
    let after_five = |last: [f64; 3]| [[100.0; 5].as_slice(), &last].concat();
    let market = Raw::new()
        .file(
            "asof_2025-01-08.csv",
            &us_days(&[
                ("CRASHES", &after_five([66.0, 36.4, 36.0])),
                ("HALVES", &after_five([50.0, 51.0, 51.0])),
                ("MERGES", &after_five([1000.0, 1010.0, 1010.0])),
                ("RISES", &after_five([180.0, 450.0, 450.0])),
                ("SAID", &after_five([50.0, 50.0, 50.0])),
                ("YOUNG", &[100.0, 100.0, 100.0, 100.0, 50.0, 50.0, 50.0, 50.0]),
            ]),
        )
        .file("actions.csv", "symbol,ex_date,action,factor\nSAID,2025-01-06,real move,1\n")
        .us();
    let moves = |moves: &[Jump]| -> Vec<String> {
        moves.iter().map(|jump| format!("{} {} {:.2}", jump.symbol, jump.date, jump.ratio)).collect()
    };
    assert_eq!(moves(&market.jumps), ["HALVES 2025-01-06 0.50", "MERGES 2025-01-06 10.00"]);
    let real = [
        "CRASHES 2025-01-06 0.66",
        "CRASHES 2025-01-07 0.55",
        "RISES 2025-01-06 1.80",
        "RISES 2025-01-07 2.50",
        "SAID 2025-01-06 0.50",
    ];
    assert_eq!(moves(&market.report.real_moves), real);
    for (symbol, history) in [("CRASHES", [0; 8]), ("HALVES", [0, 0, 0, 0, 0, 1, 1, 1]), ("SAID", [0; 8])] {
        assert_eq!(market.stock(symbol).price_segment, history, "{symbol}");
    }
    let report = market.report.to_string();
    assert!(report.contains("2 unexplained jumps and gaps, 5 large moves taken as real"), "{report}");
    assert!(
        report.contains("Large moves taken as real\n  2025-01-06 CRASHES  66 after 100, x 0.660"),
        "{report}"
    );
}

/// The open over the previous close is the remaining part of the company; without a factor no figure spans the day.
#[test]
fn a_demerger_without_a_factor_is_reported_and_starts_a_new_history() {
    let header = "SERIES,SYMBOL,SECURITY,RECORD_DT,BC_STRT_DT,BC_END_DT,EX_DT,ND_STRT_DT,ND_END_DT,PURPOSE\n";
    let row =
        |symbol: &str, purpose: &str| format!("EQ,{symbol},X LTD,07/01/2025,,,07/01/2025,,,{purpose}\n");
    let falls = [100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 85.0, 86.0];
    let market = Raw::new()
        .days(&[("PARTS", &falls), ("SAID", &falls), ("REAL", &falls), ("MERGES", &falls)])
        .file(
            "bc07012025.csv",
            &[header, &row("PARTS", "DEMERGER"), &row("SAID", "SPIN-OFF"), &row("REAL", "Demerger"), &row("MERGES", "AMALGAMATION")]
                .concat(),
        )
        .file(
            "actions.csv",
            "symbol,ex_date,action,factor\nSAID,2025-01-07,spin_off,0.85\nREAL,2025-01-07,real move,1\n",
        )
        .file("mcap_02012025.csv", "Trade Date,Symbol,Series,Security Name,Category,Last Trade Date,Face Value(Rs.),Issue Size,Close Price/Paid up value(Rs.),Market Cap(Rs.)\n02 JAN 2025,PARTS,EQ,X LTD,Listed,02 JAN 2025,5.00,1000,1.00,1.00\n")
        .india();
    let jumps: Vec<_> = market
        .jumps
        .iter()
        .map(|jump| (jump.symbol.as_str(), jump.date, jump.ratio, jump.is_spin_off))
        .collect();
    assert_eq!(jumps, [("PARTS", january(7), 0.85, true)]);
    assert_eq!((market.factors("SAID")[5], market.stock("SAID").price_segment), (0.85, vec![0; 8]));
    // The company has as many shares as before.
    assert_eq!(market.stock("PARTS").shares[1..], [1000.0; 7]);
    let report = market.report.to_string();
    assert!(report.contains("PARTS  85 after 100, x 0.850: a demerger or spin-off"), "{report}");
}

#[test]
fn a_young_listing_and_a_long_absence_do_not_jump() {
    let steady = [10.0; 16];
    let mut young = [0.0; 16];
    // Bars 1 to 5 of the listing may jump unreported; bar 6 may not.
    young[2..].fill(20.0);
    young[2] = 10.0;
    young[7..].fill(40.0);
    let mut absent = [10.0; 16];
    // The last bar before the absence is session 5; session 11 is 6 sessions later, when only 0.4 or 2.5 times is too far.
    absent[6..11].fill(0.0);
    absent[11..].fill(24.0);
    let mut away = absent;
    away[10] = 24.0;
    let mut back = absent;
    back[11..].fill(26.0);
    let market = Raw::new()
        .days(&[
            ("A", &steady),
            ("B", &steady),
            ("YOUNG", &young),
            ("ABSENT", &absent),
            ("AWAY", &away),
            ("BACK", &back),
        ])
        .india();
    let jumps: Vec<_> = market.jumps.iter().map(|jump| (jump.symbol.as_str(), jump.date)).collect();
    assert_eq!(jumps, [("AWAY", january(11)), ("BACK", january(12)), ("YOUNG", january(8))]);
}

#[test]
fn one_misprinted_price_is_put_right_and_said() {
    let day = |date: u32, prices: [f64; 4]| {
        let [open, high, low, close] = prices;
        format!("AAA,2025-01-{date:02},{open},{high},{low},{close},100\n")
    };
    let quiet: String = (1..=6).map(|date| day(date, [10.0; 4])).collect();
    let rows =
        [day(7, [10.0, 1000.0, 9.9, 10.1]), day(8, [5.0, 10.2, 5.0, 10.1]), day(9, [10.0, 15.0, 9.0, 10.0])];
    let market = Raw::new()
        .file("prices.csv", &format!("symbol,date,open,high,low,close,volume\n{quiet}{}", rows.concat()))
        .us();
    let stock = market.stock("AAA");
    assert_eq!((&stock.high[6..], &stock.low[6..]), (&[10.1, 10.2, 15.0][..], &[9.9, 10.1, 9.0][..]));
    assert_eq!((stock.open[7], market.jumps.len(), stock.price_segment), (10.1, 0, vec![0; 9]));
    assert_eq!(market.report.bad_ticks.len(), 3);
    let report = market.report.to_string();
    assert!(report.contains("2025-01-07 AAA  high 1000, taken as 10.1; at prices.csv:8"), "{report}");
}

#[test]
fn a_gap_of_more_than_sixty_sessions_starts_a_new_history() {
    let steady: [f64; 70] = std::array::from_fn(|session| 10.0 + (session % 2) as f64);
    // The last bar before the absence is session 6; back on session 66 it is 60 sessions later, on session 67 one too many.
    let back_on = |session: usize| {
        let mut prices = steady;
        prices[7..session].fill(0.0);
        prices
    };
    let (near, gone) = (back_on(66), back_on(67));
    let market = Raw::new()
        .days(&[
            ("A", &steady),
            ("B", &steady),
            ("C", &steady),
            ("D", &steady),
            ("E", &steady),
            ("GONE", &gone),
            ("KEPT", &gone),
            ("NEAR", &near),
            ("SPLIT", &gone),
        ])
        .file(
            "actions.csv",
            "symbol,ex_date,action,factor\nKEPT,2025-03-09,trading resumes,1\nSPLIT,2025-03-09,split,0.5\n",
        )
        .india();
    let jumps: Vec<_> = market
        .jumps
        .iter()
        .map(|jump| (jump.symbol.as_str(), jump.date.to_string(), jump.ratio, jump.sessions_apart))
        .collect();
    let returned = |symbol| (symbol, "2025-03-09".to_owned(), 1.1, 61);
    assert_eq!(jumps, [returned("GONE"), returned("SPLIT")]);
    assert_eq!(market.stock("GONE").price_segment, [[0; 7].as_slice(), &[1; 3]].concat());
    assert!(
        market.stock("KEPT").price_segment.iter().all(|segment| *segment == 0),
        "a factor of 1 explains it"
    );
}

#[test]
fn shares_are_carried_over_splits() {
    let header = "Trade Date,Symbol,Series,Security Name,Category,Last Trade Date,Face Value(Rs.),Issue Size,Close Price/Paid up value(Rs.),Market Cap(Rs.)   \n";
    let size = |date: &str, size: &str| {
        format!(
            "{header}{date},AROHI,EQ,AROHI LTD   ,Listed,{date},  5.00,  {size},  1.00,  1.00\n{date},Total,  , , , ,0,0,0,1\n"
        )
    };
    let market = Raw::new()
        .days(&[("AROHI", &[100.0, 50.0, 50.0, 10.0, 10.0])])
        .file("mcap02012025.csv", &size("02 JAN 2025", "1000"))
        .file("mcap05012025.csv", &size("05 JAN 2025", "5500"))
        .file("actions.csv", "symbol,ex_date,action,factor\nAROHI,2025-01-02,bonus 1:1,0.5\nAROHI,2025-01-04,split 1:5,0.2\nAROHI,2025-01-03,demerger,0.9\n")
        .india();
    // Half of 1,000 before the bonus, five times 1,000 after the split, then the size of that day. The demerger changes no count.
    assert_eq!(market.stock("AROHI").shares, [500.0, 1000.0, 1000.0, 5000.0, 5500.0]);
    assert_eq!(market.stock("AROHI").shares_assumed, [true, false, false, false, false]);
    assert_eq!(market.company("AROHI").name.as_deref(), Some("AROHI LTD"));
    let message = market.report.exceptions.join("\n");
    assert!(message.contains("1 symbol has no number of shares before 2025-01-02"), "{message}");
}

#[test]
fn lists_are_dated_by_path_then_option_then_last_session() {
    let list = "Company Name,Symbol,ISIN Code\nArohi Ltd.,AROHI,INE000A01011\n";
    let raw = Raw::new()
        .days(&[("AROHI", &[10.0, 11.0])])
        .file("lists_202412/ind_nifty50list.csv", list)
        .file("lists_202412/ind_nifty50list_20250102.csv", list)
        .file("ind_nifty100list.csv", list);
    let dates = |market: &RawMarket| -> Vec<(String, NaiveDate)> {
        market.members.iter().map(|member| (member.index.clone(), member.list_date)).collect()
    };
    let december = NaiveDate::from_ymd_opt(2024, 12, 1).unwrap();
    let nifty50 = [("NIFTY50".to_owned(), december), ("NIFTY50".to_owned(), january(2))];
    let market = raw.india();
    assert_eq!(dates(&market), [&[("NIFTY100".to_owned(), january(2))], &nifty50[..]].concat());
    assert!(market.report.exceptions.iter().any(|message| message.contains("2025-01-02, the last session")));
    let with = RawOptions { lists_as_of: Some(january(1)), ..RawOptions::for_market(Market::India) };
    assert_eq!(dates(&raw.read_with(with)), [&[("NIFTY100".to_owned(), january(1))], &nifty50[..]].concat());
}

#[test]
fn a_split_that_a_newer_file_restates_is_inferred() {
    let file = |days: std::ops::RangeInclusive<u32>, price: &dyn Fn(u32) -> f64| {
        days.fold("symbol,date,open,high,low,close,volume\n".to_owned(), |text, day| {
            let p = price(day);
            format!("{text}AAA,2025-01-{day:02},{p},{p},{p},{p},100\nBBB,2025-01-{day:02},5,5,5,5,100\n")
        })
    };
    let market = Raw::new()
        .file("asof_2025-01-10.csv", &file(1..=10, &|day| 1000.0 + f64::from(day)))
        .file("asof_2025-01-20.csv", &file(5..=20, &|day| 100.0 + f64::from(day) / 10.0))
        .us();
    let stock = market.stock("AAA");
    assert_eq!((stock.close[3], stock.close[4]), (1004.0, 100.5));
    let factors = market.factors("AAA");
    assert_eq!((factors[3], factors[4]), (0.1, 1.0));
    assert_eq!(
        (market.jumps.len(), market.actions.len(), market.actions[0].origin),
        (0, 1, ActionOrigin::Inferred)
    );
    assert_eq!(market.actions[0].ex_date, january(5));
    let tally = market.report.formats["US prices"];
    assert_eq!((tally.restated, tally.identical, tally.differing), (6, 6, 0));
}

#[test]
fn a_folder_without_bars_is_an_error() {
    let raw = Raw::new().file("notes.txt", "words");
    let options = RawOptions::for_market(Market::India);
    let outcome = read(raw.folder.path(), &options, &mut RefusedCount::default(), &SilentProgress);
    assert!(matches!(outcome, Err(RawError::NoBars { files: 0, .. })));
}
