#pragma once

// g++ 12 miscompiles coroutines: temporaries inside a co_await expression are destroyed twice or
// not at all. Programs that use this part would corrupt memory, so they do not compile.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#error "holdfast::resilience_asio needs clang, or g++ 13 and newer: g++ 12 miscompiles coroutines"
#endif
