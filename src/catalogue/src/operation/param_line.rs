//! Parser of a `param:` line: `name type[?] [= default] [in ...] [marks] "words" [e.g. example]`.

use super::param::{Cap, Lookup, Param, ValueLimits};
use super::value::{ParamType, Value};

impl Param {
    /// Parses the text after `param:`.
    ///
    /// # Errors
    /// A message about the fault.
    pub(super) fn parse(text: &str, line: usize) -> Result<Self, String> {
        let (head, words, example) = split_words(text)?;
        let mut rest = Cursor::new(head);
        let name =
            rest.next_word().filter(|name| is_name(name)).ok_or("a param starts with its name")?.to_owned();
        let ty = rest.next_word().ok_or("the type is missing after the name")?;
        let (ty, optional) = ty.strip_suffix('?').map_or((ty, false), |ty| (ty, true));
        let ty: ParamType = ty.parse()?;
        let mut param = Self {
            name,
            ty,
            optional,
            default: None,
            limits: ValueLimits::Any,
            lookup: None,
            folder: None,
            cap: Cap::None,
            rest_only: false,
            takes_watchlists: false,
            not_empty: false,
            secret: false,
            words,
            example,
            line,
        };
        while let Some(mark) = rest.next_word() {
            param.parse_mark(mark, &mut rest)?;
        }
        param.check()?;
        Ok(param)
    }

    fn parse_mark(&mut self, mark: &str, rest: &mut Cursor<'_>) -> Result<(), String> {
        match mark {
            "=" => {
                let text = rest.next_word().ok_or("a value is missing behind `=`")?;
                self.default = Some(Value::parse(self.ty, text)?);
            }
            "in" => self.limits = parse_limits(rest)?,
            "of" | "among" => match rest.next_word() {
                Some(folder) if folder.ends_with('/') => self.folder = Some(folder.to_owned()),
                word => self.lookup = Some(parse_lookup(word, mark == "of")?),
            },
            "rest-only" => self.rest_only = true,
            "own-list" => self.takes_watchlists = true,
            "not-empty" => self.not_empty = true,
            "secret" => self.secret = true,
            "tier-capped" => self.cap = Cap::TierRows,
            _ if mark.starts_with("cap(") => {
                let inside = rest.until_close(mark, "cap(")?;
                self.cap = parse_free_paid(&inside)?;
            }
            _ => {
                return Err(format!(
                    "`{mark}` is not a mark of a param; the marks are `= default`, `in (...)`, `in a..b`, `of table.column`, `among table.column`, `among folder/`, `own-list`, `rest-only`, `not-empty`, `secret`, `tier-capped`, `cap(free N, paid N)`"
                ));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        if self.folder.is_some() && self.ty != ParamType::Text {
            return Err("names of declarations are text".to_owned());
        }
        if self.takes_watchlists && self.ty != ParamType::List {
            return Err("the symbols of lists are a list".to_owned());
        }
        if self.optional && self.default.is_some() {
            return Err("a param is optional (`?`) or has a default, not both".to_owned());
        }
        if self.words.is_empty() {
            return Err("the words are missing: one sentence in double quotes".to_owned());
        }
        match (&self.limits, self.ty) {
            (ValueLimits::Words(_) | ValueLimits::WordsOrDate(_), ParamType::Text)
            | (
                ValueLimits::Range(..),
                ParamType::Int | ParamType::Number | ParamType::Text | ParamType::List,
            )
            | (ValueLimits::Any, _) => {}
            _ if self.lookup.is_some() && self.ty != ParamType::Text => {
                return Err("values of a table are text".to_owned());
            }
            (ValueLimits::Words(_) | ValueLimits::WordsOrDate(_), ty) => {
                return Err(format!("words go with text, not with {}", ty.word()));
            }
            (ValueLimits::Range(..), ty) => return Err(format!("a range does not go with {}", ty.word())),
        }
        let examples = self.example.iter().map(|example| Value::parse(self.ty, example));
        for value in self.default.iter().cloned().map(Ok).chain(examples) {
            self.check_limits(&value?).map_err(|message| format!("its own default or example: {message}"))?;
        }
        Ok(())
    }
}

/// Splits the text into the declaration, its `"words"` and the example after them.
fn split_words(text: &str) -> Result<(&str, String, Option<String>), String> {
    let Some((head, rest)) = text.split_once('"') else {
        return Ok((text, String::new(), None));
    };
    let (words, tail) = rest.rsplit_once('"').ok_or("the words end with a double quote")?;
    let tail = tail.trim();
    let example = match tail.strip_prefix("e.g. ") {
        Some(example) => Some(example.trim().to_owned()),
        None if tail.is_empty() => None,
        None => return Err(format!("the description is followed by `e.g. value` or nothing, not `{tail}`")),
    };
    Ok((head, words.to_owned(), example))
}

fn parse_lookup(word: Option<&str>, names_item: bool) -> Result<Lookup, String> {
    let (table, column) = word
        .and_then(|word| word.split_once('.'))
        .ok_or("`of` and `among` are followed by `table.column`")?;
    Ok(Lookup { table: table.to_owned(), column: column.to_owned(), names_item })
}

/// Word in a list of allowed words that allows dates too.
const DATE: &str = "YYYY-MM-DD";

pub(super) fn parse_limits(rest: &mut Cursor<'_>) -> Result<ValueLimits, String> {
    let first = rest.next_word().ok_or("`in` is followed by `(word, word)` or `low..high`")?;
    if first.starts_with('(') {
        let inside = rest.until_close(first, "(")?;
        let words: Vec<String> = inside.split(',').map(|word| word.trim().to_owned()).collect();
        if words.iter().any(String::is_empty) {
            return Err("an empty word between the brackets".to_owned());
        }
        let without_date: Vec<String> = words.iter().filter(|word| *word != DATE).cloned().collect();
        return Ok(if without_date.len() < words.len() {
            ValueLimits::WordsOrDate(without_date)
        } else {
            ValueLimits::Words(words)
        });
    }
    let (low, high) = first.split_once("..").ok_or("a range is written `low..high`")?;
    let bound = |text: &str| match text {
        "" => Ok(None),
        _ => text.parse::<f64>().map(Some).map_err(|_| format!("`{text}` is not a number")),
    };
    Ok(ValueLimits::Range(bound(low)?, bound(high)?))
}

fn parse_free_paid(inside: &str) -> Result<Cap, String> {
    let wrong = || format!("`cap({inside})` is written `cap(free N, paid N)`");
    let (free, paid) = inside.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str, word: &str| {
        text.trim().strip_prefix(word).and_then(|n| n.trim().parse().ok()).ok_or_else(wrong)
    };
    Ok(Cap::FreePaid(number(free, "free")?, number(paid, "paid")?))
}

pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// The rest of a line that is not parsed yet.
pub(super) struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text.trim())
    }

    pub(super) fn next_word(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at_checked(end)?;
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }

    /// Returns the text between the bracket that `first` opens and its closing bracket, which may be several words later.
    fn until_close(&mut self, first: &str, opening: &str) -> Result<String, String> {
        let mut inside = first.strip_prefix(opening).unwrap_or(first).to_owned();
        loop {
            if let Some(done) = inside.strip_suffix(')') {
                return Ok(done.to_owned());
            }
            inside.push(' ');
            inside.push_str(self.next_word().ok_or("the closing bracket is missing")?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_marks_are_read() {
        let param =
            Param::parse(r#"limit int = 10 in 1..50 cap(free 20, paid 50) rest-only "Rows." e.g. 5"#, 3)
                .unwrap();
        assert_eq!((param.name.as_str(), param.ty, param.optional), ("limit", ParamType::Int, false));
        assert_eq!(param.default, Some(Value::Int(10)));
        assert_eq!(param.limits, ValueLimits::Range(Some(1.0), Some(50.0)));
        assert_eq!(param.cap, Cap::FreePaid(20, 50));
        assert!(param.rest_only);
        assert_eq!(param.example.as_deref(), Some("5"));
        assert_eq!(param.maximum(), Some(50));
    }

    #[test]
    fn words_may_hold_spaces_between_commas() {
        let param = Param::parse(r#"form text = 8-K in (8-K, 10-K, all) "Form.""#, 1).unwrap();
        assert_eq!(param.allowed_words().unwrap(), ["8-K", "10-K", "all"]);
    }

    #[test]
    fn a_date_may_stand_among_words() {
        let param = Param::parse(r#"as_of text? in (1m, YYYY-MM-DD) "When.""#, 1).unwrap();
        assert_eq!(param.limits, ValueLimits::WordsOrDate(vec!["1m".to_owned()]));
        for (text, good) in [("1m", true), ("2026-08-21", true), ("2026-02-30", false), ("1y", false)] {
            assert_eq!(param.check_limits(&Value::Text(text.to_owned())).is_ok(), good, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, part) in [
            (r#"limit whole "Rows.""#, "not a type"),
            (r#"limit int? = 5 "Rows.""#, "not both"),
            (r#"limit int = 99 in 1..50 "Rows.""#, "default or example"),
            ("limit int = 5", "words are missing"),
            (r#"limit int sometimes "Rows.""#, "not a mark"),
            (r#"on date in (a, b) "Date.""#, "words go with text"),
        ] {
            let message = Param::parse(line, 1).unwrap_err();
            assert!(message.contains(part), "{line}: {message}");
        }
    }
}
