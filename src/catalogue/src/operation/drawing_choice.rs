//! Drawing options of a requested picture: theme and size.

crate::word_enum! {
    /// Colour theme of a picture.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum DrawingTheme {
        /// Dark marks on white.
        #[default]
        Light = "light",
        /// Light marks on a dark background.
        Dark = "dark",
    }
    const ALL "All themes, the default first.";
    fn word "Returns its word in a request.";
}

crate::word_enum! {
    /// The size of a picture.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum DrawingSize {
        /// 960 by 540 pixels.
        #[default]
        Regular = "regular",
        /// 1600 by 900 pixels.
        Large = "large",
    }
    const ALL "All sizes, the default first.";
    fn word "Returns its word in a request.";
}

/// A caller's drawing options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DrawingChoice {
    /// Colour theme.
    pub theme: DrawingTheme,
    /// Size of the picture.
    pub size: DrawingSize,
}
