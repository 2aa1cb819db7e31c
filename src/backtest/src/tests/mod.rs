//! Tests against arithmetic by hand, against an independent reference, and of properties that hold for every market.

mod agreement;
mod by_hand;
mod comparisons;
mod costs_of_days;
mod figures;
mod levels;
mod properties;
mod raw_market;
mod reference;
mod refusals;
