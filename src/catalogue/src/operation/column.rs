//! The declaration of columns, and the dictionary of their names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::market::Market;
use super::param::ValueLimits;
use super::param_line::{Cursor, is_name, parse_limits};
use super::unit::Unit;

crate::word_enum! {
    /// The type of a column.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum ColumnType {
        /// UTF-8 text.
        Text = "text",
        /// 64-bit integer.
        Int = "int",
        /// 64-bit float, never NaN or infinite.
        Number = "number",
        /// Flag.
        Bool = "bool",
        /// Calendar date.
        Date = "date",
        /// A list of texts.
        Texts = "texts",
        /// An object with columns; in answers only, not in tables.
        Row = "row",
        /// A list of such objects; in answers only, not in tables.
        Rows = "rows",
    }
    const ALL "All types.";
    fn word "Returns the type's word in declarations.";
    parse "a type of a column", "types";
}

/// A column, as declared by a table or operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name, in lower case; for a field within a row of an answer, both names joined by a dot.
    pub name: String,
    /// Type of its values.
    pub ty: ColumnType,
    /// True if values may be null.
    pub nullable: bool,
    /// Limits of each value. Values from raw files that fill the table are checked against them.
    pub limits: ValueLimits,
    /// Unit, which also determines rounding in answers.
    pub unit: Unit,
    /// The only market whose table has it; `None` for both.
    pub market: Option<Market>,
    /// Description in one sentence. It is empty until the dictionary completes it.
    pub words: String,
    /// Line of the declaration in its file, from 1.
    pub line: usize,
}

impl Column {
    /// Parses the text after `column:`: `name type[?] [in ...] [unit] [market] ["words"]`.
    ///
    /// A column without words gets words and unit from the table that describes it.
    pub(super) fn parse(text: &str, line: usize) -> Result<Self, String> {
        let (head, words) = match text.split_once('"') {
            None => (text, ""),
            Some((head, words)) => {
                let words = words.trim().strip_suffix('"').ok_or("the words end with a double quote")?;
                (head, words)
            }
        };
        let mut parts = Cursor::new(head);
        let is_path = |name: &&str| name.split('.').all(is_name);
        let name = parts.next_word().filter(is_path).ok_or("a column starts with its name")?;
        let ty = parts.next_word().ok_or("the type is missing after the name")?;
        let (ty, nullable) = ty.strip_suffix('?').map_or((ty, false), |ty| (ty, true));
        let mut column = Self {
            name: name.to_owned(),
            ty: ty.parse()?,
            nullable,
            limits: ValueLimits::Any,
            unit: Unit::None,
            market: None,
            words: words.to_owned(),
            line,
        };
        while let Some(part) = parts.next_word() {
            match part.parse::<Market>() {
                _ if part == "in" => column.limits = parse_limits(&mut parts)?,
                Ok(market) => column.market = Some(market),
                Err(_) => column.unit = part.parse()?,
            }
        }
        match (&column.limits, column.ty) {
            (ValueLimits::Any, _)
            | (ValueLimits::Words(_), ColumnType::Text)
            | (ValueLimits::Range(..), ColumnType::Int | ColumnType::Number) => Ok(column),
            (_, ty) => Err(format!("the values after `in` do not fit the type {}", ty.word())),
        }
    }

    /// Returns true if the table has this column in a market.
    pub fn is_in(&self, market: Market) -> bool {
        self.market.is_none_or(|only| only == market)
    }
}

/// The meaning of a column name in all tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DictionaryEntry {
    /// Unit.
    pub unit: Unit,
    /// Description.
    pub words: String,
}

/// The dictionary of columns: a name has one meaning and one unit in the whole project.
#[derive(Debug, Clone, Default)]
pub struct Dictionary(BTreeMap<String, DictionaryEntry>);

impl Dictionary {
    /// Adds a described column; one without words is skipped.
    ///
    /// # Errors
    /// Another table declares the name with another unit or description.
    pub(super) fn add(&mut self, column: &Column) -> Result<(), String> {
        if column.words.is_empty() {
            return Ok(());
        }
        let entry = DictionaryEntry { unit: column.unit, words: column.words.clone() };
        match self.0.get(&column.name) {
            Some(known) if known.unit != entry.unit => Err(format!(
                "`{}` has the unit {} here and {} in another table; one name has one unit",
                column.name, entry.unit, known.unit
            )),
            Some(known) if known.words != entry.words => Err(format!(
                "`{}` is described as \"{}\" here and \"{}\" in another table; one name has one meaning",
                column.name, entry.words, known.words
            )),
            Some(_) => Ok(()),
            None => {
                self.0.insert(column.name.clone(), entry);
                Ok(())
            }
        }
    }

    /// Completes a column without words from the table that describes it.
    ///
    /// # Errors
    /// No table describes it.
    pub(super) fn complete(&self, column: &mut Column) -> Result<(), String> {
        if !column.words.is_empty() {
            return Ok(());
        }
        let known = self.get(&column.name).ok_or_else(|| {
            format!("`{}` has no words, here or in another table: one sentence in double quotes", column.name)
        })?;
        column.words.clone_from(&known.words);
        column.unit = known.unit;
        Ok(())
    }

    /// Returns the meaning of a name; `None` if no table describes it.
    pub fn get(&self, name: &str) -> Option<&DictionaryEntry> {
        self.0.get(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_may_say_what_it_lies_in() {
        let column = Column::parse(r#"mood text? in (good, bad) india "How.""#, 1).unwrap();
        assert_eq!(column.limits, ValueLimits::Words(vec!["good".into(), "bad".into()]));
        assert_eq!((column.nullable, column.market), (true, Some(Market::India)));
        let column = Column::parse(r#"tone int in 0..100 score "Tone.""#, 1).unwrap();
        assert_eq!((column.limits, column.unit), (ValueLimits::Range(Some(0.0), Some(100.0)), Unit::Score));
        assert_eq!(Column::parse(r#"risks texts? "Risks.""#, 1).unwrap().ty, ColumnType::Texts);
        for (line, part) in [
            (r#"mood date in (good, bad) "How.""#, "do not fit the type date"),
            (r#"mood text in 0..5 "How.""#, "do not fit the type text"),
            (r#"mood words "How.""#, "not a type"),
        ] {
            let message = Column::parse(line, 1).unwrap_err();
            assert!(message.contains(part), "{line}: {message}");
        }
    }
}
