#include "jsonrpc/thread_reader.hpp"

namespace holdfast::jsonrpc {

MessageReader& thread_reader() {
    thread_local MessageReader reader;
    return reader;
}

MessageReader& part_reader() {
    thread_local MessageReader reader;
    return reader;
}

void set_reader_limits(const ReaderLimits& limits) {
    thread_reader().set_limits(limits);
    part_reader().set_limits(limits);
}

}  // namespace holdfast::jsonrpc
