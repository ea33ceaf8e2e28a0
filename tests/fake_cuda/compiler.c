// NVRTC beside the fake driver: it takes every text, and "compiles" it to a few bytes.
//
//   FAKE_NVRTC_FAIL      1: nothing compiles
//   FAKE_NVRTC_VERSION   the major version (13)

#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default"))) int

static const char LOG[] = "fake(1): error: not today", IMAGE[] = "fake image";

API nvrtcVersion(int *major, int *minor) {
    const char *told = getenv("FAKE_NVRTC_VERSION");
    return *major = told ? atoi(told) : 13, *minor = 0;
}
API nvrtcCreateProgram(void **program, const char *source, const char *name, int count, const char *const *headers,
                       const char *const *names) {
    return (void)name, (void)count, (void)headers, (void)names, (*program = strdup(source)) ? 0 : 1;
}
API nvrtcCompileProgram(void *program, int count, const char *const *options) {
    return (void)program, (void)count, (void)options, getenv("FAKE_NVRTC_FAIL") ? 6 : 0;
}
API nvrtcGetProgramLogSize(void *program, size_t *bytes) { return (void)program, *bytes = sizeof LOG, 0; }
API nvrtcGetProgramLog(void *program, char *log) { return (void)program, memcpy(log, LOG, sizeof LOG), 0; }
API nvrtcGetCUBINSize(void *program, size_t *bytes) { return (void)program, *bytes = sizeof IMAGE, 0; }
API nvrtcGetCUBIN(void *program, char *image) { return (void)program, memcpy(image, IMAGE, sizeof IMAGE), 0; }
API nvrtcGetPTXSize(void *program, size_t *bytes) { return (void)program, *bytes = sizeof IMAGE, 0; }
API nvrtcGetPTX(void *program, char *image) { return (void)program, memcpy(image, IMAGE, sizeof IMAGE), 0; }
API nvrtcGetNumSupportedArchs(int *count) { return *count = 1, 0; }
API nvrtcGetSupportedArchs(int *architectures) { return *architectures = 90, 0; }
API nvrtcDestroyProgram(void **program) { return free(*program), 0; }
