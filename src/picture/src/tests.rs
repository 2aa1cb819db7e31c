//! All kinds over rows of every sort: the drawing is readable and on the sheet, and no label overlaps another.

use std::io::Write;

use chrono::{Days, NaiveDate};
use resvg::usvg::{self, Node};

use super::data::{ColumnValues, PictureData};
use super::kind::{PictureKind, ValueType};
use super::number::{MarketCurrency, NumberForm};
use super::png::png;
use super::readings::Readings;
use super::sheet::{PageWidth, PictureLinks, PictureSize, PictureWords};
use super::spec::PictureSpec;
use super::theme::Theme;
use super::{Picture, PictureError};

const WORDS: PictureWords<'static> = PictureWords {
    id: "p1",
    lang: "en",
    title: "Title & <b>markup</b>",
    description: "What can be seen.",
    footnote: "Source",
};

/// Rows for every role of every kind; columns are named like roles.
struct Rows {
    dates: Vec<Option<NaiveDate>>,
    texts: Vec<Option<String>>,
    numbers: Vec<Option<f64>>,
    averages: Vec<Option<f64>>,
    bools: Vec<Option<bool>>,
    ago: Vec<Option<f64>>,
}

impl Rows {
    /// Cycles through `lines` names; numbers come from `number`.
    fn new(count: usize, lines: usize, number: impl Fn(usize) -> Option<f64>) -> Self {
        let start: NaiveDate = "2021-01-04".parse().expect("a date");
        let lines = lines.max(1);
        let session = |row: usize| start + Days::new((row / lines / 5 * 7 + row / lines % 5) as u64);
        let numbers: Vec<_> = (0..count).map(&number).collect();
        Self {
            dates: (0..count).map(|row| Some(session(row))).collect(),
            texts: (0..count).map(|row| Some(format!("Name {}", row % lines))).collect(),
            averages: numbers.iter().map(|number| number.map(|number| number * 0.97)).collect(),
            numbers,
            bools: (0..count).map(|row| Some(row % 60 == 7)).collect(),
            ago: (0..count).map(|row| Some((row / lines) as f64)).collect(),
        }
    }

    fn null(count: usize) -> Self {
        Self {
            dates: vec![None; count],
            texts: vec![None; count],
            numbers: vec![None; count],
            averages: vec![None; count],
            bools: vec![None; count],
            ago: vec![None; count],
        }
    }

    fn with<T>(&self, kind: PictureKind, act: impl FnOnce(&PictureSpec, &PictureData<'_>) -> T) -> T {
        let texts: Vec<Option<&str>> = self.texts.iter().map(Option::as_deref).collect();
        let mut data = PictureData::new();
        let mut named = Vec::new();
        for role in kind.roles() {
            let values = match (role.name, role.types[0]) {
                ("tail", _) => ColumnValues::Numbers(&self.ago),
                ("average", _) => ColumnValues::Numbers(&self.averages),
                (_, ValueType::Date) => ColumnValues::Dates(&self.dates),
                (_, ValueType::Number) => ColumnValues::Numbers(&self.numbers),
                (_, ValueType::Text) => ColumnValues::Texts(&texts),
                (_, ValueType::Bool) => ColumnValues::Bools(&self.bools),
            };
            data = data.with(role.name, values, NumberForm::Price);
            let columns = vec![format!("{}:\"The {}\"", role.name, role.name); role.most.min(2)];
            named.push(format!("{}={}", role.name, columns.join(",")));
        }
        let spec =
            PictureSpec::parse(&format!("{} {}", kind.word(), named.join(" "))).expect("a declaration");
        act(&spec, &data)
    }

    fn svg(&self, kind: PictureKind, theme: Theme, size: PictureSize) -> Result<String, PictureError> {
        self.with(kind, |spec, data| picture(spec, data, theme, size).svg())
    }
}

fn picture<'a>(
    spec: &'a PictureSpec,
    data: &'a PictureData<'a>,
    theme: Theme,
    size: PictureSize,
) -> Picture<'a> {
    let links = Some(PictureLinks { before: "/x/", after: "?a=1", groups: "/g?of=" });
    Picture { spec, data, words: WORDS, size, theme, currency: MarketCurrency::Rupee, links }
}

/// A deterministic walk.
fn walk(row: usize) -> f64 {
    let row = row as f64;
    100.0 + 9.0 * (row / 17.0).sin() + 3.0 * (row * 1.7).sin() + row % 7.0
}

fn texts<'a>(node: &'a usvg::Group, found: &mut Vec<&'a usvg::Text>) {
    for child in node.children() {
        match child {
            Node::Group(group) => texts(group, found),
            Node::Text(text) => found.push(text),
            _ => {}
        }
    }
}

/// Parses the SVG as a file reader does; checks that all texts are on the sheet and none overlaps another.
fn assert_readable(svg: &str, what: &str) {
    let options = usvg::Options { fontdb: super::png::fonts(), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{what}");
    let mut found = Vec::new();
    texts(tree.root(), &mut found);
    let boxes: Vec<_> = found.iter().map(|text| (text.abs_bounding_box(), text.chunks()[0].text())).collect();
    for (at, (area, words)) in boxes.iter().enumerate() {
        let inside = area.left() >= 0.0
            && area.top() >= 0.0
            && area.right() <= tree.size().width() + 0.5
            && area.bottom() <= tree.size().height() + 0.5;
        assert!(inside, "{what}: `{words}` leaves the sheet: {area:?}");
        for (other, others) in &boxes[at + 1..] {
            let apart = area.right() <= other.left() + 0.5
                || other.right() <= area.left() + 0.5
                || area.bottom() <= other.top() + 0.5
                || other.bottom() <= area.top() + 0.5;
            assert!(apart, "{what}: `{words}` lies on `{others}`: {area:?} {other:?}");
        }
    }
}

fn assert_all_readable(rows: &Rows, what: &str) {
    for kind in PictureKind::ALL {
        for (theme, size) in [
            (Theme::Light, PictureSize::Regular),
            (Theme::Dark, PictureSize::Large),
            (Theme::Page, PictureSize::Regular),
            (Theme::Page, PictureSize::Page(PageWidth::Phone)),
            (Theme::Page, PictureSize::Page(PageWidth::Screen)),
        ] {
            let what = format!("{what}, {} {theme:?} {size:?}", kind.word());
            let svg = rows.svg(kind, theme, size).unwrap_or_else(|error| panic!("{what}: {error}"));
            // Text widths on a page depend on the page's font.
            if theme == Theme::Page {
                usvg::Tree::from_str(&svg, &usvg::Options::default())
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
            } else {
                assert_readable(&svg, &what);
            }
        }
    }
}

#[test]
fn rows_of_every_sort_are_drawn() {
    for count in [1, 2, 3, 8, 37, 250] {
        assert_all_readable(&Rows::new(count, 8, |row| Some(walk(row))), &format!("{count} rows"));
        assert_all_readable(
            &Rows::new(count, 1, |row| Some(walk(row))),
            &format!("{count} rows of one line"),
        );
    }
}

#[test]
fn numbers_of_every_size_are_drawn() {
    type Number = fn(usize) -> Option<f64>;
    let numbers: [(&str, Number); 8] = [
        ("equal", |_| Some(7.0)),
        ("zero", |_| Some(0.0)),
        ("negative", |row| Some(-5.0 - row as f64)),
        ("both signs", |row| Some((row as f64 - 20.0) * 1.5)),
        ("huge", |row| Some(1e15 * (1.0 + row as f64))),
        ("tiny", |row| Some(1e-9 * (1.0 + row as f64))),
        ("one null", |row| (row != 3).then_some(row as f64 + 1.0)),
        ("mostly null", |row| (row % 9 == 4).then_some(row as f64 + 1.0)),
    ];
    for (what, number) in numbers {
        assert_all_readable(&Rows::new(40, 4, number), what);
    }
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 1e99, -1e99, 0.0];
    for count in 1..=odd.len() {
        assert_all_readable(&Rows::new(count, 1, |row| Some(odd[row])), "not finite");
    }
}

#[test]
fn without_rows_a_picture_says_so_in_words() {
    for rows in [Rows::null(0), Rows::null(5)] {
        assert_all_readable(&rows, "nothing");
        for kind in PictureKind::ALL.into_iter().filter(|kind| *kind != PictureKind::Sparkline) {
            let svg = rows.svg(kind, Theme::Light, PictureSize::Regular).expect("drawn");
            assert!(svg.contains("Nothing to show: "), "{}", kind.word());
            assert!(png(&svg).is_ok());
        }
    }
}

#[test]
fn a_phone_has_fewer_bars_in_a_picture_of_its_width() {
    let rows = Rows::new(250, 1, |row| Some(walk(row)));
    let drawn = |size| rows.svg(PictureKind::Candles, Theme::Page, size).expect("drawn");
    let [phone, wide] = [PageWidth::Phone, PageWidth::Column].map(|width| drawn(PictureSize::Page(width)));
    assert!(phone.contains("viewBox=\"0 0 360 440\"") && phone.contains("weekly bars"));
    assert!(!wide.contains("weekly bars") && phone.len() * 2 < wide.len(), "{} {}", phone.len(), wide.len());
}

/// A page shows each picture at about its own size, so the letters of all widths must have about the size of the page's text.
#[test]
fn letters_of_a_page_have_one_size_at_every_width() {
    let rows = Rows::new(120, 6, |row| Some(walk(row)));
    for (kind, width) in
        PictureKind::ALL.into_iter().flat_map(|kind| PageWidth::ALL.map(|width| (kind, width)))
    {
        let svg = rows.svg(kind, Theme::Page, PictureSize::Page(width)).expect("drawn");
        let sizes = svg.split("font-size=\"").skip(1).filter_map(|rest| rest.split('"').next());
        for size in sizes.map(|size| size.parse::<f64>().expect("a number")) {
            assert!((10.5..=16.0).contains(&size), "{} {width:?}: {size}", kind.word());
        }
        let is_line = kind == PictureKind::Sparkline;
        let viewed = format!("viewBox=\"0 0 {} ", width.units());
        assert!(is_line || svg.contains(&viewed), "{}: {viewed}", kind.word());
    }
}

#[test]
fn a_page_gives_each_picture_the_height_of_its_content() {
    let height = |rows: &Rows, kind, width| -> f64 {
        let svg = rows.svg(kind, Theme::Page, PictureSize::Page(width)).expect("drawn");
        let viewed = svg.split("viewBox=\"0 0 ").nth(1).and_then(|rest| rest.split('"').next());
        viewed.and_then(|sizes| sizes.split(' ').nth(1)).expect("a height").parse().expect("a number")
    };
    let rows = |count| Rows::new(count, 1, |row| Some(walk(row)));
    for (count, expected) in [(10, 240.0), (40, 780.0)] {
        assert!((height(&rows(count), PictureKind::Ranking, PageWidth::Page) - expected).abs() < 0.1);
    }
    // Bars have 240, a line below them 110, and growth below the periods 16.
    for (kind, expected) in [(PictureKind::Bars, 366.0), (PictureKind::Breadth, 420.0)] {
        assert!((height(&rows(20), kind, PageWidth::Column) - expected).abs() < 0.1, "{}", kind.word());
    }
    // The prices themselves, without the strip of the marks.
    for width in [PageWidth::Column, PageWidth::Page, PageWidth::Screen] {
        let read = readings_of(&rows(250), PictureKind::Candles, PictureSize::Page(width)).expect("bars");
        let places: serde_json::Value = serde_json::from_str(&read.positions).expect("JSON");
        let end = |name: &str| places["axis"][name].as_f64().expect("a number");
        assert!(end("from") - end("to") >= 320.0, "{width:?}: {places}");
    }
}

#[test]
fn many_rows_are_thinned_or_refused() {
    let rows = Rows::new(5_000, 8, |row| Some(walk(row)));
    for kind in PictureKind::ALL {
        match rows.svg(kind, Theme::Light, PictureSize::Large) {
            Ok(svg) => {
                assert!(svg.len() < 400_000, "{}: {}", kind.word(), svg.len());
                assert_readable(&svg, kind.word());
            }
            Err(error) => {
                assert!(
                    matches!(kind, PictureKind::Rotation | PictureKind::Bars | PictureKind::Ranking),
                    "{}",
                    kind.word()
                );
                assert!(
                    error.to_string().starts_with("5000 rows are too many for a picture of kind"),
                    "{error}"
                );
            }
        }
    }
    let lines =
        Rows::new(90, 9, |row| Some(walk(row))).svg(PictureKind::Compare, Theme::Light, PictureSize::Regular);
    assert_eq!(lines, Err(PictureError::TooManyLines { lines: 9, most: 8 }));
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    for kind in PictureKind::ALL {
        let draw = || {
            Rows::new(120, 6, |row| Some(walk(row)))
                .svg(kind, Theme::Page, PictureSize::Regular)
                .expect("drawn")
        };
        assert_eq!(draw(), draw());
    }
}

#[test]
fn markup_in_rows_and_words_is_escaped() {
    let mut rows = Rows::new(6, 3, |row| Some(walk(row)));
    for text in rows.texts.iter_mut().flatten() {
        *text = format!("<script>alert(1)</script>&\"'\u{0}\u{202e}{text}");
    }
    for kind in PictureKind::ALL {
        for theme in [Theme::Page, Theme::Dark] {
            let svg = rows.svg(kind, theme, PictureSize::Regular).expect("drawn");
            usvg::Tree::from_str(&svg, &usvg::Options::default()).expect("an SVG");
            assert!(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains('\u{202e}'), "{svg}");
        }
    }
    let svg = rows.svg(PictureKind::Rotation, Theme::Page, PictureSize::Regular).expect("drawn");
    assert!(svg.contains("href=\"/x/%3Cscript%3E") && svg.contains("?a=1\""), "{svg}");
}

#[test]
fn a_page_has_no_colours_and_a_file_no_classes() {
    let rows = Rows::new(60, 6, |row| Some(walk(row)));
    for kind in PictureKind::ALL {
        let page = rows.svg(kind, Theme::Page, PictureSize::Regular).expect("drawn");
        assert!(
            !page.contains("=\"#") && !page.contains("style=") && !page.contains("font-family"),
            "{page}"
        );
        let file = rows.svg(kind, Theme::Light, PictureSize::Regular).expect("drawn");
        assert!(
            !file.contains("class=\"f-") && !file.contains("class=\"s-") && !file.contains("var("),
            "{file}"
        );
        assert!(!file.contains("href"), "files have no links");
    }
}

#[test]
fn a_picture_is_named_for_those_who_do_not_see_it() {
    let rows = Rows::new(60, 6, |row| Some(walk(row)));
    let svg = rows.svg(PictureKind::Breadth, Theme::Light, PictureSize::Regular).expect("drawn");
    assert!(svg.contains(r#"role="img" lang="en" aria-labelledby="p1-title p1-words""#));
    assert!(svg.contains(r#"<title id="p1-title">Title &amp; &lt;b&gt;markup&lt;/b&gt;</title>"#));
    assert!(svg.contains(r#"<desc id="p1-words">What can be seen.</desc>"#));
    // `role="img"` would hide its links.
    let svg = rows.svg(PictureKind::HeatMap, Theme::Page, PictureSize::Regular).expect("drawn");
    assert!(svg.contains(r#"role="group""#));
    assert!(svg.contains(r#"<a class="group" href="/g?of=Name%200">"#), "{svg}");
    let spark = rows.svg(PictureKind::Sparkline, Theme::Page, PictureSize::Regular).expect("drawn");
    assert!(spark.contains(r#"aria-hidden="true""#) && spark.len() < 900, "{}", spark.len());
}

#[test]
fn a_year_of_bars_keeps_its_budget() {
    // Steps of a market: about one percent a session, volumes within a few times of each other.
    let mut seed = 7u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f64 / (1u64 << 24) as f64
    };
    let mut columns: [Vec<Option<f64>>; 6] = Default::default();
    let mut close = 1_000.0;
    for _ in 0..250 {
        let open = close * (1.0 + (random() - 0.5) * 0.006);
        close = open * (1.0 + (random() - 0.48) * 0.03);
        let (high, low) =
            (open.max(close) * (1.0 + random() * 0.01), open.min(close) * (1.0 - random() * 0.01));
        for (column, value) in
            columns.iter_mut().zip([open, high, low, close, 1e5 * (0.4 + random()), close / 24_000.0])
        {
            column.push(Some(value));
        }
    }
    let rows = Rows::new(250, 1, |row| Some(walk(row)));
    let mut data = PictureData::new().with("date", ColumnValues::Dates(&rows.dates), NumberForm::Plain);
    for (name, column) in ["open", "high", "low", "close", "volume", "rs"].into_iter().zip(&columns) {
        data = data.with(name, ColumnValues::Numbers(column), NumberForm::Price);
    }
    let spec = "candles date=date open=open high=high low=low close=close volume=volume rs=rs";
    let spec = PictureSpec::parse(spec).expect("a declaration");
    for theme in [Theme::Page, Theme::Light] {
        let svg = picture(&spec, &data, theme, PictureSize::Regular).svg().expect("drawn");
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(svg.as_bytes()).expect("memory");
        let packed = packed.finish().expect("memory");
        assert!(svg.len() <= 21_000, "{theme:?}: {}", svg.len());
        assert!(packed.len() <= 7_600, "{theme:?}: {}", packed.len());
    }
}

fn readings_of(rows: &Rows, kind: PictureKind, size: PictureSize) -> Option<Readings> {
    rows.with(kind, |spec, data| picture(spec, data, Theme::Page, size).readings().expect("rows"))
}

#[test]
fn the_figures_that_are_read_are_those_that_are_drawn() {
    let rows = Rows::new(250, 1, |row| Some(walk(row)));
    let found = readings_of(&rows, PictureKind::Candles, PictureSize::Page(PageWidth::Column)).expect("bars");
    let [places, values]: [serde_json::Value; 2] =
        [&found.positions, &found.values].map(|text| serde_json::from_str(text).expect("JSON"));
    let series = values["series"].as_array().expect("a list");
    let keys: Vec<&str> = series.iter().filter_map(|one| one["key"].as_str()).collect();
    let prices = ["open", "high", "low", "close", "change", "average", "average"];
    assert_eq!(keys, [&prices[..], &["level", "level", "rating", "volume", "rs"]].concat());
    // A level is read on the axis.
    assert_eq!(found.last.len(), 1 + keys.len() - 2);
    assert_eq!((&values["at"][0], &series[3]["values"][1]), (&"2021-01-04".into(), &walk_rounded(1)));
    for one in series.iter().filter(|one| one["key"] != "change") {
        assert_eq!(one["values"].as_array().map(Vec::len), Some(250), "{one}");
    }
    // 100 + 9 sin(249/17) + 3 sin(249 x 1.7) + 249 mod 7 = 114.0384, and 112.8590 a session before.
    let last: Vec<(&str, &str)> =
        found.last.iter().map(|one| (one.name.as_str(), one.text.as_str())).take(6).collect();
    let close = "114.04";
    let expected = [
        ("Date", "17 Dec 2021"),
        ("Open", close),
        ("High", close),
        ("Low", close),
        ("Close", close),
        ("Change", "+1.05%"),
    ];
    assert_eq!(last, expected);
    let number = |name: &str| places[name].as_f64().expect("a number");
    let end = number("x0") + 249.0 * number("step");
    assert!(end > 600.0 && end < 720.0 && number("top") < number("bottom"), "{places}");
    assert!(!found.values.contains('<'));
    // Bars of the same period are the same at other widths, in other places.
    let wider = readings_of(&rows, PictureKind::Candles, PictureSize::Page(PageWidth::Screen)).expect("bars");
    assert!(wider.values == found.values && wider.positions != found.positions);
    let phone = readings_of(&rows, PictureKind::Candles, PictureSize::Page(PageWidth::Phone)).expect("bars");
    assert_ne!(phone.values, found.values);
}

fn walk_rounded(row: usize) -> serde_json::Value {
    ((walk(row) * 1e4).round() / 1e4).into()
}

#[test]
fn every_picture_of_steps_is_read_and_no_other() {
    use PictureKind::{Bars, Breadth, Candles, Compare};
    let rows = Rows::new(24, 3, |row| Some(walk(row)));
    for kind in PictureKind::ALL {
        let size = PictureSize::Page(PageWidth::Column);
        let found = readings_of(&rows, kind, size);
        assert_eq!(found.is_some(), [Candles, Breadth, Bars, Compare].contains(&kind), "{}", kind.word());
        assert_eq!(readings_of(&Rows::null(3), kind, size), None, "{}", kind.word());
        let Some(found) = found else { continue };
        let values: serde_json::Value = serde_json::from_str(&found.values).expect("JSON");
        let steps = values["at"].as_array().map_or(0, Vec::len);
        assert!(steps > 0 && values["series"].as_array().is_some_and(|all| !all.is_empty()), "{values}");
        // Lines of three names have eight sessions each.
        assert_eq!(steps, if kind == Compare || kind == Candles { 8 } else { 24 }, "{}", kind.word());
    }
}

#[test]
fn a_png_is_as_large_as_its_picture() {
    let rows = Rows::new(60, 6, |row| Some(walk(row)));
    for (size, width, height) in [(PictureSize::Regular, 960u32, 540u32), (PictureSize::Large, 1600, 900)] {
        let image = png(&rows.svg(PictureKind::Rotation, Theme::Dark, size).expect("drawn")).expect("a PNG");
        assert_eq!(image[..8], *b"\x89PNG\r\n\x1a\n");
        assert_eq!(image[16..24], [width.to_be_bytes(), height.to_be_bytes()].concat());
    }
}
