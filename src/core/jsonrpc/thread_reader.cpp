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

}  // namespace holdfast::jsonrpc
