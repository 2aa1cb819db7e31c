//! A document with its paragraphs, read from the table `documents`.

use chrono::NaiveDate;

use crate::claim::one_line;

/// A document of a company.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceDocument {
    /// Symbol of the company.
    pub symbol: String,
    /// Kind of the document, such as `press_release`.
    pub kind: String,
    /// Day of publication.
    pub published_on: NaiveDate,
    /// End of the reported period; `None` if the document names no period.
    pub period_end: Option<NaiveDate>,
    /// Title; `None` if the document has none.
    pub title: Option<String>,
    /// URL; `None` if the document has none.
    pub url: Option<String>,
    /// Hash over the document's text, in hexadecimal digits.
    pub hash: String,
    /// Texts of the paragraphs; the first one has the number 1.
    pub paragraphs: Vec<String>,
}

/// Pairs of words: a paragraph that has both words of a pair close together addresses a language model, not a reader.
const MODEL_ADDRESSES: [(&str, &str); 12] = [
    ("ignore", "instructions"),
    ("disregard", "instructions"),
    ("forget", "instructions"),
    ("ignore", "previous"),
    ("ignore", "prompt"),
    ("system", "prompt"),
    ("<|", "|>"),
    ("[inst]", "[inst]"),
    ("you are", "ai assistant"),
    ("language model", "you must"),
    ("language model", "must report"),
    ("</data", "</data"),
];

impl SourceDocument {
    /// Returns a paragraph by its number, unless it is empty or addresses a language model.
    pub fn paragraph(&self, number: usize) -> Option<&str> {
        let text = self.paragraphs.get(number.checked_sub(1)?)?;
        (!text.trim().is_empty() && !is_addressed_to_a_model(text)).then_some(text.as_str())
    }

    /// Returns the numbers of the paragraphs that address a language model, which are not sent and support nothing.
    pub fn model_directed_paragraphs(&self) -> impl Iterator<Item = usize> {
        let numbered = self.paragraphs.iter().zip(1..);
        numbered.filter(|(text, _)| is_addressed_to_a_model(text)).map(|(_, number)| number)
    }

    /// Returns the paragraphs for a model, each after its number. Paragraphs that address a model are left out.
    pub(crate) fn numbered_paragraphs(&self) -> String {
        let lines = (1..=self.paragraphs.len()).map(|number| {
            let text = self.paragraph(number).unwrap_or("(left out)");
            format!("[{number}] {}", one_line(text))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Returns the texts from which a sentence may take names without naming a paragraph: the title, the symbol and the first paragraphs.
    pub(crate) fn heading(&self) -> String {
        /// Number of first paragraphs that belong to a heading.
        const HEADING_PARAGRAPHS: usize = 3;
        let first = self.paragraphs.iter().take(HEADING_PARAGRAPHS).cloned();
        [self.company()].into_iter().chain(first).collect::<Vec<_>>().join("\n")
    }

    /// Returns the texts with the name of the company: the title and the symbol.
    pub(crate) fn company(&self) -> String {
        let title = self.title.as_deref().unwrap_or_default();
        format!("{title}\n{}", self.symbol)
    }

    /// Returns its kind, day and period, such as `press_release of 2026-08-05 for 2026-06-30`.
    pub(crate) fn label(&self) -> String {
        let period = self.period_end.map_or_else(String::new, |end| format!(" for {end}"));
        format!("{} of {}{period}", self.kind, self.published_on)
    }

    /// Returns the URL of the document, or its hash if it has none, followed by the numbers of paragraphs: `URL#p2,p3`.
    pub(crate) fn address(&self, paragraphs: &[usize]) -> String {
        let document = self.url.clone().unwrap_or_else(|| format!("document {}", self.hash));
        let numbers: Vec<String> = paragraphs.iter().map(|number| format!("p{number}")).collect();
        if numbers.is_empty() { document } else { format!("{document}#{}", numbers.join(",")) }
    }

    /// Returns the number of characters of its paragraphs.
    pub fn characters(&self) -> usize {
        self.paragraphs.iter().map(|text| text.chars().count()).sum()
    }
}

fn is_addressed_to_a_model(text: &str) -> bool {
    let visible_text: String = text.chars().filter(|c| !parquote_evidence::is_invisible(*c)).collect();
    let visible_text = visible_text.to_lowercase();
    MODEL_ADDRESSES.iter().any(|(one, other)| visible_text.contains(one) && visible_text.contains(other))
}
