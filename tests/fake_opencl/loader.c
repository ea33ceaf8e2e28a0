// An OpenCL loader with one platform and one device that computes nothing, and fails as the environment says:
// FAKE_OPENCL_PLATFORMS and FAKE_OPENCL_DEVICES count, FAKE_OPENCL_NAME and FAKE_OPENCL_VERSION are the platform's,
// FAKE_OPENCL_TYPE is what the device is, FAKE_OPENCL_SVM and FAKE_OPENCL_EXTENSIONS are its capabilities, and the other variables are codes that calls return.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;

static long setting(const char *name, long usual) {
    const char *text = getenv(name);
    return text ? atol(text) : usual;
}

static const char *words(const char *name, const char *usual) {
    const char *text = getenv(name);
    return text ? text : usual;
}

// Some address that is not null.
static char something[1];

static int tell(const void *value, size_t bytes, size_t room, void *to, size_t *size) {
    if (size) *size = bytes;
    if (to && room >= bytes) memcpy(to, value, bytes);
    return 0;
}

static int tell_text(const char *text, size_t room, void *to, size_t *size) {
    return tell(text, strlen(text) + 1, room, to, size);
}

static int tell_number(uint64_t number, size_t width, size_t room, void *to, size_t *size) {
    return tell(&number, width, room, to, size);
}

static int list(long count, int none, uint32_t room, handle *to, uint32_t *counted) {
    if (count == 0) return none;
    if (counted) *counted = (uint32_t)count;
    for (uint32_t i = 0; to && i < room; i++) to[i] = something;
    return 0;
}

static handle make(int failure, int *code) {
    if (code) *code = failure;
    return failure ? NULL : something;
}

int clGetPlatformIDs(uint32_t room, handle *to, uint32_t *count) {
    return list(setting("FAKE_OPENCL_PLATFORMS", 1), -1001, room, to, count);
}

int clGetPlatformInfo(handle p, uint32_t what, size_t room, void *to, size_t *size) {
    return tell_text(what == 0x0901 ? words("FAKE_OPENCL_VERSION", "OpenCL 3.0 fake") : words("FAKE_OPENCL_NAME", "Fake platform"), room, to, size);
}

void *clGetExtensionFunctionAddressForPlatform(handle p, const char *name) { return NULL; }

int clGetDeviceIDs(handle p, uint64_t types, uint32_t room, handle *to, uint32_t *count) {
    return list(setting("FAKE_OPENCL_DEVICES", 1), -1, room, to, count);
}

int clGetDeviceInfo(handle d, uint32_t what, size_t room, void *to, size_t *size) {
    switch (what) {
        case 0x1000: return tell_number(setting("FAKE_OPENCL_TYPE", 4), 8, room, to, size);  // a GPU
        case 0x1002: case 0x1003: return tell_number(3, 4, room, to, size);
        case 0x1004: return tell_number(1024, 8, room, to, size);
        case 0x1005: { size_t sizes[3] = {1024, 1024, 1024}; return tell(sizes, sizeof sizes, room, to, size); }
        case 0x100D: return tell_number(64, 4, room, to, size);
        case 0x1010: case 0x101F: return tell_number(1 << 30, 8, room, to, size);
        case 0x1023: return tell_number(48 << 10, 8, room, to, size);
        case 0x1027: return tell_number(setting("FAKE_OPENCL_AVAILABLE", 1), 4, room, to, size);
        case 0x1028: return tell_number(1, 4, room, to, size);
        case 0x102B: return tell_text("Fake device", room, to, size);
        case 0x102C: case 0x102D: case 0x102F: case 0x103D: return tell_text("OpenCL C 1.2 fake", room, to, size);
        case 0x1030: {
            const char *usual = "cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics";
            return tell_text(words("FAKE_OPENCL_EXTENSIONS", usual), room, to, size);
        }
        case 0x1053: return tell_number(setting("FAKE_OPENCL_SVM", 3), 8, room, to, size);
        default: return -30;
    }
}

int clCreateSubDevices(handle d, const intptr_t *how, uint32_t room, handle *to, uint32_t *count) { return -18; }
int clReleaseDevice(handle d) { return 0; }
handle clCreateContext(const intptr_t *p, uint32_t n, const handle *d, void *f, void *x, int *code) { return make(0, code); }
int clReleaseContext(handle c) { return 0; }
handle clCreateCommandQueue(handle c, handle d, uint64_t p, int *code) { return make(0, code); }
int clReleaseCommandQueue(handle q) { return 0; }
int clFlush(handle q) { return 0; }
int clFinish(handle q) { return 0; }

static int enqueued(const char *name, handle *event) {
    if (event) *event = something;
    return (int)setting(name, 0);
}

int clEnqueueMarkerWithWaitList(handle q, uint32_t n, const handle *after, handle *event) {
    return enqueued("FAKE_OPENCL_MARK", event);
}
int clWaitForEvents(uint32_t n, const handle *events) { return setting("FAKE_OPENCL_STATUS", 0) < 0 ? -14 : 0; }
int clGetEventInfo(handle e, uint32_t what, size_t room, void *to, size_t *size) {
    return tell_number((uint64_t)setting("FAKE_OPENCL_STATUS", 0), 4, room, to, size);
}
int clGetEventProfilingInfo(handle e, uint32_t what, size_t room, void *to, size_t *size) { return -7; }
int clReleaseEvent(handle e) { return 0; }

void *clSVMAlloc(handle c, uint64_t flags, size_t bytes, uint32_t alignment) {
    void *memory = NULL;
    if (setting("FAKE_OPENCL_ALLOCATE", 0) || posix_memalign(&memory, 64, bytes)) return NULL;
    return memset(memory, 0, bytes);
}
void clSVMFree(handle c, void *memory) { free(memory); }
int clEnqueueSVMMemcpy(handle q, uint32_t wait, void *to, const void *from, size_t bytes, uint32_t n, const handle *a, handle *e) {
    memcpy(to, from, bytes);
    return enqueued("FAKE_OPENCL_COPY", e);
}
int clEnqueueSVMMemFill(handle q, void *to, const void *p, size_t width, size_t bytes, uint32_t n, const handle *a, handle *e) {
    for (size_t at = 0; at < bytes; at += width) memcpy((char *)to + at, p, width);
    return enqueued("FAKE_OPENCL_COPY", e);
}

handle clCreateProgramWithSource(handle c, uint32_t n, const char **texts, const size_t *lengths, int *code) {
    return make(0, code);
}
handle clCreateProgramWithBinary(handle c, uint32_t n, const handle *d, const size_t *l, const unsigned char **i, int *codes, int *code) {
    return make(-42, code);
}
int clBuildProgram(handle p, uint32_t n, const handle *d, const char *options, void *f, void *x) {
    return (int)setting("FAKE_OPENCL_BUILD", 0);
}
int clGetProgramInfo(handle p, uint32_t what, size_t room, void *to, size_t *size) { return -30; }
int clGetProgramBuildInfo(handle p, handle d, uint32_t what, size_t room, void *to, size_t *size) {
    return tell_text("fake: note\nfake:7: error: the first one\nfake:8: error: the second one\n", room, to, size);
}
int clReleaseProgram(handle p) { return 0; }
handle clCreateKernel(handle p, const char *name, int *code) { return make(0, code); }
int clGetKernelInfo(handle k, uint32_t what, size_t room, void *to, size_t *size) { return tell_number(0, 4, room, to, size); }
int clGetKernelWorkGroupInfo(handle k, handle d, uint32_t what, size_t room, void *to, size_t *size) {
    return tell_number(1, 8, room, to, size);
}
int clReleaseKernel(handle k) { return 0; }
int clSetKernelArg(handle k, uint32_t i, size_t bytes, const void *value) { return 0; }
int clSetKernelArgSVMPointer(handle k, uint32_t i, const void *value) { return 0; }
int clSetKernelExecInfo(handle k, uint32_t what, size_t bytes, const void *value) { return 0; }
int clEnqueueNDRangeKernel(handle q, handle k, uint32_t axes, const size_t *o, const size_t *g, const size_t *l, uint32_t n, const handle *a, handle *e) {
    return enqueued("FAKE_OPENCL_LAUNCH", e);
}
