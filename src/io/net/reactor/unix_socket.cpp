#include "net/reactor/unix_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>
#include <utility>

namespace holdfast::net {
namespace {

constexpr mode_t kOnlyOwner = S_IRUSR | S_IWUSR;
constexpr int kBacklog = 64;

NetResult<sockaddr_un> address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof(address.sun_path)) {
        return NetError{.code = NetErrc::invalid_request,
                        .message = "invalid socket path \"" + path + "\": it has " +
                                   std::to_string(path.size()) + " bytes; the limit is " +
                                   std::to_string(sizeof(address.sun_path) - 1)};
    }
    std::ranges::copy(path, std::begin(address.sun_path));
    return address;
}

platform::UniqueFd new_socket() {
    return platform::UniqueFd{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
}

const sockaddr* plain(const sockaddr_un& address) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): required by the interface.
    return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

NetResult<platform::UniqueFd> listening_unix_socket(const std::string& path) {
    const auto address = address_of(path);
    if (!address) {
        return address.error();
    }
    std::ignore = ::unlink(path.c_str());  // usually there is none
    platform::UniqueFd socket = new_socket();
    const bool is_listening =
        socket.is_open() && ::bind(socket.get(), plain(*address), sizeof(*address)) == 0 &&
        ::chmod(path.c_str(), kOnlyOwner) == 0 && ::listen(socket.get(), kBacklog) == 0;
    if (!is_listening) {
        return system_error(NetErrc::system_failure, "cannot listen on " + path, errno);
    }
    return socket;
}

NetResult<boost::asio::ip::tcp::socket> dial_unix(const OwningLoop& loop, const std::string& path) {
    const auto address = address_of(path);
    if (!address) {
        return address.error();
    }
    platform::UniqueFd socket = new_socket();
    if (!socket.is_open() || ::connect(socket.get(), plain(*address), sizeof(*address)) != 0) {
        return system_error(NetErrc::closed, "cannot connect to " + path, errno);
    }
    boost::asio::ip::tcp::socket connected{loop.executor};
    boost::system::error_code error;
    std::ignore = connected.assign(boost::asio::ip::tcp::v4(), socket.get(), error);
    if (error) {
        return system_error(NetErrc::system_failure, "cannot use " + path, error.value());
    }
    std::ignore = socket.release();  // the connection owns it now
    return connected;
}

}  // namespace holdfast::net
