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

/// Declares a table of C functions, and how to look them up. One without a result returns a status code.
///
/// Codes are plain integers: a library newer than this one may return some that nobody here has heard of.
macro_rules! functions {
    (@result) => { i32 };
    (@result $result:ty) => { $result };
    ($(#[$doc:meta])* $table:ident {
        $($name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*
    }) => {
        $(#[$doc])*
        #[allow(non_snake_case, reason = "the functions' own names")]
        #[derive(Clone, Copy)]
        pub(crate) struct $table {
            $(pub(crate) $name: unsafe extern "C" fn($($argument: $type),*) -> $crate::library::functions!(@result $($result)?),)*
        }

        impl $table {
            /// Asks for every function, by its name with a 0 at its end; the name of the first that is not there.
            ///
            /// # Safety
            ///
            /// What is found has these signatures, and stays loaded as long as the table is used.
            pub(crate) unsafe fn of(
                find: impl Fn(&'static std::ffi::CStr) -> *const std::ffi::c_void,
            ) -> Result<$table, &'static str> {
                Ok($table {
                    $($name: {
                        let text = concat!(stringify!($name), "\0");
                        let name = std::ffi::CStr::from_bytes_with_nul(text.as_bytes()).unwrap_or_default();
                        let found = find(name);
                        if found.is_null() {
                            return Err(stringify!($name));
                        }
                        // SAFETY: the caller vouches for the signature, and null was refused.
                        unsafe {
                            std::mem::transmute::<
                                *const std::ffi::c_void,
                                unsafe extern "C" fn($($type),*) -> $crate::library::functions!(@result $($result)?),
                            >(found)
                        }
                    },)*
                })
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
