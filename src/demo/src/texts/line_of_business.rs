//! A line of business: phrases for products, customers and risks, from which texts are made.

/// The words for a line of business. All but `field` are noun phrases without an article before them.
#[derive(Debug)]
pub(super) struct LineOfBusiness {
    /// What is made or offered.
    pub(super) products: &'static str,
    /// Who buys it.
    pub(super) customers: &'static str,
    /// What it costs to make.
    pub(super) inputs: &'static str,
    /// What may lift sales.
    pub(super) driver: &'static str,
    /// What may weigh on them.
    pub(super) headwind: &'static str,
    /// What keeps rivals away.
    pub(super) edge: &'static str,
    /// A sentence on the industry, without its full stop.
    pub(super) field: &'static str,
    /// The parts in which such a company reports.
    pub(super) segments: [&'static str; 3],
}
