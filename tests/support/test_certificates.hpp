#pragma once

#include <string>

namespace holdfast::test {

/// A certificate and its key, as PEM texts.
struct Certificate {
    std::string certificate = {};
    std::string key = {};
};

struct CertificateRequest {
    std::string name = "DNS:localhost";  ///< As in a subject alternative name.
    int valid_for_days = 1;              ///< Negative = expired that many days ago.
};

/// Makes a new authority that signs itself.
[[nodiscard]] Certificate make_authority();
[[nodiscard]] Certificate make_certificate(const Certificate& authority,
                                           const CertificateRequest& request);

}  // namespace holdfast::test
