//! How a picture is drawn that a caller asks for: on light or dark ground, and how large.

/// The ground of a picture and its colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DrawingTheme {
    /// Dark marks on white.
    #[default]
    Light,
    /// Light marks on a dark ground.
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

/// What a caller chooses of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DrawingChoice {
    /// Its colours.
    pub theme: DrawingTheme,
    /// Its size.
    pub size: DrawingSize,
}

impl DrawingTheme {
    /// All of them, the default first.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// Its word in a request.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl DrawingSize {
    /// All of them, the default first.
    pub const ALL: [Self; 2] = [Self::Regular, Self::Large];

    /// Its word in a request.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::Large => "large",
        }
    }
}
