#include "holdfast/resilience/observer.hpp"

namespace holdfast::resilience {

void Observer::on_transition(std::string_view /*name*/, const CircuitTransition& /*transition*/) {}
void Observer::on_refusal(std::string_view /*name*/, const Refusal& /*refusal*/) {}
void Observer::on_retry(std::string_view /*name*/, const ScheduledRetry& /*retry*/) {}

}  // namespace holdfast::resilience
