//! Sign-in, sessions and the portal against a real server whose clock the tests move; and attacks on them.
//!
//! Reading order: the foundation ([`fixture`]), then the tests.

/// A server with a portal, and browsers.
mod fixture;

/// Keys and codes exchanged for sessions, and how sessions end.
mod sign_in;

/// Cross-site request forgery.
mod forgery;

/// Names that are markup.
mod stored_text;

/// Keys issued, rotated and revoked, and the rights needed.
mod keys;

/// Sets and sources, for admin keys.
mod sets;

/// Usage, sessions and the log on the portal.
mod lists;

/// The explorer behind the same sign-in.
mod pages;

/// Lists and screens of owners, and the search.
mod kept;

/// Recorded screens of owners.
mod recorded;

/// Drawings of owners.
mod drawings;

/// Notes of owners.
mod notes;

/// Counts of the back-tests of owners.
mod tried;

/// Guests.
mod guests;

/// Locks of pages that a key does not reach, and colours.
mod locks;

/// Apps that an owner authorizes.
mod apps;

/// Attacks on their authorization.
mod app_attacks;

/// Codes and tokens that are sent twice, concurrently or too late.
mod app_replay;

/// CORS.
mod cross_origin;

/// HSTS.
mod strict_transport;

/// Bounds of an owner and of apps.
mod owner_bounds;
