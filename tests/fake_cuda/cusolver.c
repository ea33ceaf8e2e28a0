/* A cuSOLVER whose matrices are the host's, by textbook methods, so that what is asked of it can be judged by its answers.
 *
 * It aborts where a call is not as it should be: without a stream, with memory of another size than it asked for or not aligned,
 * with matrices that have gaps. All memory it is given to work in is overwritten. Eigenvalues of matrices that are not Hermitian
 * are beyond it: it looks at the arguments, and answers with zeros.
 *
 *   FAKE_CUSOLVER_FAIL     a function without "cusolverDn" and the letter of its dtype, and a status: "Xgetrf:7"
 *   FAKE_CUSOLVER_LOG      a file to which the name of every function is added that is called
 *   FAKE_CUSOLVER_VERSION  the major version (12) */

#define LIBRARY "cuSOLVER"
#include "matrix.h"

#include <math.h>

static struct { void *stream; } library;
static struct { double tolerance; int sweeps; } svd_settings, eigen_settings;
static int parameters;

enum { ROOM = 1000, HOST_ROOM = 24 };

static int begin(const char *function) {
    const char *log = getenv("FAKE_CUSOLVER_LOG"), *fail = getenv("FAKE_CUSOLVER_FAIL");
    if (log) {
        FILE *file = fopen(log, "a");
        fprintf(file, "%s\n", function);
        fclose(file);
    }
    size_t length = strlen(function);
    return fail && strncmp(fail, function, length) == 0 && fail[length] == ':' ? atoi(fail + length + 1) : 0;
}

/* The functions of a name: what they do before all else. */
#define BEGIN(function)                                                                                                \
    do {                                                                                                               \
        int status = begin(function);                                                                                  \
        if (status) return status;                                                                                     \
    } while (0)

static void check(void *handle, int is_call) {
    insist(handle == &library, "a handle is needed");
    insist(!is_call || library.stream, "the stream comes first");
}

/* Memory that a call works in, which is nobody else's. */
static void use(pointer work, size_t bytes, size_t wanted) {
    insist(work && work % 256 == 0 && bytes == wanted, "as much aligned memory as was asked for");
    memset((void *)work, 0xEE, bytes);
}

static void use_host(void *work, size_t bytes) {
    insist(work && (uintptr_t)work % 16 == 0 && bytes == HOST_ROOM, "as much of the host's memory as was asked for");
    memset(work, 0xEE, bytes);
}

static int ask(size_t *bytes, size_t *host_bytes, int64_t elements) {
    return *bytes = (size_t)(ROOM + 16 * elements), *host_bytes = HOST_ROOM, 0;
}

int cusolverGetProperty(int which, int *value) {
    const char *version = getenv("FAKE_CUSOLVER_VERSION");
    return *value = which == 0 ? (version ? atoi(version) : 12) : 0, 0;
}

int cusolverDnCreate(void **handle) {
    BEGIN("Create");
    return *handle = &library, 0;
}
int cusolverDnSetStream(void *handle, void *stream) {
    check(handle, 0);
    insist(!stream || !library.stream, "the last stream was to be let go of: its queue may be gone");
    return library.stream = stream, 0;
}
int cusolverDnCreateParams(void **made) { return *made = &parameters, 0; }
int cusolverDnCreateGesvdjInfo(void **made) { return *made = &svd_settings, 0; }
int cusolverDnCreateSyevjInfo(void **made) { return *made = &eigen_settings, 0; }
int cusolverDnXgesvdjSetTolerance(void *of, double to) { return insist(of == &svd_settings, "settings"), svd_settings.tolerance = to, 0; }
int cusolverDnXgesvdjSetMaxSweeps(void *of, int to) { return insist(of == &svd_settings, "settings"), svd_settings.sweeps = to, 0; }
int cusolverDnXsyevjSetTolerance(void *of, double to) { return insist(of == &eigen_settings, "settings"), eigen_settings.tolerance = to, 0; }
int cusolverDnXsyevjSetMaxSweeps(void *of, int to) { return insist(of == &eigen_settings, "settings"), eigen_settings.sweeps = to, 0; }

/* LU */

int cusolverDnXgetrf_bufferSize(void *handle, void *p, int64_t m, int64_t n, int type, pointer a, int64_t lda, int compute, size_t *bytes, size_t *host_bytes) {
    check(handle, 0);
    insist(p == &parameters && m == n && lda == m && a && compute == type, "a square matrix");
    return ask(bytes, host_bytes, n);
}
int cusolverDnXgetrf(void *handle, void *p, int64_t m, int64_t n, int type, pointer a, int64_t lda, pointer pivots, int compute, pointer work, size_t bytes, void *host, size_t host_bytes, pointer status) {
    BEGIN("Xgetrf");
    check(handle, 1);
    insist(p == &parameters && m == n && lda == m && compute == type && pivots % 8 == 0, "a square matrix");
    use(work, bytes, (size_t)(ROOM + 16 * n)), use_host(host, host_bytes);
    *(int *)status = lu(a, type, n, (int64_t *)pivots);
    return 0;
}
int cusolverDnXgetrs(void *handle, void *p, int operation, int64_t n, int64_t columns, int type, pointer a, int64_t lda, pointer pivots, int right_type, pointer b, int64_t ldb, pointer status) {
    BEGIN("Xgetrs");
    check(handle, 1);
    insist(p == &parameters && operation == 0 && lda == n && ldb == n && right_type == type, "equations");
    lu_solve(a, type, n, (int64_t *)pivots, b, columns);
    return *(int *)status = 0;
}

/* Cholesky */

static int cholesky(pointer at, int type, int64_t n) {
    double complex *a = fetched(at, type, n * n);
    int status = 0;
    for (int64_t k = 0; k < n && !status; k++) {
        double pivot = creal(a[k + k * n]);
        for (int64_t j = 0; j < k; j++) pivot -= creal(a[k + j * n] * conj(a[k + j * n]));
        if (!(pivot > 0)) status = (int)k + 1;
        a[k + k * n] = pivot = sqrt(pivot);
        for (int64_t i = k + 1; i < n; i++) {
            for (int64_t j = 0; j < k; j++) a[i + k * n] -= a[i + j * n] * conj(a[k + j * n]);
            a[i + k * n] /= pivot;
        }
    }
    put_back(a, at, type, n * n);
    return status;
}
int cusolverDnXpotrf_bufferSize(void *handle, void *p, int part, int64_t n, int type, pointer a, int64_t lda, int compute, size_t *bytes, size_t *host_bytes) {
    check(handle, 0);
    insist(p == &parameters && part == 0 && lda == n && a && compute == type, "a lower part");
    return ask(bytes, host_bytes, n);
}
int cusolverDnXpotrf(void *handle, void *p, int part, int64_t n, int type, pointer a, int64_t lda, int compute, pointer work, size_t bytes, void *host, size_t host_bytes, pointer status) {
    BEGIN("Xpotrf");
    check(handle, 1);
    insist(p == &parameters && part == 0 && lda == n && compute == type, "a lower part");
    use(work, bytes, (size_t)(ROOM + 16 * n)), use_host(host, host_bytes);
    return *(int *)status = cholesky(a, type, n), 0;
}
static int potrf_all(int type, void *handle, int part, int n, pointer matrices, int lda, pointer status, int count) {
    BEGIN("potrfBatched");
    check(handle, 1);
    insist(part == 0 && lda == n && count > 0 && count < 65536, "lower parts");
    for (int i = 0; i < count; i++) ((int *)status)[i] = cholesky(((pointer *)matrices)[i], type, n);
    return 0;
}

/* QR, by reflections 1 - t v v^H */

int cusolverDnXgeqrf_bufferSize(void *handle, void *p, int64_t m, int64_t n, int type, pointer a, int64_t lda, int factors_type, pointer factors, int compute, size_t *bytes, size_t *host_bytes) {
    check(handle, 0);
    insist(p == &parameters && lda == m && a && !factors && factors_type == type && compute == type, "a matrix");
    return ask(bytes, host_bytes, n);
}
int cusolverDnXgeqrf(void *handle, void *p, int64_t m, int64_t n, int type, pointer at, int64_t lda, int factors_type, pointer factors, int compute, pointer work, size_t bytes, void *host, size_t host_bytes, pointer status) {
    BEGIN("Xgeqrf");
    check(handle, 1);
    insist(p == &parameters && lda == m && factors_type == type && compute == type, "a matrix");
    use(work, bytes, (size_t)(ROOM + 16 * n)), use_host(host, host_bytes);
    double complex *a = fetched(at, type, m * n);
    for (int64_t k = 0; k < m && k < n; k++) {
        double complex *v = a + k * m, first = v[k], factor = 0;
        double below = 0;
        for (int64_t i = k + 1; i < m; i++) below += creal(v[i] * conj(v[i]));
        if (below || cimag(first)) {
            double length = sqrt(creal(first * conj(first)) + below), to = creal(first) > 0 ? -length : length;
            factor = (to - first) / to;
            for (int64_t i = k + 1; i < m; i++) v[i] /= first - to;
            v[k] = to;
        }
        for (int64_t j = k + 1; j < n; j++) {
            double complex *x = a + j * m, sum = x[k];
            for (int64_t i = k + 1; i < m; i++) sum += conj(v[i]) * x[i];
            sum *= conj(factor), x[k] -= sum;
            for (int64_t i = k + 1; i < m; i++) x[i] -= v[i] * sum;
        }
        set(factors, type, k, factor);
    }
    put_back(a, at, type, m * n);
    return *(int *)status = 0;
}
static int org_size(int type, void *handle, int m, int n, int k, pointer a, int lda, pointer factors, int *elements) {
    check(handle, 0);
    insist(k > 0 && n >= k && m >= n && lda == m && a && !factors && type >= 0, "no more reflections than columns");
    return *elements = ROOM + n, 0;
}
static int org(int type, void *handle, int m, int n, int k, pointer at, int lda, pointer factors, pointer work, int elements, pointer status) {
    BEGIN("orgqr");
    check(handle, 1);
    insist(k > 0 && n >= k && m >= n && lda == m && elements == ROOM + n, "no more reflections than columns");
    double complex *a = fetched(at, type, m * n), *q = calloc((size_t)(m * n), sizeof *q);
    use(work, (size_t)elements * (size_t)width(type), (size_t)(ROOM + n) * (size_t)width(type));
    for (int64_t i = 0; i < n; i++) q[i + i * m] = 1;
    for (int64_t r = k - 1; r >= 0; r--)
        for (int64_t j = 0; j < n; j++) {
            double complex *x = q + j * m, *v = a + r * m, sum = x[r];
            for (int64_t i = r + 1; i < m; i++) sum += conj(v[i]) * x[i];
            sum *= element(factors, type, r), x[r] -= sum;
            for (int64_t i = r + 1; i < m; i++) x[i] -= v[i] * sum;
        }
    free(a), put_back(q, at, type, m * n);
    return *(int *)status = 0;
}

/* A plane rotation that makes two numbers on a diagonal, `left` and `right`, and what is between them independent. */
typedef struct { double c, s; double complex phase; } Turn;

static Turn turn(double left, double right, double complex between) {
    double size = cabs(between), way = (right - left) / (2 * size);
    double t = (way < 0 ? -1 : 1) / (fabs(way) + sqrt(1 + way * way)), c = 1 / sqrt(1 + t * t);
    return (Turn){c, c * t, conj(between / size)};
}

static void rotate(double complex *x, double complex *y, int64_t count, int64_t step, Turn by, int is_row) {
    double complex phase = is_row ? conj(by.phase) : by.phase;
    for (int64_t i = 0; i < count * step; i += step) {
        double complex held = x[i], turned = phase * y[i];
        x[i] = by.c * held - by.s * turned, y[i] = by.s * held + by.c * turned;
    }
}

/* Singular values, by turning columns until they are orthogonal. `left` gets `left_columns` columns, `right` is V. */
static int svd(pointer at, int type, int64_t m, int64_t n, pointer values, pointer left, int64_t left_columns, pointer right, int is_adjoint) {
    int real = type == 0 || type == 4 ? 0 : 1, is_over = 0;
    double complex *a = fetched(at, type, m * n), *v = calloc((size_t)(n * n), sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i + i * n] = 1;
    for (int sweep = 0; sweep < 60 && !is_over; sweep++) {
        is_over = 1;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                double x = 0, y = 0;
                double complex between = 0;
                for (int64_t i = 0; i < m; i++) {
                    double complex b = a[i + p * m], c = a[i + q * m];
                    x += creal(b * conj(b)), y += creal(c * conj(c)), between += conj(b) * c;
                }
                if (!(cabs(between) > 1e-15 * sqrt(x * y)) || cabs(between) < 1e-300) continue;
                Turn by = turn(x, y, between);
                rotate(a + p * m, a + q * m, m, 1, by, 0), rotate(v + p * n, v + q * n, n, 1, by, 0);
                is_over = 0;
            }
    }
    double *lengths = malloc(sizeof *lengths * (size_t)n);
    int64_t *order = malloc(sizeof *order * (size_t)n);
    int status = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < m; i++) sum += creal(a[i + j * m] * conj(a[i + j * m]));
        lengths[j] = sqrt(sum);
        if (!isfinite(sum)) status = (int)n + 1;
        int64_t place = j;
        while (place > 0 && lengths[order[place - 1]] < lengths[j]) order[place] = order[place - 1], place--;
        order[place] = j;
    }
    for (int64_t k = 0; k < n; k++) set(values, real, k, lengths[order[k]]);
    if (left_columns) {
        double complex *u = calloc((size_t)(m * left_columns), sizeof *u);
        int64_t unit = 0;
        for (int64_t k = 0; k < left_columns; k++) {
            int is_given = k < n && lengths[order[k]] > 1e-13 * lengths[order[0]];
            double length = 0;
            while (!(length > 1e-3) && !status) {
                double complex *x = u + k * m;
                for (int64_t i = 0; i < m; i++) x[i] = is_given ? a[i + order[k] * m] / lengths[order[k]] : i == unit;
                for (int again = 0; again < 2 && !is_given; again++)
                    for (int64_t j = 0; j < k; j++) {
                        double complex sum = 0;
                        for (int64_t i = 0; i < m; i++) sum += conj(u[i + j * m]) * x[i];
                        for (int64_t i = 0; i < m; i++) x[i] -= sum * u[i + j * m];
                    }
                length = 0;
                for (int64_t i = 0; i < m; i++) length += creal(x[i] * conj(x[i]));
                length = sqrt(length);
                for (int64_t i = 0; i < m; i++) x[i] /= length;
                unit += !is_given;
            }
        }
        put_back(u, left, type, m * left_columns);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                double complex x = v[i + order[j] * n];
                set(right, type, is_adjoint ? j + i * n : i + j * n, is_adjoint ? conj(x) : x);
            }
    }
    for (int64_t i = 0; i < m * n; i++) a[i] = NAN; /* What is left is anything. */
    put_back(a, at, type, m * n);
    free(v), free(lengths), free(order);
    return status;
}
int cusolverDnXgesvd_bufferSize(void *handle, void *p, signed char left_job, signed char right_job, int64_t m, int64_t n, int type, pointer a, int64_t lda, int values_type, pointer values, int left_type, pointer left, int64_t ldu, int right_type, pointer right, int64_t ldv, int compute, size_t *bytes, size_t *host_bytes) {
    check(handle, 0);
    int wants = left_job != 'N';
    insist(p == &parameters && left_job == right_job && (left_job == 'N' || left_job == 'S' || left_job == 'A'), "jobs");
    insist(m >= n && lda == m && ldu == m && ldv == n && a && values && !left == !wants && !right == !wants, "a tall matrix");
    insist(values_type == (type == 0 || type == 4 ? 0 : 1) && left_type == type && right_type == type && compute == type, "dtypes");
    return ask(bytes, host_bytes, m + n);
}
int cusolverDnXgesvd(void *handle, void *p, signed char left_job, signed char right_job, int64_t m, int64_t n, int type, pointer a, int64_t lda, int values_type, pointer values, int left_type, pointer left, int64_t ldu, int right_type, pointer right, int64_t ldv, int compute, pointer work, size_t bytes, void *host, size_t host_bytes, pointer status) {
    BEGIN("Xgesvd");
    size_t wanted, host_wanted;
    cusolverDnXgesvd_bufferSize(handle, p, left_job, right_job, m, n, type, a, lda, values_type, values, left_type, left, ldu, right_type, right, ldv, compute, &wanted, &host_wanted);
    check(handle, 1);
    use(work, bytes, wanted), use_host(host, host_bytes);
    *(int *)status = svd(a, type, m, n, values, left, left_job == 'N' ? 0 : left_job == 'S' ? n : m, right, 1);
    return 0;
}
int cusolverDnXgesvdp_bufferSize(void *handle, void *p, int job, int economy, int64_t m, int64_t n, int type, pointer a, int64_t lda, int values_type, pointer values, int left_type, pointer left, int64_t ldu, int right_type, pointer right, int64_t ldv, int compute, size_t *bytes, size_t *host_bytes) {
    check(handle, 0);
    insist(p == &parameters && (job == 0 || job == 1) && (economy == 0 || economy == 1), "jobs");
    insist(m >= n && lda == m && ldu == m && ldv == n && a && values && left && right, "a tall matrix");
    insist(values_type == (type == 0 || type == 4 ? 0 : 1) && left_type == type && right_type == type && compute == type, "dtypes");
    return ask(bytes, host_bytes, m + n);
}
int cusolverDnXgesvdp(void *handle, void *p, int job, int economy, int64_t m, int64_t n, int type, pointer a, int64_t lda, int values_type, pointer values, int left_type, pointer left, int64_t ldu, int right_type, pointer right, int64_t ldv, int compute, pointer work, size_t bytes, void *host, size_t host_bytes, pointer status, double *error) {
    BEGIN("Xgesvdp");
    size_t wanted, host_wanted;
    cusolverDnXgesvdp_bufferSize(handle, p, job, economy, m, n, type, a, lda, values_type, values, left_type, left, ldu, right_type, right, ldv, compute, &wanted, &host_wanted);
    check(handle, 1);
    use(work, bytes, wanted), use_host(host, host_bytes);
    *(int *)status = svd(a, type, m, n, values, left, job == 0 ? 0 : economy ? n : m, right, 0);
    return *error = 0, 0;
}
static int svdj_size(int type, void *handle, int job, int economy, int m, int n, pointer a, int lda, pointer values, pointer left, int ldu, pointer right, int ldv, int *elements, void *settings) {
    check(handle, 0);
    insist(settings == &svd_settings && (job == 0 || job == 1) && (economy == 0 || economy == 1) && type >= 0, "jobs");
    insist(m >= n && lda == m && ldu == m && ldv == n && a && values && left && right, "a tall matrix");
    return *elements = ROOM + m + n, 0;
}
static int svdj(int type, void *handle, int job, int economy, int m, int n, pointer a, int lda, pointer values, pointer left, int ldu, pointer right, int ldv, pointer work, int elements, pointer status, void *settings) {
    BEGIN("gesvdj");
    int wanted;
    svdj_size(type, handle, job, economy, m, n, a, lda, values, left, ldu, right, ldv, &wanted, settings);
    check(handle, 1);
    insist(svd_settings.tolerance > 0 && svd_settings.tolerance < 1e-4 && svd_settings.sweeps > 10, "a tolerance");
    insist(elements == wanted, "as much memory as was asked for");
    use(work, (size_t)elements * (size_t)width(type), (size_t)wanted * (size_t)width(type));
    return *(int *)status = svd(a, type, m, n, values, left, job == 0 ? 0 : economy ? n : m, right, 0), 0;
}
static int svdj_all_size(int type, void *handle, int job, int m, int n, pointer a, int lda, pointer values, pointer left, int ldu, pointer right, int ldv, int *elements, void *settings, int count) {
    insist(m <= 32 && n <= 32 && count > 0 && count < 65536, "small matrices");
    return svdj_size(type, handle, job, 0, m, n, a, lda, values, left, ldu, right, ldv, elements, settings);
}
static int svdj_all(int type, void *handle, int job, int m, int n, pointer a, int lda, pointer values, pointer left, int ldu, pointer right, int ldv, pointer work, int elements, pointer status, void *settings, int count) {
    BEGIN("gesvdjBatched");
    int wanted;
    svdj_all_size(type, handle, job, m, n, a, lda, values, left, ldu, right, ldv, &wanted, settings, count);
    check(handle, 1);
    insist(elements == wanted && svd_settings.tolerance > 0, "as much memory as was asked for");
    use(work, (size_t)elements * (size_t)width(type), (size_t)wanted * (size_t)width(type));
    int64_t size = width(type), real = type == 0 || type == 4 ? 4 : 8;
    for (int64_t i = 0; i < count; i++)
        ((int *)status)[i] = svd(a + (pointer)(i * m * n * size), type, m, n, values + (pointer)(i * n * real), left + (pointer)(i * m * m * size), job ? m : 0, right + (pointer)(i * n * n * size), 0);
    return 0;
}

/* Eigenvalues of Hermitian matrices, by turning rows and columns */

static int eigen(pointer at, int type, int64_t n, pointer values, int wants_vectors) {
    int real = type == 0 || type == 4 ? 0 : 1, is_over = 0, status = 0;
    double complex *a = fetched(at, type, n * n), *v = calloc((size_t)(n * n), sizeof *v);
    double norm = 0;
    for (int64_t j = 0; j < n; j++) {
        v[j + j * n] = 1, a[j + j * n] = creal(a[j + j * n]);
        for (int64_t i = 0; i < j; i++) a[i + j * n] = conj(a[j + i * n]);
    }
    for (int64_t i = 0; i < n * n; i++) norm += creal(a[i] * conj(a[i]));
    if (!isfinite(norm)) status = (int)n + 1;
    for (int sweep = 0; sweep < 60 && !is_over && !status; sweep++) {
        is_over = 1;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                double complex between = a[p + q * n];
                if (cabs(between) <= 1e-16 * sqrt(norm) / (double)n) continue;
                Turn by = turn(creal(a[p + p * n]), creal(a[q + q * n]), between);
                rotate(a + p * n, a + q * n, n, 1, by, 0), rotate(a + p, a + q, n, n, by, 1);
                rotate(v + p * n, v + q * n, n, 1, by, 0);
                is_over = 0;
            }
    }
    int64_t *order = malloc(sizeof *order * (size_t)n);
    for (int64_t j = 0; j < n; j++) {
        int64_t place = j;
        while (place > 0 && creal(a[order[place - 1] * (n + 1)]) > creal(a[j * (n + 1)])) order[place] = order[place - 1], place--;
        order[place] = j;
    }
    for (int64_t k = 0; k < n; k++) {
        set(values, real, k, creal(a[order[k] * (n + 1)]));
        for (int64_t i = 0; i < n; i++) set(at, type, i + k * n, wants_vectors ? v[i + order[k] * n] : NAN);
    }
    free(a), free(v), free(order);
    return status;
}
int cusolverDnXsyevd_bufferSize(void *handle, void *p, int job, int part, int64_t n, int type, pointer a, int64_t lda, int values_type, pointer values, int compute, size_t *bytes, size_t *host_bytes) {
    check(handle, 0);
    insist(p == &parameters && (job == 0 || job == 1) && part == 0 && lda == n && a && values, "a lower part");
    insist(values_type == (type == 0 || type == 4 ? 0 : 1) && compute == type, "dtypes");
    return ask(bytes, host_bytes, n);
}
int cusolverDnXsyevd(void *handle, void *p, int job, int part, int64_t n, int type, pointer a, int64_t lda, int values_type, pointer values, int compute, pointer work, size_t bytes, void *host, size_t host_bytes, pointer status) {
    BEGIN("Xsyevd");
    size_t wanted, host_wanted;
    cusolverDnXsyevd_bufferSize(handle, p, job, part, n, type, a, lda, values_type, values, compute, &wanted, &host_wanted);
    check(handle, 1);
    use(work, bytes, wanted), use_host(host, host_bytes);
    return *(int *)status = eigen(a, type, n, values, job), 0;
}
static void eigen_all(int type, int64_t n, pointer a, pointer values, int job, pointer status, int64_t count) {
    int64_t size = width(type), real = type == 0 || type == 4 ? 4 : 8;
    for (int64_t i = 0; i < count; i++)
        ((int *)status)[i] = eigen(a + (pointer)(i * n * n * size), type, n, values + (pointer)(i * n * real), job);
}
#ifndef OLD
int cusolverDnXsyevBatched_bufferSize(void *handle, void *p, int job, int part, int64_t n, int type, pointer a, int64_t lda, int values_type, pointer values, int compute, size_t *bytes, size_t *host_bytes, int64_t count) {
    insist(count > 0, "matrices");
    return cusolverDnXsyevd_bufferSize(handle, p, job, part, n, type, a, lda, values_type, values, compute, bytes, host_bytes);
}
int cusolverDnXsyevBatched(void *handle, void *p, int job, int part, int64_t n, int type, pointer a, int64_t lda, int values_type, pointer values, int compute, pointer work, size_t bytes, void *host, size_t host_bytes, pointer status, int64_t count) {
    BEGIN("XsyevBatched");
    size_t wanted, host_wanted;
    cusolverDnXsyevd_bufferSize(handle, p, job, part, n, type, a, lda, values_type, values, compute, &wanted, &host_wanted);
    check(handle, 1);
    use(work, bytes, wanted), use_host(host, host_bytes);
    return eigen_all(type, n, a, values, job, status, count), 0;
}
#endif
static int syevj_size(int type, void *handle, int job, int part, int n, pointer a, int lda, pointer values, int *elements, void *settings, int count) {
    check(handle, 0);
    insist(settings == &eigen_settings && (job == 0 || job == 1) && part == 0 && lda == n && a && values, "lower parts");
    insist(count > 0 && count < 65536 && type >= 0, "not too many");
    return *elements = ROOM + n, 0;
}
static int syevj(int type, void *handle, int job, int part, int n, pointer a, int lda, pointer values, pointer work, int elements, pointer status, void *settings, int count) {
    BEGIN("syevjBatched");
    int wanted;
    syevj_size(type, handle, job, part, n, a, lda, values, &wanted, settings, count);
    check(handle, 1);
    insist(eigen_settings.tolerance > 0 && eigen_settings.tolerance < 1e-4 && eigen_settings.sweeps > 10, "a tolerance");
    insist(elements == wanted, "as much memory as was asked for");
    use(work, (size_t)elements * (size_t)width(type), (size_t)wanted * (size_t)width(type));
    return eigen_all(type, n, a, values, job, status, count), 0;
}

/* Eigenvalues of any matrices */

#ifndef OLD
int cusolverDnXgeev_bufferSize(void *handle, void *p, int left_job, int right_job, int64_t n, int type, pointer a, int64_t lda, int values_type, pointer values, int left_type, pointer left, int64_t ldl, int right_type, pointer right, int64_t ldr, int compute, size_t *bytes, size_t *host_bytes) {
    check(handle, 0);
    insist(p == &parameters && left_job == 0 && (right_job == 0 || right_job == 1) && !left && !right == !right_job, "jobs");
    insist(lda == n && ldl == n && ldr == n && a && values, "a square matrix");
    insist(values_type == (type == 0 || type == 4 ? 4 : 5) && left_type == type && right_type == type && compute == type, "dtypes");
    return ask(bytes, host_bytes, n);
}
int cusolverDnXgeev(void *handle, void *p, int left_job, int right_job, int64_t n, int type, pointer a, int64_t lda, int values_type, pointer values, int left_type, pointer left, int64_t ldl, int right_type, pointer right, int64_t ldr, int compute, pointer work, size_t bytes, void *host, size_t host_bytes, pointer status) {
    BEGIN("Xgeev");
    size_t wanted, host_wanted;
    cusolverDnXgeev_bufferSize(handle, p, left_job, right_job, n, type, a, lda, values_type, values, left_type, left, ldl, right_type, right, ldr, compute, &wanted, &host_wanted);
    check(handle, 1);
    use(work, bytes, wanted), use_host(host, host_bytes);
    double sum = 0;
    for (int64_t i = 0; i < n * n; i++) sum += cabs(element(a, type, i));
    memset((void *)values, 0, (size_t)(n * width(values_type)));
    if (right_job) memset((void *)right, 0, (size_t)(n * n * width(type)));
    return *(int *)status = isfinite(sum) ? 0 : (int)n, 0;
}
#endif

/* The functions that exist once for each dtype. */
#define FAMILY(letter, type, org_name, eigen_name)                                                                     \
    int cusolverDn##letter##org_name##_bufferSize(void *h, int m, int n, int k, pointer a, int lda, pointer t, int *e) { return org_size(type, h, m, n, k, a, lda, t, e); } \
    int cusolverDn##letter##org_name(void *h, int m, int n, int k, pointer a, int lda, pointer t, pointer w, int e, pointer s) { return org(type, h, m, n, k, a, lda, t, w, e, s); } \
    int cusolverDn##letter##potrfBatched(void *h, int part, int n, pointer a, int lda, pointer s, int count) { return potrf_all(type, h, part, n, a, lda, s, count); } \
    int cusolverDn##letter##gesvdj_bufferSize(void *h, int j, int ec, int m, int n, pointer a, int lda, pointer s, pointer u, int ldu, pointer v, int ldv, int *e, void *of) { return svdj_size(type, h, j, ec, m, n, a, lda, s, u, ldu, v, ldv, e, of); } \
    int cusolverDn##letter##gesvdj(void *h, int j, int ec, int m, int n, pointer a, int lda, pointer s, pointer u, int ldu, pointer v, int ldv, pointer w, int e, pointer i, void *of) { return svdj(type, h, j, ec, m, n, a, lda, s, u, ldu, v, ldv, w, e, i, of); } \
    int cusolverDn##letter##gesvdjBatched_bufferSize(void *h, int j, int m, int n, pointer a, int lda, pointer s, pointer u, int ldu, pointer v, int ldv, int *e, void *of, int c) { return svdj_all_size(type, h, j, m, n, a, lda, s, u, ldu, v, ldv, e, of, c); } \
    int cusolverDn##letter##gesvdjBatched(void *h, int j, int m, int n, pointer a, int lda, pointer s, pointer u, int ldu, pointer v, int ldv, pointer w, int e, pointer i, void *of, int c) { return svdj_all(type, h, j, m, n, a, lda, s, u, ldu, v, ldv, w, e, i, of, c); } \
    int cusolverDn##letter##eigen_name##_bufferSize(void *h, int j, int part, int n, pointer a, int lda, pointer s, int *e, void *of, int c) { return syevj_size(type, h, j, part, n, a, lda, s, e, of, c); } \
    int cusolverDn##letter##eigen_name(void *h, int j, int part, int n, pointer a, int lda, pointer s, pointer w, int e, pointer i, void *of, int c) { return syevj(type, h, j, part, n, a, lda, s, w, e, i, of, c); }

FAMILY(S, 0, orgqr, syevjBatched)
FAMILY(D, 1, orgqr, syevjBatched)
FAMILY(C, 4, ungqr, heevjBatched)
FAMILY(Z, 5, ungqr, heevjBatched)
