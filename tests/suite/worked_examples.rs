//! The worked examples of the guides: their figures equal the demo market's answers, and their arithmetic is right.
//!
//! A code span in an example that compares two sides is evaluated. `signs` is the number of true comparisons of an example; an example
//! that names it counts its comparisons, in any other each must be true.

use std::fs;
use std::iter::Peekable;
use std::path::Path;
use std::str::Chars;

use crate::demo_market::SHIPPED;
use crate::program::run;

const START: &str = "<!-- example: ";
const END: &str = "<!-- end of example -->";

fn guides() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides");
    let mut guides: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect();
    guides.sort();
    guides
}

#[test]
fn examples_are_what_the_demo_market_answers() {
    let project = tempfile::tempdir().unwrap();
    let folder = project.path().join("docs/guides");
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in guides() {
        // Wrong figures must be found: `--check` reports them and `--write` restores them.
        fs::write(folder.join(name), text.replace("-->\n`", "-->\nwrong `")).unwrap();
    }
    let (home, data) = (project.path().to_str().unwrap(), SHIPPED.data.to_str().unwrap());
    let (code, _, errors) = run(&["docs", "--check", "--project", home, "--data", data]);
    assert!(code == Some(1) && errors.contains("scores.md"), "{errors}");
    let (code, _, errors) = run(&["docs", "--write", "--project", home, "--data", data]);
    assert_eq!(code, Some(0), "{errors}");
    for (name, text) in guides() {
        let answered = fs::read_to_string(folder.join(&name)).unwrap();
        let differs = text.lines().zip(answered.lines()).find(|(shown, answered)| shown != answered);
        assert_eq!(differs, None, "docs/guides/{name}: run `parquote docs --write`");
        assert_eq!(text.len(), answered.len(), "docs/guides/{name}: run `parquote docs --write`");
    }
}

#[test]
fn every_score_has_an_example_and_its_arithmetic_comes_out() {
    let guides = guides();
    let (_, scores) = guides.iter().find(|(name, _)| name == "scores.md").unwrap();
    let sections: Vec<&str> = scores.split("\n## ").skip(1).collect();
    assert_eq!(sections.len(), 12, "a section a score");
    let mut faults = Vec::new();
    let mut compared = 0;
    for section in sections {
        let (title, _) = section.split_once('\n').unwrap();
        let shown = section.split_once(START).and_then(|(_, rest)| rest.split_once("\n-->\n"));
        let shown = shown.and_then(|(_, rest)| rest.split_once(END)).map(|(shown, _)| shown);
        let Some(shown) = shown.filter(|shown| !shown.is_empty()) else {
            faults.push(format!("{title}: no example"));
            continue;
        };
        let spans = shown.split('`').skip(1).step_by(2);
        let spans: Vec<&str> =
            spans.filter(|span| span.contains([' ', '=']) && span.contains(['=', '<', '>'])).collect();
        let counts = spans.iter().any(|span| span.starts_with("signs"));
        let mut signs = 0;
        for span in spans {
            let holds = Reader { rest: span.chars().peekable(), signs: f64::from(signs) }.comparison();
            match holds {
                Some(true) => signs += 1,
                Some(false) if counts && !span.starts_with("signs") => {}
                wrong => faults.push(format!("{title}: `{span}` is {wrong:?}")),
            }
            compared += 1;
        }
    }
    assert!(
        faults.is_empty(),
        "change what the example asks, if it has nothing to show:\n{}",
        faults.join("\n")
    );
    assert!(compared >= 20, "only {compared} comparisons were found");
}

#[test]
fn the_reader_of_arithmetic_finds_what_is_wrong() {
    let holds = |text: &str| Reader { rest: text.chars().peekable(), signs: 2.0 }.comparison();
    for text in [
        "(30 * 50 + 20 * -1) / 2 = 740",
        "true + false + max(1, 2 >= 3) = 2",
        "signs = 2",
        "100 * share(A, B, A) = 66.67",
        "2 / 3 = 0.7",
    ] {
        assert_eq!(holds(text), Some(true), "{text}");
    }
    for text in ["1 + 1 = 3", "3 > 3", "signs = 3", "1 / 4 = 0.5", "2 / 3 = 0.70"] {
        assert_eq!(holds(text), Some(false), "{text}");
    }
    assert_eq!(holds("null + 1 = 1"), None);
    assert_eq!(holds("1 + 1"), None);
}

/// Evaluates arithmetic as guides write it. `true` is 1, `false` 0; `share(A, B, A)` is the share of the most frequent word.
struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    signs: f64,
}

impl Reader<'_> {
    /// Evaluates a comparison; `None` if it is not one or contains something unknown.
    fn comparison(&mut self) -> Option<bool> {
        let left = self.sum()?;
        let (op, right) = (self.operator()?, self.rest.clone().collect::<String>());
        let value = self.sum()?;
        self.spaces();
        self.rest.peek().is_none().then(|| compare(left, &op, value, right.trim()))
    }

    fn operator(&mut self) -> Option<String> {
        self.spaces();
        let mut op = String::new();
        while let Some(c) = self.rest.next_if(|c| "<>=".contains(*c)) {
            op.push(c);
        }
        (!op.is_empty()).then_some(op)
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            match self.sign("+-") {
                Some('+') => value += self.product()?,
                Some(_) => value -= self.product()?,
                None => return Some(value),
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.atom()?;
        loop {
            match self.sign("*/") {
                Some('*') => value *= self.atom()?,
                Some(_) => value /= self.atom()?,
                None => return Some(value),
            }
        }
    }

    fn atom(&mut self) -> Option<f64> {
        match self.sign("-(") {
            Some('-') => return self.atom().map(|value| -value),
            Some(_) => return self.within(),
            None => {}
        }
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|c| c.is_alphanumeric() || *c == '.' || *c == '_') {
            word.push(c);
        }
        match word.as_str() {
            "true" => Some(1.0),
            "false" => Some(0.0),
            "signs" => Some(self.signs),
            "share" => self.share(),
            "min" | "max" => {
                self.sign("(")?;
                let (one, two) = (self.argument()?, self.within_after_comma()?);
                Some(if word == "min" { one.min(two) } else { one.max(two) })
            }
            number => number.parse().ok(),
        }
    }

    /// Evaluates a value, or a comparison as 1 or 0.
    fn argument(&mut self) -> Option<f64> {
        let value = self.sum()?;
        match self.operator() {
            None => Some(value),
            Some(op) => self.sum().map(|right| f64::from(u8::from(compare(value, &op, right, "")))),
        }
    }

    fn within(&mut self) -> Option<f64> {
        let value = self.argument()?;
        self.sign(")").map(|_| value)
    }

    fn within_after_comma(&mut self) -> Option<f64> {
        self.sign(",")?;
        self.within()
    }

    fn share(&mut self) -> Option<f64> {
        self.sign("(")?;
        let mut inside = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != ')') {
            inside.push(c);
        }
        self.sign(")")?;
        let words: Vec<&str> = inside.split(", ").collect();
        let most = words.iter().map(|word| words.iter().filter(|other| *other == word).count()).max()?;
        Some(most as f64 / words.len() as f64)
    }

    fn sign(&mut self, signs: &str) -> Option<char> {
        self.spaces();
        self.rest.next_if(|c| signs.contains(*c))
    }

    fn spaces(&mut self) {
        while self.rest.next_if(|c| c.is_whitespace()).is_some() {}
    }
}

/// Compares with tolerance, because both sides were rounded: `shown` is the right side as written.
fn compare(left: f64, op: &str, right: f64, shown: &str) -> bool {
    let decimals = shown.split_once('.').map_or(0, |(_, digits)| digits.len());
    match op {
        "=" => (left - right).abs() < if decimals > 1 { 0.03 } else { 0.16 },
        "<=" => left <= right + 0.1,
        ">=" => left >= right,
        "<" => left < right,
        ">" => left > right,
        _ => false,
    }
}
