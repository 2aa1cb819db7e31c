//! Presentation of an answer: format, fields and offset of its rows, and the stored set that answers.
//!
//! Every reading operation takes these parameters, and no file declares them. All formats have the same fields.

use super::answer_format::AnswerFormat;
use super::drawing_choice::{DrawingChoice, DrawingSize, DrawingTheme};
use super::likeness::{nearest, truncate_for_message};
use super::param::Param;
use super::tier::Tier;
use super::value::Value;
use super::violation::Violation;

pub(super) const FORMAT: &str = "format";
pub(super) const FIELDS: &str = "fields";
/// Name of the parameter with the number of rows to skip.
pub(super) const OFFSET: &str = "offset";
const SNAPSHOT: &str = "snapshot";
const THEME: &str = "theme";
const SIZE: &str = "size";
/// Names of all presentation parameters.
const ALL: [&str; 6] = [FORMAT, FIELDS, OFFSET, SNAPSHOT, THEME, SIZE];
/// Maximum number of requested fields, more than any row has.
const MOST_FIELDS: u32 = 200;
/// Maximum number of rows to skip, more than any answer has.
const MOST_OFFSET: u32 = 1_000_000;

/// The formats that an adapter offers, and the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    formats: &'static [AnswerFormat],
    preferred: AnswerFormat,
}

/// A caller's choice of format, fields, offset, set and drawing options for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Presentation {
    format: AnswerFormat,
    /// Requested fields; empty for all, in the operation's order.
    fields: Vec<String>,
    /// Number of rows to skip.
    offset: usize,
    /// True for all rows that match, regardless of the limit.
    is_whole: bool,
    /// Number, id or date of the requested set; `None` for the current one.
    snapshot: Option<String>,
    /// Drawing options.
    drawing: DrawingChoice,
}

/// The rows of an answer, among all rows that match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedRows {
    /// As many rows as the limit allows, after this number of skipped rows.
    After(usize),
    /// All rows that match.
    All,
}

impl Offer {
    /// The formats with an envelope; JSON rows are the default.
    pub const ENVELOPED: Self =
        Self { formats: &[AnswerFormat::Json, AnswerFormat::Columns], preferred: AnswerFormat::Json };

    /// The format of objects.
    pub(super) const OBJECT: Self = Self { formats: &[AnswerFormat::Json], preferred: AnswerFormat::Json };

    /// Returns an offer of every format, with this default.
    pub const fn any(preferred: AnswerFormat) -> Self {
        Self { formats: &AnswerFormat::ALL, preferred }
    }

    /// Returns the offer without pictures.
    #[must_use]
    pub fn without_pictures(self) -> Self {
        if self.has_pictures() { Self { formats: &AnswerFormat::ROWS, ..self } } else { self }
    }

    /// Returns the offer for an object with lists: JSON, one list as CSV, or a workbook. CSV is never the default, as the caller must name
    /// the list.
    #[must_use]
    pub(super) fn for_object_with_lists(self) -> Self {
        if !self.formats.contains(&AnswerFormat::Xlsx) {
            return Self::OBJECT;
        }
        let is_workbook = self.preferred == AnswerFormat::Xlsx;
        Self {
            formats: &[AnswerFormat::Json, AnswerFormat::Csv, AnswerFormat::Xlsx],
            preferred: if is_workbook { AnswerFormat::Xlsx } else { AnswerFormat::Json },
        }
    }

    /// Returns true if it has formats of pictures.
    pub fn has_pictures(self) -> bool {
        self.formats.iter().any(|format| format.is_picture())
    }

    /// Returns the formats, the default first.
    pub const fn formats(self) -> &'static [AnswerFormat] {
        self.formats
    }

    /// Returns true if a presentation parameter of this name is offered.
    pub fn has_param(self, name: &str) -> bool {
        Presentation::is_param(name) && (self.has_pictures() || ![THEME, SIZE].contains(&name))
    }

    /// Returns the offered presentation parameters, in the form of operation parameters.
    pub fn params(self) -> Vec<Param> {
        let words = self.formats.iter().map(|format| format.word()).collect::<Vec<_>>().join(", ");
        let row_formats = if self.formats.contains(&AnswerFormat::Csv) {
            " ndjson, csv, arrow and xlsx are rows without an envelope."
        } else {
            ""
        };
        let picture_formats =
            if self.has_pictures() { " svg and png are a picture of the rows." } else { "" };
        let format_description = if self.formats.contains(&AnswerFormat::Columns) {
            format!(
                "How rows are written; columns names the fields once, with type and unit.{row_formats}{picture_formats}"
            )
        } else {
            "How the answer is written: csv is the list that `part` names, xlsx a workbook of all of it."
                .to_owned()
        };
        let picture_lines = [
            format!(
                r#"{THEME} text = {} in ({}) "Colours of a picture: with format=svg and format=png alone.""#,
                DrawingTheme::default().word(),
                DrawingTheme::ALL.map(DrawingTheme::word).join(", ")
            ),
            format!(
                r#"{SIZE} text = {} in ({}) "Size of a picture: 960 by 540 or 1600 by 900 pixels, with format=svg and format=png alone.""#,
                DrawingSize::default().word(),
                DrawingSize::ALL.map(DrawingSize::word).join(", ")
            ),
        ];
        let lines = [
            format!(r#"{FORMAT} text = {} in ({words}) "{format_description}""#, AnswerFormat::Json.word()),
            format!(
                r#"{FIELDS} list? in 0..{MOST_FIELDS} "Only these fields of each row, in this order, separated by commas.""#
            ),
            format!(
                r#"{OFFSET} int = 0 in 0..{MOST_OFFSET} "Rows to skip; an answer that is cut says how to get the next.""#
            ),
            format!(
                r#"{SNAPSHOT} text? "Answer from a stored set: its number, its id, or a date for the newest set as of that day.""#
            ),
        ];
        let picture_lines = picture_lines.iter().filter(|_| self.has_pictures());
        // Every line is valid, as a test checks.
        lines.iter().chain(picture_lines).filter_map(|line| Param::parse(line, 0).ok()).collect()
    }
}

impl Presentation {
    /// Returns true for the name of a presentation parameter.
    pub fn is_param(name: &str) -> bool {
        ALL.contains(&name)
    }

    /// Parses the presentation parameters among pairs of name and text; other pairs are skipped.
    ///
    /// # Errors
    /// Every violation.
    pub fn parse(pairs: &[(&str, &str)], offer: Offer) -> Result<Self, Vec<Violation>> {
        let mut presentation = Self { format: offer.preferred, ..Self::default() };
        if pairs.is_empty() {
            return Ok(presentation);
        }
        let mut violations = Vec::new();
        for param in offer.params() {
            let mut same_name = pairs.iter().filter(|(name, _)| *name == param.name);
            let Some((name, text)) = same_name.next() else { continue };
            let result = if same_name.next().is_some() {
                Err(format!("`{name}` is given more than once; give it once"))
            } else {
                let value = param.value(text, Tier::ApiMax);
                value.and_then(|value| presentation.set_option(&param.name, value, offer))
            };
            if let Err(message) = result {
                violations.push(Violation { param: (*name).to_owned(), message });
            }
        }
        violations.extend(presentation.misplaced_options(pairs));
        if violations.is_empty() { Ok(presentation) } else { Err(violations) }
    }

    /// Returns violations for options of pictures with a format of rows, and for fields with a format of pictures.
    fn misplaced_options(&self, pairs: &[(&str, &str)]) -> Vec<Violation> {
        let is_drawn = self.format.is_picture();
        let others: &[&str] = if is_drawn { &[FIELDS] } else { &[THEME, SIZE] };
        let has_value =
            |name: &&&str| pairs.iter().any(|(key, text)| *key == **name && !text.trim().is_empty());
        let violation = |name: &&str| Violation {
            param: (*name).to_owned(),
            message: if is_drawn {
                format!(
                    "`{name}` applies only to rows; a picture is drawn from the columns that its operation declares"
                )
            } else {
                format!("`{name}` applies only to pictures: with `{FORMAT}=svg` or `{FORMAT}=png`")
            },
        };
        others.iter().filter(has_value).map(violation).collect()
    }

    fn set_option(&mut self, name: &str, value: Option<Value>, offer: Offer) -> Result<(), String> {
        match value {
            Some(Value::Text(requested)) if name == SNAPSHOT => self.snapshot = Some(requested),
            Some(Value::Text(word)) if name == THEME => {
                let requested = DrawingTheme::ALL.into_iter().find(|theme| theme.word() == word);
                self.drawing.theme = requested.unwrap_or_default();
            }
            Some(Value::Text(word)) if name == SIZE => {
                let requested = DrawingSize::ALL.into_iter().find(|size| size.word() == word);
                self.drawing.size = requested.unwrap_or_default();
            }
            Some(Value::Text(word)) => {
                let requested = offer.formats.iter().find(|format| format.word() == word);
                self.format = requested.copied().unwrap_or(offer.preferred);
            }
            Some(Value::List(fields)) => {
                for (at, field) in fields.iter().enumerate() {
                    if fields.iter().take(at).any(|earlier| earlier == field) {
                        return Err(format!("`{FIELDS}`: `{field}` is named more than once; name it once"));
                    }
                }
                self.fields = fields;
            }
            Some(Value::Int(rows)) => self.offset = usize::try_from(rows).unwrap_or_default(),
            _ => {}
        }
        Ok(())
    }

    /// Checks the requested fields against those of the rows.
    ///
    /// # Errors
    /// A message with the first unknown field, the nearest known field, and all known fields.
    pub fn check(&self, known: &[&str]) -> Result<(), String> {
        let Some(unknown) = self.fields.iter().find(|field| !known.contains(&field.as_str())) else {
            return Ok(());
        };
        let hint = nearest(unknown, known.iter().copied())
            .map_or_else(|| ".".to_owned(), |near| format!("; did you mean `{near}`?"));
        Err(format!(
            "`{FIELDS}`: the rows have no field `{}`{hint} They have {}",
            truncate_for_message(unknown),
            known.join(", ")
        ))
    }

    /// Returns the format.
    pub fn format(&self) -> AnswerFormat {
        self.format
    }

    /// Returns the requested fields, in order; empty for all.
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// Returns the number of rows to skip.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the rows that the caller requests.
    pub fn wanted_rows(&self) -> WantedRows {
        if self.is_whole { WantedRows::All } else { WantedRows::After(self.offset) }
    }

    /// Returns the presentation with all rows that match, without an offset and a limit.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { offset: 0, is_whole: true, ..self }
    }

    /// Returns the drawing options.
    pub fn drawing(&self) -> DrawingChoice {
        self.drawing
    }

    /// Returns the presentation with another format.
    #[must_use]
    pub fn in_format(&self, format: AnswerFormat) -> Self {
        Self { format, ..self.clone() }
    }

    /// Returns the requested set; `None` for the current one.
    pub fn snapshot(&self) -> Option<&str> {
        self.snapshot.as_deref()
    }

    /// Returns format, fields, offset and drawing options as a cache key. It is empty for the default, and different for different
    /// presentations.
    pub fn canonical(&self) -> String {
        if self.is_whole {
            return format!("\u{1e}{}\u{1e}{}\u{1e}all", self.format.word(), self.fields.join(","));
        }
        // The caller of this function adds the set to the cache key.
        match (self.format, self.fields.as_slice(), self.offset) {
            (AnswerFormat::Json, [], 0) => String::new(),
            (format @ (AnswerFormat::Svg | AnswerFormat::Png), _, offset) => {
                let DrawingChoice { theme, size } = self.drawing;
                format!("\u{1e}{} {} {}\u{1e}{offset}", format.word(), theme.word(), size.word())
            }
            (format, fields, offset) => {
                format!("\u{1e}{}\u{1e}{}\u{1e}{offset}", format.word(), fields.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<Presentation, String> {
        Presentation::parse(pairs, Offer::any(AnswerFormat::Json)).map_err(|violations| {
            violations.into_iter().map(|violation| violation.message).collect::<Vec<_>>().join("; ")
        })
    }

    #[test]
    fn all_parameters_are_sound() {
        let every = Offer::any(AnswerFormat::Csv);
        for (offer, count) in [(Offer::ENVELOPED, 4), (every, ALL.len()), (every.without_pictures(), 4)] {
            let params = offer.params();
            let names: Vec<&str> = params.iter().map(|param| param.name.as_str()).collect();
            assert_eq!(names, ALL[..count]);
            assert_eq!(params[0].allowed_words().unwrap().len(), offer.formats.len());
            assert!(names.iter().all(|name| offer.has_param(name)));
            assert_eq!(offer.has_param(THEME), count > 4);
        }
    }

    #[test]
    fn what_is_asked_wins_over_what_is_preferred() {
        let preferred =
            |pairs: &[(&str, &str)]| Presentation::parse(pairs, Offer::any(AnswerFormat::Csv)).unwrap();
        assert_eq!(preferred(&[]).format(), AnswerFormat::Csv);
        assert_eq!(preferred(&[("format", " ")]).format(), AnswerFormat::Csv);
        assert_eq!(preferred(&[("format", "json")]).format(), AnswerFormat::Json);
        assert_eq!(preferred(&[("fields", "b, a,")]).fields(), ["b", "a"]);
        assert_eq!(preferred(&[("fields", ",")]).fields(), [""; 0]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |pairs: &[(&str, &str)]| parse(pairs).unwrap_err();
        assert!(wrong(&[("format", "cvs")]).contains("did you mean `csv`?"));
        assert!(wrong(&[("format", "csv"), ("format", "csv")]).contains("`format` is given more than once"));
        let both = wrong(&[("fields", "a,b,a"), ("format", "xml")]);
        assert!(both.contains("`a` is named more than once") && both.contains("`xml`"), "{both}");
        let refused = Presentation::parse(&[("format", "csv")], Offer::ENVELOPED).unwrap_err();
        assert!(refused[0].message.contains("`csv` is not one of json, columns"), "{refused:?}");
        let unknown = parse(&[("fields", "symbol,simbol")]).unwrap().check(&["symbol", "pe"]).unwrap_err();
        assert!(unknown.contains("`simbol`; did you mean `symbol`? They have symbol, pe"), "{unknown}");
    }

    #[test]
    fn what_goes_with_a_picture_is_refused_of_rows_and_the_other_way_round() {
        let drawn = parse(&[("format", "png"), ("theme", "dark"), ("size", "large")]).unwrap();
        let chosen = DrawingChoice { theme: DrawingTheme::Dark, size: DrawingSize::Large };
        assert_eq!((drawn.format(), drawn.drawing()), (AnswerFormat::Png, chosen));
        assert!(
            parse(&[("theme", "dark")])
                .unwrap_err()
                .contains("`theme` applies only to pictures: with `format=svg`")
        );
        assert!(
            parse(&[("format", "csv"), ("size", "large")])
                .unwrap_err()
                .contains("`size` applies only to pictures")
        );
        assert!(
            parse(&[("format", "svg"), ("fields", "a")])
                .unwrap_err()
                .contains("`fields` applies only to rows")
        );
        assert!(parse(&[("format", "svg"), ("theme", "drak")]).unwrap_err().contains("did you mean `dark`?"));
        assert!(parse(&[("format", "svg"), ("size", "9000")]).unwrap_err().contains("regular, large"));
        assert_eq!(parse(&[("theme", " ")]), Ok(Presentation::default()));
    }

    #[test]
    fn presentations_that_differ_have_different_texts() {
        let text = |pairs: &[(&str, &str)]| parse(pairs).unwrap().canonical();
        assert_eq!(text(&[("format", "json"), ("fields", "")]), "");
        let texts = [
            text(&[("format", "csv")]),
            text(&[("fields", "csv")]),
            text(&[("fields", "a,b")]),
            text(&[("fields", "b,a")]),
            text(&[("fields", "a,b"), ("format", "columns")]),
            text(&[("offset", "1")]),
            text(&[("offset", "2")]),
            text(&[("format", "svg")]),
            text(&[("format", "png")]),
            text(&[("format", "png"), ("theme", "dark")]),
            text(&[("format", "png"), ("size", "large")]),
            text(&[("format", "png"), ("offset", "1")]),
        ];
        for (at, text) in texts.iter().enumerate() {
            assert!(!texts[..at].contains(text), "{text}");
        }
    }
}
