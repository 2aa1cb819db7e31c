//! Formulas over the figures of a stock: numbers and names of columns, joined by `+`, `-`, `*`, `/` and parentheses.
//!
//! A formula is parsed into the steps of a stack machine and may only name columns of a known list. No text of it gets into a SELECT.

use std::iter::Peekable;

use parquote_catalogue::operation::nearest;
use parquote_catalogue::unseen::is_unseen;

/// Longest formula, in characters. It also limits the depth of parentheses.
const LONGEST_FORMULA: usize = 200;

/// Longest name of a formula, in characters.
const LONGEST_NAME: usize = 30;

/// A parsed formula.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    steps: Vec<FormulaStep>,
    columns: Vec<String>,
}

/// A step of the stack machine. It pops its operands from the stack and pushes its value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum FormulaStep {
    Number(f64),
    /// Pushes the figure of the column at this index of the formula's columns.
    Figure(usize),
    /// Negates the value on top of the stack.
    Negate,
    /// Applies an operator to the two values on top of the stack.
    Apply(Operator),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Plus,
    Minus,
    Times,
    DividedBy,
}

/// Reason why a text is not a formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// It has too many characters.
    #[error("a formula has at most {} characters", LONGEST_FORMULA)]
    TooLong,
    /// It has line breaks, tabs or invisible characters.
    #[error("a formula is one line without tabs and invisible characters; type it instead of pasting it")]
    Unseen,
    /// The name before its `=` is empty or too long.
    #[error(
        "the name of a formula, before its `=`, has 1 to {} characters, as in `gap = roce - pe`",
        LONGEST_NAME
    )]
    Name,
    /// A name is not that of a column with numbers.
    #[error("`{word}` is not a column with numbers{}", near_words(.near))]
    UnknownColumn {
        /// The name as written.
        word: String,
        /// Up to five similar names of columns.
        near: Vec<String>,
    },
    /// A token is at a position where another one is expected.
    #[error("{expected} is expected {}; a formula is written like `(roce + roe) / pe`", position_words(.found.as_deref()))]
    Unexpected {
        /// The token as written; `None` at the end of the formula.
        found: Option<String>,
        /// The tokens that may be at this position, in words.
        expected: &'static str,
    },
}

/// A token of a formula, with its text.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FormulaToken<'a> {
    text: &'a str,
    kind: TokenKind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum TokenKind {
    Number(f64),
    Name,
    Operator(Operator),
    Open,
    Close,
    Other,
}

impl Formula {
    /// Parses a formula, which may have a name before an `=`; `columns` are the names of the columns with numbers. Names match regardless
    /// of case.
    ///
    /// # Errors
    /// The text or the name is too long, the text has invisible characters or line breaks, a name is not a column, or a token is at a wrong
    /// position; the error names the first such token and what is expected there.
    pub fn parse(text: &str, columns: &[&str]) -> Result<Self, FormulaError> {
        if text.chars().count() > LONGEST_FORMULA {
            return Err(FormulaError::TooLong);
        }
        if text.chars().any(is_unseen) {
            return Err(FormulaError::Unseen);
        }
        let (name, text) = Self::name_and_expression(text);
        if name.is_some_and(|name| name.is_empty() || name.chars().count() > LONGEST_NAME) {
            return Err(FormulaError::Name);
        }
        let formula = Self { steps: Vec::new(), columns: Vec::new() };
        let mut parser = Parser { tokens: tokens(text).into_iter().peekable(), columns, formula };
        parser.sum()?;
        match parser.tokens.next() {
            None => Ok(parser.formula),
            Some(token) => Err(unexpected_token(Some(token), "`+`, `-`, `*`, `/` or the end")),
        }
    }

    /// Splits a text into the name before its `=`, if there is one, and the rest.
    pub fn name_and_expression(text: &str) -> (Option<&str>, &str) {
        match text.split_once('=') {
            Some((name, expression)) => (Some(name.trim()), expression),
            None => (None, text),
        }
    }

    /// Returns the names of the columns that it reads, each once.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Computes its value; `figure` returns the figure of the column at an index of [`Self::columns`]. Returns `None` if a figure is
    /// missing, for a division by zero, and for a value that is not finite.
    pub fn value(&self, figure: impl Fn(usize) -> Option<f64>) -> Option<f64> {
        let mut stack: Vec<f64> = Vec::new();
        for step in &self.steps {
            let value = match *step {
                FormulaStep::Number(number) => number,
                FormulaStep::Figure(column_index) => figure(column_index)?,
                FormulaStep::Negate => -stack.pop()?,
                FormulaStep::Apply(operator) => {
                    let right = stack.pop()?;
                    operator.apply(stack.pop()?, right)?
                }
            };
            stack.push(value);
        }
        // Adding zero turns a negative zero into a positive one.
        stack.pop().map(|value| value + 0.0).filter(|value| value.is_finite())
    }
}

impl Operator {
    /// Returns the result for two numbers; `None` for a division by zero.
    fn apply(self, left: f64, right: f64) -> Option<f64> {
        match self {
            Self::Plus => Some(left + right),
            Self::Minus => Some(left - right),
            Self::Times => Some(left * right),
            Self::DividedBy => (right.abs() > 0.0).then(|| left / right),
        }
    }
}

struct Parser<'a> {
    tokens: Peekable<std::vec::IntoIter<FormulaToken<'a>>>,
    columns: &'a [&'a str],
    formula: Formula,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<(), FormulaError> {
        self.product()?;
        while let Some(operator) = self.operator([Operator::Plus, Operator::Minus]) {
            self.product()?;
            self.formula.steps.push(FormulaStep::Apply(operator));
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), FormulaError> {
        self.operand()?;
        while let Some(operator) = self.operator([Operator::Times, Operator::DividedBy]) {
            self.operand()?;
            self.formula.steps.push(FormulaStep::Apply(operator));
        }
        Ok(())
    }

    /// Takes the next token if it is one of these operators.
    fn operator(&mut self, operators: [Operator; 2]) -> Option<Operator> {
        let kind = self.tokens.peek()?.kind;
        match kind {
            TokenKind::Operator(operator) if operators.contains(&operator) => {
                self.tokens.next();
                Some(operator)
            }
            _ => None,
        }
    }

    fn operand(&mut self) -> Result<(), FormulaError> {
        const EXPECTED: &str = "a number, a column or `(`";
        let token = self.tokens.next().ok_or_else(|| unexpected_token(None, EXPECTED))?;
        match token.kind {
            TokenKind::Number(number) => self.formula.steps.push(FormulaStep::Number(number)),
            TokenKind::Name => {
                let column_index = self.column_index(token.text)?;
                self.formula.steps.push(FormulaStep::Figure(column_index));
            }
            TokenKind::Operator(Operator::Minus) => {
                self.operand()?;
                self.formula.steps.push(FormulaStep::Negate);
            }
            TokenKind::Open => {
                self.sum()?;
                match self.tokens.next() {
                    Some(FormulaToken { kind: TokenKind::Close, .. }) => {}
                    other => return Err(unexpected_token(other, "`)`, `+`, `-`, `*` or `/`")),
                }
            }
            _ => return Err(unexpected_token(Some(token), EXPECTED)),
        }
        Ok(())
    }

    /// Returns the index of a column in the columns of the formula, to which it adds a new one.
    fn column_index(&mut self, name: &str) -> Result<usize, FormulaError> {
        let Some(known) = self.columns.iter().find(|known| known.eq_ignore_ascii_case(name)) else {
            let near = similar_columns(&name.to_lowercase(), self.columns);
            return Err(FormulaError::UnknownColumn { word: name.to_owned(), near });
        };
        let columns = &mut self.formula.columns;
        Ok(columns.iter().position(|column| column == known).unwrap_or_else(|| {
            columns.push((*known).to_owned());
            columns.len() - 1
        }))
    }
}

/// Splits a text into tokens.
fn tokens(text: &str) -> Vec<FormulaToken<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_digit = |char: char| char.is_ascii_digit() || char == '.';
        let is_of_name = |char: char| char.is_alphanumeric() || char == '_';
        let end = if is_digit(first) {
            rest.find(|char| !is_digit(char))
        } else if is_of_name(first) {
            rest.find(|char| !is_of_name(char))
        } else {
            Some(first.len_utf8())
        };
        let (text, after) = rest.split_at(end.unwrap_or(rest.len()));
        tokens.push(FormulaToken { text, kind: kind(text, first) });
        rest = after.trim_start();
    }
    tokens
}

/// Returns the kind of a token whose first character is `first`.
fn kind(text: &str, first: char) -> TokenKind {
    match first {
        '+' => TokenKind::Operator(Operator::Plus),
        '-' | '−' => TokenKind::Operator(Operator::Minus),
        '*' | '×' => TokenKind::Operator(Operator::Times),
        '/' | '÷' => TokenKind::Operator(Operator::DividedBy),
        '(' => TokenKind::Open,
        ')' => TokenKind::Close,
        '0'..='9' | '.' => text.parse().map_or(TokenKind::Other, TokenKind::Number),
        _ if first.is_alphabetic() || first == '_' => TokenKind::Name,
        _ => TokenKind::Other,
    }
}

/// Returns up to five columns with a name that contains the word, else the most similar one.
fn similar_columns(word: &str, columns: &[&str]) -> Vec<String> {
    const MOST_SIMILAR: usize = 5;
    let containing = columns.iter().filter(|name| name.contains(word));
    let mut near: Vec<String> = containing.take(MOST_SIMILAR).map(|name| (*name).to_owned()).collect();
    if near.is_empty() {
        near.extend(nearest(word, columns.iter().copied()).map(str::to_owned));
    }
    near
}

fn unexpected_token(found: Option<FormulaToken<'_>>, expected: &'static str) -> FormulaError {
    FormulaError::Unexpected { found: found.map(|token| token.text.to_owned()), expected }
}

fn near_words(near: &[String]) -> String {
    if near.is_empty() {
        return "; columns are named as in the answer, such as `roce`, `pe` and `rs_rating`".to_owned();
    }
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    format!("; near to it: {}", near.join(", "))
}

fn position_words(found: Option<&str>) -> String {
    found.map_or_else(|| "at the end".to_owned(), |word| format!("where `{word}` is"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [&str; 6] =
        ["roce", "pe", "pat_growth_1y", "revenue_growth_1y", "market_cap_cr", "rs_rating"];

    /// Computes a formula for a stock with ROCE 24, P/E 16, no growth of profit, growth of revenue 0, and a rating of 80.
    fn value(text: &str) -> Option<f64> {
        let formula = Formula::parse(text, &COLUMNS).unwrap();
        formula.value(|column_index| match formula.columns()[column_index].as_str() {
            "roce" => Some(24.0),
            "pe" => Some(16.0),
            "revenue_growth_1y" => Some(0.0),
            "rs_rating" => Some(80.0),
            _ => None,
        })
    }

    /// The values are computed by hand.
    #[test]
    fn values_are_those_of_arithmetic() {
        for (text, expected) in [
            ("roce - pe", 8.0),
            ("roce-pe-2", 6.0),
            ("roce - (pe - 2)", 10.0),
            ("2 + roce * 3", 74.0),
            ("Gap, in points = roce - pe", 8.0),
            ("(2 + roce) * 3", 78.0),
            ("roce / pe / 2", 0.75),
            ("roce / (pe / 2)", 3.0),
            ("-roce + pe", -8.0),
            ("2 * -pe", -32.0),
            ("--pe", 16.0),
            ("ROCE − Pe × .5 ÷ 2", 20.0),
            ("100 * (roce - pe) / rs_rating", 10.0),
            ("revenue_growth_1y / pe", 0.0),
            ("pe - pe", 0.0),
            ("7", 7.0),
        ] {
            assert_eq!(value(text), Some(expected), "{text}");
        }
        assert!(value("-1 * revenue_growth_1y").unwrap().is_sign_positive());
    }

    #[test]
    fn what_is_unknown_or_divided_by_zero_is_null() {
        for text in [
            "pat_growth_1y",
            "roce + pat_growth_1y * 0",
            "roce / revenue_growth_1y",
            "roce / (pe - 16)",
            "0 / 0",
            "0 * (1 / 0)",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
        let large = Formula::parse("pe * pe", &COLUMNS).unwrap();
        assert_eq!(large.value(|_| Some(1e200)), None);
    }

    #[test]
    fn a_column_is_read_once() {
        let formula = Formula::parse("pe + roce * PE", &COLUMNS).unwrap();
        assert_eq!(formula.columns(), ["pe", "roce"]);
    }

    #[test]
    fn mistakes_name_the_word() {
        let refused = |text: &str| Formula::parse(text, &COLUMNS).unwrap_err().to_string();
        for (text, expected) in [
            (
                "roce - growth",
                "`growth` is not a column with numbers; near to it: `pat_growth_1y`, `revenue_growth_1y`",
            ),
            ("rocee", "`rocee` is not a column with numbers; near to it: `roce`"),
            ("zzzz", "`zzzz` is not a column with numbers; columns are named as in the answer"),
            ("roce -", "a number, a column or `(` is expected at the end"),
            ("", "a number, a column or `(` is expected at the end"),
            ("roce pe", "`+`, `-`, `*`, `/` or the end is expected where `pe` is"),
            ("(roce", "`)`, `+`, `-`, `*` or `/` is expected at the end"),
            ("roce)", "expected where `)` is"),
            ("roce % 2", "expected where `%` is"),
            ("1.2.3", "expected where `1.2.3` is"),
            ("2pe", "expected where `pe` is"),
            ("* 2", "expected where `*` is"),
            ("pe; DROP TABLE stocks", "expected where `;` is"),
            ("'pe'", "expected where `'` is"),
        ] {
            assert!(refused(text).contains(expected), "{text}: {}", refused(text));
        }
        assert_eq!(refused(&"(".repeat(201)), "a formula has at most 200 characters");
        for unseen in "\0\n\u{85}\u{ad}\u{200b}\u{200e}\u{2028}\u{202e}\u{2066}\u{e0041}".chars() {
            let [named, bare] =
                [format!("gap{unseen}s = roce"), format!("roce{unseen} - pe")].map(|text| refused(&text));
            assert!(named == bare && named.contains("invisible characters"), "{unseen:?}: {named}");
        }
        assert!(refused(&"(".repeat(200)).contains("at the end"));
    }
}
