//! A line of business: phrases for products, customers and risks, from which texts are made.

/// The words of a line of business. All except `field` are noun phrases without an article.
#[derive(Debug)]
pub(super) struct LineOfBusiness {
    /// Products or services.
    pub(super) products: &'static str,
    /// Buyers.
    pub(super) customers: &'static str,
    /// Cost drivers.
    pub(super) inputs: &'static str,
    /// Growth driver.
    pub(super) driver: &'static str,
    /// Risk to sales.
    pub(super) headwind: &'static str,
    /// Competitive advantage.
    pub(super) edge: &'static str,
    /// A sentence on the industry, without its full stop.
    pub(super) field: &'static str,
    /// Reporting segments of such a company.
    pub(super) segments: [&'static str; 3],
}
