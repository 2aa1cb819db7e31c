//! The paper of a picture: its size, its margins, its heading, and what is written when there is nothing to show.
//!
//! Every kind draws into the area that the heading leaves. The heading of a page is the page's: only files show the title.

use maud::{Markup, PreEscaped, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::number::MoneyWords;
use super::shape::{self, Anchor, Area, Ink, Lettering, rect};
use super::text::{self, FAMILY, FontWeight, cleaned};
use super::theme::{Theme, Tint};

/// How large a picture is, in its own units; a unit is a pixel of the PNG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PictureSize {
    /// 960 x 540: the width of a column of text, and of a chat.
    Regular,
    /// 360 x 400: a phone held upright.
    Phone,
    /// 1600 x 900: a screen or a slide; letters grow less than the picture, so that it shows more.
    Large,
}

impl PictureSize {
    /// Width and height.
    pub const fn units(self) -> (u16, u16) {
        match self {
            Self::Regular => (960, 540),
            Self::Phone => (360, 400),
            Self::Large => (1600, 900),
        }
    }

    const fn letters(self) -> f64 {
        match self {
            Self::Regular => 12.0,
            Self::Phone => 11.0,
            Self::Large => 15.0,
        }
    }
}

/// What is written around a picture. None of it needs to be escaped.
#[derive(Debug, Clone, Copy)]
pub struct PictureWords<'a> {
    /// Stands in front of every id, so that two pictures of a page have none in common: a letter, then letters, digits, `-`.
    pub id: &'a str,
    /// The language of the words, as in `lang`.
    pub lang: &'a str,
    /// What it shows.
    pub title: &'a str,
    /// What can be seen in it, for those who do not see it.
    pub description: &'a str,
    /// Source and date, under a file.
    pub footnote: &'a str,
}

/// What stands in the place of a sector in the row of the stocks that have none. It leads nowhere: there is nothing to ask for.
pub const NO_SECTOR: &str = "(no sector)";

/// What is encoded of a name in an address: all but letters, digits, `-`, `.`, `_` and `~` (RFC 3986, section 2).
pub const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Links of a picture on a page: `before`, the name of what is linked, `after`.
#[derive(Debug, Clone, Copy)]
pub struct PictureLinks<'a> {
    /// As `/sectors/`.
    pub before: &'a str,
    /// As `?market=us`, or nothing.
    pub after: &'a str,
}

/// What a kind has drawn.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    /// All of it.
    pub body: Markup,
    /// The line under the title: span, interval, what was left out.
    pub note: String,
}

impl Drawing {
    /// With a note of several parts; empty ones are left out.
    pub(super) fn new(body: Markup, note: impl IntoIterator<Item = String>) -> Self {
        let parts: Vec<String> = note.into_iter().filter(|part| !part.is_empty()).collect();
        Self { body, note: parts.join(" · ") }
    }
}

/// Paper, before anything is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paper<'a> {
    pub theme: Theme,
    pub currency: MoneyWords,
    pub size: PictureSize,
    pub links: Option<PictureLinks<'a>>,
}

impl Paper<'_> {
    pub(super) const fn letters(&self) -> f64 {
        self.size.letters()
    }

    const fn is_file(&self) -> bool {
        !matches!(self.theme, Theme::Page)
    }

    /// Whether what it shows leads somewhere.
    pub(super) const fn has_links(&self) -> bool {
        self.links.is_some() && !self.is_file()
    }

    /// How much wider than the bundled font, which measures, the one that draws may be: fonts of pages are up to a ninth.
    pub(super) const fn wider(&self) -> f64 {
        if self.is_file() { 1.0 } else { 1.12 }
    }

    /// The room that a text in the picture's letters takes.
    pub(super) fn width(&self, words: &str, weight: FontWeight) -> f64 {
        text::width(words, self.letters(), weight) * self.wider()
    }

    /// The text in the picture's letters, cut where it is wider than `room`.
    pub(super) fn fitted(&self, words: &str, room: f64, weight: FontWeight) -> String {
        text::fitted(words, room / self.wider(), self.letters(), weight)
    }

    /// Where the middle of a text stands that would stand at `x` and must not be cut by the edge of the paper.
    pub(super) fn held(&self, x: f64, words: &str) -> f64 {
        let half = self.width(words, FontWeight::Regular) / 2.0 + 1.0;
        x.min(self.paper().right - half).max(half)
    }

    fn margin(&self) -> f64 {
        if self.is_file() { self.letters() * 1.6 } else { self.letters() * 0.5 }
    }

    /// The whole paper.
    fn paper(&self) -> Area {
        let (width, height) = self.size.units();
        Area { left: 0.0, top: 0.0, right: f64::from(width), bottom: f64::from(height) }
    }

    /// The middles of title, note and legend, from the top; then where the drawing starts.
    fn lines(&self) -> [f64; 4] {
        let letters = self.letters();
        let title = self.margin() + letters * 0.7;
        let note = if self.is_file() { title + letters * 1.9 } else { title };
        let legend = note + letters * 1.9;
        [title, note, legend, legend + letters * 1.5]
    }

    /// Where a legend is drawn: left, middle of the line, right.
    pub(super) fn legend_line(&self) -> (f64, f64, f64) {
        let area = self.area();
        (area.left, self.lines()[2], area.right)
    }

    /// What the heading leaves.
    pub(super) fn area(&self) -> Area {
        let paper = self.paper();
        let margin = self.margin();
        let foot = if self.is_file() { self.letters() * 1.7 } else { 0.0 };
        Area {
            left: margin,
            top: self.lines()[3],
            right: paper.right - margin,
            bottom: paper.bottom - margin * 0.8 - foot,
        }
    }

    pub(super) fn lettering(&self, tint: Tint, anchor: Anchor) -> Lettering {
        Lettering::new(tint, self.letters(), anchor)
    }

    /// A link around what stands for `name`, on a page that has links; the drawing alone elsewhere.
    pub(super) fn linked(&self, name: &str, class: &str, drawn: Markup) -> Markup {
        match self.links.filter(|_| !self.is_file() && name != NO_SECTOR) {
            None => drawn,
            Some(links) => {
                let href = format!("{}{}{}", links.before, utf8_percent_encode(name, RESERVED), links.after);
                html! { a class=(class) href=(href) { (drawn) } }
            }
        }
    }

    /// The picture that says in words why there is none.
    pub(super) fn nothing(&self, why: &str) -> Drawing {
        let area = self.area();
        let place = (f64::midpoint(area.left, area.right), f64::midpoint(area.top, area.bottom));
        let lettering =
            Lettering { size: self.letters() * 1.2, ..self.lettering(Tint::Muted, Anchor::Middle) };
        Drawing {
            body: shape::text(self.theme, lettering, place, &format!("Nothing to show: {why}.")),
            note: String::new(),
        }
    }

    /// The whole SVG.
    pub(super) fn document(&self, kind: &str, words: &PictureWords<'_>, drawing: &Drawing) -> String {
        let (width, height) = self.size.units();
        let (title_id, words_id) = (format!("{}-title", words.id), format!("{}-words", words.id));
        let labelled = format!("{title_id} {words_id}");
        let family = self.is_file().then(|| format!("{FAMILY},sans-serif"));
        let pixels = |length: u16| self.is_file().then_some(length);
        // What is an image to a screen reader hides the links in it.
        let role = if self.has_links() { "group" } else { "img" };
        html! {
            svg xmlns="http://www.w3.org/2000/svg" class={ "picture picture-" (kind) } role=(role) lang=(words.lang)
                aria-labelledby=(labelled) viewBox={ "0 0 " (width) " " (height) } width=[pixels(width)] height=[pixels(height)]
                font-family=[family] stroke-linecap="round" stroke-linejoin="round" {
                title id=(title_id) { (cleaned(words.title)) }
                desc id=(words_id) { (cleaned(words.description)) }
                @if self.is_file() { (rect(self.theme, Ink::filled(Tint::Surface), self.paper(), 0.0)) }
                (self.heading(words, &drawing.note))
                (drawing.body)
            }
        }
        .into_string()
    }

    fn heading(&self, words: &PictureWords<'_>, note: &str) -> Markup {
        let area = self.area();
        let [title_line, note_line, ..] = self.lines();
        let title =
            Lettering { size: self.letters() * 1.5, ..self.lettering(Tint::Text, Anchor::Start) }.bold();
        let muted = self.lettering(Tint::Muted, Anchor::Start);
        let written = |lettering: Lettering, y: f64, words: &str| {
            let room = area.width() / self.wider();
            let words = text::fitted(&cleaned(words), room, lettering.size, lettering.weight);
            if words.is_empty() {
                PreEscaped(String::new())
            } else {
                shape::text(self.theme, lettering, (area.left, y), &words)
            }
        };
        let foot = self.paper().bottom - self.margin() * 0.8 - self.letters() * 0.3;
        html! {
            @if self.is_file() { (written(title, title_line, words.title)) }
            (written(muted, note_line, note))
            @if self.is_file() { (written(Lettering { size: self.letters() * 0.9, ..muted }, foot, words.footnote)) }
        }
    }

    /// The title of a pane, over its upper left corner.
    pub(super) fn pane_title(&self, pane: Area, words: &str) -> Markup {
        let at = (pane.left, pane.top - self.letters() * 0.75);
        let words = self.fitted(words, pane.width(), FontWeight::Bold);
        shape::text(self.theme, self.lettering(Tint::Text, Anchor::Start).bold(), at, &words)
    }
}
