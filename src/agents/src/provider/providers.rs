//! All declared providers, with the operator's overrides of URLs and models.

use std::sync::Arc;

use super::declaration::{Protocol, Provider, checked_model, checked_url};

/// The providers, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Providers {
    list: Vec<Arc<Provider>>,
}

/// An error in the declarations or overrides.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProvidersError {
    /// A declaration cannot be parsed.
    #[error("{path}: {what}")]
    File {
        /// Path of the file.
        path: String,
        /// The fault, and the allowed values.
        what: String,
    },
    /// Two files declare one provider.
    #[error("{path}: the provider `{name}` is declared twice; keep one file")]
    Twice {
        /// Path of the second file.
        path: String,
        /// Name of the provider.
        name: String,
    },
    /// An override names an unknown provider.
    #[error("`{name}` is not a provider; the providers are {known}")]
    Unknown {
        /// The user-supplied name.
        name: String,
        /// Names of all providers.
        known: String,
    },
    /// An override has an invalid value.
    #[error("the provider `{name}` cannot be changed like this: {what}")]
    Override {
        /// Name of the provider.
        name: String,
        /// The fault, and the allowed values.
        what: String,
    },
}

impl Providers {
    /// Parses declarations, which are pairs of a path and a text.
    ///
    /// # Errors
    /// The first file that cannot be parsed, with the reason.
    pub fn parse<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Self, ProvidersError> {
        let mut list: Vec<Arc<Provider>> = Vec::new();
        for (path, text) in files {
            let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
            let name = file.strip_suffix(".toml").unwrap_or(file);
            let provider = Provider::parse(name, text)
                .map_err(|what| ProvidersError::File { path: path.to_owned(), what })?;
            if list.iter().any(|other| other.name == provider.name) {
                return Err(ProvidersError::Twice { path: path.to_owned(), name: provider.name });
            }
            list.push(Arc::new(provider));
        }
        list.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { list })
    }

    /// Returns the providers with the operator's overrides: pairs of a provider and a URL, and of a provider and a model. A URL of the
    /// operator makes the prices of the provider unknown.
    ///
    /// # Errors
    /// A provider is unknown, or a value is not a valid URL or model name.
    pub fn with_overrides(
        self,
        urls: &[(String, String)],
        models: &[(String, String)],
    ) -> Result<Self, ProvidersError> {
        let mut providers = self;
        for (name, url) in urls {
            providers.change_provider(name, |provider| {
                provider.base_url = checked_url("the address", url)?;
                provider.prices.clear();
                Ok(())
            })?;
        }
        for (name, model) in models {
            providers.change_provider(name, |provider| {
                provider.model = checked_model("the model", model)?;
                Ok(())
            })?;
        }
        Ok(providers)
    }

    /// Returns a provider by its name; `None` if there is none.
    pub fn get(&self, name: &str) -> Option<&Arc<Provider>> {
        self.list.iter().find(|provider| provider.name == name)
    }

    /// Returns all providers, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Provider>> {
        self.list.iter()
    }

    /// Returns all names, sorted and separated by commas.
    pub fn names(&self) -> String {
        let names: Vec<_> = self.list.iter().map(|provider| provider.name.as_str()).collect();
        names.join(", ")
    }

    fn change_provider(
        &mut self,
        name: &str,
        change: impl FnOnce(&mut Provider) -> Result<(), String>,
    ) -> Result<(), ProvidersError> {
        let known = self.names();
        let unknown = || ProvidersError::Unknown { name: name.to_owned(), known };
        let provider = self.list.iter_mut().find(|provider| provider.name == name).ok_or_else(unknown)?;
        let invalid = |what| ProvidersError::Override { name: name.to_owned(), what };
        change(Arc::make_mut(provider)).map_err(invalid)
    }
}

impl Protocol {
    /// Returns true for the variants of Chat Completions.
    pub const fn is_chat(self) -> bool {
        !matches!(self, Self::Anthropic | Self::Gemini)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &str); 6] = [
        ("queries/providers/anthropic.toml", include_str!("../../../../queries/providers/anthropic.toml")),
        ("queries/providers/deepseek.toml", include_str!("../../../../queries/providers/deepseek.toml")),
        ("queries/providers/gemini.toml", include_str!("../../../../queries/providers/gemini.toml")),
        ("queries/providers/groq.toml", include_str!("../../../../queries/providers/groq.toml")),
        ("queries/providers/openai.toml", include_str!("../../../../queries/providers/openai.toml")),
        ("queries/providers/openrouter.toml", include_str!("../../../../queries/providers/openrouter.toml")),
    ];

    fn pair(name: &str, value: &str) -> [(String, String); 1] {
        [(name.to_owned(), value.to_owned())]
    }

    #[test]
    fn the_six_are_declared_and_their_default_models_have_a_price() {
        let providers = Providers::parse(FILES.into_iter()).unwrap();
        assert_eq!(providers.names(), "anthropic, deepseek, gemini, groq, openai, openrouter");
        assert_eq!(providers.get("gemini").unwrap().label, "Google Gemini");
        for provider in providers.iter() {
            assert!(provider.price(&provider.model).is_some(), "{}", provider.name);
            assert!(provider.base_url.starts_with("https://"), "{}", provider.name);
        }
    }

    #[test]
    fn an_own_server_takes_the_place_of_a_provider_and_has_no_price() {
        let providers = Providers::parse(FILES.into_iter()).unwrap();
        let urls = pair("openai", "http://localhost:11434/v1/");
        let changed = providers.with_overrides(&urls, &pair("openai", "gpt-5.2")).unwrap();
        let provider = changed.get("openai").unwrap();
        assert_eq!(
            (provider.base_url.as_str(), provider.model.as_str()),
            ("http://localhost:11434/v1", "gpt-5.2")
        );
        assert_eq!(provider.price("gpt-5.2"), None);
        assert!(changed.get("groq").unwrap().price("openai/gpt-oss-120b").is_some());
    }

    #[test]
    fn what_cannot_be_changed_is_said_in_words() {
        let providers = Providers::parse(FILES.into_iter()).unwrap();
        let error = |urls: &[(String, String)], models: &[(String, String)]| {
            providers.clone().with_overrides(urls, models).unwrap_err().to_string()
        };
        let unknown = error(&pair("ollama", "http://localhost"), &[]);
        assert!(
            unknown.contains("`ollama` is not a provider; the providers are anthropic, deepseek"),
            "{unknown}"
        );
        assert!(error(&pair("groq", "localhost:11434"), &[]).contains("must be a URL"));
        assert!(error(&[], &pair("groq", "two words")).contains("must name a model"));
    }

    #[test]
    fn the_file_stands_in_front_of_what_is_wrong_with_it() {
        let wrong = Providers::parse([("queries/providers/x.toml", "label = 1")].into_iter()).unwrap_err();
        assert!(wrong.to_string().starts_with("queries/providers/x.toml: line 1: invalid type"), "{wrong}");
        let twice = Providers::parse([FILES[0], ("other/anthropic.toml", FILES[0].1)].into_iter());
        assert!(matches!(twice, Err(ProvidersError::Twice { .. })));
    }
}
