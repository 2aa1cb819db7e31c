//! Random changes of a right reply: a supported claim has no figure that the document lacks.

use std::collections::BTreeSet;

use parquote_catalogue::operation::Market;

use super::{check, release, right_reply};

/// Returns the numbers of a text, without separators and without zeros that change nothing.
fn numbers(text: &str) -> BTreeSet<String> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    let numbers = parts.map(|part| part.trim_matches(['.', ',']).replace(',', ""));
    let plain = |number: String| match number.split_once('.') {
        Some((whole, decimals)) => {
            format!("{}.{}", whole.trim_start_matches('0'), decimals.trim_end_matches('0'))
        }
        None => format!("{}.", number.trim_start_matches('0')),
    };
    numbers.filter(|number| !number.is_empty()).map(plain).collect()
}

#[test]
fn no_changed_reply_shows_a_figure_that_the_document_lacks() {
    let document = release();
    let stated = numbers(&document.paragraphs.join(" "));
    let whole: Vec<char> = right_reply().to_string().chars().collect();
    let letters: Vec<char> = "0123456789.,%-$ crolkhQFY{}[]\":".chars().collect();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut roll = |sides: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % sides as u64) as usize
    };
    let (mut rows, mut struck) = (0, 0);
    for _ in 0..4_000 {
        let mut reply = whole.clone();
        for _ in 0..=roll(3) {
            let at = roll(reply.len());
            match roll(3) {
                0 => reply[at] = letters[roll(letters.len())],
                1 => reply.insert(at, letters[roll(letters.len())]),
                _ => {
                    reply.remove(at);
                }
            }
        }
        let reply: String = reply.into_iter().collect();
        let Ok(checked) = check("ai_summaries", Market::India, &document, &reply) else { continue };
        struck += checked.struck.len();
        for claim in &checked.supported {
            let wrong: Vec<String> = numbers(&claim.text).difference(&stated).cloned().collect();
            assert!(wrong.is_empty(), "{wrong:?} in {claim:?}");
        }
        rows += checked.rows.len();
    }
    // Most changes leave the reply readable and strike a claim of it.
    assert!(rows > 1_000 && struck > 500, "{rows} {struck}");
}
