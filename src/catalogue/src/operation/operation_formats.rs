//! Formats and presentation parameters of an operation.

use super::fact_words::Answer;
use super::operation_file::Operation;
use super::param::Param;
use super::presentation::{FIELDS, FORMAT, OFFSET, Offer};

impl Operation {
    /// Name of the parameter that selects the list of an object for `format=csv`.
    pub const PART: &'static str = "part";

    /// Returns true if the rows of the answer are those of a SELECT, so that `format` and `fields` apply. A Rust function may filter these
    /// rows (`run:` with `answer: stocks`).
    pub fn answers_from_select(&self) -> bool {
        let keeps_rows = || self.selects.iter().all(|select| select.answer == Answer::Stocks);
        !self.selects.is_empty() && (self.run.is_none() || keeps_rows())
    }

    /// Returns true if its rows are written in the requested format.
    pub fn is_formatted(&self) -> bool {
        self.answers_from_select() || self.run_returns_rows
    }

    /// Returns true if it returns a list of rows, so that `offset` applies.
    pub fn has_rows(&self) -> bool {
        self.run_returns_rows
            || self.answers_from_select() && self.selects.iter().any(|select| select.answer != Answer::One)
    }

    /// Returns true if it has a picture.
    pub fn has_picture(&self) -> bool {
        self.selects.iter().any(|select| select.picture.is_some())
    }

    /// Returns the formats of an adapter's offer that apply: formats of pictures if the operation has a picture, formats of rows if it has
    /// rows.
    pub fn offer_for(&self, offer: Offer) -> Offer {
        if self.has_picture() {
            offer
        } else if self.is_formatted() {
            offer.without_pictures()
        } else if self.has_workbook {
            offer.for_object_with_lists()
        } else {
            Offer::OBJECT
        }
    }

    /// Returns true if the presentation parameter of this name applies to its answer, through an adapter with this offer.
    pub fn is_presented_with(&self, name: &str, offer: Offer) -> bool {
        let applies = match name {
            OFFSET => self.has_rows(),
            FIELDS => self.answers_from_select(),
            FORMAT => self.is_formatted() || self.offer_for(offer) != Offer::OBJECT,
            _ => self.is_formatted(),
        };
        applies && self.offer_for(offer).has_param(name)
    }

    /// Returns the presentation parameters of its answer that an adapter offers.
    pub fn presentation_params(&self, offer: Offer) -> Vec<Param> {
        let params = self.offer_for(offer).params().into_iter();
        params.filter(|param| self.is_presented_with(&param.name, offer)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer_format::AnswerFormat;
    use super::super::presentation::Presentation;
    use super::*;

    #[test]
    fn an_object_is_json_and_a_workbook_if_it_has_lists() {
        let object = Operation { run: Some("backtest".to_owned()), ..Operation::default() };
        let any = Offer::any(AnswerFormat::Csv);
        assert_eq!(object.offer_for(any), Offer::OBJECT);
        assert_eq!(object.presentation_params(any), []);
        let with_lists = Operation { has_workbook: true, ..object };
        let params = with_lists.presentation_params(any);
        let names: Vec<&str> = params.iter().map(|param| param.name.as_str()).collect();
        assert_eq!(
            (names, params[0].allowed_words().unwrap().join(" ")),
            (vec!["format"], "json csv xlsx".to_owned())
        );
        // Tools answer with JSON alone.
        assert_eq!(with_lists.presentation_params(Offer::ENVELOPED), []);
        let preferred =
            |format| Presentation::parse(&[], with_lists.offer_for(Offer::any(format))).unwrap().format();
        assert_eq!(preferred(AnswerFormat::Xlsx), AnswerFormat::Xlsx);
        // CSV needs the name of a list, which the header `Accept` cannot have.
        assert_eq!([AnswerFormat::Csv, AnswerFormat::Arrow].map(preferred), [AnswerFormat::Json; 2]);
    }
}
