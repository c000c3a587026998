// A library to be preloaded: every attempt to open, list or create something in the folder
// HOLDFAST_TEST_HUNG_FOLDER hangs, as on a file server that is gone.

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <string_view>

namespace {

void hang_if_inside(const char* path) {
    const char* const folder = std::getenv("HOLDFAST_TEST_HUNG_FOLDER");
    if (folder != nullptr && path != nullptr && std::string_view{path}.starts_with(folder)) {
        while (true) {
            ::pause();
        }
    }
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// NOLINTBEGIN(cert-dcl50-cpp,cppcoreguidelines-pro-type-vararg): as the C library declares them.
extern "C" {

int open(const char* path, int flags, ...) {
    hang_if_inside(path);
    va_list arguments;
    va_start(arguments, flags);
    const int mode = va_arg(arguments, int);
    va_end(arguments);
    return next<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    hang_if_inside(path);
    va_list arguments;
    va_start(arguments, flags);
    const int mode = va_arg(arguments, int);
    va_end(arguments);
    return next<int (*)(const char*, int, ...)>("open64")(path, flags, mode);
}

DIR* opendir(const char* path) {
    hang_if_inside(path);
    return next<DIR* (*)(const char*)>("opendir")(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
    hang_if_inside(path);
    return next<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}

int stat(const char* path, struct stat* result) noexcept {
    hang_if_inside(path);
    return next<int (*)(const char*, struct stat*)>("stat")(path, result);
}
}
// NOLINTEND(cert-dcl50-cpp,cppcoreguidelines-pro-type-vararg)
