//! What lists of companies and of index members say, and what becomes of it. The lists themselves are formats of their own.

use std::sync::Arc;

use crate::derive::raw::records::listed::ListedCompany;
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::record::RawRecord;
use crate::derive::raw::reference_data::ReferenceData;

/// A symbol is a member of an index.
pub(super) struct ListedMember {
    pub(super) index: Arc<str>,
    pub(super) listed: ListedCompany,
}

impl RawRecord for ListedCompany {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.add_listed(*self, at.path);
    }
}

impl RawRecord for ListedMember {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.listed.symbol)
    }

    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.add_member(self.listed, &self.index, at.path);
    }
}
