//! Pictures of operations: every declared picture is drawn from the demo market, in both formats, and described in words; a picture that
//! cannot be drawn is refused with a message.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::DateTime;
use parquote::engine::{PreparedCall, QueryLimits};
use parquote::operation::{
    AnswerFormat, Arguments, Catalogue, Condition, Offer, Operation, Presentation, Select, Tier,
};
use reqwest::Method;
use resvg::usvg::{self, roxmltree};

use crate::catalogue_rules::{none, required, with};
use crate::demo_market::{LITTLE, open_with};
use crate::documented;
use crate::formats::questions;
use crate::server::{NOW, Reply, SERVER, Server, query};

/// The formats of pictures in this build.
const FORMATS: &[&str] = if cfg!(feature = "png") { &["svg", "png"] } else { &["svg"] };
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// Returns each declared picture: its operation, and the arguments that choose its SELECT.
fn declared() -> Vec<(&'static Operation, Vec<(String, String)>)> {
    let operations = SERVER.service().catalogue().operations().iter();
    let of_operation = |operation: &'static Operation| {
        let drawn = operation.selects.iter().filter(|select| select.picture.is_some());
        drawn.map(move |select| (operation, chosen(operation, select)))
    };
    operations.flat_map(|operation| of_operation(operation)).collect()
}

/// Returns the arguments that choose a SELECT.
fn chosen(operation: &Operation, select: &Select) -> Vec<(String, String)> {
    let mut pairs = required(operation);
    for condition in &select.when {
        let value = match condition {
            Condition::Absent(_) => continue,
            Condition::Is(_, word) => word.clone(),
            Condition::Present(name) => {
                let param = operation.param(name).unwrap();
                let word = param.allowed_words().and_then(|words| words.first().cloned());
                param.example.clone().or(word).unwrap()
            }
        };
        pairs = with(&pairs, condition.param(), &value);
    }
    pairs
}

fn ask(operation: &Operation, pairs: &[(String, String)], more: &str) -> (String, Reply) {
    let path = format!("{}?{}&{more}", operation.name, query(pairs));
    let reply = SERVER.get(&path);
    documented::check(&Method::GET, &path, &reply).unwrap_or_else(|problem| panic!("{path}: {problem}"));
    (path, reply)
}

/// Returns all faults of an SVG: it must be well-formed, have a title, and identify nothing only by colour.
fn faults(svg: &str) -> Vec<String> {
    let document = match roxmltree::Document::parse(svg) {
        Ok(document) => document,
        Err(error) => return vec![format!("no XML: {error}")],
    };
    let text = |name: &str| {
        let found = document
            .root_element()
            .children()
            .find(|node| node.has_tag_name(("http://www.w3.org/2000/svg", name)));
        found.and_then(|node| node.text()).unwrap_or_default().to_owned()
    };
    let mut faults = Vec::new();
    if text("title").len() < 4 || text("desc").len() < 40 {
        faults.push(format!("title `{}`, description `{}`", text("title"), text("desc")));
    }
    let said: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    for colour in ["green", "red", "blue", "orange", "grey"] {
        let is_named =
            |said: &&str| said.to_lowercase().split(|c: char| !c.is_alphabetic()).any(|word| word == colour);
        faults.extend(said.iter().copied().filter(is_named).map(|said| format!("a colour is named: {said}")));
    }
    for word in ["Nothing to show", "NaN", "inf\"", "href", "<script"] {
        if svg.contains(word) {
            faults.push(format!("it has {word}"));
        }
    }
    if let Err(error) = usvg::Tree::from_str(svg, &usvg::Options::default()) {
        faults.push(format!("no SVG: {error}"));
    }
    faults
}

#[test]
fn every_declared_picture_is_drawn_in_both_formats() {
    let mut problems = Vec::new();
    let mut kinds = BTreeSet::new();
    for (operation, pairs) in declared() {
        for (theme, size, ends) in [("light", "regular", [960u32, 540]), ("dark", "large", [1600, 900])] {
            let (path, svg) = ask(operation, &pairs, &format!("format=svg&theme={theme}&size={size}"));
            let text = String::from_utf8_lossy(&svg.body).into_owned();
            if (svg.status, svg.header("content-type")) != (200, "image/svg+xml")
                || svg.header("content-security-policy") != POLICY
            {
                problems.push(format!(
                    "{path}: {} {}",
                    svg.status,
                    text.chars().take(300).collect::<String>()
                ));
                continue;
            }
            problems.extend(faults(&text).into_iter().map(|fault| format!("{path}: {fault}")));
            kinds.extend(
                text.split("class=\"picture picture-")
                    .nth(1)
                    .and_then(|rest| rest.split('"').next())
                    .map(str::to_owned),
            );
            if !cfg!(feature = "png") {
                continue;
            }
            let (path, png) = ask(operation, &pairs, &format!("format=png&theme={theme}&size={size}"));
            let head =
                [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), ends.map(u32::to_be_bytes).concat()].concat();
            if (png.status, png.header("content-type")) != (200, "image/png") || !png.body.starts_with(&head)
            {
                problems.push(format!("{path}: {} {}", png.status, png.header("content-type")));
            }
        }
    }
    none(&problems);
    let known = ["bars", "breadth", "candles", "compare", "heat_map", "ranking", "rotation"];
    assert!(kinds.iter().map(String::as_str).eq(known), "{kinds:?}");
}

/// An operation may have a picture with some arguments and none with others.
#[test]
fn every_call_is_drawn_or_has_no_picture_in_this_form() {
    let (mut drawn, mut problems) = (0, Vec::new());
    for (operation, pairs) in questions().into_iter().filter(|(operation, _)| operation.has_picture()) {
        for format in FORMATS {
            let path = format!("{}?{}&format={format}", operation.name, query(&pairs));
            let reply = SERVER.get(&path);
            match reply.status {
                200 => {
                    problems.extend(documented::check(&Method::GET, &path, &reply).err());
                    drawn += 1;
                }
                400 if reply.message().contains("this form of") => {}
                status => problems.push(format!("{path}: {status} {}", reply.message())),
            }
        }
    }
    none(&problems);
    assert!(drawn > 50 * FORMATS.len(), "only {drawn} are drawn");
}

#[test]
fn a_picture_is_kept_and_not_sent_twice() {
    let operation = SERVER.service().catalogue().operation("market/rrg").unwrap();
    let mut tags = BTreeSet::new();
    for (format, theme, size) in [
        ("svg", "light", "large"),
        ("svg", "dark", "large"),
        ("png", "dark", "large"),
        ("png", "dark", "regular"),
    ]
    .into_iter()
    .filter(|(format, ..)| FORMATS.contains(format))
    {
        let asked = [("format", format), ("theme", theme), ("size", size)];
        let path = format!("market/rrg?{}", query(&asked));
        let snapshot = SERVER.service().snapshot();
        let prepared = snapshot.prepared_operation(operation, operation.market).unwrap();
        let arguments = Arguments::parse(operation, Tier::ApiMax, []).unwrap();
        let presentation = Presentation::parse(&asked, Offer::any(AnswerFormat::Json)).unwrap();
        let now = DateTime::from_timestamp(NOW, 0).unwrap();
        let call = PreparedCall::new(Arc::clone(prepared), arguments, presentation, now);
        // Concurrent tests fill the answer cache and may evict an entry before it is read.
        let asked = || (SERVER.get(&path), call.cached_answer());
        let (first, kept) =
            (0..5).map(|_| asked()).find(|(_, kept)| kept.is_some()).expect("it is never kept");
        assert_eq!(kept.unwrap().body, first.body, "{path}");
        assert_eq!(SERVER.get(&path).body, first.body);
        let tag = first.header("etag").to_owned();
        let again = SERVER.ask(&reqwest::Method::GET, &path, &[("if-none-match", &tag)]);
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        assert!(!first.header("x-tier").is_empty() && !first.header("x-as-of").is_empty());
        assert!(tags.insert(tag), "{path}");
        // A PNG is already compressed.
        let packed = SERVER.ask(&reqwest::Method::GET, &path, &[("accept-encoding", "zstd")]);
        assert_eq!(packed.header("content-encoding"), if format == "png" { "" } else { "zstd" });
    }
    let default = SERVER.get("market/rrg?format=svg");
    let named = SERVER.get("market/rrg?format=svg&theme=light&size=regular");
    assert_eq!(default.header("etag"), named.header("etag"));
}

#[test]
fn what_cannot_be_drawn_is_refused_in_words() {
    for (path, words) in [
        ("market/rrg?format=svg&theme=blue", &["`theme`", "`blue`", "light, dark"][..]),
        ("market/rrg?format=png&size=huge", &["`size`", "`huge`", "regular, large"]),
        ("market/rrg?format=jpg", &["`format`", "`jpg`", "svg, png"]),
        ("market/rrg?theme=dark", &["`theme` applies only to pictures", "`format=svg`"]),
        ("market/rrg?format=csv&size=large", &["`size` applies only to pictures"]),
        ("market/rrg?format=png&fields=sector", &["`fields` applies only to rows"]),
        (
            "companies?format=svg",
            &["`format`: companies has no picture", "json, columns", "market/rrg", "explore/chart"],
        ),
        ("companies?theme=dark", &["`theme` is not a parameter"]),
        (
            "screener?format=svg&explain=BAXIPAPOWR",
            &["this form of screener has no picture", "explain absent"],
        ),
    ] {
        let reply = SERVER.get(path);
        let message = reply.message();
        let missing: Vec<_> = words.iter().filter(|word| !message.contains(**word)).collect();
        assert!(reply.status == 400 && missing.is_empty(), "{path}: {message} lacks {missing:?}");
    }
    // The rules of every format apply to pictures.
    assert_eq!(SERVER.get("company/daily-prices?symbol=NONE&format=svg").status, 404);
    assert_eq!(SERVER.get("company/daily-prices?symbol=BAXIPAPOWR&limit=0&format=png").status, 400);
}

/// Unusual rows: too many, none, and names that are markup.
#[test]
fn rows_of_every_sort_are_drawn_or_refused() {
    let operation = |rest: &str| {
        format!(
            "-- Mine.\n-- tool: none\n-- tier: free\n-- group: Core\n-- answer: list\n-- column: share number? pct \"A share.\"\n{rest}\n"
        )
    };
    let ranking =
        "-- picture: ranking title=\"<b>Mine</b> & yours\" of=company_name value=share:\"<i>share</i>\"";
    let files = [
        (
            "api/many.sql",
            operation(&format!(
                "{ranking}\nSELECT l.symbol AS company_name, 1.5 AS share FROM stocks l CROSS JOIN stocks r ORDER BY l.symbol"
            )),
        ),
        (
            "api/none.sql",
            operation(&format!(
                "{ranking}\nSELECT symbol AS company_name, 1.5 AS share FROM stocks WHERE symbol = 'no' ORDER BY symbol"
            )),
        ),
        (
            "api/hostile.sql",
            operation(&format!(
                "{ranking}\nSELECT '<script>alert(1)</script>&\"''' AS company_name, -1.5 AS share FROM stocks ORDER BY symbol LIMIT 3"
            )),
        ),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text));
    let catalogue = Arc::new(Catalogue::with_overlay(&files).unwrap());
    let snapshot = open_with(&catalogue, LITTLE.data.to_str().unwrap(), &QueryLimits::default()).unwrap();
    let server = Server::start(&catalogue, snapshot);
    let best = FORMATS[FORMATS.len() - 1];
    let many = server.get(&format!("many?format={best}"));
    assert_eq!((many.status, many.header("content-type")), (400, "application/json"));
    let message = many.message();
    assert!(message.contains("rows are too many for a picture of kind ranking: at most 400"), "{message}");
    assert!(message.contains("format=json"), "{message}");
    let text = |path: &str| String::from_utf8(server.get(path).body).unwrap();
    assert!(text("none?format=svg").contains("Nothing to show: there are no figures."));
    let hostile = text("hostile?format=svg");
    assert!(roxmltree::Document::parse(&hostile).is_ok(), "{hostile}");
    for word in ["<script", "<b>", "<i>"] {
        assert!(!hostile.contains(word), "{hostile}");
    }
    for word in ["&lt;b&gt;Mine&lt;/b&gt; &amp; yours", "&lt;script&gt;alert(1)", "−1.5%"] {
        assert!(hostile.contains(word), "{word} is not in {hostile}");
    }
    assert_eq!(server.get(&format!("hostile?format={best}")).status, 200);
}

/// The operations of both markets have a picture if one file declares both.
#[test]
fn a_twin_has_the_picture_under_its_own_names() {
    let catalogue = SERVER.service().catalogue();
    let text = |name: &str| catalogue.operation(name).unwrap().selects[0].picture.clone().unwrap().text;
    assert!(text("explore/heat-map").contains("size=market_cap_cr"));
    assert!(text("us/explore/heat-map").contains("size=market_cap_b"));
    assert_eq!(text("market/sectors"), text("us/market/sectors"));
    let money = |path: &str| String::from_utf8(SERVER.get(path).body).unwrap();
    assert!(money("company/financials?symbol=BAXIPAPOWR&format=svg").contains('₹'));
    assert!(money("us/company/financials?symbol=BAQEBO&format=svg").contains('$'));
}
