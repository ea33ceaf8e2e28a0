/* A cuBLAS whose matrices are the host's, so that what is asked of it can be compared with what should be.
 *
 * It aborts where a call is not as it should be: without a stream, without memory to work in, in another precision.
 * FAKE_CUBLAS_CREATE and FAKE_CUBLAS_GEMM are statuses to fail with. */

#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t pointer;

static struct { void *stream; pointer workspace; size_t bytes; int mode; } library;

static int told(const char *name) {
    const char *value = getenv(name);
    return value ? atoi(value) : 0;
}

static void insist(int is_so, const char *what) {
    if (!is_so) {
        fprintf(stderr, "fake cuBLAS: %s\n", what);
        abort();
    }
}

int cublasGetProperty(int which, int *value) {
    *value = which == 0 ? 12 : 0;
    return 0;
}

int cublasCreate_v2(void **handle) {
    *handle = &library;
    return told("FAKE_CUBLAS_CREATE");
}

int cublasSetStream_v2(void *handle, void *stream) {
    insist(handle == &library, "a handle is needed");
    insist(!stream || !library.stream, "the last stream was to be let go of: its queue may be gone");
    library.stream = stream;
    library.workspace = 0;
    return 0;
}

int cublasSetWorkspace_v2(void *handle, pointer workspace, size_t bytes) {
    insist(handle == &library && workspace && bytes, "memory is needed");
    library.workspace = workspace;
    library.bytes = bytes;
    return 0;
}

int cublasSetMathMode(void *handle, int mode) {
    library.mode = mode;
    return handle != &library;
}

/* An element of a matrix, as a complex number of double precision. */
static double complex element(pointer at, int type, int64_t n) {
    switch (type) {
    case 0: return ((float *)at)[n];
    case 1: return ((double *)at)[n];
    case 4: return ((float complex *)at)[n];
    case 5: return ((double complex *)at)[n];
    default: insist(0, "an unknown dtype"); return 0;
    }
}

static void set(pointer at, int type, int64_t n, double complex value) {
    switch (type) {
    case 0: ((float *)at)[n] = (float)creal(value); break;
    case 1: ((double *)at)[n] = creal(value); break;
    case 4: ((float complex *)at)[n] = (float complex)value; break;
    case 5: ((double complex *)at)[n] = value; break;
    }
}

int cublasGemmStridedBatchedEx(
    void *handle, int left_operation, int right_operation, int rows, int columns, int depth, const void *alpha,
    pointer left, int left_type, int left_leading, int64_t left_next,
    pointer right, int right_type, int right_leading, int64_t right_next, const void *beta,
    pointer out, int out_type, int out_leading, int64_t out_next, int count, int compute, int algorithm) {
    insist(handle == &library && library.stream && library.workspace, "stream and memory come first");
    insist(library.mode == 16, "sums are to keep their precision");
    insist(left_type == out_type && right_type == out_type, "one dtype");
    int is_double = out_type == 1 || out_type == 5;
    insist(compute == (is_double ? 70 : 68) && algorithm == -1, "the precision of the dtype");
    insist(((uintptr_t)alpha | (uintptr_t)beta) % 16 == 0, "factors where complex numbers may be");
    insist(is_double ? *(double *)alpha == 1 && *(double *)beta == 0 : *(float *)alpha == 1 && *(float *)beta == 0, "a plain product");
    insist(left_leading >= (left_operation ? depth : rows) && right_leading >= (right_operation ? columns : depth) && out_leading >= rows, "room for a column");
    if (told("FAKE_CUBLAS_GEMM")) return told("FAKE_CUBLAS_GEMM");
    for (int64_t n = 0; n < count; n++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                double complex sum = 0;
                for (int64_t k = 0; k < depth; k++) {
                    int64_t a = left_operation ? k + i * left_leading : i + k * left_leading;
                    int64_t b = right_operation ? j + k * right_leading : k + j * right_leading;
                    sum += element(left, left_type, n * left_next + a) * element(right, right_type, n * right_next + b);
                }
                set(out, out_type, n * out_next + i + j * out_leading, sum);
            }
    return 0;
}
