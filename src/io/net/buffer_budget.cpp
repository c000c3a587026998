#include "net/buffer_budget.hpp"

namespace holdfast::net {

bool BufferBudget::try_exchange(std::size_t before, std::size_t after) {
    return used_bytes_.with([&](std::size_t& used) {
        const std::size_t others = used - before;
        const bool fits = after <= before || (others <= max_bytes_ && after <= max_bytes_ - others);
        if (fits) {
            used = others + after;
        }
        return fits;
    });
}

void BufferBudget::exchange(std::size_t before, std::size_t after) {
    used_bytes_.with([&](std::size_t& used) { used = used - before + after; });
}

bool BufferShare::try_resize(std::size_t size_bytes) {
    const std::size_t wanted = counted(size_bytes);
    if (budget_ == nullptr || wanted == counted_bytes_) {
        return true;
    }
    if (!budget_->try_exchange(counted_bytes_, wanted)) {
        return false;
    }
    counted_bytes_ = wanted;
    return true;
}

void BufferShare::resize(std::size_t size_bytes) {
    const std::size_t wanted = counted(size_bytes);
    if (budget_ != nullptr && wanted != counted_bytes_) {
        budget_->exchange(counted_bytes_, wanted);
        counted_bytes_ = wanted;
    }
}

}  // namespace holdfast::net
