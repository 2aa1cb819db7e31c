//! Declaration of a picture in one line: its kind, and the column of each role.
//!
//! `candles date=session open=open close=close average=sma_50:"50-bar mean",sma_200` - a role, `=`, then columns separated by commas, each
//! with a label in quotes if its name is unclear. A parsed declaration is complete: it has every role that the kind needs.
//!
//! Two parts are not roles and go with every kind: `title="Sector rotation"` is the heading, and `rows=trail` names a column with nested
//! rows, which are drawn as well; values that a nested row lacks come from the row around it. `scale=log` goes with candles: equal
//! percentages of the price have equal heights. `base=high` goes with compared lines: each line shows the fall from its highest value so
//! far.

use super::data::{DataColumn, PictureData, RoleColumn, RoleColumns};
use super::kind::{PictureKind, Role, ValueType};

/// Part of a declaration for a logarithmic scale.
const LOG_SCALE: &str = "scale=log";
/// Part of a declaration for falls from the highest value before.
const FROM_HIGH: &str = "base=high";

/// Fault in a declaration, with the allowed values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The kind is missing or unknown.
    #[error("`{word}` is not a kind of picture{nearest}; the kinds are {kinds}")]
    Kind {
        /// First word of the declaration.
        word: String,
        /// The text ` (did you mean ...?)`; empty if no name is similar.
        nearest: String,
        /// All kinds.
        kinds: String,
    },
    /// A part that is not `role=column`.
    #[error(
        "`{part}` is not `role=column`; write names of columns after the `=`, separated by commas; a column may have a label: {example}"
    )]
    Part {
        /// The part as it is written.
        part: String,
        /// Example of a label.
        example: &'static str,
    },
    /// A quote without its end.
    #[error("a label has no closing quote: {0}")]
    Quote(String),
    /// The kind has no such role.
    #[error("`{role}` is not a role of {kind}{nearest}; its roles are {roles}")]
    Role {
        /// Word of the kind, such as `candles`.
        kind: &'static str,
        /// The word before the `=`.
        role: String,
        /// The text ` (did you mean ...?)`; empty if no name is similar.
        nearest: String,
        /// All roles of the kind.
        roles: String,
    },
    /// A role that is written twice.
    #[error("role `{0}` is given twice; separate several columns with commas")]
    Doubled(&'static str),
    /// More columns than the role takes.
    #[error("role `{role}` takes at most {most} columns, not {count}")]
    TooMany {
        /// Role.
        role: &'static str,
        /// Maximum number of columns.
        most: usize,
        /// Number of columns in the declaration.
        count: usize,
    },
    /// A required role is missing.
    #[error("a picture of kind {kind} needs `{role}=` ({types})")]
    Missing {
        /// Word of the kind, such as `candles`.
        kind: &'static str,
        /// Role.
        role: &'static str,
        /// Types that its column may have.
        types: String,
    },
    /// The rows lack a declared column.
    #[error("role `{role}` names the column `{column}`, which the rows lack{nearest}; they have {columns}")]
    NoColumn {
        /// Role.
        role: &'static str,
        /// Name of the column.
        column: String,
        /// The text ` (did you mean ...?)`; empty if no name is similar.
        nearest: String,
        /// All columns of the rows.
        columns: String,
    },
    /// A column has a type that its role does not allow.
    #[error("role `{role}` needs a column of type {types}, and `{column}` is {}", column_type.word())]
    WrongType {
        /// Role.
        role: &'static str,
        /// Name of the column.
        column: String,
        /// Allowed types.
        types: String,
        /// Type of the column.
        column_type: ValueType,
    },
}

/// A column that a picture needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeededColumn {
    /// Its role.
    pub role: &'static Role,
    /// Name in the rows.
    pub name: String,
    /// Name for readers: the declared label, or the name with spaces.
    pub label: String,
}

/// A declared picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureSpec {
    kind: PictureKind,
    columns: Vec<NeededColumn>,
    title: Option<String>,
    rows_within: Option<String>,
    is_log: bool,
    is_from_high: bool,
}

impl PictureSpec {
    /// Parses a declaration.
    ///
    /// # Errors
    /// The first fault, with the allowed values and the nearest word.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let mut parts =
            split_outside_quotes(text, char::is_whitespace)?.into_iter().filter(|part| !part.is_empty());
        let word = parts.next().unwrap_or_default();
        let kind = PictureKind::ALL.into_iter().find(|kind| kind.word() == word);
        let kind = kind.ok_or_else(|| unknown_kind(word))?;
        let (switches, parts): (Vec<&str>, Vec<&str>) = parts.partition(|part| is_switch(kind, part));
        let mut columns: Vec<NeededColumn> = Vec::new();
        let (mut title, mut rows_within) = (None, None);
        for part in parts {
            if let Some(text) = part.strip_prefix("title=") {
                set_once(&mut title, "title", quoted_text(text).ok_or_else(|| unknown_part_error(part))?)?;
                continue;
            }
            if let Some(name) = part.strip_prefix("rows=") {
                let name = Some(name).filter(|name| is_name(name)).ok_or_else(|| unknown_part_error(part))?;
                set_once(&mut rows_within, "rows", name.to_owned())?;
                continue;
            }
            let (role, columns_of_role) = parse_part(kind, part)?;
            if columns.iter().any(|column| column.role.name == role.name) {
                return Err(SpecError::Doubled(role.name));
            }
            columns.extend(columns_of_role);
        }
        let is_missing =
            |role: &&Role| role.least > 0 && columns.iter().all(|column| column.role.name != role.name);
        if let Some(role) = kind.roles().iter().find(is_missing) {
            return Err(SpecError::Missing { kind: kind.word(), role: role.name, types: types_of(role) });
        }
        let has = |switch: &str| switches.contains(&switch);
        let (is_log, is_from_high) = (has(LOG_SCALE), has(FROM_HIGH));
        Ok(Self { kind, columns, title, rows_within, is_log, is_from_high })
    }

    /// Returns the declared heading; `None` without one.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Returns the column whose nested rows are drawn as well; `None` without one.
    pub fn rows_within(&self) -> Option<&str> {
        self.rows_within.as_deref()
    }

    /// Returns its kind.
    pub const fn kind(&self) -> PictureKind {
        self.kind
    }

    /// Returns the columns that it needs, each in its role with the types it may have.
    pub fn columns(&self) -> &[NeededColumn] {
        &self.columns
    }

    /// Checks that rows with `columns` can be drawn.
    ///
    /// # Errors
    /// The first column that is missing or of another type.
    pub fn check(&self, columns: &[(&str, ValueType)]) -> Result<(), SpecError> {
        self.columns.iter().try_for_each(|needed| {
            match columns.iter().find(|(name, _)| *name == needed.name) {
                None => Err(no_column(needed, columns.iter().map(|(name, _)| *name))),
                Some((_, column_type)) => check_type(needed, *column_type),
            }
        })
    }

    /// Assigns the columns of `data` to their roles.
    pub(super) fn bind<'a>(&self, data: &PictureData<'a>) -> Result<RoleColumns<'a>, SpecError> {
        let bind_one = |needed: &NeededColumn| {
            let column: DataColumn<'a> =
                *data.column(&needed.name).ok_or_else(|| no_column(needed, data.names()))?;
            check_type(needed, column.values.value_type())?;
            Ok(RoleColumn { role: needed.role.name, label: needed.label.clone(), column })
        };
        let list = self.columns.iter().map(bind_one).collect::<Result<_, _>>()?;
        let (is_log, is_from_high) = (self.is_log, self.is_from_high);
        Ok(RoleColumns { list, rows: data.rows(), is_log, is_from_high })
    }
}

/// Returns true if a part is a switch of this kind, such as `scale=log` of candles.
fn is_switch(kind: PictureKind, part: &str) -> bool {
    matches!((kind, part), (PictureKind::Candles, LOG_SCALE) | (PictureKind::Compare, FROM_HIGH))
}

fn set_once(slot: &mut Option<String>, part: &'static str, text: String) -> Result<(), SpecError> {
    match slot.replace(text) {
        None => Ok(()),
        Some(_) => Err(SpecError::Doubled(part)),
    }
}

/// Returns the text between quotes; `None` if it is blank or has no quotes around it.
fn quoted_text(text: &str) -> Option<String> {
    let within = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    within.filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn unknown_part_error(part: &str) -> SpecError {
    SpecError::Part { part: part.to_owned(), example: "sma_50:\"50-bar mean\"" }
}

/// Parses `role=column,column:"label"`.
fn parse_part(kind: PictureKind, part: &str) -> Result<(&'static Role, Vec<NeededColumn>), SpecError> {
    let error = || unknown_part_error(part);
    let (word, columns) = part.split_once('=').ok_or_else(error)?;
    let roles = kind.roles();
    let role = roles.iter().find(|role| role.name == word).ok_or_else(|| {
        let names = || roles.iter().map(|role| role.name);
        let all = names().collect::<Vec<_>>().join(", ");
        SpecError::Role {
            kind: kind.word(),
            role: word.to_owned(),
            nearest: did_you_mean(word, names()),
            roles: all,
        }
    })?;
    let parse_column = |text: &str| {
        let (name, label) = text.split_once(':').map_or((text, None), |(name, label)| (name, Some(label)));
        let label = match label {
            None => label_of(name),
            Some(label) => quoted_text(label).ok_or_else(error)?,
        };
        if is_name(name) { Ok(NeededColumn { role, name: name.to_owned(), label }) } else { Err(error()) }
    };
    let columns_of_role: Vec<_> = split_outside_quotes(columns, |c| c == ',')?
        .into_iter()
        .map(parse_column)
        .collect::<Result<_, _>>()?;
    if columns_of_role.len() > role.most {
        return Err(SpecError::TooMany { role: role.name, most: role.most, count: columns_of_role.len() });
    }
    Ok((role, columns_of_role))
}

/// Returns the name with a capital letter and without underscores.
fn label_of(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters.map(|letter| if letter == '_' { ' ' } else { letter })).collect()
}

fn split_outside_quotes(text: &str, is_gap: impl Fn(char) -> bool) -> Result<Vec<&str>, SpecError> {
    let mut quoted = false;
    let parts = text
        .split(|c: char| {
            quoted ^= c == '"';
            !quoted && is_gap(c)
        })
        .collect();
    if quoted { Err(SpecError::Quote(text.to_owned())) } else { Ok(parts) }
}

fn unknown_kind(word: &str) -> SpecError {
    let words = PictureKind::ALL.map(PictureKind::word);
    SpecError::Kind { word: word.to_owned(), nearest: did_you_mean(word, words), kinds: words.join(", ") }
}

fn no_column<'a>(needed: &NeededColumn, names: impl Iterator<Item = &'a str>) -> SpecError {
    let names: Vec<&str> = names.collect();
    SpecError::NoColumn {
        role: needed.role.name,
        column: needed.name.clone(),
        nearest: did_you_mean(&needed.name, names.iter().copied()),
        columns: names.join(", "),
    }
}

fn check_type(needed: &NeededColumn, column_type: ValueType) -> Result<(), SpecError> {
    if needed.role.types.contains(&column_type) {
        return Ok(());
    }
    Err(SpecError::WrongType {
        role: needed.role.name,
        column: needed.name.clone(),
        types: types_of(needed.role),
        column_type,
    })
}

fn types_of(role: &Role) -> String {
    role.types.iter().map(|ty| ty.word()).collect::<Vec<_>>().join(" or ")
}

/// Returns ` (did you mean ...?)` with the most similar candidate; empty if none is similar enough.
fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    const LEAST_LIKENESS: f64 = 0.75;
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(near, _)| *near >= LEAST_LIKENESS)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(String::new, |(_, candidate)| format!(" (did you mean `{candidate}`?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        PictureSpec::parse(text).expect_err("not allowed").to_string()
    }

    #[test]
    fn a_declaration_names_its_columns_with_their_types() {
        let spec =
            PictureSpec::parse("rotation x=rs_ratio y=rs_momentum of=sector tail=weeks_ago").expect("right");
        assert_eq!(spec.kind(), PictureKind::Rotation);
        let named: Vec<_> =
            spec.columns().iter().map(|c| (c.role.name, c.name.as_str(), c.role.types)).collect();
        assert_eq!(named[0], ("x", "rs_ratio", &[ValueType::Number][..]));
        assert_eq!(named[3], ("tail", "weeks_ago", &[ValueType::Number, ValueType::Date][..]));
    }

    #[test]
    fn labels_stand_in_quotes() {
        let text = r#"breadth date=session above=pct_above_sma10:"above 10, mean = 1",pct_above_sma20"#;
        let spec = PictureSpec::parse(text).expect("right");
        let labels: Vec<_> = spec.columns().iter().map(|column| column.label.as_str()).collect();
        assert_eq!(labels, ["Session", "above 10, mean = 1", "Pct above sma20"]);
        assert!(message(r#"breadth date=d above=a:"open"#).contains("no closing quote"));
        assert!(message("breadth date=d above=a:plain").contains("is not `role=column`"));
    }

    #[test]
    fn a_title_and_rows_within_go_with_every_kind() {
        let text = r#"bars title="Sectors, by rating" period=a value=b rows=trail"#;
        let spec = PictureSpec::parse(text).expect("right");
        assert_eq!((spec.title(), spec.rows_within()), (Some("Sectors, by rating"), Some("trail")));
        assert_eq!(spec.columns().len(), 2);
        assert!(message(r#"bars title="a" title="b" period=a value=b"#).contains("`title` is given twice"));
        for part in ["bars title=a", r#"bars title=" ""#, "bars rows=", "bars rows=a,b"] {
            assert!(message(part).contains("is not `role=column`"), "{part}");
        }
        assert!(message("bars scale=log").contains("`scale` is not a role of bars"));
        assert!(message("candles base=high").contains("`base` is not a role of candles"));
    }

    #[test]
    fn errors_say_what_is_wrong_and_what_is_allowed() {
        assert!(message("rotaton x=a").starts_with(
            "`rotaton` is not a kind of picture (did you mean `rotation`?); the kinds are candles"
        ));
        assert!(message("").contains("the kinds are"));
        assert!(
            message("rotation x=a y=b of=c tails=d")
                .contains("(did you mean `tail`?); its roles are x, y, of, tail")
        );
        assert_eq!(message("rotation x=a y=b"), "a picture of kind rotation needs `of=` (text)");
        assert_eq!(
            message("rotation x=a x=b"),
            "role `x` is given twice; separate several columns with commas"
        );
        assert_eq!(message("rotation x=a,b"), "role `x` takes at most 1 columns, not 2");
        for part in ["rotation x", "rotation x=", "rotation x=a,", "rotation x=a-b"] {
            assert!(message(part).contains("is not `role=column`"), "{part}");
        }
    }

    #[test]
    fn rows_are_checked_against_it() {
        let spec = PictureSpec::parse("sparkline value=close").expect("right");
        assert_eq!(spec.check(&[("close", ValueType::Number)]), Ok(()));
        let error = spec.check(&[("closes", ValueType::Number)]).expect_err("missing").to_string();
        assert!(error.contains("(did you mean `closes`?); they have closes"), "{error}");
        let error = spec.check(&[("close", ValueType::Text)]).expect_err("text").to_string();
        assert_eq!(error, "role `value` needs a column of type number, and `close` is text");
    }

    #[test]
    fn every_kind_can_be_declared_by_its_roles() {
        for kind in PictureKind::ALL {
            let roles: Vec<_> = kind.roles().iter().map(|role| format!("{0}={0}", role.name)).collect();
            let spec = PictureSpec::parse(&format!("{} {}", kind.word(), roles.join(" "))).expect("right");
            assert_eq!(spec.columns().len(), roles.len());
        }
    }
}
