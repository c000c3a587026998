#pragma once

#include <functional>
#include <string>

namespace holdfast::downstream {

/// A notification of a downstream; the params are unparsed.
struct Notification {
    std::string method = {};
    std::string params = {};  ///< An object as written; may be empty.
};

/// The agent's answer to a question.
struct QuestionAnswer {
    bool is_error = false;
    std::string body = {};  ///< A result object, or an error object with code and message.
};

/// A legacy downstream's request to its client: sampling, elicitation or roots.
struct Question {
    std::string method = {};
    std::string params = {};  ///< An object as written; may be empty.
    /// Answers the question. Call at most once, from any thread. An answer after the downstream's
    /// time limit is dropped. If the function is destroyed unused, the downstream gets an error.
    std::function<void(QuestionAnswer)> answer = {};
};

/// Receives what a downstream sends about one request before the answer, in order, on the loop of
/// the call. Not called after the call has ended. Progress notifications carry the link's own
/// token.
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
