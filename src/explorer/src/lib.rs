//! The explorer: HTML pages from the answers of operations; and the portal, in a separate module.
//!
//! Pure: a request and the operations' answers in, a page out. It knows no protocol, no cookie and no key, and runs nothing. A page is
//! declared as data in a file under `queries/pages`: its path, its operations, its views. Everything that an operation declares -
//! parameters, columns, units, words - is read from it, never repeated here.
//!
//! The URL of every view reproduces it, and works with links and GET forms alone; the one script only makes it faster. No page has inline
//! styles or scripts, so that one policy covers all of them.

// Declared pages.
pub mod spec;
pub mod view_spec;
mod stock_tables;
pub mod pages;
mod assets;

// Requests and answers.
pub mod undo;
pub mod request;
pub mod plan;
pub mod row_order;
pub mod page_rows;

// Formats and links of values.
mod column_title;
mod column_words;
mod polarity;
mod cell;
mod market_words;
pub mod moment;
pub mod age;
pub mod links;
mod part_view;

// Runs.
pub mod refreshed;

// Search suggestions, and names in place of symbols.
pub mod suggestions;
pub mod named_symbols;

// Parts of a page, one file each.
mod parts;

// The page around its parts.
mod icon;
pub mod menu;
mod bar;
mod layout;
mod page;

// Sign-in and keys.
pub mod portal;

#[cfg(test)]
mod tests;

pub use self::assets::assets;
pub use self::page::{FormAnswer, PageContent, page, problem_page, unknown_page};
