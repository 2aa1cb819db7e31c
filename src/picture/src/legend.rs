//! Legend of a picture: one line below its heading.
//!
//! Entries that do not fit are left out as a whole, never cut.

use maud::{Markup, html};

use super::shape::{Anchor, Area, Ink, PathText, circle, path, rect, text};
use super::sheet::Sheet;
use super::text::FontWeight;
use super::theme::Tint;

/// Symbol of an entry.
#[derive(Debug, Clone, Copy)]
pub(super) enum Swatch {
    /// A line, with its dashes.
    Line(Tint, &'static str),
    /// An outlined box.
    Hollow(Tint),
    /// A filled box.
    Filled(Tint),
    Dot(Tint),
    /// A letter in a ring.
    Letter(char),
}

impl Swatch {
    /// Returns the width in ems.
    const fn width(self) -> f64 {
        match self {
            Self::Line(..) => 2.2,
            Self::Letter(_) => 1.6,
            Self::Hollow(_) | Self::Filled(_) | Self::Dot(_) => 0.9,
        }
    }
}

/// Draws one line of entries.
pub(super) fn legend<'a>(sheet: &Sheet<'_>, entries: impl IntoIterator<Item = (Swatch, &'a str)>) -> Markup {
    let em = sheet.font_size();
    let (left, y, right) = sheet.legend_line();
    let mut x = left;
    let placed: Vec<_> = entries
        .into_iter()
        .map_while(|(swatch, words)| {
            let at = x;
            let text_at = at + em * (swatch.width() + 0.5);
            let end = text_at + sheet.width(words, FontWeight::Regular);
            x = end + em * 1.5;
            (end <= right).then_some((swatch, words, at, text_at))
        })
        .collect();
    html! {
        @for (swatch, words, at, text_at) in placed {
            (draw_swatch(sheet, swatch, at, y))
            (text(sheet.theme, sheet.text_style(Tint::Text, Anchor::Start), (text_at, y), words))
        }
    }
}

fn draw_swatch(sheet: &Sheet<'_>, swatch: Swatch, x: f64, y: f64) -> Markup {
    let em = sheet.font_size();
    let width = em * swatch.width();
    let boxed = Area { left: x, top: y - width / 2.0, right: x + width, bottom: y + width / 2.0 };
    match swatch {
        Swatch::Line(tint, dashes) => {
            let mut line = PathText::new();
            line.move_to(x, y).across_to(x + width);
            path(sheet.theme, Ink::line(tint, 2.0).dashed(dashes), &line)
        }
        Swatch::Hollow(tint) => {
            rect(sheet.theme, Ink::line(tint, 1.2).with_fill(Tint::Surface), boxed.inset(0.6), 0.0)
        }
        Swatch::Filled(tint) => rect(sheet.theme, Ink::filled(tint), boxed, 0.0),
        Swatch::Dot(tint) => circle(sheet.theme, Ink::filled(tint), (x + width / 2.0, y), width * 0.4),
        Swatch::Letter(letter) => lettered_ring(sheet, letter, (x + width / 2.0, y)),
    }
}

/// Draws a letter in a ring.
pub(super) fn lettered_ring(sheet: &Sheet<'_>, letter: char, at: (f64, f64)) -> Markup {
    let em = sheet.font_size();
    let mut lettering = sheet.text_style(Tint::Text, Anchor::Middle).bold();
    lettering.size = em * 0.9;
    html! {
        (circle(sheet.theme, Ink::line(Tint::Axis, 1.0).with_fill(Tint::Surface), at, em * 0.78))
        (text(sheet.theme, lettering, at, letter.encode_utf8(&mut [0; 4])))
    }
}
