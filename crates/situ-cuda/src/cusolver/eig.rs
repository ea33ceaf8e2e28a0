//! Eigenvalues of any matrices.

use std::ptr;

use situ_hal::{Address, HalError, Result};
use situ_types::DType;

use super::Calls;
use super::rearrange;
use super::room::Room;
use super::session::{NO_VECTORS, Session, VECTORS, Work, check, pointer, type_number};

/// `A V = V W`. Of a real matrix, the library gives complex values, but vectors as LAPACK does: the real and the imaginary part
/// of those of a conjugate pair in two columns.
pub(super) fn decompose(
    session: &Session<'_>,
    room: &mut Room,
    order: usize,
    matrix: Address,
    values: Address,
    vectors: Option<Address>,
) -> Result<Calls> {
    let Some(function) = session.library.geev else {
        let detail = "this cuSOLVER has no function for it, which CUDA has from 12.6 on; install a newer one with `pip install \
                      --upgrade nvidia-cusolver-cu12`, or bring the arrays to the processor with to_device(\"native:cpu\")";
        return Err(HalError::Unsupported { operation: "".into(), detail: detail.into() });
    };
    let ([dtype, _], size, n) = (session.types(), session.size(), order as i64);
    let complex = if session.real_size() == 4 { DType::C64 } else { DType::C128 };
    let (values_type, complex_size) = (type_number(complex), complex.size());
    let is_real = session.dtype != complex;
    let job = if vectors.is_some() { VECTORS } else { NO_VECTORS };
    let column = order * size;
    // With a column before and one behind: whoever looks at a column looks at its neighbours.
    let packed = (is_real && vectors.is_some()).then(|| room.take(column * (order + 2)));
    let work = Work::ask(room, session.count, "Xgeev_bufferSize", |bytes, host_bytes| {
        // The memory is not there yet, and its size does not depend on where it will be.
        // SAFETY: writes two sizes.
        unsafe {
            (function.buffer_size)(
                session.handle,
                session.parameters,
                NO_VECTORS,
                job,
                n,
                dtype,
                pointer(matrix),
                n,
                values_type,
                pointer(values),
                dtype,
                0,
                n,
                dtype,
                pointer(vectors.unwrap_or(Address(ptr::null_mut()))),
                n,
                dtype,
                bytes,
                host_bytes,
            )
        }
    })?;
    Ok(Box::new(move |session, memory| {
        (0..session.count).try_for_each(|i| {
            let matrix = matrix.offset((i * order * order * size) as isize);
            let values = values.offset((i * order * complex_size) as isize);
            let own = vectors.map(|vectors| vectors.offset((i * order * order * complex_size) as isize));
            let packed = packed.map(|packed| memory.address(packed).offset(column as isize));
            let right = packed.or(own).map_or(0, pointer);
            // SAFETY: matrix, values and vectors are the command's, or there is room for them; the memory is as large as the
            // library asked for.
            let code = unsafe {
                (function.call)(
                    session.handle,
                    session.parameters,
                    NO_VECTORS,
                    job,
                    n,
                    dtype,
                    pointer(matrix),
                    n,
                    values_type,
                    pointer(values),
                    dtype,
                    0,
                    n,
                    dtype,
                    right,
                    n,
                    dtype,
                    memory.at(work.place),
                    work.bytes,
                    work.host(memory, i),
                    work.host_bytes,
                    session.status_at(i),
                )
            };
            check(code, "Xgeev")?;
            match (packed, own) {
                (Some(packed), Some(own)) => rearrange::unpack(session.dtype, packed, values, own, order)?
                    .into_iter()
                    // SAFETY: values and packed vectors are written by the call before this one in the stream.
                    .try_for_each(|command| unsafe { rearrange::run(session, command) }),
                _ => Ok(()),
            }
        })
    }))
}
