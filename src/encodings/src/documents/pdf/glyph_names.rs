//! Texts of glyph names, for fonts without a map from codes to Unicode.

/// Texts of glyph names that are not single letters. Source: the Latin names of the Adobe Glyph List.
const GLYPH_TEXTS: [(&str, &str); 97] = [
    ("space", " "),
    ("exclam", "!"),
    ("quotedbl", "\""),
    ("numbersign", "#"),
    ("dollar", "$"),
    ("percent", "%"),
    ("ampersand", "&"),
    ("quotesingle", "'"),
    ("parenleft", "("),
    ("parenright", ")"),
    ("asterisk", "*"),
    ("plus", "+"),
    ("comma", ","),
    ("hyphen", "-"),
    ("period", "."),
    ("slash", "/"),
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("colon", ":"),
    ("semicolon", ";"),
    ("less", "<"),
    ("equal", "="),
    ("greater", ">"),
    ("question", "?"),
    ("at", "@"),
    ("bracketleft", "["),
    ("backslash", "\\"),
    ("bracketright", "]"),
    ("underscore", "_"),
    ("quoteleft", "‘"),
    ("quoteright", "’"),
    ("quotedblleft", "“"),
    ("quotedblright", "”"),
    ("quotesinglbase", "‚"),
    ("quotedblbase", "„"),
    ("braceleft", "{"),
    ("bar", "|"),
    ("braceright", "}"),
    ("asciitilde", "~"),
    ("asciicircum", "^"),
    ("grave", "`"),
    ("endash", "–"),
    ("emdash", "—"),
    ("minus", "−"),
    ("bullet", "•"),
    ("ellipsis", "…"),
    ("periodcentered", "·"),
    ("fi", "fi"),
    ("fl", "fl"),
    ("ff", "ff"),
    ("ffi", "ffi"),
    ("ffl", "ffl"),
    ("sterling", "£"),
    ("Euro", "€"),
    ("cent", "¢"),
    ("yen", "¥"),
    ("rupee", "₹"),
    ("section", "§"),
    ("paragraph", "¶"),
    ("dagger", "†"),
    ("daggerdbl", "‡"),
    ("copyright", "©"),
    ("registered", "®"),
    ("trademark", "™"),
    ("degree", "°"),
    ("plusminus", "±"),
    ("multiply", "×"),
    ("divide", "÷"),
    ("onehalf", "½"),
    ("onequarter", "¼"),
    ("threequarters", "¾"),
    ("nbspace", " "),
    ("sfthyphen", "-"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("agrave", "à"),
    ("aacute", "á"),
    ("adieresis", "ä"),
    ("odieresis", "ö"),
    ("udieresis", "ü"),
    ("ccedilla", "ç"),
    ("ntilde", "ñ"),
    ("oacute", "ó"),
    ("iacute", "í"),
    ("uacute", "ú"),
    ("germandbls", "ß"),
    ("dotlessi", "ı"),
    ("lessequal", "≤"),
    ("greaterequal", "≥"),
];

/// Returns the text of a glyph by its name; `None` if it is unknown.
pub(super) fn text_of_glyph(name: &str) -> Option<String> {
    // A suffix names a variant, such as small capitals; ligatures join names.
    let plain = name.split('.').next().filter(|plain| !plain.is_empty())?;
    plain.split('_').map(text_of_part).collect()
}

fn text_of_part(name: &str) -> Option<String> {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    if name.len() == 1 && name.starts_with(is_letter) {
        return Some(name.to_owned());
    }
    if let Some((_, text)) = GLYPH_TEXTS.iter().find(|(other, _)| *other == name) {
        return Some((*text).to_owned());
    }
    let digits = name.strip_prefix("uni").or_else(|| name.strip_prefix('u'))?;
    let number = (4..=6).contains(&digits.len()).then(|| u32::from_str_radix(digits, 16).ok())??;
    char::from_u32(number).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_have_texts() {
        for (name, text) in [
            ("A", Some("A")),
            ("one.oldstyle", Some("1")),
            ("f_i", Some("fi")),
            ("uni20B9", Some("₹")),
            ("u1F600", Some("😀")),
            ("uniD800", None),
            ("g23", None),
            (".notdef", None),
            ("", None),
        ] {
            assert_eq!(text_of_glyph(name).as_deref(), text, "{name}");
        }
    }
}
