#pragma once

#include <functional>
#include <string>

namespace holdfast::downstream {

/// A notification of a downstream, with the bytes of its params.
struct Notification {
    std::string method = {};
    std::string params = {};  ///< An object as written; empty = none.
};

/// The agent's answer to a question.
struct QuestionAnswer {
    bool is_error = false;
    std::string body = {};  ///< A result object, or an error object with code and message.
};

/// A request of a legacy downstream to its client: sampling, elicitation, roots.
struct Question {
    std::string method = {};
    std::string params = {};  ///< An object as written; empty = none.
    /// Answers it. At most once, from any thread; a later answer than the downstream's patience is
    /// dropped. If it is destroyed without an answer, the downstream gets an error.
    std::function<void(QuestionAnswer)> answer = {};
};

/// Hears what a downstream sends about one request before it answers it, in order, on the loop of
/// the call. Not called after the call has ended. Progress has the token that the link gave it.
class CallListener {
public:
    CallListener() = default;
    CallListener(const CallListener&) = delete;
    CallListener& operator=(const CallListener&) = delete;
    virtual ~CallListener() = default;

    virtual void on_notification(Notification notification) = 0;
    virtual void on_question(Question question) = 0;
};

}  // namespace holdfast::downstream
