//! The place on the first page for what changed in the reader's own lists.

use crate::surface::pages::spec::PartSpec;

/// What changed in the reader's lists. It asks nothing, and so is not on the page, until lists are kept.
pub(super) const OWN_LISTS: PartSpec =
    PartSpec { id: "own-lists", title: "What changed in my lists", india: None, us: None, views: &[] };
