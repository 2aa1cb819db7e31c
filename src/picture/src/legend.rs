//! Legend of a picture: one line below its heading.
//!
//! Entries that do not fit are left out as a whole, never cut.

use maud::{Markup, html};

use super::shape::{Anchor, Area, Ink, PathText, circle, path, rect, text};
use super::sheet::Paper;
use super::text::FontWeight;
use super::theme::Tint;

/// Sign of an entry.
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
pub(super) fn legend<'a>(sheet: &Paper<'_>, entries: impl IntoIterator<Item = (Swatch, &'a str)>) -> Markup {
    let letters = sheet.letters();
    let (left, y, right) = sheet.legend_line();
    let mut x = left;
    let placed: Vec<_> = entries
        .into_iter()
        .map_while(|(swatch, words)| {
            let at = x;
            let text_at = at + letters * (swatch.width() + 0.5);
            let end = text_at + sheet.width(words, FontWeight::Regular);
            x = end + letters * 1.5;
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

fn draw_swatch(sheet: &Paper<'_>, swatch: Swatch, x: f64, y: f64) -> Markup {
    let letters = sheet.letters();
    let wide = letters * swatch.width();
    let boxed = Area { left: x, top: y - wide / 2.0, right: x + wide, bottom: y + wide / 2.0 };
    match swatch {
        Swatch::Line(tint, dashes) => {
            let mut line = PathText::new();
            line.move_to(x, y).across_to(x + wide);
            path(sheet.theme, Ink::line(tint, 2.0).dashed(dashes), &line)
        }
        Swatch::Hollow(tint) => {
            rect(sheet.theme, Ink::line(tint, 1.2).with_fill(Tint::Surface), boxed.inset(0.6), 0.0)
        }
        Swatch::Filled(tint) => rect(sheet.theme, Ink::filled(tint), boxed, 0.0),
        Swatch::Dot(tint) => circle(sheet.theme, Ink::filled(tint), (x + wide / 2.0, y), wide * 0.4),
        Swatch::Letter(letter) => lettered_ring(sheet, letter, (x + wide / 2.0, y)),
    }
}

/// Draws a letter in a ring.
pub(super) fn lettered_ring(sheet: &Paper<'_>, letter: char, at: (f64, f64)) -> Markup {
    let letters = sheet.letters();
    let mut lettering = sheet.text_style(Tint::Text, Anchor::Middle).bold();
    lettering.size = letters * 0.9;
    html! {
        (circle(sheet.theme, Ink::line(Tint::Axis, 1.0).with_fill(Tint::Surface), at, letters * 0.78))
        (text(sheet.theme, lettering, at, letter.encode_utf8(&mut [0; 4])))
    }
}
