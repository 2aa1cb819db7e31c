//! Texts: their widths, and the characters allowed in a picture.
//!
//! A picture names one font, which is bundled, so that widths are known without a browser. A page uses another font, which may be wider:
//! see `Sheet::font_width_factor`.

/// Font family of pictures; must be the name in the bundled files.
pub(super) const FAMILY: &str = "DejaVu Sans Condensed";

/// Bundled weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FontWeight {
    Regular,
    Bold,
}

// Widths of U+0020 to U+007E in thousandths of the font's size.
const REGULAR: [u16; 95] = [
    286, 360, 414, 754, 572, 855, 702, 247, 351, 351, 450, 754, 286, 325, 286, 303, 572, 572, 572, 572, 572,
    572, 572, 572, 572, 572, 303, 303, 754, 754, 754, 478, 900, 615, 617, 628, 693, 568, 518, 697, 677, 265,
    265, 590, 501, 776, 673, 708, 542, 708, 625, 571, 549, 659, 615, 890, 616, 549, 616, 351, 303, 351, 754,
    450, 450, 551, 571, 495, 571, 554, 316, 571, 570, 250, 250, 521, 250, 876, 570, 550, 571, 571, 370, 469,
    353, 570, 532, 736, 532, 532, 472, 572, 303, 572, 754,
];
const BOLD: [u16; 95] = [
    313, 410, 469, 754, 626, 901, 785, 275, 411, 411, 470, 754, 342, 374, 342, 329, 626, 626, 626, 626, 626,
    626, 626, 626, 626, 626, 360, 360, 754, 754, 754, 522, 900, 696, 686, 660, 747, 615, 615, 738, 753, 334,
    334, 697, 573, 896, 753, 765, 659, 765, 693, 648, 614, 730, 696, 993, 694, 651, 652, 411, 329, 411, 754,
    450, 450, 607, 644, 533, 644, 610, 391, 644, 641, 308, 308, 598, 308, 938, 641, 618, 644, 644, 444, 536,
    430, 641, 586, 831, 580, 586, 523, 641, 329, 641, 754,
];
/// Width of `…`.
const ELLIPSIS_WIDTH: f64 = 900.0;
/// Width assumed for characters without an entry; few are wider.
const DEFAULT_WIDTH: u16 = 786;

/// Returns the width of a text at a font size, both in units of the picture.
pub(super) fn width(text: &str, size: f64, weight: FontWeight) -> f64 {
    text.chars().map(|letter| char_width(letter, weight)).sum::<f64>() * size / 1000.0
}

fn char_width(letter: char, weight: FontWeight) -> f64 {
    let widths = if weight == FontWeight::Bold { &BOLD } else { &REGULAR };
    let like = match letter {
        '…' => return ELLIPSIS_WIDTH,
        '₹' => '0',
        '·' | '’' => '.',
        '–' => '_',
        '−' => '+',
        _ => letter,
    };
    let width = (like as usize).checked_sub(0x20).and_then(|position| widths.get(position));
    f64::from(width.copied().unwrap_or(DEFAULT_WIDTH))
}

/// Returns the text, cut with `…` if it is wider than `room`; empty if not even a letter fits.
pub(super) fn fit_text(text: &str, room: f64, size: f64, weight: FontWeight) -> String {
    if width(text, size, weight) <= room {
        return text.to_owned();
    }
    let mut left = room - ELLIPSIS_WIDTH * size / 1000.0;
    let mut retained: String = text
        .chars()
        .take_while(|letter| {
            left -= char_width(*letter, weight) * size / 1000.0;
            left >= 0.0
        })
        .collect();
    retained.truncate(retained.trim_end().len());
    if !retained.is_empty() {
        retained.push('…');
    }
    retained
}

/// Cleans a foreign text: removes characters that XML forbids or that change the text direction, makes white space single spaces, and cuts
/// it to `MOST_CHARACTERS` characters. Escaping is left to the writer.
pub(super) fn clean_text(text: &str) -> String {
    const MOST_CHARACTERS: usize = 300;
    let is_retained = |c: &char| {
        let turns = matches!(*c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        !turns && !matches!(*c, '\u{fffe}' | '\u{ffff}') && (!c.is_control() || c.is_whitespace())
    };
    let plain: String = text.chars().filter(is_retained).take(MOST_CHARACTERS).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_add_up() {
        assert!((width("AB", 10.0, FontWeight::Regular) - 12.32).abs() < 1e-9);
        assert!((width("₹0", 10.0, FontWeight::Bold) - 12.52).abs() < 1e-9);
        assert!((width("…", 10.0, FontWeight::Regular) - 9.0).abs() < 1e-9);
    }

    #[test]
    fn what_does_not_fit_is_cut() {
        assert_eq!(fit_text("Infosys", 100.0, 10.0, FontWeight::Regular), "Infosys");
        assert_eq!(fit_text("Infosys", 30.0, 10.0, FontWeight::Regular), "Info…");
        assert_eq!(fit_text("Infosys", 3.0, 10.0, FontWeight::Regular), "");
    }

    #[test]
    fn texts_of_others_are_cleaned() {
        assert_eq!(clean_text("A\u{0}B\u{7}\n  C\u{202e}D\u{ffff}"), "AB CD");
        assert_eq!(clean_text("₹ ≥ é <b>"), "₹ ≥ é <b>");
        assert_eq!(clean_text(&"x".repeat(1_000)).len(), 300);
    }
}
