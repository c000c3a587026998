#include "runtime/config_reading.hpp"

#include <sstream>

namespace holdfast::runtime {

std::shared_ptr<ConfigReading> read_anew(const std::string& file) {
    auto reading = std::make_shared<ConfigReading>();
    // First: what is written while it is read is a change.
    reading->stamp = platform::stamp_of(file);
    std::ostringstream told;
    reading->loaded = load_everything(file, told);
    reading->told = told.str();
    if (!reading->stamp && reading->loaded) {
        // No file was named, and one was found.
        reading->stamp = platform::stamp_of(reading->loaded->config.file_name);
    }
    return reading;
}

}  // namespace holdfast::runtime
