//! The page on which an owner grants an app access, and the page that leads back to the app.

use maud::{Markup, html};

use super::layout::{PortalReader, plain_page, signed_in_page};
use parquote_access::Key;
use parquote_catalogue::operation::Tier;
use parquote_surface::asset::ColourScheme;

/// Content of the consent page.
#[derive(Debug, Clone, Copy)]
pub struct ConsentView<'a> {
    /// Key for the app's calls.
    pub key: &'a Key,
    /// Name that the app gives itself.
    pub name: &'a str,
    /// Host that vouches for the name; `None` if no host does.
    pub vouched_by: Option<&'a str>,
    /// Host that receives the code.
    pub to: &'a str,
    /// Parameters of the app's request, which the form sends again.
    pub params: &'a [(String, String)],
}

/// Builds the consent page.
pub fn consent_page(reader: &PortalReader, view: ConsentView<'_>) -> Markup {
    let tiers = Tier::ALL.into_iter().filter(|tier| view.key.tier.reaches(*tier));
    let content = html! {
        p { bdi { b { (view.name) } } " asks to call the tools of this server in your name." }
        @match view.vouched_by {
            Some(host) => p { "Its name is vouched for by " b { (host) } "." },
            None => p.problem { "Anybody can take this name: nobody vouches for it. Go on only if you began this in that app." },
        }
        dl {
            dt.soft { "You are sent back to" } dd { b { (view.to) } }
            dt.soft { "It calls as" } dd { (view.key.owner) }
            dt.soft { "It may" } dd { "call every tool of the tier below, start and read runs of yours, and make, change, share and delete your lists" }
            dt.soft { "It may not" } dd { "see or make keys, call anything but the tools, or change your keys of model providers, unless you set the box" }
            dt.soft { "Allowance" }
            dd {
                "it shares yours: " (view.key.quota.day) " calls a day and " (view.key.quota.hour)
                " an hour, or what its tier has, if that is less"
            }
            dt.soft { "Until" } dd { "90 days from now, or you revoke it among your keys" }
        }
        form.card method="post" action="/authorize" {
            @for (name, value) in view.params.iter().filter(|(name, _)| !["tier", "decision", "account"].contains(&name.as_str())) {
                input type="hidden" name=(name) value=(value);
            }
            label for="tier" { "Tier" }
            select #tier name="tier" {
                @for tier in tiers {
                    option value=(tier.word()) selected[tier == view.key.tier] {
                        (tier) ", " (tier.quota().day) " calls a day"
                    }
                }
            }
            label.check {
                input type="checkbox" name="account" value="yes";
                "It may also save, replace and remove my keys of model providers"
            }
            button name="decision" value="allow" { "Let it in" }
            " "
            button.plain name="decision" value="deny" { "Refuse" }
        }
    };
    signed_in_page(reader, None, "Let an app in?", &content)
}

/// Builds the page that leads back to the app.
pub fn onward_page(host: &str, url: &str, scheme: ColourScheme) -> Markup {
    plain_page("Back to the app", scheme, &html! { p { a href=(url) { "Go on to " (host) } } })
}
