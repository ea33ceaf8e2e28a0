/* A cuFFT whose sequences are the host's, so that what is asked of it can be compared with what should be.
 *
 * It aborts where a call is not as it should be: without a stream, without memory to work in, with arguments of another kind.
 * As the real one does, it spoils the input of transforms to real numbers. FAKE_CUFFT_CREATE, FAKE_CUFFT_PLAN and
 * FAKE_CUFFT_EXEC are statuses to fail with, FAKE_CUFFT_MAJOR is the version's first number. */

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t pointer;
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69, MOST = 4096 };

static struct plan {
    int is_alive, is_manual, is_made, type;
    long long n, input_step, input_next, out_step, out_next, count;
    size_t bytes;
    void *stream;
    pointer workspace;
} plans[MOST];
static int made, destroyed;

static int told(const char *name) {
    const char *value = getenv(name);
    return value ? atoi(value) : 0;
}

static void insist(int is_so, const char *what) {
    if (!is_so) {
        fprintf(stderr, "fake cuFFT: %s\n", what);
        abort();
    }
}

static struct plan *alive(int handle) {
    insist(handle > 0 && handle < MOST && plans[handle].is_alive, "a plan is needed");
    return &plans[handle];
}

/* How many plans have been made, and destroyed. */
int fakeCufftMade(void) { return made; }
int fakeCufftDestroyed(void) { return destroyed; }

int cufftGetProperty(int which, int *value) {
    *value = which == 0 ? (told("FAKE_CUFFT_MAJOR") ? told("FAKE_CUFFT_MAJOR") : 11) : 0;
    return 0;
}

int cufftCreate(int *handle) {
    if (told("FAKE_CUFFT_CREATE")) return told("FAKE_CUFFT_CREATE");
    insist(made + 1 < MOST, "so many plans are never made");
    *handle = ++made;
    memset(&plans[made], 0, sizeof plans[made]);
    plans[made].is_alive = 1;
    return 0;
}

int cufftDestroy(int handle) {
    alive(handle)->is_alive = 0;
    destroyed++;
    return 0;
}

int cufftSetAutoAllocation(int handle, int is_automatic) {
    struct plan *plan = alive(handle);
    insist(!plan->is_made && is_automatic == 0, "memory is the caller's, and that comes before the plan");
    plan->is_manual = 1;
    return 0;
}

int cufftMakePlanMany64(int handle, int rank, long long *n, long long *inembed, long long istride, long long idist,
                        long long *onembed, long long ostride, long long odist, int type, long long batch, size_t *bytes) {
    struct plan *plan = alive(handle);
    insist(plan->is_manual && !plan->is_made, "a plan is made once");
    insist(rank == 1 && n && n[0] > 0 && !inembed == !onembed && batch > 0 && bytes, "one axis, with room for sequences");
    insist(istride > 0 && idist > 0 && ostride > 0 && odist > 0, "sequences that run forwards");
    insist(type == R2C || type == C2R || type == C2C || type == D2Z || type == Z2D || type == Z2Z, "a known type");
    if (told("FAKE_CUFFT_PLAN")) return told("FAKE_CUFFT_PLAN");
    *plan = (struct plan){1, 1, 1, type, n[0], istride, idist, ostride, odist, batch, n[0] % 2 ? 4096 : 0, 0, 0};
    *bytes = plan->bytes;
    return 0;
}

int cufftSetWorkArea(int handle, pointer workspace) {
    struct plan *plan = alive(handle);
    insist(plan->is_made && workspace && workspace % 256 == 0, "memory where the driver's own would be");
    plan->workspace = workspace;
    if (plan->bytes) memset((void *)workspace, 0xAB, plan->bytes);
    return 0;
}

int cufftSetStream(int handle, void *stream) {
    struct plan *plan = alive(handle);
    insist(!stream || !plan->stream, "the last stream was to be let go of: its queue may be gone");
    plan->stream = stream;
    if (!stream) plan->workspace = 0;
    return 0;
}

static double complex element(pointer at, int is_double, int is_real, long long n) {
    if (is_real) return is_double ? ((double *)at)[n] : ((float *)at)[n];
    return is_double ? ((double complex *)at)[n] : ((float complex *)at)[n];
}

static void set(pointer at, int is_double, int is_real, long long n, double complex value) {
    if (is_real && is_double) ((double *)at)[n] = creal(value);
    else if (is_real) ((float *)at)[n] = (float)creal(value);
    else if (is_double) ((double complex *)at)[n] = value;
    else ((float complex *)at)[n] = (float complex)value;
}

static int execute(int handle, pointer input, pointer out, int type, int sign) {
    struct plan *plan = alive(handle);
    insist(plan->is_made && plan->stream, "plan and stream come first");
    insist(plan->bytes == 0 || plan->workspace, "memory to work in comes first");
    insist(plan->type == type, "the function is another type's");
    int is_double = type >= D2Z - 1, from_real = type == R2C || type == D2Z, to_real = type == C2R || type == Z2D;
    insist((input | out) % (is_double ? 16 : 8) == 0, "both lie where complex numbers may be");
    insist(!to_real || input != out, "real results have a place of their own");
    if (told("FAKE_CUFFT_EXEC")) return told("FAKE_CUFFT_EXEC");
    long long n = plan->n, reads = to_real ? n / 2 + 1 : n, writes = from_real ? n / 2 + 1 : n;
    double complex *whole = malloc(n * sizeof *whole);
    for (long long b = 0; b < plan->count; b++) {
        for (long long j = 0; j < reads; j++)
            whole[j] = element(input, is_double, from_real, b * plan->input_next + j * plan->input_step);
        for (long long j = reads; j < n; j++) whole[j] = conj(whole[n - j]);
        for (long long k = 0; k < writes; k++) {
            double complex sum = 0;
            for (long long j = 0; j < n; j++) sum += whole[j] * cexp(sign * 2 * M_PI * I * (double)(j * k % n) / (double)n);
            set(out, is_double, to_real, b * plan->out_next + k * plan->out_step, sum);
        }
        if (to_real)
            for (long long j = 0; j < reads; j++)
                set(input, is_double, 0, b * plan->input_next + j * plan->input_step, NAN);
    }
    free(whole);
    return 0;
}

int cufftExecC2C(int plan, pointer input, pointer out, int sign) { insist(sign == 1 || sign == -1, "a direction"); return execute(plan, input, out, C2C, sign); }
int cufftExecZ2Z(int plan, pointer input, pointer out, int sign) { insist(sign == 1 || sign == -1, "a direction"); return execute(plan, input, out, Z2Z, sign); }
int cufftExecR2C(int plan, pointer input, pointer out) { return execute(plan, input, out, R2C, -1); }
int cufftExecD2Z(int plan, pointer input, pointer out) { return execute(plan, input, out, D2Z, -1); }
int cufftExecC2R(int plan, pointer input, pointer out) { return execute(plan, input, out, C2R, 1); }
int cufftExecZ2D(int plan, pointer input, pointer out) { return execute(plan, input, out, Z2D, 1); }
