#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "holdfast/resilience/synchronized.hpp"
#include "record/records.hpp"

namespace holdfast::runtime {

/// Tells on the log when a server cannot be reached or is lost, when it is back, and when one of
/// its lists cannot be had. Not each try: however long a server fails, or connects and is lost
/// again and again, that is a few lines.
///
/// Thread-safety: from any thread, if `say` may be called from any.
class ConnectionLog final {
public:
    /// `say` takes one sentence. Called with no lock held.
    explicit ConnectionLog(std::function<void(const std::string& sentence)> say)
        : say_(std::move(say)) {}

    /// What happened to a server; the reason must be without secrets. Other kinds are left alone.
    void on_event(const record::Event& event);

private:
    enum class Known : std::uint8_t {
        lost,      ///< Its loss was told.
        unsteady,  ///< So was its return, and that it was lost again soon: it has to last now.
    };
    using Servers = std::map<std::string, Known, std::less<>>;  // those that are well are not in it

    /// What is to be said, if anything.
    [[nodiscard]] static std::string sentence_of(const record::Event& event, Servers& servers);

    const std::function<void(const std::string& sentence)> say_;
    resilience::Synchronized<Servers> servers_;
};

}  // namespace holdfast::runtime
