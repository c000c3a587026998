#pragma once

#include <future>

namespace holdfast::test {

/// Holds a thread at one place, as a disk that hangs does. For one thread to pass, once.
///
/// Thread-safety: one thread passes, another one watches and opens.
class Gate final {
public:
    /// Reports that the place is reached, and waits until the gate is open.
    void pass() {
        enter();
        opened_.get_future().wait();
    }
    void enter() { entered_.set_value(); }

    void wait_until_entered() { entered_.get_future().wait(); }
    void open() { opened_.set_value(); }

private:
    std::promise<void> entered_;
    std::promise<void> opened_;
};

}  // namespace holdfast::test
