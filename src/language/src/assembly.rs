//! Combines conditions into a filter: `or` joins two neighbours, sectors and industries in a row are one choice, and a second choice after
//! `or` begins an alternative.

use super::filter::Filter;

/// Conditions of a sentence, in the order of reading.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    /// Complete alternatives, each a list of conditions that must all hold.
    alternatives: Vec<Vec<Filter>>,
    /// Conditions of the last alternative.
    current: Vec<Filter>,
    /// True if `current` has a choice of sectors, industries, exchanges or indices.
    has_category: bool,
    last: LastCondition,
}

/// Kind of the last condition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LastCondition {
    /// There is none that `or` could join: at the beginning, and after words that were not understood.
    #[default]
    Nothing,
    /// A choice of sectors, industries, exchanges or indices.
    Category,
    /// Another condition.
    Condition,
}

impl Assembly {
    pub(super) fn add(&mut self, condition: Filter, is_after_or: bool) {
        self.join(condition, is_after_or);
        self.last = LastCondition::Condition;
    }

    /// Adds a choice of sectors, industries, exchanges or indices.
    pub(super) fn add_category(&mut self, categories: Filter, is_after_or: bool) {
        if is_after_or && self.last == LastCondition::Condition {
            self.begin_alternative();
        }
        self.join(categories, is_after_or);
        self.has_category = true;
        self.last = LastCondition::Category;
    }

    /// Begins an alternative if the current one has a sector, industry, exchange or index.
    pub(super) fn begin_alternative(&mut self) {
        if self.has_category {
            self.alternatives.push(std::mem::take(&mut self.current));
            (self.has_category, self.last) = (false, LastCondition::Nothing);
        }
    }

    /// Records that something was not understood: no `or` joins across it.
    pub(super) fn interrupt(&mut self) {
        self.last = LastCondition::Nothing;
    }

    pub(super) fn filter(mut self) -> Filter {
        if self.alternatives.is_empty() {
            return Filter::all(self.current);
        }
        self.alternatives.push(self.current);
        Filter::any(self.alternatives.into_iter().filter(|all| !all.is_empty()).map(Filter::all))
    }

    fn join(&mut self, condition: Filter, is_after_or: bool) {
        let can_join = is_after_or && self.last != LastCondition::Nothing;
        match can_join.then(|| self.current.pop()).flatten() {
            Some(Filter::Any(mut filters)) => {
                filters.push(condition);
                self.current.push(Filter::any(filters));
            }
            Some(before) => self.current.push(join_by_or(before, condition)),
            None => self.current.push(condition),
        }
    }
}

/// Joins two conditions by `or`; texts of one field become one list.
fn join_by_or(first: Filter, second: Filter) -> Filter {
    match (first, second) {
        (Filter::Text { field, mut one_of }, Filter::Text { field: other, one_of: more })
            if field == other =>
        {
            one_of.extend(more);
            Filter::Text { field, one_of }
        }
        (first, second) => Filter::any([first, second]),
    }
}

/// Combines texts into a choice: one condition per field, in the order of the fields' first texts.
pub(super) fn choice(categories: Vec<(String, String)>) -> Vec<Filter> {
    let mut fields: Vec<(String, Vec<String>)> = Vec::new();
    for (field, text) in categories {
        match fields.iter_mut().find(|(known, _)| *known == field) {
            Some((_, texts)) if texts.contains(&text) => {}
            Some((_, texts)) => texts.push(text),
            None => fields.push((field, vec![text])),
        }
    }
    fields.into_iter().map(|(field, one_of)| Filter::Text { field, one_of }).collect()
}
