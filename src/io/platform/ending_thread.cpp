#include "platform/ending_thread.hpp"

namespace holdfast::platform {

void join_or_detach(std::thread& thread, WorkerState& end, resilience::Duration within) {
    bool is_done = false;
    {
        std::unique_lock lock{end.mutex};
        end.is_ending = true;
        end.changed.notify_all();
        is_done = end.changed.wait_for(lock, within, [&end] { return end.is_done; });
    }
    if (is_done) {
        thread.join();
    } else {
        thread.detach();
    }
}

}  // namespace holdfast::platform
