//! Colours: one palette, light and dark, and how a drawing names them.
//!
//! A picture on a page has class names, and [`PAGE_COLOURS`] gives them their colours, including dark mode. A picture as a file has literal
//! colours, because readers of files know no custom properties. Both come from the one table below; tests check every drawn pair against
//! the contrast that WCAG 2.2 AA requires.

/// Source of a picture's colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Theme {
    /// The style sheet of the page, by class names.
    Page,
    /// Literal colours on white.
    Light,
    /// Literal colours on near black.
    Dark,
}

/// Declares the tints: each with its word in class names and custom properties, its light and its dark colour.
macro_rules! palette {
    ($($tint:ident = $word:literal, $light:literal, $dark:literal;)+) => {
        /// A colour by its meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Tint {
            $($tint,)+
        }

        /// The part of a page's style sheet that gives each class its colour; `page.css` is the rest.
        pub const PAGE_COLOURS: &str = concat!(
            ":root {\n",
            $("  --picture-", $word, ": ", $light, ";\n",)+
            "}\n\n@media screen and (prefers-color-scheme: dark) {\n  :root {\n",
            $("    --picture-", $word, ": ", $dark, ";\n",)+
            "  }\n}\n\n",
            $(".picture .f-", $word, " { fill: var(--picture-", $word, "); }\n",)+
            $(".picture .s-", $word, " { stroke: var(--picture-", $word, "); }\n",)+
            "\n",
        );

        impl Tint {
            const fn entry(self) -> (&'static str, &'static str, &'static str) {
                match self {
                    $(Self::$tint => ($word, $light, $dark),)+
                }
            }
        }
    };
}

palette! {
    Surface = "surface", "#ffffff", "#14181d";
    Text = "text", "#1a2027", "#e8ebef";
    Muted = "muted", "#57606b", "#a3adb8";
    Grid = "grid", "#e7eaee", "#262d35";
    Axis = "axis", "#86909b", "#6c7783";
    Up = "up", "#0b7a53", "#45c48b";
    Down = "down", "#c0352b", "#f0776c";
    Volume = "volume", "#7f8a96", "#7a8794";
    Accent = "accent", "#1d5fc4", "#6fa8ff";
    Line1 = "line-1", "#1d5fc4", "#6fa8ff";
    Line2 = "line-2", "#b04a00", "#f2a35c";
    Line3 = "line-3", "#0b7a53", "#45c48b";
    Line4 = "line-4", "#7b3fc4", "#b99aff";
    Line5 = "line-5", "#b81f68", "#ff8fbd";
    Line6 = "line-6", "#0a7183", "#4fc5d9";
    Line7 = "line-7", "#6b6400", "#d0c650";
    Line8 = "line-8", "#7a4b2b", "#d6ab8b";
    Leading = "leading", "#0b7a53", "#45c48b";
    Weakening = "weakening", "#9a5b00", "#e8b04a";
    Lagging = "lagging", "#c0352b", "#f0776c";
    Improving = "improving", "#1d5fc4", "#6fa8ff";
    LeadingField = "leading-field", "#eef8f3", "#15231d";
    WeakeningField = "weakening-field", "#fdf6e7", "#241f14";
    LaggingField = "lagging-field", "#fdf0ee", "#261a1a";
    ImprovingField = "improving-field", "#eff4fd", "#161f2d";
    Down3 = "down-3", "#a3271f", "#e4685c";
    Down2 = "down-2", "#d75f53", "#a83f36";
    Down1 = "down-1", "#f3c1ba", "#5c2c29";
    Flat = "flat", "#e3e7ec", "#343c46";
    Up1 = "up-1", "#c3ead6", "#1e4636";
    Up2 = "up-2", "#7fd0a9", "#3b9f76";
    Up3 = "up-3", "#2fa873", "#62d6a0";
    OnDown3 = "on-down-3", "#ffffff", "#14181d";
    OnDown2 = "on-down-2", "#14181d", "#ffffff";
    OnDown1 = "on-down-1", "#14181d", "#ffffff";
    OnFlat = "on-flat", "#14181d", "#ffffff";
    OnUp1 = "on-up-1", "#14181d", "#ffffff";
    OnUp2 = "on-up-2", "#14181d", "#14181d";
    OnUp3 = "on-up-3", "#14181d", "#14181d";
}

/// Colours of the lines of a picture, in order, each with its `stroke-dasharray`; empty for a solid line.
pub(super) const LINES: [(Tint, &str); 8] = [
    (Tint::Line1, ""),
    (Tint::Line2, "7 3"),
    (Tint::Line3, "2 3"),
    (Tint::Line4, "10 3 2 3"),
    (Tint::Line5, "4 2"),
    (Tint::Line6, "12 4"),
    (Tint::Line7, "1 2.5"),
    (Tint::Line8, "6 2 1 2 1 2"),
];

impl Tint {
    /// Returns its word, in class names and custom properties.
    pub(super) const fn word(self) -> &'static str {
        self.entry().0
    }

    /// Returns the literal colour; `None` on a page.
    pub(super) const fn colour(self, theme: Theme) -> Option<&'static str> {
        match theme {
            Theme::Page => None,
            Theme::Light => Some(self.entry().1),
            Theme::Dark => Some(self.entry().2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tint::{
        Accent, Axis, Down, Down1, Down2, Down3, Flat, Improving, ImprovingField, Lagging, LaggingField,
        Leading, LeadingField, Muted, OnDown1, OnDown2, OnDown3, OnFlat, OnUp1, OnUp2, OnUp3, Surface, Text,
        Up, Up1, Up2, Up3, Volume, Weakening, WeakeningField,
    };

    use super::*;

    /// Relative luminance by WCAG 2.2.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("hexadecimal")) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(one: Tint, other: Tint, theme: Theme) -> f64 {
        let [a, b] = [one, other].map(|tint| luminance(tint.colour(theme).expect("literal")));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn assert_contrast(pairs: &[(Tint, Tint)], least: f64) {
        for theme in [Theme::Light, Theme::Dark] {
            for (ink, ground) in pairs {
                let found = contrast(*ink, *ground, theme);
                assert!(found >= least, "{theme:?}: {ink:?} on {ground:?} has {found:.2}, needs {least}");
            }
        }
    }

    #[test]
    fn the_formula_is_that_of_wcag() {
        assert!((luminance("#ffffff") - 1.0).abs() < 1e-9 && luminance("#000000").abs() < 1e-9);
        // The example of WCAG's understanding document: #777777 on white just fails.
        assert!(((1.05) / (luminance("#777777") + 0.05) - 4.48).abs() < 0.01);
    }

    #[test]
    fn texts_can_be_read() {
        let fields = [LeadingField, WeakeningField, LaggingField, ImprovingField];
        let inks = [Leading, Weakening, Lagging, Improving];
        let mut pairs =
            vec![(Text, Surface), (Muted, Surface), (Up, Surface), (Down, Surface), (Accent, Surface)];
        pairs.extend(LINES.map(|(line, _)| (line, Surface)));
        pairs.extend(fields.iter().flat_map(|field| [(Text, *field), (Muted, *field)]));
        pairs.extend(inks.into_iter().zip(fields));
        let cells = [Down3, Down2, Down1, Flat, Up1, Up2, Up3];
        pairs.extend([OnDown3, OnDown2, OnDown1, OnFlat, OnUp1, OnUp2, OnUp3].into_iter().zip(cells));
        assert_contrast(&pairs, 4.5);
    }

    #[test]
    fn marks_can_be_seen() {
        let marks = [Axis, Up, Down, Volume, Accent, Down3, Up3].map(|mark| (mark, Surface));
        assert_contrast(&marks[..6], 3.0);
        // Heads and tails may be on any quadrant.
        let fields = [LeadingField, WeakeningField, LaggingField, ImprovingField, Surface];
        for mark in [Leading, Weakening, Lagging, Improving] {
            assert_contrast(&fields.map(|field| (mark, field)), 3.0);
        }
    }

    #[test]
    fn a_fall_and_a_rise_differ_in_lightness_too() {
        for (fall, rise) in [(Down3, Up3), (Down2, Up2)] {
            assert_contrast(&[(fall, rise)], 1.4);
        }
    }

    #[test]
    fn the_style_sheet_gives_a_class_its_colours() {
        let (light, dark) = PAGE_COLOURS.split_once("prefers-color-scheme: dark").expect("both");
        assert!(light.contains("--picture-up: #0b7a53;") && dark.contains("--picture-up: #45c48b;"));
        assert!(dark.contains(".picture .f-up { fill: var(--picture-up); }"));
        assert!(dark.ends_with(".picture .s-on-up-3 { stroke: var(--picture-on-up-3); }\n\n"));
    }
}
