#include "jsonrpc/members.hpp"

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_reader.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::jsonrpc {
namespace {

constexpr std::size_t kMaxItems = 1'000'000;

}  // namespace

std::string member_of(std::string_view object, std::string_view key) {
    const jsonrpc::PaddedText text{std::string{object}};
    const auto value = jsonrpc::part_reader().read_object(text, text.view()).find(key);
    return std::string{value.value_or("")};
}

std::string text_member_of(std::string_view object, std::string_view key) {
    const std::string value = member_of(object, key);
    return value.starts_with('"') ? jsonrpc::decoded(value) : std::string{};
}

std::vector<std::string> items_of(std::string_view list) {
    const jsonrpc::PaddedText text{std::string{list}};
    jsonrpc::MessageReader reader{{.max_batch = kMaxItems}};
    const auto items = reader.split_batch(text);
    // split_batch rejects an empty list.
    return items ? std::vector<std::string>{items->begin(), items->end()}
                 : std::vector<std::string>{};
}

}  // namespace holdfast::jsonrpc
