#include "telemetry/store/store_writer.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace holdfast::telemetry {
namespace {

/// Also true after the clock was set back.
bool is_due(const std::optional<std::int64_t>& last_ms, resilience::Duration every,
            std::int64_t now_ms) {
    const auto every_ms = std::chrono::duration_cast<std::chrono::milliseconds>(every).count();
    return !last_ms || now_ms < *last_ms || now_ms - *last_ms >= every_ms;
}

}  // namespace

StoreWriter::StoreWriter(const StoreOptions& options, StoreQueue& queue)
    : options_(options),
      queue_(queue),
      totals_(options.max_waiting_totals),
      retention_(std::chrono::duration_cast<std::chrono::milliseconds>(options.keep).count()),
      wait_(options.flush_every) {}

bool StoreWriter::round(const StoreTime& time,
                        const std::function<std::vector<CallTotal>()>& counts, bool is_last) {
    const std::int64_t now_ms = time.now_ms;
    if (counts && (is_last || is_due(counted_at_ms_, options_.totals_every, now_ms))) {
        totals_.on_counts(now_ms, counts());
        counted_at_ms_ = now_ms;
    }
    queue_.take_into(items_);  // after counting, which may add calls
    if (auto written = write(time); !written) {
        on_fault(written.error(), now_ms);
        return false;
    }
    fault_.clear();
    wait_ = options_.flush_every;
    return true;
}

StoreResult<void> StoreWriter::write(const StoreTime& time) {
    if (file_ && !file_->is_in_place()) {
        file_.reset();  // The file was moved or deleted.
    }
    if (!file_) {
        auto opened = StoreFile::open({.path = options_.path,
                                       .max_size_bytes = options_.max_size_bytes,
                                       .busy_timeout = options_.busy_timeout,
                                       .vfs = options_.vfs});
        if (!opened) {
            return opened.error();
        }
        const auto newest_ms = opened->newest_ms();
        if (!newest_ms) {
            return newest_ms.error();
        }
        retention_.on_open(time.now_ms, *newest_ms);
        file_.emplace(std::move(*opened));
    }
    const bool has_work = !items_.empty() || !totals_.is_empty();
    if (has_work) {
        if (auto written = file_->write(items_, totals_.waiting()); !written) {
            return written;
        }
        on_written();  // Runs before the cleanup, so that nothing is written twice if that fails.
    }
    if (is_due(cleaned_at_ms_, options_.clean_every, time.now_ms)) {
        cleaned_at_ms_ = time.now_ms;
        const std::int64_t oldest_ms = retention_.oldest_ms(time.now_ms, time.uptime_ms);
        if (auto deleted = file_->delete_before(oldest_ms); !deleted) {
            return deleted;
        }
    }
    return has_work ? file_->keep_small() : StoreResult<void>{};
}

void StoreWriter::on_written() {
    stored_ += items_.size();
    queue_.release(items_);
    items_.clear();
    totals_.on_written();
}

void StoreWriter::on_fault(const StoreFault& fault, std::int64_t now_ms) {
    file_.reset();
    const bool was_fine = fault_.empty();
    fault_ = fault.reason;
    wait_ = was_fine ? options_.first_retry : std::min(wait_ * 2, options_.max_retry);
    if (fault.is_corrupt) {
        const std::string aside = moved_aside(options_.path, fault.inode, now_ms);
        fault_ += aside.empty() ? "" : "; the file is now \"" + aside + "\"";
    }
}

}  // namespace holdfast::telemetry
