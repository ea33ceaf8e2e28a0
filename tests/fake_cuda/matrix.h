/* What fake libraries of linear algebra share: matrices in the host's memory, column after column, of any of four dtypes, whose
 * elements are looked at as complex numbers of double precision. */

#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t pointer;

__attribute__((unused)) static int told(const char *name) {
    const char *value = getenv(name);
    return value ? atoi(value) : 0;
}

static void insist(int is_so, const char *what) {
    if (!is_so) {
        fprintf(stderr, "fake " LIBRARY ": %s\n", what);
        abort();
    }
}

/* Dtypes as NVIDIA numbers them: float32, float64, complex64, complex128. */
__attribute__((unused)) static int64_t width(int type) { return type == 0 ? 4 : type == 5 ? 16 : 8; }

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
    default: insist(0, "an unknown dtype");
    }
}

/* A matrix as complex numbers, and back. */
static double complex *fetched(pointer at, int type, int64_t count) {
    double complex *matrix = malloc(sizeof *matrix * (size_t)(count + 1));
    for (int64_t n = 0; n < count; n++) matrix[n] = element(at, type, n);
    return matrix;
}

static void put_back(double complex *matrix, pointer at, int type, int64_t count) {
    for (int64_t n = 0; n < count; n++) set(at, type, n, matrix[n]);
    free(matrix);
}

__attribute__((unused)) /* by rows exchanged; which diagonal element is zero, from 1 */
static int lu(pointer at, int type, int64_t order, int64_t *pivots) {
    double complex *a = fetched(at, type, order * order);
    int status = 0;
    for (int64_t k = 0; k < order; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < order; i++)
            if (cabs(a[i + k * order]) > cabs(a[best + k * order])) best = i;
        pivots[k] = best + 1;
        if (a[best + k * order] == 0) {
            if (!status) status = (int)k + 1;
            continue;
        }
        for (int64_t j = 0; j < order; j++) {
            double complex held = a[k + j * order];
            a[k + j * order] = a[best + j * order], a[best + j * order] = held;
        }
        for (int64_t i = k + 1; i < order; i++) {
            double complex factor = a[i + k * order] /= a[k + k * order];
            for (int64_t j = k + 1; j < order; j++) a[i + j * order] -= factor * a[k + j * order];
        }
    }
    put_back(a, at, type, order * order);
    return status;
}

__attribute__((unused))
static void lu_solve(pointer at, int type, int64_t order, const int64_t *pivots, pointer right, int64_t columns) {
    double complex *a = fetched(at, type, order * order), *b = fetched(right, type, order * columns);
    for (int64_t j = 0; j < columns; j++) {
        double complex *x = b + j * order;
        for (int64_t i = 0; i < order; i++) {
            int64_t other = pivots[i] - 1;
            insist(other >= i && other < order, "pivots are rows");
            double complex held = x[i];
            x[i] = x[other], x[other] = held;
        }
        for (int64_t i = 0; i < order; i++)
            for (int64_t k = 0; k < i; k++) x[i] -= a[i + k * order] * x[k];
        for (int64_t i = order - 1; i >= 0; i--) {
            for (int64_t k = i + 1; k < order; k++) x[i] -= a[i + k * order] * x[k];
            x[i] /= a[i + i * order];
        }
    }
    free(a);
    put_back(b, right, type, order * columns);
}
