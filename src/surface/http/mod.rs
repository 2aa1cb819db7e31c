//! REST over HTTP.
