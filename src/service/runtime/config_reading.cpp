#include "runtime/config_reading.hpp"

namespace holdfast::runtime {

std::shared_ptr<ConfigReading> read_anew(const std::string& file, bool needs_trust) {
    auto reading = std::make_shared<ConfigReading>();
    // Taken first, so that a write during the reading counts as a change.
    reading->stamp = platform::stamp_of(file);
    reading->loaded = load_everything(file, reading->messages, needs_trust);
    if (!reading->stamp && reading->loaded) {
        // No file was named, and one was found.
        reading->stamp = platform::stamp_of(reading->loaded->config.file_name);
    }
    return reading;
}

}  // namespace holdfast::runtime
