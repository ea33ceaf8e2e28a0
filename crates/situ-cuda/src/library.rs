//! Shared libraries whose functions are looked up by name.

use std::fmt;

use situ_types::DType;

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
                        $($name: $crate::library::member!(library, $name),)*
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

/// Declares a table of C functions of which there is one for each of float32, float64, complex64 and complex128, as
/// [`kind`] counts.
///
/// Matrices are passed as addresses on the device, so that all four have one signature.
macro_rules! families {
    ($(#[$doc:meta])* $table:ident {
        $($name:ident [$first:ident $second:ident $third:ident $fourth:ident] ($($argument:ident: $type:ty),* $(,)?);)*
    }) => {
        $(#[$doc])*
        #[allow(non_snake_case, reason = "the functions' own names")]
        pub(crate) struct $table {
            $(pub(crate) $name: [unsafe extern "C" fn($($argument: $type),*) -> i32; 4],)*
        }

        impl $table {
            /// Looks every function up.
            ///
            /// # Safety
            ///
            /// The library has these functions with these signatures, or lacks them, and outlives the table.
            unsafe fn of(library: &libloading::Library) -> Result<$table, $crate::library::Unusable> {
                // SAFETY: the caller vouches for the signatures and keeps the library.
                unsafe {
                    Ok($table {
                        $($name: [
                            $crate::library::member!(library, $first),
                            $crate::library::member!(library, $second),
                            $crate::library::member!(library, $third),
                            $crate::library::member!(library, $fourth),
                        ],)*
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
pub(crate) use families;

/// One function of a library.
macro_rules! member {
    ($library:ident, $name:ident) => {
        *$library
            .get(concat!(stringify!($name), "\0").as_bytes())
            .map_err(|_| $crate::library::Unusable(concat!("it has no ", stringify!($name)).into()))?
    };
}
pub(crate) use member;

/// The place of a dtype in a family of functions.
pub(crate) fn kind(dtype: DType) -> usize {
    match dtype {
        DType::F64 => 1,
        DType::C64 => 2,
        DType::C128 => 3,
        _ => 0,
    }
}
