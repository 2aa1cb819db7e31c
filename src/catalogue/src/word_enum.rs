//! Enums whose variants are words in requests, answers or declarations: each variant is declared once, with its word.

/// Declares an enum with a word for each variant, a function that returns the word and, after `const ALL`, the list of all variants.
/// `parse` also implements `Display` and `FromStr` by the words; its two texts name one value and several values in the error.
///
/// ```
/// parquote_catalogue::word_enum! {
///     /// A side of a trade.
///     #[derive(Debug, Clone, Copy, PartialEq, Eq)]
///     pub enum Side {
///         /// Bought.
///         Buy = "buy",
///         /// Sold.
///         Sell = "sell",
///     }
///     const ALL "Both sides.";
///     fn word "Returns the word in tables.";
/// }
///
/// assert_eq!(Side::ALL.map(Side::word), ["buy", "sell"]);
/// ```
#[macro_export]
macro_rules! word_enum {
    (
        $(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }
        const ALL $all:literal;
        fn $function:ident $returns:literal;
        parse $one:literal, $many:literal;
    ) => {
        $crate::word_enum! {
            $(#[$meta])* $vis enum $name { $($(#[$about])* $variant = $word,)+ }
            const ALL $all;
            fn $function $returns;
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.$function())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                Self::ALL.into_iter().find(|known| known.$function() == word).ok_or_else(|| {
                    let known = Self::ALL.map(Self::$function).join(", ");
                    format!(concat!("`{}` is not ", $one, "; the ", $many, " are {}"), word, known)
                })
            }
        }
    };
    (
        $(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }
        const ALL $all:literal;
        fn $function:ident $returns:literal;
    ) => {
        $crate::word_enum! {
            $(#[$meta])* $vis enum $name { $($(#[$about])* $variant = $word,)+ }
            fn $function $returns;
        }

        impl $name {
            #[doc = $all]
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];
        }
    };
    (
        $(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }
        fn $function:ident $returns:literal;
    ) => {
        $(#[$meta])* $vis enum $name { $($(#[$about])* $variant,)+ }

        impl $name {
            #[doc = $returns]
            $vis const fn $function(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}
