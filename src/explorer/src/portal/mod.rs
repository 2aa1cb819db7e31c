//! Pages of the portal: sign-in, keys, usage, sessions and the log, from data read from the state file; and for operators the sets of
//! tables and the sources of raw files.
//!
//! All foreign text - labels, owners, names that browsers send - is escaped. Forms are sent only to this server, and every form that
//! changes something is a POST.

mod assets;
mod layout;

mod sign_in;
mod keys;
mod issued;
mod sessions;
mod activity;
mod usage;
mod sets;
mod set_difference;
mod sources;
mod notice;
mod consent;

#[cfg(test)]
mod tests;

pub use self::activity::activity_page;
pub use self::assets::portal_asset;
pub use self::consent::{ConsentView, consent_page, onward_page};
pub use self::issued::issued_page;
pub use self::keys::{GRACES, KeysView, LIFETIMES, keys_page};
pub use self::layout::PortalReader;
pub use self::notice::notice_page;
pub use self::sessions::sessions_page;
pub use self::set_difference::set_difference_page;
pub use self::sets::{SetsView, sets_page};
pub use self::sign_in::{SignInView, sign_in_page};
pub use self::sources::{PlanLine, SourceLine, SourcesView, TermsLine, sources_page};
pub use self::usage::{UsageView, usage_page};
