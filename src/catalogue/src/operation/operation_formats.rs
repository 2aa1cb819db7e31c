//! How the answer of an operation may be presented: in which formats, with which parameters.

use super::operation_file::{Answer, Operation};
use super::param::Param;
use super::presentation::{FIELDS, OFFSET, Offer};

impl Operation {
    /// Whether it answers with rows of its own SELECT, so that a form and fields of them can be asked for: all of them, or those that a
    /// Rust function keeps of them with the fields around them (`run:` with `answer: stocks`).
    pub fn is_read(&self) -> bool {
        let keeps_rows = || self.selects.iter().all(|select| select.answer == Answer::Stocks);
        !self.selects.is_empty() && (self.run.is_none() || keeps_rows())
    }

    /// Whether its rows are written in the format that is asked for.
    pub fn is_formatted(&self) -> bool {
        self.is_read() || self.own_rows
    }

    /// Whether it answers a list of such rows, of which some can be passed over.
    pub fn has_rows(&self) -> bool {
        self.own_rows || self.is_read() && self.selects.iter().any(|select| select.answer != Answer::One)
    }

    /// Whether rows of it are drawn.
    pub fn has_picture(&self) -> bool {
        self.selects.iter().any(|select| select.picture.is_some())
    }

    /// What an adapter offers of it: pictures only where it has one.
    pub fn offered(&self, offer: Offer) -> Offer {
        if self.has_picture() { offer } else { offer.of_rows() }
    }

    /// Whether a parameter of this name says how its answer is presented, through an adapter that offers this.
    pub fn is_presented_with(&self, name: &str, offer: Offer) -> bool {
        let is_there = match name {
            OFFSET => self.has_rows(),
            FIELDS => self.is_read(),
            _ => self.is_formatted(),
        };
        is_there && self.offered(offer).is_asked_with(name)
    }

    /// The parameters that say how its answer is presented, of those that an adapter offers.
    pub fn presentation_params(&self, offer: Offer) -> Vec<Param> {
        let params = self.offered(offer).params().into_iter();
        params.filter(|param| self.is_presented_with(&param.name, offer)).collect()
    }
}
