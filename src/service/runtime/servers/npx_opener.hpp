#pragma once

#include <memory>
#include <string>
#include <vector>

#include "downstream/link_opener.hpp"

namespace holdfast::runtime {

/// Opens links to a server that npx starts. If a start fails although the package is installed, it
/// looks whether the installed package is broken, and says so.
///
/// Thread-safety: as `LinkOpener`.
class NpxOpener final : public downstream::LinkOpener {
public:
    /// `npx_folder` is where npx installs the package.
    NpxOpener(std::unique_ptr<downstream::LinkOpener> opener, std::string npx_folder);

    [[nodiscard]] boost::asio::awaitable<
        resilience::Result<std::shared_ptr<downstream::Link>, downstream::CallFault>>
    open(net::OwningLoop home, downstream::LinkPurpose purpose,
         std::weak_ptr<downstream::LinkListener> listener, resilience::Deadline deadline) override;
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t count) const override;

private:
    // Shared with running attempts.
    const std::shared_ptr<downstream::LinkOpener> opener_;
    const std::string npx_folder_;
};

}  // namespace holdfast::runtime
