#include "net/detail/http_turn.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace holdfast::net::detail {

HttpTurn& HttpTurn::of(const std::shared_ptr<HttpLoop>& loop) {
    if (loop->turn == nullptr) {
        boost::asio::post(loop->loop.executor,
                          [turn = std::make_unique<HttpTurn>(loop)] { turn->end(); });
    }
    return *loop->turn;
}

HttpTurn::HttpTurn(std::shared_ptr<HttpLoop> loop) : loop_(std::move(loop)) {
    loop_->turn = this;
}

HttpTurn::~HttpTurn() {
    if (loop_->turn == this) {
        loop_->turn = nullptr;
    }
}

void HttpTurn::add(std::shared_ptr<HttpConnection> connection) {
    unsent_.push_back(std::move(connection));
}

void HttpTurn::end() {
    loop_->turn = nullptr;  // what is answered from here on belongs to the next one
    for (const auto& connection : unsent_) {
        connection->send_answer();
    }
}

}  // namespace holdfast::net::detail
