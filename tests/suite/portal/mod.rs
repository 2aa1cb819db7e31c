//! Sign-in, sessions and the portal against a real server whose clock the tests move; and attacks on them.
//!
//! Reading order: what the tests stand on ([`fixture`]), then the tests.

/// A server with a portal, and browsers before it.
mod fixture;

/// Keys and codes exchanged for sessions, and how sessions end.
mod sign_in;

/// Requests that other sites make a browser send.
mod forgery;

/// Names that are markup.
mod stored_text;

/// Keys issued, rotated and revoked, and by whom.
mod keys;

/// What is shown of usage, sessions and the log.
mod lists;

/// The explorer behind the same sign-in.
mod pages;

/// Lists and screens of owners, and the search.
mod kept;

/// Guests.
mod guests;

/// Apps that an owner lets in.
mod apps;

/// Attacks on that.
mod app_attacks;

/// Codes and tokens that come twice, at once or too late.
mod app_replay;

/// What scripts of other pages may read of all this.
mod cross_origin;

/// HTTPS alone, once a browser came over it.
mod strict_transport;

/// What one owner may have and do, and what an app may not.
mod owner_bounds;
