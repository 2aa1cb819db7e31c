//! Pages of the portal: sign-in, keys, usage, sessions and the log, from data read from the state file.
//!
//! All foreign text - labels, owners, names that browsers send - is escaped. Forms are sent only to this server, and every form that
//! changes something is a POST.

mod assets;
mod layout;
mod moment;

mod sign_in;
mod keys;
mod issued;
mod sessions;
mod activity;
mod usage;
mod notice;
mod consent;

#[cfg(test)]
mod tests;

pub use self::activity::activity_page;
pub use self::assets::portal_assets;
pub use self::consent::{ConsentView, consent_page, onward_page};
pub use self::issued::issued_page;
pub use self::keys::{GRACES, KeysView, LIFETIMES, keys_page};
pub use self::layout::PortalReader;
pub use self::notice::notice_page;
pub use self::sessions::sessions_page;
pub use self::sign_in::{SignInView, sign_in_page};
pub use self::usage::{UsageView, usage_page};
