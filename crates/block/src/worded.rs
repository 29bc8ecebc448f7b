//! Enumerations whose values have a word each.

/// Declares an enumeration with the word of each value, as it stands in arguments, documents and text.
#[macro_export]
macro_rules! worded_enum {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$about_value:meta])* $value:ident = $word:literal,)+ }) => {
        $(#[$about])*
        pub enum $name {
            $($(#[$about_value])* $value,)+
        }

        impl $name {
            /// Every one, in their order.
            pub const ALL: [$name; [$($word),+].len()] = [$($name::$value),+];

            /// Its word.
            pub const fn word(self) -> &'static str {
                match self {
                    $($name::$value => $word,)+
                }
            }

            /// The one with this word.
            pub fn of_word(word: &str) -> Option<$name> {
                $name::ALL.into_iter().find(|one| one.word() == word)
            }
        }
    };
}
