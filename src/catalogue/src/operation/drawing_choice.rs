//! Drawing options of a requested picture: theme and size.

/// Colour theme of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DrawingTheme {
    /// Dark marks on white.
    #[default]
    Light,
    /// Light marks on a dark background.
    Dark,
}

/// The size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DrawingSize {
    /// 960 by 540 pixels.
    #[default]
    Regular,
    /// 1600 by 900 pixels.
    Large,
}

/// A caller's drawing options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DrawingChoice {
    /// Colour theme.
    pub theme: DrawingTheme,
    /// Size.
    pub size: DrawingSize,
}

impl DrawingTheme {
    /// All themes, the default first.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// Returns its word in a request.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl DrawingSize {
    /// All sizes, the default first.
    pub const ALL: [Self; 2] = [Self::Regular, Self::Large];

    /// Returns its word in a request.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::Large => "large",
        }
    }
}
