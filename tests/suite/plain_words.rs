//! Comments and names are plain: doc comments begin with a verb or a noun, and vague words occur in neither.

use parquote::operation::embedded_files;

use crate::architecture::sources;

/// First words of clauses without a noun; a question may begin with them.
const CLAUSES: [&str; 7] = ["What", "Whether", "Which", "Whoever", "Whatever", "Whichever", "Who"];
/// First words that may also begin a clause before the main one, which a comma separates.
const CONDITIONS: [&str; 2] = ["Where", "How"];

/// Words that have a standard term or a plainer word.
const WORDS: [&str; 7] = ["stands", "whoever", "told", "anew", "nobody", "somebody", "lies"];

/// Names that do not say what the function does.
const FUNCTIONS: [&str; 11] =
    ["of", "put", "follow", "together", "told", "met", "asked", "tell", "said", "place", "lacking"];

/// Returns the text of each run of comment lines, without code in it.
fn comments(text: &str) -> Vec<String> {
    let (mut blocks, mut block) = (Vec::new(), String::new());
    for line in text.lines().chain([""]) {
        let comment =
            line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']).trim());
        match comment {
            Some(words) if !words.is_empty() && !words.starts_with(['#', '`', '|']) => {
                block.push_str(words);
                block.push(' ');
            }
            _ => blocks.push(std::mem::take(&mut block)),
        }
    }
    let prose = |block: String| block.split('`').step_by(2).collect::<Vec<_>>().join("x");
    blocks.into_iter().filter(|block| !block.is_empty()).map(prose).collect()
}

/// Returns the sentences of a comment.
fn sentences(block: &str) -> impl Iterator<Item = &str> {
    block.split_inclusive(". ").map(|sentence| sentence.trim().trim_start_matches(['-', '*', ' ']))
}

#[test]
fn comments_begin_with_a_verb_or_a_noun_and_use_plain_words() {
    let mut found = Vec::new();
    for source in sources() {
        // Help texts of the command line are the manual, not comments.
        let is_help = source.path.starts_with("config/") || source.path.starts_with("cli/");
        for block in comments(&source.text).iter().filter(|_| !is_help) {
            for sentence in sentences(block).filter(|sentence| !sentence.ends_with('?')) {
                let first = sentence.split(' ').next().unwrap_or_default();
                let begins =
                    CLAUSES.contains(&first) || CONDITIONS.contains(&first) && !sentence.contains(", ");
                let word = sentence
                    .split(|letter: char| !letter.is_alphanumeric())
                    .find(|word| WORDS.contains(word));
                if begins || word.is_some() {
                    found.push(format!("src/{}: {sentence}", source.path));
                }
            }
        }
    }
    assert!(found.is_empty(), "{} sentences:\n{}", found.len(), found.join("\n"));
}

#[test]
fn functions_say_what_they_do() {
    let mut found = Vec::new();
    for source in sources() {
        for line in source.code.lines().filter_map(|line| line.split_once("fn ").map(|(_, rest)| rest)) {
            let name = line.split(['(', '<']).next().unwrap_or_default();
            if FUNCTIONS.contains(&name) {
                found.push(format!("src/{}: {name}", source.path));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The manual, the tools and the pages show the texts of these files.
#[test]
fn query_files_use_plain_verbs() {
    let is_vague =
        |text: &str| ["stands for", "stand for", "stands in for"].iter().any(|words| text.contains(words));
    let found: Vec<&str> =
        embedded_files().iter().filter(|(_, text)| is_vague(text)).map(|(path, _)| *path).collect();
    assert!(found.is_empty(), "{found:?} say `stands for`: `replaces`, `represents` or `means`");
}
