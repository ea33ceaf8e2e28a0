/* A cuBLAS whose matrices are the host's, so that what is asked of it can be compared with what should be.
 *
 * It aborts where a call is not as it should be: without a stream, without memory to work in, in another precision.
 * FAKE_CUBLAS_CREATE, FAKE_CUBLAS_GEMM and FAKE_CUBLAS_BATCHED are statuses to fail with. */

#define LIBRARY "cuBLAS"
#include "matrix.h"

static struct { void *stream; pointer workspace; size_t bytes; int mode; } library;

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

static int factorise(int type, void *handle, int order, pointer matrices, int leading, pointer pivots, pointer status, int count) {
    insist(handle == &library && library.stream && library.workspace, "stream and memory come first");
    insist(order > 0 && leading >= order && leading == order && count > 0, "matrices without gaps");
    if (told("FAKE_CUBLAS_BATCHED")) return told("FAKE_CUBLAS_BATCHED");
    int64_t *wide = malloc(sizeof *wide * (size_t)order);
    for (int n = 0; n < count; n++) {
        ((int *)status)[n] = lu(((pointer *)matrices)[n], type, order, wide);
        for (int i = 0; i < order; i++) ((int *)pivots)[n * order + i] = (int)wide[i];
    }
    free(wide);
    return 0;
}

static int solve(int type, void *handle, int operation, int order, int columns, pointer matrices, int leading, pointer pivots, pointer rights, int right_leading, int *info, int count) {
    insist(handle == &library && library.stream && library.workspace, "stream and memory come first");
    insist(operation == 0 && leading == order && right_leading == order && columns > 0 && count > 0, "matrices without gaps");
    int64_t *wide = malloc(sizeof *wide * (size_t)order);
    for (int n = 0; n < count; n++) {
        for (int i = 0; i < order; i++) wide[i] = ((int *)pivots)[n * order + i];
        lu_solve(((pointer *)matrices)[n], type, order, wide, ((pointer *)rights)[n], columns);
    }
    free(wide);
    return *info = 0;
}

static int invert(int type, void *handle, int order, pointer matrices, int leading, pointer pivots, pointer inverses, int inverse_leading, pointer status, int count) {
    insist(leading == order && inverse_leading == order, "matrices without gaps");
    for (int n = 0; n < count; n++) {
        pointer inverse = ((pointer *)inverses)[n];
        for (int64_t i = 0; i < (int64_t)order * order; i++) set(inverse, type, i, i % (order + 1) == 0);
        insist(((int *)status)[n] >= 0, "a status from the factorisation");
    }
    int info;
    return solve(type, handle, 0, order, order, matrices, leading, pivots, inverses, inverse_leading, &info, count);
}

#define BATCHED(letter, type)                                                                                          \
    int cublas##letter##getrfBatched(void *h, int n, pointer a, int lda, pointer p, pointer info, int count) {         \
        return factorise(type, h, n, a, lda, p, info, count);                                                          \
    }                                                                                                                  \
    int cublas##letter##getrsBatched(void *h, int op, int n, int k, pointer a, int lda, pointer p, pointer b, int ldb, \
                                     int *info, int count) {                                                           \
        return solve(type, h, op, n, k, a, lda, p, b, ldb, info, count);                                               \
    }                                                                                                                  \
    int cublas##letter##getriBatched(void *h, int n, pointer a, int lda, pointer p, pointer c, int ldc, pointer info,  \
                                     int count) {                                                                      \
        return invert(type, h, n, a, lda, p, c, ldc, info, count);                                                     \
    }

BATCHED(S, 0)
BATCHED(D, 1)
BATCHED(C, 4)
BATCHED(Z, 5)
