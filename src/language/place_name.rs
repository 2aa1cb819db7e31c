//! A name that people have for sectors, industries, exchanges or indices, and what it means. Nothing here names one.

/// Names for the same sectors, industries, exchanges or indices.
#[derive(Debug)]
pub(super) struct PlaceName {
    /// The names.
    pub(super) names: &'static [&'static str],
    /// What they mean.
    pub(super) targets: &'static [Target],
}

/// What a name means.
#[derive(Debug)]
pub(super) enum Target {
    /// The sector of this official name.
    Sector(&'static str),
    /// Every industry whose official name has this text in it, capitals aside: lists of different years and providers
    /// spell an industry differently, and split it differently.
    IndustryWith(&'static str),
    /// The industry of exactly this official name, capitals aside.
    Industry(&'static str),
    /// The exchange.
    Exchange(&'static str),
    /// The index of this name, as its member lists have it.
    Index(&'static str),
}

/// An entry of the lists.
pub(super) const fn named(names: &'static [&'static str], targets: &'static [Target]) -> PlaceName {
    PlaceName { names, targets }
}
