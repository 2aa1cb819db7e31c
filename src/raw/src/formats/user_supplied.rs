//! Files of user-supplied tables. They are recognised by their name or by a declaration, never by this format.

use crate::records::raw_format::{Format, ListedFormat};

/// The format of such files; the layout has the table.
pub(crate) const USER_SUPPLIED: ListedFormat = ListedFormat { position: usize::MAX, format: &USER_TABLE };

static USER_TABLE: Format = Format::new("user-supplied tables");
