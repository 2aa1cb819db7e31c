//! Links that switch something on or off, each marked if it is on.

use maud::{Markup, html};

use crate::request::PageRequest;
use crate::view_spec::SwitchSpec;

pub(super) fn switches(request: &PageRequest, switches: &[SwitchSpec]) -> Markup {
    html! {
        nav.choices aria-label="Lines" {
            @for switch in switches {
                @let is_on = request.get(&switch.name).map_or(switch.is_on, |value| value == "true");
                @let value = (is_on == switch.is_on).then_some(if is_on { "false" } else { "true" });
                a href=(request.address_with(&[(switch.name.as_str(), value)])) aria-current=[is_on.then_some("true")] { (switch.label) }
            }
        }
    }
}
