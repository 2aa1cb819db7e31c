//! A value behind a trait object that hides its type from the compiler.
//!
//! The types of DataFusion's sessions and logical plans consist of hundreds of mutually recursive types. The compiler proves for each async
//! function that its future is `Send`; with such a value in the future, the proof takes seconds, in more than a dozen functions. A trait
//! object that is declared `Send + Sync` ends the proof: the library compiles in a third of the time.

use std::fmt;
use std::ops::Deref;

/// A value behind a trait object; reading it costs one virtual call.
pub(crate) struct TypeErased<T: 'static>(Box<dyn Deref<Target = T> + Send + Sync>);

impl<T: Send + Sync + 'static> TypeErased<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Box::new(Box::new(value)))
    }
}

impl<T> Deref for TypeErased<T> {
    type Target = T;

    fn deref(&self) -> &T {
        (*self.0).deref()
    }
}

impl<T: fmt::Debug> fmt::Debug for TypeErased<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
