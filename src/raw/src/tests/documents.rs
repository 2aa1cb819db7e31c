//! Documents of running text: what places them, what is refused with its remedy, and texts that attack the reader.

use super::*;

const RELEASE: &str = "<html><head><title>Alfa reports a quarter</title></head><body><script>alert('Beta')</script>\
    <p>Alfa (NSE: ALFA) reports results of the quarter ended June 30, 2024.</p><p>Revenue rose 12 %.</p></body></html>";

/// A market of one stock with two bars.
fn alfa() -> Raw {
    Raw::new().days(&[("ALFA", &[10.0, 11.0])])
}

const PLACED: &str = "symbol published_on document_kind period_end paragraph paragraph_text document_title";

#[test]
fn a_document_is_placed_by_its_list_then_its_path_then_its_text() {
    let market = alfa()
        .file("documents/ALFA/press_release/2024-08-05.html", RELEASE)
        .file("documents/x/a.txt", "Order from the railways\n\nALFA won it.\n")
        .file(
            "documents/x/documents.csv",
            "file,symbol,kind,day,period_end,title\na.txt,ALFA,Announcement,2024-08-06,,An order\nb.txt,ALFA,8-K,2024-08-06,,\n",
        )
        .india();
    assert_eq!(
        market.cells("documents", PLACED),
        [
            "ALFA | 05 Aug | press_release | 30 Jun | 1 | Alfa (NSE: ALFA) reports results of the quarter ended June 30, 2024. | Alfa reports a quarter",
            "ALFA | 05 Aug | press_release | 30 Jun | 2 | Revenue rose 12 %. | Alfa reports a quarter",
            "ALFA | 06 Aug | announcement | - | 1 | Order from the railways | An order",
            "ALFA | 06 Aug | announcement | - | 2 | ALFA won it. | An order",
        ]
    );
    let absent: Vec<_> = market.report.gave_nothing.iter().map(|note| note.file.as_str()).collect();
    assert_eq!(absent, ["documents/x/b.txt"], "it is listed and not there");
}

/// A PDF of one page with these operators.
fn pdf(operators: &[u8]) -> Vec<u8> {
    let head = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>endobj\n\
        4 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>endobj\n";
    let length = format!("5 0 obj<</Length {}>>\nstream\n", operators.len());
    let tail: &[u8] = b"\nendstream\nendobj\ntrailer<</Root 1 0 R>>\n";
    [head.as_bytes(), length.as_bytes(), operators, tail].concat()
}

#[test]
fn a_pdf_is_a_document_and_a_picture_of_a_page_is_none() {
    // The quotation marks are bytes that no UTF-8 has.
    let words = pdf(b"BT /F 10 Tf 50 700 Td (Alfa said \x93yes\x94.) Tj ET");
    let market = alfa()
        .bytes("documents/ALFA/2024-08-05_announcement.pdf", &words)
        .bytes("documents/ALFA/2024-08-06_announcement.pdf", &pdf(b"0 0 m 9 9 l S"))
        .india();
    assert_eq!(
        market.cells("documents", PLACED),
        ["ALFA | 05 Aug | announcement | - | 1 | Alfa said “yes”. | Alfa said “yes”."]
    );
    let report = market.report.to_string();
    assert!(
        report.contains("2024-08-06_announcement.pdf: it has no text: a page that was scanned"),
        "{report}"
    );
}

#[test]
fn a_fetched_filing_is_placed_by_its_path() {
    let text = "<html><body><p>Report for the quarter ended March 31, 2024.</p></body></html>";
    let market = alfa().file("documents/ALFA/10-Q_000000007724000008_2024-05-05.htm", text).india();
    let placed = market.cells("documents", "symbol published_on document_kind period_end");
    assert_eq!(placed, ["ALFA | 05 May | 10-Q | 31 Mar"]);
}

#[test]
fn an_archive_has_documents_and_their_list() {
    let list =
        "file,symbol,kind,day\na.txt,ALFA,announcement,2024-08-06\nc.txt,ALFA,announcement,2024-08-06\n";
    let members =
        [("2024/a.txt", "ALFA won an order."), ("2024/documents.csv", list), ("b.txt", "ALFA won a prize.")];
    let beside = "file,symbol,kind,day\nsaved.zip!b.txt,ALFA,announcement,2024-08-07\n";
    let market =
        alfa().bytes("documents/saved.zip", &zip(&members)).file("documents/documents.csv", beside).india();
    let placed = market.cells("documents", "symbol published_on paragraph_text");
    assert_eq!(placed, ["ALFA | 06 Aug | ALFA won an order.", "ALFA | 07 Aug | ALFA won a prize."]);
    let absent: Vec<_> = market.report.gave_nothing.iter().map(|note| note.file.as_str()).collect();
    assert_eq!(absent, ["documents/saved.zip!2024/c.txt"]);
    assert_eq!(market.report.unused_files, Vec::<String>::new());
}

#[test]
fn what_cannot_be_placed_is_refused_with_what_is_missing() {
    let market = alfa()
        .file("documents/one.txt", "Dear shareholders, all is well.")
        .file("documents/ALFA/8-K/two.txt", "Item 1.01\n\nAn agreement.\n")
        .file("documents/ALFA/slides.docx", "PK")
        .file("documents/ALFA/2024-08-05_transcript.pdf", "%PDF-1.7")
        .file("documents/ALFA/2024-08-06_transcript.txt", " \n")
        .file("documents/list/documents.csv", "name\n")
        .india();
    assert_eq!(market.user_rows.get("documents").map_or(0, Vec::len), 0);
    let reasons = ["no symbol, no kind, no day", "no day"]
        .map(|missing| market.refused_as(&format!("the document cannot be placed: {missing}")));
    assert_eq!(reasons, [1, 2]);
    let report = market.report.to_string();
    for message in [
        "documents/one.txt: none of its 1 rows could be read; the first, in line 1: the document cannot be placed: no symbol, no kind, no day",
        "list it in a documents.csv in its folder (file,symbol,kind,day,period_end)",
        "documents/ALFA/slides.docx: no text is read from such a file: save its text as .txt",
        "documents/ALFA/2024-08-05_transcript.pdf: it is a damaged PDF: save it again, or its text as .txt",
        "documents/ALFA/2024-08-06_transcript.txt: it has no text",
        "documents/list/documents.csv: it lacks the column `file`",
    ] {
        assert!(report.contains(message), "{message}\n{report}");
    }
}

#[test]
fn hostile_texts_are_texts() {
    let deep = format!("{}One{}", "<div><table>".repeat(100_000), "</table></div>".repeat(100_000));
    let mut broken = b"Profit \xff\xfe rose, \"unclosed\n\n=cmd()\n".to_vec();
    broken.extend([0xc3]);
    let market = alfa()
        .file("documents/ALFA/2024-08-05_transcript.html", &deep)
        .bytes("documents/ALFA/2024-08-06_transcript.txt", &broken)
        .file("documents/ALFA/2024-08-07_transcript.txt", "PARAGRAPH,TEXT\n1,2\n")
        .india();
    let texts = market.cells("documents", "published_on paragraph_text");
    assert_eq!((texts.first().map(String::as_str), texts.len()), (Some("05 Aug | One"), 5), "{texts:?}");
    assert!(texts[1].starts_with("06 Aug | Profit ") && texts[1].ends_with("rose, \"unclosed"), "{texts:?}");
    assert_eq!(texts[3..], ["07 Aug | PARAGRAPH,TEXT", "07 Aug | 1,2"]);
}

#[test]
fn a_document_of_a_later_day_is_not_known_yet() {
    let raw = alfa().file("documents/ALFA/press_release/2024-08-05.html", RELEASE);
    let (catalogue, formats) = &*STAGED;
    let table = catalogue.table(Market::India, "documents").unwrap();
    let market = raw.read_with(RawOptions {
        user_tables: &[table],
        declared_formats: formats,
        as_of: NaiveDate::from_ymd_opt(2025, 1, 2),
        ..RawOptions::for_market(Market::India)
    });
    assert_eq!(market.user_rows["documents"].len(), 2);
    let early = Raw::new()
        .days(&[("ALFA", &[10.0, 11.0])])
        .file("documents/ALFA/press_release/2025-01-05.html", RELEASE)
        .read_with(RawOptions {
            user_tables: &[table],
            declared_formats: formats,
            as_of: NaiveDate::from_ymd_opt(2025, 1, 2),
            ..RawOptions::for_market(Market::India)
        });
    assert_eq!(early.user_rows.get("documents").map_or(0, Vec::len), 0);
    assert_eq!(early.refused(Reason::AfterAsOf), 2);
}

const CALL: &str = "Alfa reports its results for the quarter ended June 30, 2024\n\n\
    Revenue stood at Rs. 2,345 crore, a growth of 15% YoY. Demand was strong and we are confident.\n\n\
    We maintain our guidance for the year. Rural demand improved.\n";

/// Reads a market of India with all tables that files may fill.
fn filled(raw: &Raw) -> RawMarket {
    let (catalogue, formats) = &*STAGED;
    let tables: Vec<_> =
        catalogue.tables_in(Market::India).filter(|table| table.accepts_declared_formats()).collect();
    raw.read_with(RawOptions {
        user_tables: &tables,
        declared_formats: formats,
        ..RawOptions::for_market(Market::India)
    })
}

#[test]
fn rules_fill_the_tables_of_calls_and_orders() {
    let raw = alfa()
        .file("documents/ALFA/2024-08-05_press_release.txt", CALL)
        .file(
            "documents/ALFA/2024-08-06_announcement.txt",
            "Receipt of order\n\nAlfa has received an order worth Rs. 450 crore from NTPC Limited, to be executed within 24 months.\n",
        )
        .file("documents/NOBODY/2024-08-06_announcement.txt", "Won an order of Rs. 5 crore from NTPC Limited.\n");
    let market = filled(&raw);
    assert_eq!(
        market.cells("call_numbers", "symbol period_end metric metric_value metric_unit change_yoy_pct"),
        ["ALFA | 30 Jun | revenue | 2345 | INR crore | 15"]
    );
    assert_eq!(market.cells("call_phrases", "phrase mentions"), ["rural demand | 1"]);
    // Positive words: growth, strong, confident, improved. 50 + 50 * 4 / 9 is 72.
    assert_eq!(
        market.cells("management_tones", "period_end tone_score confidence generated_on"),
        ["30 Jun | 72 | low | 05 Aug"]
    );
    assert_eq!(
        market.cells("guidance_tones", "call_date tone_score guidance_change guidance"),
        ["05 Aug | 72 | maintained | Texts([\"We maintain our guidance for the year.\"])"]
    );
    let orders = market.cells("order_wins", "symbol filed_on value_cr execution_months client confidence");
    assert_eq!(orders, ["ALFA | 06 Aug | 450 | 24 | NTPC Limited | high"]);
    let source = market.cells("order_wins", "source").remove(0);
    assert!(source.starts_with("rule: documents 1, document ") && source.ends_with("#p2"), "{source}");
    let message = "made by rules from documents: 1 row of the table `order_wins`";
    assert!(market.report.exceptions.iter().any(|it| it == message), "{:?}", market.report.exceptions);
}

#[test]
fn orders_of_one_day_under_one_headline_are_rows_of_their_own() {
    let order = |value: u32| {
        format!(
            "Intimation under Regulation 30\n\nAlfa has received an order worth Rs. {value} crore from NTPC Limited.\n"
        )
    };
    let raw = alfa()
        .file("documents/ALFA/2024-08-06_announcement.txt", &order(450))
        .file("documents/ALFA/a/2024-08-06_announcement.txt", &order(30))
        // The same order again, with an annex.
        .file("documents/ALFA/b/2024-08-06_announcement.txt", &format!("{}\nAnnex\n", order(30)));
    let market = filled(&raw);
    let titles = ["Intimation under Regulation 30", "Intimation under Regulation 30 (2)"];
    assert_eq!(market.cells("order_wins", "title"), titles);
    let mut values = market.cells("order_wins", "value_cr");
    values.sort();
    assert_eq!(values, ["30", "450"]);
}

#[test]
fn rows_of_files_come_before_those_of_rules() {
    let raw = alfa()
        .file("documents/ALFA/2024-08-05_press_release.txt", CALL)
        .file("call_phrases.csv", "symbol,period_end,phrase,mentions\nALFA,2024-06-30,capex,7\n")
        .file(
            "management_tones.csv",
            "symbol,period_end,tone_score,generated_on\nALFA,2024-03-31,40,2024-05-01\n",
        );
    let market = filled(&raw);
    assert_eq!(market.cells("call_phrases", "phrase mentions"), ["capex | 7"]);
    assert_eq!(market.cells("management_tones", "period_end tone_score"), ["31 Mar | 40", "30 Jun | 72"]);
}

#[test]
fn of_a_quarter_the_transcript_counts_then_the_later_release() {
    let release =
        |day: &str, words: &str| (format!("documents/ALFA/{day}_press_release.txt"), words.to_owned());
    let (first, text) =
        release("2024-08-05", "Results for the quarter ended June 30, 2024.\n\nNet debt was Rs. 5 crore.\n");
    let (second, later) =
        release("2024-08-07", "Results for the quarter ended June 30, 2024.\n\nNet debt was Rs. 6 crore.\n");
    let raw = alfa().file(&first, &text).file(&second, &later);
    assert_eq!(filled(&raw).cells("call_numbers", "metric_value"), ["6"]);
    let call = "Call of the quarter ended June 30, 2024.\n\nNet debt was Rs. 7 crore.\n";
    let raw = raw.file("documents/ALFA/2024-08-06_transcript.txt", call);
    assert_eq!(filled(&raw).cells("call_numbers", "metric_value"), ["7"]);
}

#[test]
fn without_documents_no_table_is_made() {
    let market = filled(&alfa());
    assert!(market.user_rows.keys().all(|table| !table.starts_with("call_") && table != "order_wins"));
}
