//! Shared libraries whose functions are looked up by name.

use std::fmt;

/// Why a library cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unusable(pub(crate) String);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Declares a table of C functions that all return a status code, and how to load it.
///
/// Codes are plain integers: a library newer than this one may return some that nobody here has heard of.
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident { $($name:ident($($argument:ident: $type:ty),* $(,)?);)* }) => {
        $(#[$doc])*
        #[allow(non_snake_case, reason = "the functions' own names")]
        pub(crate) struct $table {
            $(pub(crate) $name: unsafe extern "C" fn($($argument: $type),*) -> i32,)*
            /// The pointers above point into it.
            _library: libloading::Library,
        }

        impl $table {
            /// Looks every function up.
            ///
            /// # Safety
            ///
            /// The library has these functions with these signatures, or lacks them.
            unsafe fn of(library: libloading::Library) -> Result<$table, $crate::library::Unusable> {
                // SAFETY: the caller vouches for the signatures; the pointers live in the table with the library.
                unsafe {
                    Ok($table {
                        $($name: *library.get(concat!(stringify!($name), "\0").as_bytes()).map_err(|_| {
                            $crate::library::Unusable(concat!("it has no ", stringify!($name)).into())
                        })?,)*
                        _library: library,
                    })
                }
            }
        }

        impl std::fmt::Debug for $table {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($table))
            }
        }
    };
}
pub(crate) use functions;
