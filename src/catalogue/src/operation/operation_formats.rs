//! Formats and presentation parameters of an operation.

use super::fact_words::Answer;
use super::operation_file::Operation;
use super::param::Param;
use super::presentation::{FIELDS, OFFSET, Offer};

impl Operation {
    /// Returns true if the rows come from its SELECT, so that `format` and `fields` apply: all rows, or those that a Rust function selects
    /// and wraps with fields (`run:` with `answer: stocks`).
    pub fn is_read(&self) -> bool {
        let keeps_rows = || self.selects.iter().all(|select| select.answer == Answer::Stocks);
        !self.selects.is_empty() && (self.run.is_none() || keeps_rows())
    }

    /// Returns true if its rows are written in the requested format.
    pub fn is_formatted(&self) -> bool {
        self.is_read() || self.own_rows
    }

    /// Returns true if it returns a list of such rows, so that `offset` applies.
    pub fn has_rows(&self) -> bool {
        self.own_rows || self.is_read() && self.selects.iter().any(|select| select.answer != Answer::One)
    }

    /// Returns true if it has a picture.
    pub fn has_picture(&self) -> bool {
        self.selects.iter().any(|select| select.picture.is_some())
    }

    /// Returns the part of an adapter's offer that applies: pictures only if the operation has one.
    pub fn offer_for(&self, offer: Offer) -> Offer {
        if self.has_picture() { offer } else { offer.of_rows() }
    }

    /// Returns true if a parameter of this name controls the presentation of its answer, through an adapter with this offer.
    pub fn is_presented_with(&self, name: &str, offer: Offer) -> bool {
        let is_there = match name {
            OFFSET => self.has_rows(),
            FIELDS => self.is_read(),
            _ => self.is_formatted(),
        };
        is_there && self.offer_for(offer).has_param(name)
    }

    /// Returns the presentation parameters of its answer that an adapter offers.
    pub fn presentation_params(&self, offer: Offer) -> Vec<Param> {
        let params = self.offer_for(offer).params().into_iter();
        params.filter(|param| self.is_presented_with(&param.name, offer)).collect()
    }
}
