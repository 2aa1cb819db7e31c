//! Invented PDFs, written by hand as the format's reference says.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::streams::MOST_UNPACKED;
use super::*;
use crate::unpack_bounds::is_refusal;

const HELVETICA: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";

/// A PDF of objects, numbered from 1: the catalogue is the first, the pages the second.
fn file(objects: &[String]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(objects) {
        writeln!(table, "{:010} 00000 n ", bytes.len()).unwrap();
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let start = bytes.len();
    let size = objects.len() + 1;
    bytes.extend(format!("{table}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes());
    bytes
}

fn stream(entries: &str, data: &str) -> String {
    format!("<<{entries}/Length {}>>\nstream\n{data}\nendstream", data.len())
}

/// A PDF whose pages have these operators, the font `F` as object 3, and the form `X` as object 4.
fn pdf(font: &str, form: &str, pages: &[&str]) -> Vec<u8> {
    let numbers: Vec<usize> = (0..pages.len()).map(|at| 5 + 2 * at).collect();
    let kids: Vec<String> = numbers.iter().map(|number| format!("{number} 0 R")).collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Count {}/Kids[{}]>>", pages.len(), kids.join(" ")),
        font.to_owned(),
        stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", form),
    ];
    for (number, page) in numbers.iter().zip(pages) {
        let resources = "/Resources<</Font<</F 3 0 R>>/XObject<</X 4 0 R>>>>";
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]{resources}/Contents {} 0 R>>",
            number + 1
        ));
        objects.push(stream("", page));
    }
    file(&objects)
}

fn text(bytes: Vec<u8>) -> io::Result<Vec<String>> {
    let mut paragraphs = Paragraphs::default();
    push_pdf(bytes, &mut paragraphs)?;
    paragraphs.finish()
}

#[test]
fn lines_form_paragraphs() {
    // Lines 14 apart, a gap of 28, a word apart by 5 of 10 units of size, letters closer by 0.08, a heading in another size.
    let page = "BT /F 18 Tf 50 700 Td (Results) Tj ET \
        BT /F 10 Tf 50 650 Td 14 TL [(Re) 80 (venue) -500 (rose)] TJ T* (to Rs. 5 crore \\226 \\223by half\\224) Tj \
        0 -14 Td (in the quarter.) Tj 0 -28 Td (Orders) Tj 60 0 Td (grew.) Tj ET";
    assert_eq!(
        text(pdf(HELVETICA, "", &[page])).unwrap(),
        ["Results", "Revenue rose to Rs. 5 crore – “by half” in the quarter.", "Orders grew."]
    );
}

#[test]
fn heads_and_feet_are_left_out_and_sentences_go_on_over_pages() {
    let page = |number: usize, words: &str| {
        format!(
            "BT /F 10 Tf 50 780 Td (Alfa Limited) Tj 0 -100 Td ({words}) Tj 0 -14 Td (then {words}) Tj 0 -600 Td (Page {number} of 3) Tj ET"
        )
    };
    let pages = [page(1, "One"), page(2, "two"), page(3, "three")];
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    assert_eq!(text(pdf(HELVETICA, "", &pages)).unwrap(), ["One then One two then two three then three"]);
    // Of two pages nothing is known to be repeated.
    assert!(text(pdf(HELVETICA, "", &pages[..2])).unwrap().concat().contains("Page 2 of 3"));
}

#[test]
fn fonts_name_their_letters() {
    let named = "<</Type/Font/Subtype/Type1/FirstChar 1/Widths[500 500 500]/Encoding<</Differences[1/ffi/A/rupee/g7]>>>>";
    assert_eq!(text(pdf(named, "", &["BT /F 9 Tf <010203> Tj ET"])).unwrap(), ["ffiA₹"]);
    let map = "1 begincodespacerange <0000> <ffff> endcodespacerange\n1 beginbfchar <0007> <0041> endbfchar\n\
        1 beginbfrange <0010> <0012> <0061> endbfrange";
    let wide = "<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</Subtype/CIDFontType2/DW 500/W[7[600] 16 18 400]>>]/ToUnicode 4 0 R>>";
    let objects = |text: &str| pdf(wide, map, &[text]);
    // 600 and 400 thousandths of 10 are 6 and 4 units: the next word begins 2 units later.
    let page = "BT /F 10 Tf 1 0 0 1 50 700 Tm <00070010> Tj 1 0 0 1 62 700 Tm <00110012> Tj ET";
    assert_eq!(text(objects(page)).unwrap(), ["Aa bc"]);
    let unknown = text(objects("BT /F 10 Tf <00500051> Tj ET")).unwrap_err();
    assert!(is_refusal(&unknown) && unknown.to_string().contains("do not say which letters"), "{unknown}");
}

#[test]
fn fonts_within_one_object_differ() {
    let font = |names: &str| format!("<</Type/Font/Subtype/Type1/Encoding<</Differences[97{names}]>>>>");
    let resources = format!("/Resources<</Font<</F{}/G{}>>>>", font("/A/B"), font("/X/Y"));
    let page = "BT /F 9 Tf 50 700 Td (ab) Tj /G 9 Tf 50 0 Td (ab) Tj /F 9 Tf 50 0 Td (ba) Tj ET";
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]{resources}/Contents 4 0 R>>"),
        stream("", page),
    ];
    assert_eq!(text(file(&objects)).unwrap(), ["AB XY BA"]);
}

#[test]
fn a_text_that_few_bytes_repeat_is_refused() {
    // A code that means 1,000 letters, shown 20,000 times on each page.
    let map = format!(
        "1 begincodespacerange <00> <ff> endcodespacerange\n1 beginbfchar <61> <{}> endbfchar",
        "0041".repeat(1_000)
    );
    let font = "<</Type/Font/Subtype/Type1/ToUnicode 4 0 R>>";
    let page = format!("BT /F 9 Tf 50 700 Td ({}) Tj ET", "a".repeat(20_000));
    let refused = text(pdf(font, &map, &[&page, &page])).unwrap_err();
    assert!(is_refusal(&refused) && refused.to_string().contains("letters"), "{refused}");
    assert_eq!(text(pdf(font, &map, &["BT /F 9 Tf 50 700 Td (a) Tj ET"])).unwrap(), ["A".repeat(1_000)]);
}

#[test]
fn forms_are_read_and_end() {
    let form = "BT /F 10 Tf 50 700 Td (Inside.) Tj ET";
    assert_eq!(text(pdf(HELVETICA, form, &["/X Do"])).unwrap(), ["Inside."]);
    // A form that shows itself twice.
    let circle = "BT /F 10 Tf 50 700 Td (Again.) Tj ET /X Do /X Do";
    let read = text(pdf(HELVETICA, circle, &["/X Do"])).unwrap();
    assert!(read.iter().all(|paragraph| paragraph.contains("Again.")), "{read:?}");
    let many = "/X Do ".repeat(30);
    let refused = text(pdf(HELVETICA, &many, &[&many])).unwrap_err();
    assert!(is_refusal(&refused) && refused.to_string().contains("forms"), "{refused}");
}

#[test]
fn a_turned_page_has_lines() {
    let page = "0 1 -1 0 600 0 cm BT /F 10 Tf 50 500 Td (One) Tj 40 0 Td (line.) Tj ET";
    assert_eq!(text(pdf(HELVETICA, "", &[page])).unwrap(), ["One line."]);
}

#[test]
fn lines_before_a_pdf_are_left_out() {
    let page = "BT /F 10 Tf 50 700 Td (Revenue rose.) Tj ET";
    let mut saved = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n".to_vec();
    saved.extend(pdf(HELVETICA, "", &[page]));
    assert!(detect(&saved));
    assert_eq!(text(saved).unwrap(), ["Revenue rose."]);
    assert!(!detect(b"A file that begins with %PDF- is a PDF."));
}

#[test]
fn a_page_without_letters_has_no_text() {
    assert_eq!(text(pdf(HELVETICA, "", &["0 0 m 9 9 l S"])).unwrap(), Vec::<String>::new());
}

#[test]
fn what_unpacks_to_too_much_is_refused() {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&vec![b' '; 16 << 20]).unwrap();
    let packed = packed.finish().unwrap();
    let mut bytes = pdf(HELVETICA, "", &["BT ET"]);
    for number in 100..=100 + MOST_UNPACKED / (16 << 20) {
        let head = format!("{number} 0 obj\n<</Filter/FlateDecode/Length {}>>\nstream\n", packed.len());
        bytes.extend(head.bytes().chain(packed.iter().copied()).chain(*b"\nendstream\nendobj\n"));
    }
    let refused = text(bytes).unwrap_err();
    assert!(
        is_refusal(&refused) && refused.to_string().contains("unpacks to more than 512 MiB"),
        "{refused}"
    );
}

#[test]
fn damaged_files_are_read_or_refused() {
    let page = "BT /F 10 Tf 50 700 Td [(Re) 80 (venue)] TJ ET q /X Do Q";
    let sound = pdf(HELVETICA, "BT /F 9 Tf (Form) Tj ET", &[page, page]);
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for _ in 0..3_000 {
        let mut bytes = sound.clone();
        for _ in 0..=random(12) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes.truncate(at.max(9)),
                1 => bytes.splice(at..at, *b"[<</(").for_each(drop),
                2 => bytes[at] = b'0' + u8::try_from(random(10)).unwrap(),
                _ => bytes[at] = u8::try_from(random(256)).unwrap(),
            }
        }
        if let Err(error) = text(bytes) {
            assert!(is_refusal(&error), "{error}");
        }
    }
    for length in 0..sound.len() {
        let cut = text(sound[..length].to_vec());
        assert!(cut.is_ok() || is_refusal(&cut.unwrap_err()), "{length}");
    }
}
