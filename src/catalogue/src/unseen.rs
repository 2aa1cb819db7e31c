//! Invisible characters. In a name, they can hide a difference from another name, or reorder the text next to the name.

/// Returns true for a control character, a line or paragraph separator, and an invisible format character (general category Cf of
/// Unicode 16), such as the marks that reverse the direction of writing.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            u32::from(c),
            0xAD | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x890..=0x891 | 0x8E2 | 0x180E | 0x200B..=0x200F
                | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xFFF9..=0xFFFB | 0x110BD | 0x110CD
                | 0x13430..=0x1343F | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0001..=0xE007F
        )
}
