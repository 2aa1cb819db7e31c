//! Sheet of a picture: its size, margins and heading, and the text shown if there is nothing to draw.
//!
//! Every kind draws into the area below the heading. Only files show the title; a page has a heading already.

use maud::{Markup, PreEscaped, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::number::MarketCurrency;
use super::shape::{self, Anchor, Area, Ink, Lettering, rect};
use super::text::{self, FAMILY, FontWeight, clean_text};
use super::theme::{Theme, Tint};

/// Size of a picture in units; one unit is one pixel of the PNG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PictureSize {
    /// 960 x 540: the width of a text column or a chat.
    Regular,
    /// 1600 x 900: a screen or a slide; letters grow less than the picture, so that it shows more.
    Large,
    /// A box of a page: as high as the content needs.
    Page(PageWidth),
}

/// Width of a picture on a page. The page shows the picture whose width is nearest to that of its box, so that letters keep their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PageWidth {
    /// 360: a phone held upright, or a narrow column.
    Phone,
    /// 720: a wide column.
    Column,
    /// 1080: a page.
    Page,
    /// 1440: a large screen.
    Screen,
}

impl PageWidth {
    /// All widths, the narrowest first.
    pub const ALL: [Self; 4] = [Self::Phone, Self::Column, Self::Page, Self::Screen];

    /// Returns the width in units.
    pub const fn units(self) -> u16 {
        match self {
            Self::Phone => 360,
            Self::Column => 720,
            Self::Page => 1080,
            Self::Screen => 1440,
        }
    }
}

impl PictureSize {
    const fn font_size(self) -> f64 {
        match self {
            Self::Regular | Self::Page(_) => 12.0,
            Self::Large => 15.0,
        }
    }
}

/// Texts around a picture, unescaped.
#[derive(Debug, Clone, Copy)]
pub struct PictureWords<'a> {
    /// Prefix of every id, so that two pictures of a page share none: a letter, then letters, digits, `-`.
    pub id: &'a str,
    /// Language of the texts, as in `lang`.
    pub lang: &'a str,
    /// Title.
    pub title: &'a str,
    /// Description of the visible content, for readers who cannot see it.
    pub description: &'a str,
    /// Source and date, below a file.
    pub footnote: &'a str,
}

/// Name of the group of stocks without a sector. It is never linked: there is no page for it.
pub const NO_SECTOR: &str = "(no sector)";

/// Characters of a name that are encoded in a URL: all but letters, digits, `-`, `.`, `_` and `~` (RFC 3986, section 2).
pub const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Links of a picture on a page. An address is `before`, the encoded name of a sector or stock, and `after`.
#[derive(Debug, Clone, Copy)]
pub struct PictureLinks<'a> {
    /// Beginning of the address, such as `/sectors/`.
    pub before: &'a str,
    /// End of the address, such as `?market=us`; may be empty.
    pub after: &'a str,
    /// Beginning of the address of a group of a heat map, such as `/heat?sector=`; empty if groups are no links.
    pub groups: &'a str,
}

/// A finished picture without its frame.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    pub body: Markup,
    /// Line below the title: time span, interval, number of rows left out; may be empty.
    pub note: String,
}

impl Drawing {
    /// Joins the parts of the note; empty ones are left out.
    pub(super) fn new(body: Markup, note: impl IntoIterator<Item = String>) -> Self {
        let parts: Vec<String> = note.into_iter().filter(|part| !part.is_empty()).collect();
        Self { body, note: parts.join(" · ") }
    }
}

/// An empty sheet, with its theme and size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sheet<'a> {
    pub theme: Theme,
    pub currency: MarketCurrency,
    pub size: PictureSize,
    /// Width and height, in units.
    pub units: (u16, u16),
    pub links: Option<PictureLinks<'a>>,
}

impl Sheet<'_> {
    /// Returns the size of an em in units.
    pub(super) const fn font_size(&self) -> f64 {
        self.size.font_size()
    }

    /// Returns true if the picture is a file, which has literal colours and a title.
    pub(super) const fn is_file(&self) -> bool {
        !matches!(self.theme, Theme::Page)
    }

    /// Returns true if parts of the picture are links.
    pub(super) const fn has_links(&self) -> bool {
        self.links.is_some() && !self.is_file()
    }

    /// Returns the factor by which texts may be wider than in the bundled font: 1 in a file, 1.12 on a page, whose font is unknown.
    pub(super) const fn font_width_factor(&self) -> f64 {
        if self.is_file() { 1.0 } else { 1.12 }
    }

    /// Returns the width of a text in the picture's font size.
    pub(super) fn width(&self, words: &str, weight: FontWeight) -> f64 {
        text::width(words, self.font_size(), weight) * self.font_width_factor()
    }

    /// Returns the text, cut to the width `room` in the picture's font size.
    pub(super) fn fit_text(&self, words: &str, room: f64, weight: FontWeight) -> String {
        text::fit_text(words, room / self.font_width_factor(), self.font_size(), weight)
    }

    /// Returns the position nearest to `x` at which the edge of the sheet does not cut a centred text.
    pub(super) fn shift_into_sheet(&self, x: f64, words: &str) -> f64 {
        let half = self.width(words, FontWeight::Regular) / 2.0 + 1.0;
        x.min(self.bounds().right - half).max(half)
    }

    fn margin(&self) -> f64 {
        if self.is_file() { self.font_size() * 1.6 } else { self.font_size() * 0.5 }
    }

    /// Returns the area of the whole sheet.
    pub(super) fn bounds(&self) -> Area {
        let (width, height) = self.units;
        Area { left: 0.0, top: 0.0, right: f64::from(width), bottom: f64::from(height) }
    }

    /// Returns the vertical middles of title, note and legend, then the top of the drawing.
    fn heading_positions(&self) -> [f64; 4] {
        let em = self.font_size();
        let title = self.margin() + em * 0.7;
        let note = if self.is_file() { title + em * 1.9 } else { title };
        let legend = note + em * 1.9;
        [title, note, legend, legend + em * 1.5]
    }

    /// Returns the legend's left end, vertical middle and right end.
    pub(super) fn legend_line(&self) -> (f64, f64, f64) {
        let area = self.area();
        (area.left, self.heading_positions()[2], area.right)
    }

    /// Returns the area below the heading.
    pub(super) fn area(&self) -> Area {
        let bounds = self.bounds();
        let margin = self.margin();
        let foot = if self.is_file() { self.font_size() * 1.7 } else { 0.0 };
        Area {
            left: margin,
            top: self.heading_positions()[3],
            right: bounds.right - margin,
            bottom: bounds.bottom - margin * 0.8 - foot,
        }
    }

    pub(super) fn text_style(&self, tint: Tint, anchor: Anchor) -> Lettering {
        Lettering::new(tint, self.font_size(), anchor)
    }

    /// Wraps the drawing of `name` in a link, on a page that has links; returns it unchanged elsewhere.
    pub(super) fn wrap_in_link(&self, name: &str, class: &str, drawn: Markup) -> Markup {
        match self.links.filter(|_| !self.is_file() && name != NO_SECTOR) {
            None => drawn,
            Some(links) => {
                let href = format!("{}{}{}", links.before, utf8_percent_encode(name, RESERVED), links.after);
                html! { a class=(class) href=(href) { (drawn) } }
            }
        }
    }

    /// Wraps the name of a group in a link, where groups are links.
    pub(super) fn wrap_in_group_link(&self, name: &str, drawn: Markup) -> Markup {
        match self.links.filter(|links| !self.is_file() && !links.groups.is_empty() && name != NO_SECTOR) {
            None => drawn,
            Some(links) => {
                let href = format!("{}{}", links.groups, utf8_percent_encode(name, RESERVED));
                html! { a class="group" href=(href) { (drawn) } }
            }
        }
    }

    /// Draws a picture that contains only the reason why there is nothing to show.
    pub(super) fn empty_drawing(&self, why: &str) -> Drawing {
        let area = self.area();
        let center = (f64::midpoint(area.left, area.right), f64::midpoint(area.top, area.bottom));
        let lettering =
            Lettering { size: self.font_size() * 1.2, ..self.text_style(Tint::Muted, Anchor::Middle) };
        Drawing {
            body: shape::text(self.theme, lettering, center, &format!("Nothing to show: {why}.")),
            note: String::new(),
        }
    }

    /// Returns the SVG document.
    pub(super) fn document(&self, kind: &str, words: &PictureWords<'_>, drawing: &Drawing) -> String {
        let (width, height) = self.units;
        let (title_id, words_id) = (format!("{}-title", words.id), format!("{}-words", words.id));
        let labelled = format!("{title_id} {words_id}");
        let family = self.is_file().then(|| format!("{FAMILY},sans-serif"));
        let pixels = |length: u16| self.is_file().then_some(length);
        // Links within an image are hidden from screen readers.
        let role = if self.has_links() { "group" } else { "img" };
        html! {
            svg xmlns="http://www.w3.org/2000/svg" class={ "picture picture-" (kind) } role=(role) lang=(words.lang)
                aria-labelledby=(labelled) viewBox={ "0 0 " (width) " " (height) } width=[pixels(width)] height=[pixels(height)]
                font-family=[family] stroke-linecap="round" stroke-linejoin="round" {
                title id=(title_id) { (clean_text(words.title)) }
                desc id=(words_id) { (clean_text(words.description)) }
                @if self.is_file() { (rect(self.theme, Ink::filled(Tint::Surface), self.bounds(), 0.0)) }
                (self.heading(words, &drawing.note))
                (drawing.body)
            }
        }
        .into_string()
    }

    fn heading(&self, words: &PictureWords<'_>, note: &str) -> Markup {
        let area = self.area();
        let [title_line, note_line, ..] = self.heading_positions();
        let title =
            Lettering { size: self.font_size() * 1.5, ..self.text_style(Tint::Text, Anchor::Start) }.bold();
        let muted = self.text_style(Tint::Muted, Anchor::Start);
        let written = |lettering: Lettering, y: f64, words: &str| {
            let room = area.width() / self.font_width_factor();
            let words = text::fit_text(&clean_text(words), room, lettering.size, lettering.weight);
            if words.is_empty() {
                PreEscaped(String::new())
            } else {
                shape::text(self.theme, lettering, (area.left, y), &words)
            }
        };
        let foot = self.bounds().bottom - self.margin() * 0.8 - self.font_size() * 0.3;
        html! {
            @if self.is_file() { (written(title, title_line, words.title)) }
            (written(muted, note_line, note))
            @if self.is_file() { (written(Lettering { size: self.font_size() * 0.9, ..muted }, foot, words.footnote)) }
        }
    }

    /// Draws the title of a pane above its upper left corner.
    pub(super) fn pane_title(&self, pane: Area, words: &str) -> Markup {
        let at = (pane.left, pane.top - self.font_size() * 0.75);
        let words = self.fit_text(words, pane.width(), FontWeight::Bold);
        shape::text(self.theme, self.text_style(Tint::Text, Anchor::Start).bold(), at, &words)
    }
}
