//! Hostile SELECTs: one per line in the files of this folder, by the resource that they try to exhaust; random mutants of them (`mutants`);
//! and rules for every function and form (`rules`).
//!
//! A line has the SELECT, its expected words, and further parameters, separated by ` -- `. `{8|text|, }` is the text eight times
//! with the separator between; `#` and `#+` in it are its number from 0 and from 1. In `numbers.txt` a line is a SELECT for each number at
//! the edge of a type, written as `@`. `<NUL>` and the like are characters that no editor shows.
//!
//! `PARQUOTE_ATTACK_SELECTS=all` sends all of them instead of a part, and `PARQUOTE_FUZZ_SEED` chooses another part.

/// The server and its bounds.
mod door;

/// The memory and processor time of its processes.
mod processes;

/// The files.
mod corpus;

/// Random mutants of SELECTs.
mod mutants;

/// Rules for every function and every form.
mod rules;

/// Expands the repetitions of a line.
fn expanded(shape: &str) -> String {
    let mut left = shape;
    let mut out = String::new();
    while let Some(at) = left.find('{') {
        let (before, rest) = left.split_at(at);
        out.push_str(before);
        if let Some((text, after)) = repeated(&rest[1..]) {
            out.push_str(&text);
            left = after;
        } else {
            out.push('{');
            left = &rest[1..];
        }
    }
    out.push_str(left);
    out
}

/// Returns the expansion of a repetition and the rest after it; `None` if it is not one.
fn repeated(shape: &str) -> Option<(String, &str)> {
    let digits = shape.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0)?;
    let times: usize = shape[..digits].parse().ok()?;
    let body = shape[digits..].strip_prefix('|')?;
    let (mut fields, mut at) = (vec![String::new()], 0);
    while at < body.len() {
        let rest = &body[at..];
        let letter = rest.chars().next()?;
        let inner = if letter == '{' { repeated(&rest[1..]) } else { None };
        let (text, length) = match (letter, inner) {
            (_, Some((text, after))) => (text, rest.len() - after.len()),
            ('}', None) => {
                let between = fields.get(1).cloned().unwrap_or_default();
                let turns = (0..times).map(|turn| {
                    fields[0].replace("#+", &(turn + 1).to_string()).replace('#', &turn.to_string())
                });
                return Some((turns.collect::<Vec<_>>().join(&between), &rest[1..]));
            }
            ('|', None) => {
                fields.push(String::new());
                (String::new(), 1)
            }
            ('\\', None) if rest[1..].starts_with('|') => ("|".to_owned(), 2),
            (letter, None) => (letter.to_string(), letter.len_utf8()),
        };
        fields.last_mut()?.push_str(&text);
        at += length;
    }
    None
}

/// Numbers at the edge of a type.
const EDGES: [&str; 8] = [
    "9223372036854775807", "0", "-1", "2147483648", "-9223372036854775808", "NULL", "1e308",
    "CAST('NaN' AS DOUBLE)",
];

#[test]
fn shapes_are_written_out() {
    assert_eq!(expanded("a{3|b#|, }c"), "ab0, b1, b2c");
    assert_eq!(expanded("{2|x \\|\\| }y{z"), "x || x || y{z");
    assert_eq!(expanded("{2|[{2|#+}]|,}{0|n}"), "[12],[12]");
    assert_eq!(expanded("[{2|{\"a\":}"), "[{\"a\":{\"a\":");
}
