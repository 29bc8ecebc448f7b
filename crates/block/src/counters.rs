//! Counters that only grow.

/// Declares a structure of counters that only grow, and how far each has moved between two readings.
#[macro_export]
macro_rules! growing_counters {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$about_counter:meta])* pub $counter:ident: $number:ty,)+ }) => {
        $(#[$about])*
        pub struct $name {
            $($(#[$about_counter])* pub $counter: $number,)+
        }

        impl $name {
            /// How far each counter has moved since `earlier`; one that is less than it was has not moved.
            #[must_use]
            pub fn since(&self, earlier: &$name) -> $name {
                $name { $($counter: self.$counter.saturating_sub(earlier.$counter),)+ }
            }
        }
    };
}
