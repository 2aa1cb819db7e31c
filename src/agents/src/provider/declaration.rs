//! The declaration of a provider: a TOML file with its names, protocol and prices, and the days up to which its models were trained.

use chrono::NaiveDate;
use serde::Deserialize;

use super::model::Usage;
use parquote_catalogue::operation::read_toml;

/// The protocol of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Chat Completions, as defined by OpenAI and spoken by servers such as Ollama, vLLM and llama.cpp.
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's generateContent.
    Gemini,
    /// Chat Completions without answer schemas.
    DeepSeek,
    /// Chat Completions in Groq's variant.
    Groq,
    /// Chat Completions as forwarded by OpenRouter.
    OpenRouter,
}

/// A provider of language models.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// Name of the provider and of its file.
    pub name: String,
    /// Display name.
    pub label: String,
    /// The protocol of its requests and replies.
    pub protocol: Protocol,
    /// Base URL of its requests, without a trailing slash.
    pub base_url: String,
    /// Name of its default model.
    pub model: String,
    /// Names of models with their prices.
    pub prices: Vec<(String, TokenPrice)>,
    /// Days up to which models were trained, by model, if they are known.
    pub training_ends: Vec<(String, NaiveDate)>,
    /// Date of the prices.
    pub priced_on: NaiveDate,
    /// URL of the page with the prices.
    pub price_source: String,
}

/// Price of a model, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenPrice {
    /// Price of request tokens.
    pub input_usd_per_million: f64,
    /// Price of reply tokens.
    pub output_usd_per_million: f64,
}

impl TokenPrice {
    /// Returns the cost of these tokens in US dollars.
    pub fn cost_usd(&self, usage: Usage) -> f64 {
        const MILLION: f64 = 1_000_000.0;
        let input = usage.input_tokens as f64 * self.input_usd_per_million;
        (usage.output_tokens as f64).mul_add(self.output_usd_per_million, input) / MILLION
    }
}

impl Provider {
    /// Returns the price of a model; `None` if unknown.
    pub fn price(&self, model: &str) -> Option<TokenPrice> {
        self.prices.iter().find(|(name, _)| name == model).map(|(_, price)| *price)
    }

    /// Returns the day up to which a model was trained; `None` if unknown.
    pub fn trained_until(&self, model: &str) -> Option<NaiveDate> {
        self.training_ends.iter().find(|(name, _)| name == model).map(|(_, day)| *day)
    }

    /// Parses the declaration of the provider `name`.
    ///
    /// # Errors
    /// The fault, in words.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self, String> {
        let file: ProviderFile =
            read_toml(text).map_err(|(line, message)| format!("line {line}: {message}"))?;
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if !is_name {
            return Err(
                "the file's name, which is the provider's, must be of `a` to `z` and digits".to_owned()
            );
        }
        let trained = |line: &PriceLine| Some((line.model.clone(), line.trained_until?));
        let provider = Self {
            name: name.to_owned(),
            label: checked_line("label", &file.label)?,
            protocol: file.protocol,
            base_url: checked_url("base_url", &file.base_url)?,
            model: checked_model("model", &file.model)?,
            training_ends: file.prices.iter().filter_map(trained).collect(),
            prices: file.prices.into_iter().map(PriceLine::check).collect::<Result<_, _>>()?,
            priced_on: file.priced_on,
            price_source: checked_url("price_source", &file.price_source)?,
        };
        let mut names: Vec<_> = provider.prices.iter().map(|(model, _)| model).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair.first() == pair.last()) {
            Some([model, ..]) => Err(format!("`{model}` has two prices; keep one")),
            _ => Ok(provider),
        }
    }
}

/// The keys of a declaration file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProviderFile {
    label: String,
    protocol: Protocol,
    base_url: String,
    model: String,
    priced_on: NaiveDate,
    price_source: String,
    #[serde(default)]
    prices: Vec<PriceLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceLine {
    model: String,
    input_usd_per_million: f64,
    output_usd_per_million: f64,
    trained_until: Option<NaiveDate>,
}

impl PriceLine {
    fn check(self) -> Result<(String, TokenPrice), String> {
        let Self { model, input_usd_per_million, output_usd_per_million, trained_until: _ } = self;
        let model = checked_model("prices.model", &model)?;
        // A higher price is a price per token, or has a misplaced decimal point.
        if [input_usd_per_million, output_usd_per_million].iter().all(|usd| (0.0..=10_000.0).contains(usd)) {
            return Ok((model, TokenPrice { input_usd_per_million, output_usd_per_million }));
        }
        Err(format!("the prices of `{model}` must be dollars for a million tokens, from 0 to 10000"))
    }
}

/// Checks and normalizes a base URL: no query, fragment, user or trailing slash.
///
/// # Errors
/// The fault, in words without the URL, which may contain a key.
pub(super) fn checked_url(field: &str, text: &str) -> Result<String, String> {
    let invalid = || {
        format!(
            "`{field}` must be a URL such as https://api.example.com/v1, or http:// for a server of the house, without a user, a query or a fragment"
        )
    };
    let url: reqwest::Url = text.parse().map_err(|_| invalid())?;
    let is_bare = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && url.has_host();
    if !is_bare || !matches!(url.scheme(), "http" | "https") {
        return Err(invalid());
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Checks the name of a model, which becomes part of a URL with some protocols.
///
/// # Errors
/// The fault, in words.
pub(super) fn checked_model(field: &str, text: &str) -> Result<String, String> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-:/@+".contains(&byte);
    if !text.is_empty() && text.len() <= 200 && text.bytes().all(is_allowed) && !text.contains("..") {
        return Ok(text.to_owned());
    }
    Err(format!(
        "`{field}` must name a model with 1 to 200 letters, digits and `. _ - : / @ +`, such as gpt-5.2"
    ))
}

fn checked_line(field: &str, text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() || text.len() > 200 || text.chars().any(char::is_control) {
        return Err(format!("`{field}` must be one line of 1 to 200 characters"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"label = "Example"
protocol = "openai"
base_url = "https://api.example.com/v1/"
model = "some/model-1"
priced_on = "2026-10-07"
price_source = "https://example.com/prices"
[[prices]]
model = "some/model-1"
input_usd_per_million = 2
output_usd_per_million = 12.5
"#;

    #[test]
    fn a_declaration_says_who_where_and_what_it_costs() {
        let provider = Provider::parse("example", TEXT).unwrap();
        assert_eq!(
            (provider.base_url.as_str(), provider.protocol),
            ("https://api.example.com/v1", Protocol::OpenAi)
        );
        let price = provider.price("some/model-1").unwrap();
        // 1,000,000 tokens at 2 dollars and 200,000 at 12.50 dollars.
        let usage = Usage { input_tokens: 1_000_000, output_tokens: 200_000 };
        assert!((price.cost_usd(usage) - 4.5).abs() < 1e-12);
        assert_eq!((provider.price("another"), provider.trained_until("some/model-1")), (None, None));
        let declared =
            Provider::parse("example", &format!("{TEXT}trained_until = \"2026-03-31\"\n")).unwrap();
        assert_eq!(declared.trained_until("some/model-1"), NaiveDate::from_ymd_opt(2026, 3, 31));
    }

    #[test]
    fn every_mistake_is_named_with_what_is_allowed() {
        for (old, new, words) in [
            ("label", "lable", "line 1: unknown field `lable`, expected one of `label`"),
            (
                "\"openai\"",
                "\"smtp\"",
                "line 2: unknown variant `smtp`, expected one of `openai`, `anthropic`",
            ),
            ("model = \"some/model-1\"\npriced", "priced", "missing field `model`"),
            ("https://api.example.com/v1/", "ftp://example.com", "`base_url` must be a URL"),
            ("https://api.example.com/v1/", "https://user:pw@example.com", "`base_url` must be a URL"),
            ("https://api.example.com/v1/", "https://example.com?key=1", "`base_url` must be a URL"),
            ("some/model-1", "a model", "1 to 200 letters"),
            ("12.5", "-1", "from 0 to 10000"),
            ("12.5", "nan", "from 0 to 10000"),
            ("2026-10-07", "last week", "line 5"),
            ("\"Example\"", "\"\"", "`label` must be one line"),
            ("[[prices]]", "[[price]]", "unknown field `price`"),
        ] {
            let error = Provider::parse("example", &TEXT.replacen(old, new, 1)).unwrap_err();
            assert!(
                error.contains(words) && !error.contains('\n') && !error.contains("pw"),
                "{new}: {error}"
            );
        }
        let twice = format!("{TEXT}{}", &TEXT[TEXT.find("[[prices]]").unwrap()..]);
        assert!(Provider::parse("example", &twice).unwrap_err().contains("two prices"));
        assert!(Provider::parse("Ex ample", TEXT).unwrap_err().contains("file's name"));
    }
}
