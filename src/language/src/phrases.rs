//! Parses conditions: a field and its bound in either order, levels, averages, highs and moves.

use super::conditions::{
    Bound, absence_condition, adjective_condition, bound_condition, field_of_money, level_condition,
};
use super::field::{Field, FieldKind, FieldUnit, GoodSide};
use super::filter::Filter;
use super::lexicon::PhraseMeaning;
use super::quantities::{NumberSuffix, Quantity};
use super::reader::SentenceReader;
use super::word::{Word, is_comparison, is_level};

/// Fields that share a bound, true if only one of them must satisfy it, and the index of the next piece.
type SharedBound<'a> = (Vec<&'a Field>, bool, usize);

impl<'a> SentenceReader<'a> {
    /// Reads a condition that begins with a field: `ROE and ROCE above 15`, `PE is low`, `golden cross`, `RS descending`.
    pub(super) fn field_first(&mut self, field: &'a Field) {
        let start = self.position;
        if field.is_average() {
            return self.average_first(field);
        }
        if let FieldKind::Flag(_) = field.kind {
            return self.add_flag(field, start);
        }
        let (fields, any, end) = self.shared_fields(start);
        if self.read_distance_below_extreme(field, end) {
            return;
        }
        if let Some(compared) = self.read_figure_comparison(&fields, end) {
            return self.add_comparison(&fields, any, &compared, start);
        }
        if let Some((bound, after)) = self.bound(end) {
            return self.bounded_fields(&fields, any, &bound, (start, after));
        }
        if let Some(level) = self.word(end).filter(|word| is_level(*word) && !self.starts_field(end + 1)) {
            self.position = end + 1;
            return self.add_levels(&fields, any, level, start);
        }
        if fields.len() == 1
            && self.word(end).is_some_and(is_comparison)
            && (self.average(end + 1).is_some() || self.counted_average(end + 1).is_some())
        {
            // In `price above the 200-day average` the comparison needs no number.
            self.position = end;
            if field.name != super::field::PRICE {
                self.mark_not_understood(start, end + 2);
            }
            return;
        }
        if self.order_after(field, start) {
            return;
        }
        self.field_alone(field, start);
    }

    /// Reads a condition that begins with an adjective: `midcap`, `mid and small caps`, `growing revenue more than 25%`.
    pub(super) fn adjective_first(&mut self) {
        let start = self.position;
        let mut sizes = Vec::new();
        while let Some(PhraseMeaning::Adjective(adjective)) = self.meaning_at(self.position) {
            let Some((filter, note)) = adjective_condition(adjective, self.fields) else { break };
            let is_size = filter.field() == Some(self.fields.market_cap());
            if adjective.takes_days && sizes.is_empty() {
                return self.read_days_ahead(&filter);
            }
            if !is_size && sizes.is_empty() {
                return self.read_adjective(filter, note);
            }
            if !is_size {
                break;
            }
            self.note_meaning(self.position, self.position + 1, note);
            sizes.push(filter);
            self.position += 1;
            // A stock has one size and one sector, so several sizes in a row are alternatives.
            let is_joint = matches!(self.word(self.position), Some(Word::And | Word::Or | Word::Comma));
            if !is_joint || !matches!(self.meaning_at(self.position + 1), Some(PhraseMeaning::Adjective(_))) {
                break;
            }
            self.position += 1;
        }
        if sizes.is_empty() {
            return self.mark_not_understood(start, start + 1);
        }
        // The joint before an adjective other than a size is read again.
        if self.word(self.position - 1).is_some() {
            self.position -= 1;
        }
        self.add_condition(Filter::any(sizes));
    }

    /// Reads an adjective other than a size. A bound after an adjective of growth, yield or price replaces its condition: `high dividend
    /// yield stocks above 4%`, `penny stocks below 20 rupees`.
    fn read_adjective(&mut self, filter: Filter, note: String) {
        let start = self.position;
        if let Some((field, bound, end)) = self.size_of_change(&filter, start + 1) {
            return self.bounded_fields(&[field], false, &bound, (start, end));
        }
        if let Some(field) = filter.field().and_then(|name| self.fields.declared_field(name))
            && let Some((bound, end)) = self.bound_after_noun(field, start + 1)
        {
            return self.bounded_fields(&[field], false, &bound, (start, end));
        }
        self.note_meaning(start, start + 1, note);
        self.position += 1;
        self.add_condition(filter);
    }

    /// Reads a bound at a piece, or after a noun such as `stocks` there. Returns it with the index of the next piece; `None` if its unit
    /// does not fit the field, or if it belongs to the next condition.
    fn bound_after_noun(&self, field: &Field, at: usize) -> Option<(Bound, usize)> {
        let (bound, end) = self.explicit_bound(at + usize::from(self.word(at) == Some(Word::Noun)))?;
        let suffix = bound.quantity().suffix;
        let has_unit_of_field = match field.kind {
            FieldKind::Number(FieldUnit::Percent) => suffix == NumberSuffix::Percent,
            FieldKind::Number(FieldUnit::Price) => {
                suffix != NumberSuffix::Percent && suffix != NumberSuffix::Times
            }
            _ => false,
        };
        (has_unit_of_field && !self.starts_field(end) && self.extreme_at(end).is_none())
            .then_some((bound, end))
    }

    /// Reads a condition that begins with a quantity: `20% ROE`, `15 PE or less`, `10 banks`, `20% below the 52-week high`.
    pub(super) fn quantity_first(&mut self, quantity: Quantity) {
        let start = self.position;
        if let Some((field, after)) = self.extreme_at(start + 1) {
            return self.add_distance_from_extreme(field, Word::AtLeast, quantity, (start, after));
        }
        let counts_rows = match self.meaning_at(start + 1) {
            Some(
                PhraseMeaning::Categories(_) | PhraseMeaning::Adjective(_) | PhraseMeaning::Superlative(_),
            ) => true,
            Some(PhraseMeaning::Word(word)) => *word == Word::Noun || is_level(*word),
            _ => false,
        };
        match quantity.count().filter(|_| counts_rows) {
            Some(count) => {
                self.set_row_count(count);
                self.position += 1;
            }
            None => self.bound_first(),
        }
    }

    /// Reads a condition that begins with a comparison: `above the 200-day average`, `above 20% ROE`, `minimum ROE 15`, `under $20`.
    pub(super) fn comparison_first(&mut self, word: Word) {
        let start = self.position;
        if matches!(word, Word::Equal | Word::Unequal)
            && matches!(self.meaning_at(start + 1), Some(PhraseMeaning::Categories(_)))
        {
            // Matches `sector = Energy`.
            self.position += 1;
            if word == Word::Unequal {
                self.negate_next();
            }
            return;
        }
        if self.average(start + 1).is_some() || self.counted_average(start + 1).is_some() {
            return self.add_averages(word);
        }
        if let (Some(quantity), Some((field, after))) = (self.quantity(start + 1), self.extreme_at(start + 2))
        {
            return self.add_distance_from_extreme(field, word, quantity, (start, after));
        }
        if let Some(field) = self.field(start + 1).filter(|field| field.is_number())
            && let Some((Bound::Alone(quantity), end)) = self.bound(start + 2)
        {
            return self.bounded_fields(&[field], false, &Bound::Compared(word, quantity), (start, end));
        }
        self.bound_first();
    }

    /// Reads a bound followed by its field. An amount of money may have no field.
    pub(super) fn bound_first(&mut self) {
        let start = self.position;
        let Some((bound, end)) = self.bound(start) else { return self.mark_not_understood(start, start + 1) };
        if self.starts_field(end)
            || (self.field(end).is_some_and(Field::is_number) && self.is_comparison_shared(end))
        {
            let (fields, any, after) = self.fields_sharing_bound(end);
            let (bound, after) = self.complete_bound(bound, after);
            return self.bounded_fields(&fields, any, &bound, (start, after));
        }
        if self.is_unknown(end) && self.is_adjacent(end) {
            return self.mark_not_understood(start, end + 1);
        }
        match field_of_money(&bound, self.fields) {
            Some(field) => {
                self.note_meaning(start, end, field.label.clone());
                self.bounded_fields(&[field], false, &bound, (start, end));
            }
            None => self.mark_not_understood(start, end),
        }
    }

    /// Reads a condition that begins with a level: `low debt`, `high ROE and ROCE`. A bound after the field replaces the level.
    pub(super) fn level_first(&mut self, level: Word) {
        let start = self.position;
        let Some(field) = self.field(start + 1).filter(|field| field.is_number()) else {
            return self.mark_not_understood(start, start + 1);
        };
        if self.word(start + 2) == Some(Word::Noun)
            && let Some((bound, end)) = self.bound_after_noun(field, start + 2)
        {
            return self.bounded_fields(&[field], false, &bound, (start, end));
        }
        if self.explicit_bound(start + 2).is_some() || self.quantity(start + 2).is_some() {
            self.position += 1;
            return;
        }
        let (fields, any, end) = self.fields_sharing_bound(start + 1);
        self.position = end;
        self.add_levels(&fields, any, level, start);
    }

    /// Reads a flag, which needs no comparison.
    fn add_flag(&mut self, field: &'a Field, start: usize) {
        self.position = start + 1;
        if self.fields.find(&field.name).is_none() {
            return self.note_missing_field(field, start, start + 1);
        }
        self.add_condition(Filter::Flag { field: field.name.clone(), is: true });
    }

    /// Reads a field without a bound. After `no` its figure must be 0; otherwise the field is recorded as one without a condition.
    fn field_alone(&mut self, field: &'a Field, start: usize) {
        self.position = start + 1;
        if self.fields.find(&field.name).is_none() {
            return self.note_missing_field(field, start, start + 1);
        }
        let is_ruled_out = start > 0 && self.word(start - 1) == Some(Word::Not) && field.is_number();
        if is_ruled_out {
            // The second negation cancels the `no` before the field, as the condition already means `none`.
            self.add_condition(absence_condition(field).negate());
        } else {
            self.record_lone_field(field, start);
        }
    }

    /// Returns the fields that share the bound after them: all fields in a row if a bound follows the last one, else the first field alone.
    fn shared_fields(&self, start: usize) -> SharedBound<'a> {
        let run = self.field_run(start);
        let shared = run.last().cloned().filter(|(_, _, end)| self.begins_condition(*end));
        shared.or_else(|| run.into_iter().next()).unwrap_or((Vec::new(), false, start + 1))
    }

    /// Returns the fields that share the bound before them: the fields in a row, without a last one that has a bound or level after it.
    fn fields_sharing_bound(&self, start: usize) -> SharedBound<'a> {
        let mut run = self.field_run(start);
        if run.len() > 1 && run.last().is_some_and(|(_, _, end)| self.begins_condition(*end)) {
            run.pop();
        }
        run.pop().unwrap_or((Vec::new(), false, start + 1))
    }

    /// Returns true if a bound, a level or a comparison with a figure begins at a piece.
    fn begins_condition(&self, at: usize) -> bool {
        self.bound(at).is_some()
            || self.word(at).is_some_and(is_level)
            || self.read_figure_comparison(&[], at).is_some()
    }

    /// Returns the rows of fields that begin at a piece, the shorter ones first. A row of several fields ends with a field after `and` or
    /// `or`, never after a comma alone.
    fn field_run(&self, start: usize) -> Vec<SharedBound<'a>> {
        let mut run: Vec<SharedBound<'a>> = Vec::new();
        let mut fields: Vec<&'a Field> = Vec::new();
        let (mut at, mut any, mut joint) = (start, false, Word::And);
        while let Some(field) = self.field(at).filter(|field| field.is_number()) {
            fields.push(field);
            at += 1;
            any |= joint == Word::Or;
            if joint != Word::Comma {
                run.push((fields.clone(), any, at));
            }
            match self.word(at) {
                Some(word @ (Word::And | Word::Or | Word::Comma)) => joint = word,
                _ => break,
            }
            at += 1;
        }
        run
    }

    /// Returns true if the piece after a field is a comparison that does not begin a bound of the field.
    fn is_comparison_shared(&self, at: usize) -> bool {
        self.is_comparison_at(at + 1) && self.bound(at + 1).is_none()
    }

    /// Completes a bound after its field: `15 PE or less`.
    fn complete_bound(&self, bound: Bound, at: usize) -> (Bound, usize) {
        match (bound, self.word(at)) {
            (
                Bound::Alone(quantity),
                Some(word @ (Word::OrMore | Word::OrLess | Word::AboveIt | Word::BelowIt)),
            ) => (Bound::Compared(word, quantity), at + 1),
            (bound, _) => (bound, at),
        }
    }

    /// Adds the conditions of fields with one bound, and of the bounds that follow: `PE above 10 and below 20`.
    pub(super) fn bounded_fields(
        &mut self,
        fields: &[&'a Field],
        any: bool,
        bound: &Bound,
        span: (usize, usize),
    ) {
        let (start, end) = span;
        self.position = end;
        let mut built = Vec::new();
        for field in fields {
            let condition = bound_condition(field, bound, self.fields);
            match self.condition_or_note(condition, start, end) {
                Some(filter) => built.push(filter),
                None => return,
            }
        }
        self.add_conditions(built, any);
        while let [field] = fields
            && let Some((is_or, bound, after)) = self.further_bound(field)
        {
            let from = std::mem::replace(&mut self.position, after);
            let condition = bound_condition(field, &bound, self.fields);
            match self.condition_or_note(condition, from + 1, after) {
                Some(filter) if is_or => self.add_alternative(filter),
                Some(filter) => self.add_condition(filter),
                None => return,
            }
        }
    }

    /// Returns a further bound of the same field, true if `or` joins it, and the index of the next piece. It must not belong to a field
    /// after it. A number alone counts only for a field of labels: `stage 1 or 2`.
    fn further_bound(&self, field: &Field) -> Option<(bool, Bound, usize)> {
        let joint =
            self.word(self.position).filter(|word| matches!(word, Word::And | Word::Or | Word::Comma))?;
        let (bound, after) = self.bound(self.position + 1)?;
        let field_before = || (0..self.position).rev().find_map(|at| self.field(at));
        let fits = match bound {
            Bound::Alone(quantity) => {
                joint == Word::Or && field.better == GoodSide::Neither && quantity.count().is_some()
            }
            bound => field_of_money(&bound, self.fields).is_none() || fields_are_money(field_before()),
        };
        let is_free =
            !self.starts_field(after) && self.extreme_at(after).is_none() && !self.is_unknown(after);
        (fits && is_free).then_some((joint == Word::Or, bound, after))
    }

    fn add_levels(&mut self, fields: &[&'a Field], any: bool, level: Word, start: usize) {
        let end = self.position;
        let mut built = Vec::new();
        for field in fields {
            let condition = level_condition(field, level, self.fields);
            match self.condition_or_note(condition, start, end) {
                Some(filter) => built.push(filter),
                None => return,
            }
        }
        self.add_conditions(built, any);
    }

    pub(super) fn add_conditions(&mut self, built: Vec<Filter>, any: bool) {
        if any || built.len() < 2 {
            return self.add_condition(Filter::any(built));
        }
        if self.is_negation_pending() {
            return self.add_condition(Filter::all(built));
        }
        for filter in built {
            self.add_condition(filter);
        }
    }
}

fn fields_are_money(field: Option<&Field>) -> bool {
    field.is_some_and(|field| {
        matches!(field.name.as_str(), "market_cap_cr" | "market_cap_b" | super::field::PRICE)
    })
}
