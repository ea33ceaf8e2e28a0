// A CUDA driver without a GPU: device memory is the host's, copies and fills happen at once, and kernels do nothing.
//
// Tests put it where the system looks for libcuda, to see what situ does when the driver misbehaves:
//
//   FAKE_CUDA_DEVICES   how many GPUs there are (1)
//   FAKE_CUDA_VERSION   what the driver says it is for (13000: CUDA 13.0)
//   FAKE_CUDA_INIT      the status of cuInit (0)
//   FAKE_CUDA_MEMORY    bytes of memory of each GPU (1 GiB)
//   FAKE_CUDA_CACHE     bytes of its cache (0)
//   FAKE_CUDA_BUSY      microseconds until an event is over (0)
//   FAKE_CUDA_FAIL      a function, a count and a status, "cuLaunchKernel:3:700": the third call fails so; fatal ones stay
//
// Every function checks that the handles it is given are alive, and aborts if they are not: a test notices that.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define API __attribute__((visibility("default"))) int

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_CONTEXT = 201, NOT_READY = 600 };

typedef struct Block {
    struct Block *next;
    void *base;
    size_t bytes;
    int sort; // 1 host, 2 device, 3 managed
} Block;

typedef struct {
    uint32_t magic;
    double over; // when an event will be, in microseconds
} Thing;

static const uint32_t CONTEXT = 0xC0117E87, STREAM = 0x57BEA3, EVENT = 0xE7E117, MODULE = 0x30D01E, FUNCTION = 0xF17C;

static Thing contexts[64];
static __thread Thing *stack[16];
static __thread int depth;
static Block *blocks;
static size_t used;
static int fatal;
static volatile int lock;

static void enter(void) {
    while (__sync_lock_test_and_set(&lock, 1)) {
    }
}

static void leave(void) { __sync_lock_release(&lock); }

static long setting(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text && *text ? atol(text) : otherwise;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void wrong(const char *function, const char *what) {
    fprintf(stderr, "fake CUDA driver: %s was given %s\n", function, what);
    abort();
}

static Thing *alive(void *handle, uint32_t magic, const char *function) {
    Thing *thing = handle;
    if (!thing || thing->magic != magic) wrong(function, "a dead or foreign handle");
    return thing;
}

static Thing *made(uint32_t magic) {
    Thing *thing = calloc(1, sizeof *thing);
    thing->magic = magic;
    return thing;
}

static char failing[64];
static long turn, code, calls;

// Makes a function fail at its n-th call from now on, as FAKE_CUDA_FAIL does; an empty name makes none fail.
API fake_fail(const char *function, long n, long with) {
    snprintf(failing, sizeof failing, "%s", function);
    return turn = n, code = with, calls = 0, fatal = 0;
}

// The status a call should have: the chosen one when its turn comes.
static int status(const char *function) {
    static int asked;
    if (!asked) {
        const char *text = getenv("FAKE_CUDA_FAIL");
        asked = 1;
        if (text) sscanf(text, "%63[^:]:%ld:%ld", failing, &turn, &code);
    }
    if (fatal) return fatal;
    if (turn == 0 || strcmp(failing, function) != 0) return SUCCESS;
    if (__sync_add_and_fetch(&calls, 1) != turn) return SUCCESS;
    if (code >= 700 && code < 720 && code != 701) fatal = (int)code;
    return (int)code;
}

#define BEGIN                                                                                                          \
    do {                                                                                                               \
        int now = status(__func__);                                                                                    \
        if (now) return now;                                                                                           \
    } while (0)

#define BEGIN_CURRENT                                                                                                  \
    do {                                                                                                               \
        if (!depth) return INVALID_CONTEXT;                                                                            \
        BEGIN;                                                                                                         \
    } while (0)

API cuInit(unsigned flags) { return flags ? INVALID_VALUE : (int)setting("FAKE_CUDA_INIT", 0); }
API cuDriverGetVersion(int *version) { return *version = (int)setting("FAKE_CUDA_VERSION", 13000), SUCCESS; }
API cuGetErrorName(int code, const char **name) { return (void)code, *name = "CUDA_ERROR_FAKE", SUCCESS; }
API cuGetErrorString(int code, const char **text) {
    static __thread char buffer[64];
    snprintf(buffer, sizeof buffer, "status %d", code);
    return *text = buffer, SUCCESS;
}
API cuDeviceGetCount(int *count) { return *count = (int)setting("FAKE_CUDA_DEVICES", 1), SUCCESS; }
API cuDeviceGet(int *device, int number) { return *device = number, SUCCESS; }
API cuDeviceGetName(char *name, int length, int device) {
    return snprintf(name, (size_t)length, "Fake GPU %d", device), SUCCESS;
}
// Bytes of a block's own memory: what every kernel has, and what it may ask for.
enum { LOCAL_GRANTED = 48 << 10, LOCAL_MOST = 227 << 10 };
API cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) {
    case 1: *value = 1024; break;
    case 8: *value = LOCAL_GRANTED; break;
    case 10: *value = 32; break;
    case 16: *value = 4; break;
    case 38: *value = (int)setting("FAKE_CUDA_CACHE", 0); break;
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    case 83: *value = 1; break;
    case 89: *value = 1; break;
    case 97: *value = LOCAL_MOST; break;
    default: *value = 0;
    }
    return SUCCESS;
}
API cuDeviceTotalMem_v2(size_t *bytes, int device) {
    return (void)device, *bytes = (size_t)setting("FAKE_CUDA_MEMORY", 1L << 30), SUCCESS;
}
API cuDevicePrimaryCtxRetain(void **context, int device) {
    BEGIN;
    contexts[device].magic = CONTEXT;
    return *context = &contexts[device], SUCCESS;
}
// How many GPUs have been used.
API fake_contexts(void) {
    int used_gpus = 0;
    for (int i = 0; i < 64; i++) used_gpus += contexts[i].magic == CONTEXT;
    return used_gpus;
}
API cuCtxGetCurrent(void **context) { return *context = depth ? stack[depth - 1] : NULL, SUCCESS; }
API cuCtxPushCurrent_v2(void *context) { return stack[depth++] = alive(context, CONTEXT, __func__), SUCCESS; }
API cuCtxPopCurrent_v2(void **context) {
    if (!depth) return INVALID_CONTEXT;
    return *context = stack[--depth], SUCCESS;
}
API cuCtxSynchronize(void) {
    BEGIN_CURRENT;
    return SUCCESS;
}

static int allocate(void **base, size_t bytes, int sort) {
    size_t total = (size_t)setting("FAKE_CUDA_MEMORY", 1L << 30);
    enter();
    int fits = sort == 1 || used + bytes <= total;
    if (fits) {
        Block *block = malloc(sizeof *block);
        *block = (Block){blocks, aligned_alloc(512, (bytes + 511) / 512 * 512), bytes, sort};
        blocks = block;
        if (sort != 1) used += bytes;
        *base = block->base;
    }
    leave();
    return fits ? SUCCESS : OUT_OF_MEMORY;
}

static Block *containing(uint64_t address) {
    enter();
    Block *block = blocks;
    while (block && (address < (uint64_t)block->base || address >= (uint64_t)block->base + block->bytes)) block = block->next;
    leave();
    return block;
}

static int give_back(void *base, int host) {
    enter();
    Block **link = &blocks;
    while (*link && (*link)->base != base) link = &(*link)->next;
    Block *block = *link;
    if (!block || (block->sort == 1) != host) wrong("release", "memory it did not allocate");
    *link = block->next;
    if (!host) used -= block->bytes;
    leave();
    free(block->base);
    free(block);
    return SUCCESS;
}

API cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    BEGIN_CURRENT;
    return allocate((void **)address, bytes, 2);
}
API cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags) {
    BEGIN_CURRENT;
    return (void)flags, allocate((void **)address, bytes, 3);
}
API cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
    BEGIN_CURRENT;
    return (void)flags, allocate(address, bytes, 1);
}
API cuMemFree_v2(uint64_t address) { return give_back((void *)address, 0); }
API cuMemFreeHost(void *address) { return give_back(address, 1); }
API cuMemGetInfo_v2(size_t *available, size_t *total) {
    *total = (size_t)setting("FAKE_CUDA_MEMORY", 1L << 30);
    return *available = *total - used, SUCCESS;
}
API cuPointerGetAttributes(unsigned count, int *which, void **values, uint64_t address) {
    Block *block = containing(address);
    for (unsigned i = 0; i < count && block; i++) {
        if (which[i] == 2) *(unsigned *)values[i] = block->sort == 1 ? 1 : 2;
        if (which[i] == 8) *(char *)values[i] = block->sort == 3;
        if (which[i] == 9) *(int *)values[i] = 0;
    }
    return SUCCESS;
}

API cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    BEGIN_CURRENT;
    alive(stream, STREAM, __func__);
    return memcpy((void *)to, (void *)from, bytes), SUCCESS;
}
API cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
    BEGIN_CURRENT;
    alive(stream, STREAM, __func__);
    return memcpy((void *)to, from, bytes), SUCCESS;
}
API cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
    BEGIN_CURRENT;
    alive(stream, STREAM, __func__);
    return memcpy(to, (void *)from, bytes), SUCCESS;
}

#define FILL(name, type)                                                                                               \
    API name(uint64_t to, type value, size_t count, void *stream) {                                                    \
        BEGIN_CURRENT;                                                                                                 \
        alive(stream, STREAM, __func__);                                                                               \
        for (size_t i = 0; i < count; i++) ((type *)to)[i] = value;                                                    \
        return SUCCESS;                                                                                                \
    }
FILL(cuMemsetD8Async, uint8_t)
FILL(cuMemsetD16Async, uint16_t)
FILL(cuMemsetD32Async, uint32_t)

API cuMemPrefetchAsync(uint64_t address, size_t bytes, int device, void *stream) {
    return (void)address, (void)bytes, (void)device, alive(stream, STREAM, __func__), SUCCESS;
}
API cuMemAdvise(uint64_t address, size_t bytes, int advice, int device) {
    return (void)address, (void)bytes, (void)advice, (void)device, SUCCESS;
}

API cuStreamCreate(void **stream, unsigned flags) {
    BEGIN_CURRENT;
    return (void)flags, *stream = made(STREAM), SUCCESS;
}
API cuStreamDestroy_v2(void *stream) { return alive(stream, STREAM, __func__)->magic = 0, SUCCESS; }
API cuStreamQuery(void *stream) {
    BEGIN_CURRENT;
    return alive(stream, STREAM, __func__), SUCCESS;
}
API cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    BEGIN_CURRENT;
    if ((uint64_t)stream > 2) alive(stream, STREAM, __func__);
    return (void)flags, alive(event, EVENT, __func__), SUCCESS;
}
API cuEventCreate(void **event, unsigned flags) {
    BEGIN_CURRENT;
    return (void)flags, *event = made(EVENT), SUCCESS;
}
API cuEventRecord(void *event, void *stream) {
    BEGIN_CURRENT;
    // Streams of other libraries have numbers of their own.
    if ((uint64_t)stream > 2) alive(stream, STREAM, __func__);
    return alive(event, EVENT, __func__)->over = now() + setting("FAKE_CUDA_BUSY", 0), SUCCESS;
}
API cuEventQuery(void *event) {
    BEGIN_CURRENT;
    return alive(event, EVENT, __func__)->over <= now() ? SUCCESS : NOT_READY;
}
API cuEventSynchronize(void *event) {
    BEGIN_CURRENT;
    while (alive(event, EVENT, __func__)->over > now()) {
    }
    return SUCCESS;
}
API cuEventDestroy_v2(void *event) { return alive(event, EVENT, __func__)->magic = 0, SUCCESS; }
API cuEventElapsedTime(float *milliseconds, void *start, void *end) {
    return alive(start, EVENT, __func__), alive(end, EVENT, __func__), *milliseconds = 0.25f, SUCCESS;
}

API cuModuleLoadData(void **module, const void *image) {
    BEGIN_CURRENT;
    return (void)image, *module = made(MODULE), SUCCESS;
}
API cuModuleGetFunction(void **function, void *module, const char *name) {
    BEGIN_CURRENT;
    return (void)name, alive(module, MODULE, __func__), *function = made(FUNCTION), SUCCESS;
}
// What a kernel has asked for.
static unsigned granted = LOCAL_GRANTED;
API cuFuncSetAttribute(void *function, int attribute, int value) {
    BEGIN_CURRENT;
    alive(function, FUNCTION, __func__);
    if (attribute != 8 || value <= 0 || value > LOCAL_MOST) return INVALID_VALUE;
    granted = (unsigned)value;
    return SUCCESS;
}
API cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra) {
    BEGIN_CURRENT;
    (void)arguments, (void)extra;
    alive(function, FUNCTION, __func__);
    alive(stream, STREAM, __func__);
    if (shared > granted || gy > 65535 || gz > 65535 || bz > 64) return INVALID_VALUE;
    uint64_t threads = (uint64_t)bx * by * bz;
    return gx && gy && gz && threads && threads <= 1024 ? SUCCESS : INVALID_VALUE;
}
