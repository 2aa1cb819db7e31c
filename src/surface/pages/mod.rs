//! Pages of HTML as functions of what they show: they know no request, no cookie and no state.

pub(crate) mod portal;
