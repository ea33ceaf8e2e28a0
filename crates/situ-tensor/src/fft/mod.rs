//! Discrete Fourier transforms along one axis or several.
//!
//! With `n` elements x\[j\] along an axis, element k of the forward transform is the sum of x\[j\] · exp(-2πi jk / n) over all
//! j, and that of the inverse one has the opposite sign in the exponent and is divided by n, unless a [`Norm`] says otherwise.
//! What is real has a transform whose second half is the first one's conjugates, which the functions with an `r` leave out.
//!
//! * `along`: the functions of one axis.
//! * `over`: those of several axes.
//! * `transform`: the commands that they come to.
//! * `sizes`: lengths, axes and dtypes, and what is refused.
//! * `frequencies`: what the elements of a transform stand for, and their order.

mod along;
mod frequencies;
mod over;
mod sizes;
mod transform;

pub use self::along::{Along, fft, hfft, ifft, ihfft, irfft, rfft};
pub use self::frequencies::{fftfreq, fftshift, ifftshift, rfftfreq};
pub use self::over::{Over, fft2, fftn, ifft2, ifftn, irfft2, irfftn, rfft2, rfftn};

/// What transforms of n elements are divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// Forward ones by nothing, inverse ones by n.
    #[default]
    Backward,
    /// Both by the square root of n.
    Ortho,
    /// Forward ones by n, inverse ones by nothing.
    Forward,
}

impl Norm {
    /// The norm with a name.
    ///
    /// ```
    /// use situ_tensor::fft::Norm;
    /// assert_eq!(Norm::from_name("ortho"), Some(Norm::Ortho));
    /// ```
    pub fn from_name(name: &str) -> Option<Norm> {
        match name {
            "backward" => Some(Norm::Backward),
            "ortho" => Some(Norm::Ortho),
            "forward" => Some(Norm::Forward),
            _ => None,
        }
    }

    /// What a transform of so many elements is multiplied by.
    fn scale(self, elements: f64, is_inverse: bool) -> f64 {
        match (self, is_inverse) {
            (Norm::Backward, false) | (Norm::Forward, true) => 1.0,
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / elements,
            (Norm::Ortho, _) => 1.0 / elements.sqrt(),
        }
    }
}
