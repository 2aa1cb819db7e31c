//! Price files as vendors write them: header lines, separators, decimal commas, encodings, orders of dates, columns of symbols and splits.

use super::*;

/// Weekdays of May 2026 from the 4th on.
fn days() -> impl Iterator<Item = NaiveDate> {
    let first = NaiveDate::from_ymd_opt(2026, 5, 4).unwrap();
    first.iter_days().filter(|day| chrono::Datelike::weekday(day).num_days_from_monday() < 5)
}

/// Ten rows, each made of a date and a price from 50 on.
fn rows(row: impl Fn(NaiveDate, u32) -> String) -> String {
    days().zip(50..60).map(|(day, price)| row(day, price) + "\n").collect()
}

fn plain(day: NaiveDate, price: u32) -> String {
    format!("{day},{price},{},{},{price},1000", price + 1, price - 1)
}

/// The closes of a symbol in a folder of one file.
fn closes(name: &str, bytes: &[u8], symbol: &str) -> Vec<f64> {
    Raw::new().bytes(name, bytes).us().stock(symbol).close
}

/// Returns the reason why a folder of one file makes no market.
fn refusal(name: &str, bytes: &[u8]) -> String {
    let raw = Raw::new().bytes(name, bytes);
    read(
        raw.folder.path(),
        &RawOptions::for_market(Market::Us),
        &mut RefusedCount::default(),
        &SilentProgress,
    )
    .unwrap_err()
    .to_string()
}

const HEADER: &str = "Date,Open,High,Low,Close,Volume\n";

#[test]
fn every_layout_of_vendors_gives_the_same_bars() {
    let slashed = |form: &'static str| {
        move |day: NaiveDate, price: u32| {
            format!("{},{price},{},{},{price},1000", day.format(form), price + 1, price - 1)
        }
    };
    let european = |day: NaiveDate, price: u32| {
        format!("{};{price},50;{},5;{},5;{price},50;1.000", day.format("%d.%m.%Y"), price + 1, price - 1)
    };
    let nasdaq = |day: NaiveDate, price: u32| {
        format!(
            "{},${price}.00,\"1,000\",${price}.00,${}.00,${}.00",
            day.format("%m/%d/%Y"),
            price + 1,
            price - 1
        )
    };
    let investing = |day: NaiveDate, price: u32| {
        format!(
            "\"{}\",\"{price}.00\",\"{price}.00\",\"{}.00\",\"{}.00\",\"1.00K\",\"0.5%\"",
            day.format("%m/%d/%Y"),
            price + 1,
            price - 1
        )
    };
    let stacked =
        |day: NaiveDate, price: u32| format!("{day},{price},{},{},{price},1000", price + 1, price - 1);
    for (what, text) in [
        ("plain", format!("{HEADER}{}", rows(plain))),
        ("month first", format!("{HEADER}{}", rows(slashed("%m/%d/%Y")))),
        ("day first", format!("{HEADER}{}", rows(slashed("%d/%m/%Y")))),
        (
            "words",
            format!("Date;Open;High;Low;Close*;Volume\n{}", rows(slashed("%b %-d; %Y")))
                .replace("; 2", ", 2")
                .replace(",5", ";5")
                .replace(",6", ";6")
                .replace(",4", ";4")
                .replace(",1000", ";1000"),
        ),
        ("zoned", format!("{HEADER}{}", rows(slashed("%Y-%m-%d 00:00:00-04:00")))),
        ("Alpha Vantage", format!("timestamp,open,high,low,close,volume\n{}", rows(plain))),
        (
            "Stooq",
            format!(
                "<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>\n{}",
                rows(|day, price| {
                    format!(
                        "ALFA.US,D,{},000000,{price},{},{},{price},1000,0",
                        day.format("%Y%m%d"),
                        price + 1,
                        price - 1
                    )
                })
            ),
        ),
        ("Stooq in Polish", format!("Data,Otwarcie,Najwyzszy,Najnizszy,Zamkniecie,Wolumen\n{}", rows(plain))),
        ("Nasdaq.com", format!("Date,Close/Last,Volume,Open,High,Low\n{}", rows(nasdaq))),
        (
            "Investing.com",
            format!(
                "\"Date\",\"Price\",\"Open\",\"High\",\"Low\",\"Vol.\",\"Change %\"\n{}",
                rows(investing)
            ),
        ),
        (
            "three header lines",
            format!(
                "Price,Close,High,Low,Open,Volume\nTicker,ALFA,ALFA,ALFA,ALFA,ALFA\nDate,,,,,\n{}",
                rows(stacked)
            ),
        ),
        (
            "a column of symbols",
            format!(
                "date,open,high,low,close,volume,Name\n{}",
                rows(|day, price| plain(day, price) + ",ALFA")
            ),
        ),
    ] {
        let bars: Vec<f64> = (50..60).map(f64::from).collect();
        assert_eq!(closes("ALFA.csv", text.as_bytes(), "ALFA"), bars, "{what}");
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(
            closes("ALFA.csv", &[b"\xff\xfe", units.as_slice()].concat(), "ALFA"),
            bars,
            "{what} in UTF-16"
        );
    }
    let text = format!("Datum;Erster;Hoch;Tief;Schlusskurs;St\u{fc}cke\n{}", rows(european));
    let bars: Vec<f64> = (50..60).map(|price| f64::from(price) + 0.5).collect();
    let latin: Vec<u8> = text.chars().map(|sign| u8::try_from(u32::from(sign)).unwrap()).collect();
    assert_eq!(closes("ALFA.csv", text.as_bytes(), "ALFA"), bars);
    assert_eq!(closes("ALFA.csv", &latin, "ALFA"), bars);
}

#[test]
fn a_file_of_many_symbols_is_never_one_stock() {
    let two =
        |day: NaiveDate, price: u32| format!("{},ALFA\n{},BETA", plain(day, price), plain(day, price + 40));
    let named = format!("date,open,high,low,close,volume,Name\n{}", rows(two));
    let market = Raw::new().file("all.csv", &named).us();
    assert_eq!(market.symbols(), ["ALFA", "BETA"]);
    let other = named.replace("Name", "Instrument");
    let message = refusal("all.csv", other.as_bytes());
    assert!(
        message.contains(
            "all.csv: none of its 20 rows could be read; the first, in line 2: several rows of one day"
        ),
        "{message}"
    );
    // A file with all rows doubled is still of one stock.
    let once = format!("{HEADER}{}", rows(plain));
    assert_eq!(closes("ALFA.csv", format!("{once}{once}").as_bytes(), "ALFA").len(), 10);
    let companies = named.replace("ALFA", "Alfa Systems Inc").replace("BETA", "Beta Corp");
    assert!(refusal("all.csv", companies.as_bytes()).contains("line 2: no symbol"));
}

#[test]
fn splits_of_the_row_and_of_adjusted_closes_adjust() {
    let price = |day: NaiveDate, price: u32| {
        if day < NaiveDate::from_ymd_opt(2026, 5, 12).unwrap() { price * 4 } else { price }
    };
    let is_split = |day: NaiveDate| day == NaiveDate::from_ymd_opt(2026, 5, 12).unwrap();
    let row = |day: NaiveDate, at: u32| {
        let raw = price(day, at);
        format!("{day},{raw},{},{},{raw},1000", raw + 1, raw - 1)
    };
    let tiingo = |day, at| format!("{},0.0,{}", row(day, at), if is_split(day) { "4.0" } else { "1.0" });
    let eodhd = |day, at| format!("{},{at}", row(day, at));
    for text in [
        format!("date,open,high,low,close,volume,divCash,splitFactor\n{}", rows(tiingo)),
        format!("timestamp,open,high,low,close,volume,dividend_amount,split_coefficient\n{}", rows(tiingo)),
        format!("Date,Open,High,Low,Close,Volume,Adjusted_close\n{}", rows(eodhd)),
    ] {
        let newest_first =
            text.lines().take(1).chain(text.lines().skip(1).collect::<Vec<_>>().into_iter().rev());
        let newest_first = newest_first.collect::<Vec<_>>().join("\n") + "\n";
        for text in [text.clone(), newest_first] {
            let market = Raw::new().file("ALFA.csv", &text).us();
            let factors: Vec<f64> = market.factors("ALFA");
            assert_eq!(factors, [[0.25; 6].as_slice(), &[1.0; 4]].concat(), "{text}");
            assert_eq!(market.stock("ALFA").price_segment, [0; 10]);
        }
        // Overlapping files yield the split once; a list of actions has precedence.
        let market = Raw::new()
            .file("ALFA.csv", &text)
            .file("older/ALFA.csv", &text)
            .file("corporate_actions.csv", "symbol,ex_date,action,factor\nALFA,2026-05-12,split 4:1,0.25\n")
            .us();
        assert_eq!(market.factors("ALFA")[..1], [0.25]);
    }
    // Yahoo adjusts closes for splits itself.
    let yahoo = format!(
        "Date,Open,High,Low,Close,Adj Close,Volume,Stock Splits\n{}",
        rows(|day, price| {
            format!(
                "{day},{price},{},{},{price},{price},1000,{}",
                price + 1,
                price - 1,
                if is_split(day) { "4.0" } else { "0.0" }
            )
        })
    );
    assert_eq!(Raw::new().file("ALFA.csv", &yahoo).us().factors("ALFA"), [1.0; 10]);
}

#[test]
fn dates_that_stay_ambiguous_are_refused_with_what_to_do() {
    let few: String = rows(|day, price| {
        plain(day, price).replacen(&day.to_string(), &day.format("%m/%d/%Y").to_string(), 1)
    });
    let few: Vec<&str> = few.lines().take(7).collect();
    let message = refusal("ALFA.csv", format!("{HEADER}{}\n", few.join("\n")).as_bytes());
    assert!(
        message.contains("line 2: date may have its day or its month first")
            && message.contains("write dates as YYYY-MM-DD"),
        "{message}"
    );
}

#[test]
fn what_gives_nothing_is_named_with_what_to_do() {
    let sound = || Raw::new().file("GOOD.csv", &format!("{HEADER}{}", rows(plain)));
    for (name, bytes, said) in [
        ("ALFA.csv", HEADER.as_bytes().to_vec(), "it has a header and no row"),
        ("day.zip", zip(&[]), "it is an archive without a file"),
        (
            "BETA.csv",
            b"<!DOCTYPE html>\n<html><head><title>403 Forbidden</title></head></html>".to_vec(),
            "it is a web page (403 Forbidden)",
        ),
        ("BETA.csv.gz", gzip("\n<html><body>not here</body></html>"), "it is a web page (without a title)"),
        (
            "BETA.csv",
            b"{\"detail\": \"Not found.\"}".to_vec(),
            "it is the message of a server, not its file: `{\"detail\": \"Not found.\"}`",
        ),
        ("BETA.csv", b"Exceeded the daily hits limit".to_vec(), "it is the message of a server"),
        (
            "BETA.csv",
            HEADER.replace("Volume", "Turnover").into_bytes(),
            "it has 5 columns of `US prices`, but none called VOLUME or VOL",
        ),
        (
            "HistoricalData_1700.csv",
            HEADER.as_bytes().to_vec(),
            "it has the columns of `US prices`, but its name is not",
        ),
        (
            "BETA.csv",
            format!("{HEADER}yesterday,1,1,1,1,1\n").into_bytes(),
            "none of its 1 rows could be read; the first, in line 2: bad date (`yesterday,1,1,1,1,1`); dates are read as",
        ),
    ] {
        let report = sound().bytes(name, &bytes).us().report;
        let notes: Vec<String> =
            report.gave_nothing.iter().map(|note| format!("{}: {}", note.file, note.why)).collect();
        assert!(notes.len() == 1 && notes[0].starts_with(&format!("{name}: {said}")), "{name}: {notes:?}");
        assert!(report.to_string().contains(said), "{report}");
    }
    // Rows that are understood and not used are no fault of their file.
    assert_eq!(
        sound()
            .file("GOODW.csv", &format!("symbol,{HEADER}ALFA.WS,2026-05-04,1,1,1,1,1\n"))
            .us()
            .report
            .gave_nothing,
        []
    );
}

#[test]
fn a_parquet_file_that_is_cut_ends_the_reading() {
    let whole = [b"PAR1".as_slice(), &[7; 200], b"PAR1"].concat();
    for bytes in [&whole[..144], &whole[..4], &whole[..9]] {
        let raw = Raw::new().file("GOOD.csv", &format!("{HEADER}{}", rows(plain))).bytes("b.parquet", bytes);
        let error = read(
            raw.folder.path(),
            &RawOptions::for_market(Market::Us),
            &mut RefusedCount::default(),
            &SilentProgress,
        )
        .unwrap_err();
        assert!(
            matches!(&error, RawError::ReadFaults { files } if files[0].why.contains("it does not end as Parquet files do")),
            "{error}"
        );
    }
}

#[test]
fn folders_say_columns() {
    let text = format!("{HEADER}{}", rows(plain));
    let market = Raw::new()
        .file("prices/symbol=ALFA/year=2026/part-0.csv", &text)
        .file("prices/symbol=BETA/year=2026/part-0.csv", &text.replace(",1000", ",1000,"))
        .us();
    assert_eq!(market.symbols(), ["ALFA", "BETA"]);
    assert_eq!(market.stock("BETA").close.len(), 10);
    let days: Vec<_> = days().take(10).collect();
    let raw = days.iter().fold(Raw::new(), |raw, day| {
        let folder = day.format("year=%Y/month=%-m/day=%-d");
        raw.file(&format!("{folder}/part-0.csv"), "symbol,open,high,low,close,volume\nALFA,5,6,4,5,100\n")
    });
    assert_eq!(raw.us().stock("ALFA").close, [5.0; 10]);
    let list = "Symbol,Series,Security Name,Band,Remarks\nALFA,EQ,ALFA LTD,20,-\n";
    let raw = Raw::new().days(&[("ALFA", &[10.0; 3])]).file("year=2025/sec_list_02012025.csv", list);
    assert_eq!(raw.india().cells("price_bands", "symbol band_pct"), ["ALFA | 20"]);
}

#[test]
fn a_price_file_without_dates_is_told_so() {
    let message = refusal("prices.csv", b"symbol,open,high,low,close,volume\nA,1,1,1,1,1\n");
    assert!(message.contains("`US prices`, but none called DATE"), "{message}");
}
