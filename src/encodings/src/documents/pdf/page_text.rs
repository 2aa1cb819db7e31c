//! Reads the text of pages: applies the operators that show or move text, and those of forms, which are nested content streams.

use std::collections::HashMap;
use std::io;
use std::rc::Rc;

use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::{ShowText, ShowTexts, TypedInstruction};
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};
use hayro_syntax::page::{Page, Resources};

use super::font::PdfFont;
use super::lines::{PageLines, TextRun};
use super::streams::{MOST_UNPACKED, unpack};
use crate::unpack_bounds::refusal;

/// Maximum number of operators of a document.
const MOST_OPERATORS: usize = 20_000_000;
/// Maximum bytes of operators of a document. A stream counts as often as pages or forms use it.
const MOST_OPERATOR_BYTES: usize = 2 * MOST_UNPACKED;
/// Maximum bytes of the letters of a document. One code may stand for many letters.
const MOST_LETTERS: usize = 32 << 20;
/// Maximum number of forms that a document shows, and maximum depth of forms within forms.
const MOST_FORMS: usize = 20_000;
const DEEPEST_FORM: usize = 8;
/// Maximum number of graphics states that a page may save.
const MOST_STATES: usize = 512;

/// A matrix that maps positions: `x' = a x + c y + e`, `y' = b x + d y + f`.
type Matrix = [f64; 6];
const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// Reads the text of the pages of one document, and counts what it reads.
#[derive(Default)]
pub(super) struct TextReader {
    /// Fonts by the address of their dictionary. An object number does not identify a font, because one object may contain several.
    fonts: HashMap<usize, Rc<PdfFont>>,
    lines: PageLines,
    state: TextState,
    saved_states: Vec<TextState>,
    /// The text matrix, which is the position of the next letter, and the text line matrix, which is that of the start of the line.
    text_matrix: Matrix,
    line_matrix: Matrix,
    operators: usize,
    /// Bytes of operators and of letters so far.
    operator_bytes: usize,
    letters: usize,
    forms: usize,
    /// Number of letters that were shown, and of those for which the font has no text.
    shown_letters: usize,
    unread_letters: usize,
}

/// The part of the graphics state that positions text; `page` is the current transformation matrix.
#[derive(Clone)]
struct TextState {
    page: Matrix,
    font: Option<Rc<PdfFont>>,
    size: f64,
    letter_spacing: f64,
    word_spacing: f64,
    horizontal_scale: f64,
    leading: f64,
}

impl Default for TextState {
    fn default() -> Self {
        let [size, letter_spacing, word_spacing, leading] = [0.0; 4];
        Self {
            page: IDENTITY,
            font: None,
            size,
            letter_spacing,
            word_spacing,
            horizontal_scale: 1.0,
            leading,
        }
    }
}

impl TextReader {
    /// Returns the lines of a page.
    ///
    /// # Errors
    /// The document exceeds a bound.
    pub(super) fn lines(&mut self, page: &Page<'_>) -> io::Result<PageLines> {
        self.state = TextState::default();
        self.saved_states.clear();
        if let Some(operators) = contents(page) {
            self.run(&operators, page.resources(), 0)?;
        }
        Ok(std::mem::take(&mut self.lines))
    }

    /// Returns true if most letters so far have no text in their font.
    pub(super) fn has_unread_letters(&self) -> bool {
        self.unread_letters > self.shown_letters / 2
    }

    /// Applies the operators of a content stream; `depth` is the number of forms around it.
    fn run(&mut self, operators: &[u8], resources: &Resources<'_>, depth: usize) -> io::Result<()> {
        self.operator_bytes += operators.len();
        self.check_bounds()?;
        let mut operators = TypedIter::new(operators);
        while let Some(operator) = operators.next() {
            self.operators += 1;
            match operator {
                TypedInstruction::XObject(form) => self.run_form(form.0, resources, depth)?,
                TypedInstruction::TextFont(font) => {
                    self.state.font = resources.get_font(font.0).map(|dict| self.font(&dict));
                    self.state.size = font.1.as_f64();
                }
                operator => self.apply(&operator),
            }
            self.check_bounds()?;
        }
        Ok(())
    }

    /// Checks the counts of the document against their limits.
    fn check_bounds(&self) -> io::Result<()> {
        let bounds = [
            (self.operators, MOST_OPERATORS, "operators"),
            (self.operator_bytes, MOST_OPERATOR_BYTES, "bytes of operators"),
            (self.letters, MOST_LETTERS, "letters"),
            (self.forms, MOST_FORMS, "forms"),
        ];
        match bounds.into_iter().find(|(count, most, _)| count > most) {
            Some((_, most, things)) => Err(refusal(format!(
                "it is a PDF that shows more than {most} {things}: save its text as .txt"
            ))),
            None => Ok(()),
        }
    }

    /// Applies an operator that shows or moves text.
    fn apply(&mut self, operator: &TypedInstruction<'_, '_>) {
        match operator {
            TypedInstruction::SaveState(_) if self.saved_states.len() < MOST_STATES => {
                self.saved_states.push(self.state.clone());
            }
            TypedInstruction::RestoreState(_) => {
                self.state = self.saved_states.pop().unwrap_or_else(|| self.state.clone());
            }
            TypedInstruction::Transform(it) => {
                self.state.page = product(matrix([it.0, it.1, it.2, it.3, it.4, it.5]), self.state.page);
            }
            TypedInstruction::BeginText(_) => (self.text_matrix, self.line_matrix) = (IDENTITY, IDENTITY),
            TypedInstruction::CharacterSpacing(it) => self.state.letter_spacing = it.0.as_f64(),
            TypedInstruction::WordSpacing(it) => self.state.word_spacing = it.0.as_f64(),
            TypedInstruction::HorizontalScaling(it) => self.state.horizontal_scale = it.0.as_f64() / 100.0,
            TypedInstruction::TextLeading(it) => self.state.leading = it.0.as_f64(),
            TypedInstruction::NextLine(it) => self.begin_line(it.0.as_f64(), it.1.as_f64()),
            TypedInstruction::NextLineAndSetLeading(it) => {
                self.state.leading = -it.1.as_f64();
                self.begin_line(it.0.as_f64(), it.1.as_f64());
            }
            TypedInstruction::SetTextMatrix(it) => {
                self.line_matrix = matrix([it.0, it.1, it.2, it.3, it.4, it.5]);
                self.text_matrix = self.line_matrix;
            }
            TypedInstruction::NextLineUsingLeading(_) => self.begin_line(0.0, -self.state.leading),
            TypedInstruction::ShowText(ShowText(text)) => self.show(text),
            TypedInstruction::NextLineAndShowText(it) => {
                self.begin_line(0.0, -self.state.leading);
                self.show(it.0);
            }
            TypedInstruction::ShowTextWithParameters(it) => {
                (self.state.word_spacing, self.state.letter_spacing) = (it.0.as_f64(), it.1.as_f64());
                self.begin_line(0.0, -self.state.leading);
                self.show(it.2);
            }
            TypedInstruction::ShowTexts(ShowTexts(parts)) => self.show_parts(parts),
            _ => {}
        }
    }

    /// Shows texts, with numbers between them that move back by thousandths of the size.
    fn show_parts(&mut self, parts: &Array<'_>) {
        for part in parts.iter::<Object<'_>>() {
            match part {
                Object::String(text) => self.show(&text),
                Object::Number(back) => {
                    self.advance(-back.as_f64() / 1000.0 * self.state.size * self.state.horizontal_scale);
                }
                _ => {}
            }
        }
    }

    fn begin_line(&mut self, right: f64, up: f64) {
        self.line_matrix = product([1.0, 0.0, 0.0, 1.0, right, up], self.line_matrix);
        self.text_matrix = self.line_matrix;
    }

    fn advance(&mut self, right: f64) {
        self.text_matrix = product([1.0, 0.0, 0.0, 1.0, right, 0.0], self.text_matrix);
    }

    fn show(&mut self, text: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        let start = product(self.text_matrix, self.state.page);
        let [xx, xy, yx, yy, ..] = start;
        let size = self.state.size.abs() * yx.hypot(yy);
        // The direction of writing: pages may be rotated.
        let length = xx.hypot(xy);
        let (right, up) = if length > 0.0 { (xx / length, xy / length) } else { (1.0, 0.0) };
        let along = |[.., x, y]: Matrix| x * right + y * up;
        let mut letters = String::new();
        for glyph in font.glyphs(text) {
            self.shown_letters += 1;
            self.letters += glyph.text.as_ref().map_or(1, |text| text.len().max(1));
            if self.letters > MOST_LETTERS {
                return;
            }
            match glyph.text {
                Some(text) => push_letters(&text, &mut letters),
                None => self.unread_letters += 1,
            }
            let spacing =
                self.state.letter_spacing + if glyph.is_space { self.state.word_spacing } else { 0.0 };
            self.advance((glyph.width * self.state.size + spacing) * self.state.horizontal_scale);
        }
        let [.., x, y] = start;
        let across = y * right - x * up;
        let end = along(product(self.text_matrix, self.state.page));
        if !letters.is_empty() && [across, end, size].into_iter().all(f64::is_finite) {
            self.lines.push(TextRun { text: letters, start: along(start), end, across, size });
        }
    }

    /// Applies the operators of a form.
    fn run_form(&mut self, name: &Name<'_>, resources: &Resources<'_>, depth: usize) -> io::Result<()> {
        let Some(form) = resources.get_x_object(name) else { return Ok(()) };
        let is_form = form.dict().get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_ref() == b"Form");
        if !is_form || depth >= DEEPEST_FORM {
            return Ok(());
        }
        self.forms += 1;
        let Some(operators) = unpack(&form) else { return Ok(()) };
        let state = self.state.clone();
        let matrices = (self.text_matrix, self.line_matrix);
        let saved_states = std::mem::take(&mut self.saved_states);
        if let Some(matrix) = form.dict().get::<Matrix>("Matrix") {
            self.state.page = product(matrix, self.state.page);
        }
        let form_resources = form.dict().get::<Dict<'_>>("Resources").map(Resources::new);
        self.run(&operators, form_resources.as_ref().unwrap_or(resources), depth + 1)?;
        (self.state, self.saved_states) = (state, saved_states);
        (self.text_matrix, self.line_matrix) = matrices;
        Ok(())
    }

    fn font(&mut self, dict: &Dict<'_>) -> Rc<PdfFont> {
        let font =
            self.fonts.entry(dict.data().as_ptr().addr()).or_insert_with(|| Rc::new(PdfFont::new(dict)));
        Rc::clone(font)
    }
}

/// Returns the operators of a page. An operator may begin in one of its streams and end in the next.
fn contents(page: &Page<'_>) -> Option<Vec<u8>> {
    let raw = page.raw();
    if let Some(stream) = raw.get::<Stream<'_>>("Contents") {
        return unpack(&stream);
    }
    let streams = raw.get::<Array<'_>>("Contents")?;
    let mut all = Vec::new();
    for part in streams.iter::<Stream<'_>>().filter_map(|stream| unpack(&stream)) {
        all.extend(part);
        all.push(b' ');
        // A page may list one stream many times. Its length then exceeds the limit, and `run` refuses it.
        if all.len() > MOST_OPERATOR_BYTES {
            break;
        }
    }
    Some(all)
}

/// Appends letters; a ligature is written as its letters.
fn push_letters(text: &str, into: &mut String) {
    for letter in text.chars() {
        match letter {
            'ﬀ' => into.push_str("ff"),
            'ﬁ' => into.push_str("fi"),
            'ﬂ' => into.push_str("fl"),
            'ﬃ' => into.push_str("ffi"),
            'ﬄ' => into.push_str("ffl"),
            letter => into.push(letter),
        }
    }
}

fn matrix(numbers: [Number; 6]) -> Matrix {
    numbers.map(|number| number.as_f64())
}

/// Returns the matrix that maps by `first`, then by `then`.
fn product(first: Matrix, then: Matrix) -> Matrix {
    let turned = |x: f64, y: f64| {
        let [right_x, right_y, up_x, up_y, ..] = then;
        [x * right_x + y * up_x, x * right_y + y * up_y]
    };
    let [right_x, right_y, up_x, up_y, x, y] = first;
    let [.., shift_x, shift_y] = then;
    let [[xx, xy], [yx, yy], [dx, dy]] = [turned(right_x, right_y), turned(up_x, up_y), turned(x, y)];
    [xx, xy, yx, yy, dx + shift_x, dy + shift_y]
}
