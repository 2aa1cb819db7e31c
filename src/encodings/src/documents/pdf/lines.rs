//! Lines of text on pages, and the paragraphs that they form.

use std::collections::{HashMap, HashSet};

use crate::documents::paragraphs::Paragraphs;

/// Minimum gap between two words, as a fraction of the font size; kerning within a word is less.
const WORD_GAP: f64 = 0.13;

/// A piece of a line. Positions are in units of the page: `start` and `end` along the direction of writing, `across` at a right angle to
/// it.
pub(super) struct TextRun {
    pub(super) text: String,
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) across: f64,
    /// Font size, in units of the page.
    pub(super) size: f64,
}

/// The lines of a page, in the order of the file.
#[derive(Default)]
pub(super) struct PageLines(Vec<TextRun>);

impl PageLines {
    /// Appends a piece to the last line if it continues that line, otherwise begins a line with it.
    pub(super) fn push(&mut self, run: TextRun) {
        match self.0.last_mut() {
            Some(line) if line.is_continued_by(&run) => {
                let has_gap = run.start - line.end > WORD_GAP * run.size;
                if has_gap && !line.text.ends_with(' ') && !run.text.starts_with(' ') {
                    line.text.push(' ');
                }
                line.text.push_str(&run.text);
                line.end = run.end;
            }
            _ => self.0.push(run),
        }
    }
}

impl TextRun {
    fn is_continued_by(&self, run: &Self) -> bool {
        let size = self.size.max(run.size);
        (self.across - run.across).abs() < 0.35 * size && run.start > self.end - 0.6 * size
    }

    fn ends_sentence(&self) -> bool {
        self.text.trim_end().ends_with(['.', ':', '?', '!', ';', '"', '”'])
    }

    /// Returns a key that is equal for a header or footer on each page: the text without digits, and the rounded position across. `None`
    /// for a number of more than four digits.
    fn repetition_key(&self) -> Option<(String, i64)> {
        let text: String = self.text.chars().filter(|c| !c.is_ascii_digit()).collect();
        let is_number = text.trim().is_empty();
        (!is_number || self.text.trim().len() <= 4)
            .then(|| (text.trim().to_owned(), self.across.round() as i64))
    }
}

/// Appends the paragraphs of all pages, without the heads and feet that most of them repeat.
pub(super) fn push_pages(pages: &[PageLines], into: &mut Paragraphs) {
    let repeated = repeated_keys(pages);
    for page in pages {
        let edge = edges(&page.0);
        let is_text = |(at, line): &(usize, &TextRun)| {
            let is_empty = line.text.trim().is_empty();
            let is_repeated =
                edge.contains(at) && line.repetition_key().is_some_and(|key| repeated.contains(&key));
            !is_empty && !is_repeated
        };
        let lines: Vec<&TextRun> = page.0.iter().enumerate().filter(is_text).map(|(_, line)| line).collect();
        push_page(&lines, into);
    }
    into.end();
}

/// Returns the positions of the first and last two lines of a page.
fn edges(lines: &[TextRun]) -> HashSet<usize> {
    (0..2).chain(lines.len().saturating_sub(2)..lines.len()).filter(|at| *at < lines.len()).collect()
}

/// Returns the heads and feet that more than half of three or more pages have.
fn repeated_keys(pages: &[PageLines]) -> HashSet<(String, i64)> {
    let mut counts: HashMap<(String, i64), usize> = HashMap::new();
    for page in pages {
        let keys =
            edges(&page.0).into_iter().filter_map(|at| page.0.get(at).and_then(TextRun::repetition_key));
        for key in keys.collect::<HashSet<_>>() {
            *counts.entry(key).or_default() += 1;
        }
    }
    let least = (pages.len() / 2 + 1).max(3);
    counts.into_iter().filter(|(_, count)| *count >= least).map(|(key, _)| key).collect()
}

/// Appends the lines of a page. A paragraph begins after a gap that is larger than usual, in another size, at a bullet, or after a line
/// that ends a sentence before the margin.
fn push_page(lines: &[&TextRun], into: &mut Paragraphs) {
    let gap = |above: &TextRun, below: &TextRun| above.across - below.across;
    let mut gaps: Vec<f64> =
        lines.array_windows().map(|[above, below]| gap(above, below)).filter(|gap| *gap > 0.0).collect();
    gaps.sort_by(f64::total_cmp);
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or_default();
    let margin = lines.iter().map(|line| line.end).fold(f64::MIN, f64::max);
    let left = lines.iter().map(|line| line.start).fold(f64::MAX, f64::min);
    let mut last: Option<&TextRun> = None;
    for line in lines {
        if let Some(above) = last {
            let gap = gap(above, line);
            let is_apart =
                gap <= 0.0 || gap > 1.35 * usual || (above.size - line.size).abs() > 0.15 * line.size;
            let is_short = above.ends_sentence() && above.end < margin - 0.15 * (margin - left);
            if is_apart || is_short || line.text.trim_start().starts_with(['•', '●', '▪', '■', '○', '·'])
            {
                into.end();
            }
        }
        into.push_text(&line.text);
        if !line.text.ends_with('-') {
            into.push(' ');
        }
        last = Some(line);
    }
    // A sentence may go on over the page.
    if last.is_some_and(TextRun::ends_sentence) {
        into.end();
    }
}
