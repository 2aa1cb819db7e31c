//! Shortens a tool's answer for a model: long lists lose their last rows, long texts their ends.

use serde_json::Value as Json;

/// Maximum characters of a text within a shortened answer.
const TEXT_LENGTH: usize = 600;

/// An answer, shortened if needed.
#[derive(Debug, Clone, PartialEq)]
pub struct Excerpt {
    /// The answer, shortened to the requested size.
    pub answer: Json,
    /// JSON text of the shortened answer, no longer than the requested number of bytes.
    pub text: String,
    /// True if a part of the answer was left out.
    pub cut: bool,
}

/// Shortens an answer so that its JSON text has at most `bytes` bytes.
pub fn excerpt(answer: Json, bytes: usize) -> Excerpt {
    let full_text = answer.to_string();
    if full_text.len() <= bytes {
        return Excerpt { answer, text: full_text, cut: false };
    }
    let mut answer = answer;
    shorten_texts(&mut answer);
    let mut text = answer.to_string();
    while text.len() > bytes {
        let Some(list) = longest_list(&mut answer).filter(|list| list.len() > 1) else { break };
        list.truncate(list.len().div_ceil(2));
        text = answer.to_string();
    }
    if text.len() > bytes {
        // An object with very many fields is shown as a truncated text.
        let end = text.floor_char_boundary(bytes);
        text.truncate(end);
        answer = Json::String(text.clone());
    }
    Excerpt { answer, text, cut: true }
}

fn shorten_texts(value: &mut Json) {
    match value {
        Json::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(TEXT_LENGTH) {
                text.truncate(end);
                text.push_str(" [...]");
            }
        }
        Json::Array(rows) => rows.iter_mut().for_each(shorten_texts),
        Json::Object(fields) => fields.values_mut().for_each(shorten_texts),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// Returns the list with the most text among the lists with more than one row; if several have the same, the outermost.
fn longest_list(value: &mut Json) -> Option<&mut Vec<Json>> {
    match value {
        Json::Array(rows) => {
            if rows.len() > 1 {
                return Some(rows);
            }
            rows.iter_mut().find_map(longest_list)
        }
        Json::Object(fields) => fields
            .values_mut()
            .filter_map(longest_list)
            .max_by_key(|list| list.iter().map(|row| row.to_string().len()).sum::<usize>()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_is_cut_between_rows() {
        let rows: Vec<Json> =
            (0..1_000).map(|n| json!({"symbol": format!("S{n}"), "rs_rating": 50})).collect();
        let cut = excerpt(json!({"stocks": rows, "count": 1_000, "words": ["a", "b"]}), 2_048);
        assert!(cut.cut && cut.text.len() <= 2_048 && cut.text.len() > 1_000, "{}", cut.text.len());
        assert_eq!(cut.answer["count"], 1_000);
        assert_eq!(cut.answer["words"], json!(["a", "b"]));
        assert_eq!(serde_json::from_str::<Json>(&cut.text).unwrap(), cut.answer);
        assert_eq!(cut.answer["stocks"][0]["symbol"], "S0");
    }

    #[test]
    fn long_texts_and_wide_objects_are_cut_too() {
        let cut = excerpt(json!({"text": "é".repeat(9_000)}), 8_192);
        assert!(cut.cut && cut.text.contains("é [...]"));
        let wide: serde_json::Map<String, Json> =
            (0..999).map(|n| (format!("field_{n}"), json!(n))).collect();
        let cut = excerpt(Json::Object(wide), 1_000);
        assert!(cut.cut && cut.text.len() == 1_000);
        assert!(!excerpt(json!([1, 2]), 5).cut);
        assert!(excerpt(json!([1, 2]), 4).cut);
    }
}
