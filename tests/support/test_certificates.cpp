#include "support/test_certificates.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <memory>

namespace holdfast::test {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Signed = std::unique_ptr<X509, decltype(&X509_free)>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;

constexpr long kSecondsPerDay = 24 * 60 * 60;

std::string text_of(BIO* memory) {
    char* bytes = nullptr;
    const long size_bytes = BIO_get_mem_data(memory, &bytes);
    return {bytes, static_cast<std::size_t>(size_bytes)};
}

Certificate as_pem(X509* certificate, EVP_PKEY* key) {
    const Memory certificate_text{BIO_new(BIO_s_mem()), &BIO_free};
    const Memory key_text{BIO_new(BIO_s_mem()), &BIO_free};
    PEM_write_bio_X509(certificate_text.get(), certificate);
    PEM_write_bio_PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
    return {.certificate = text_of(certificate_text.get()), .key = text_of(key_text.get())};
}

Signed read_certificate(const std::string& pem) {
    const Memory memory{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free};
    return {PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr), &X509_free};
}

Key read_key(const std::string& pem) {
    const Memory memory{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free};
    return {PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free};
}

void add_extension(X509* certificate, int kind, const std::string& value) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

Signed unsigned_certificate(EVP_PKEY* key, const std::string& name, int valid_for_days) {
    static std::atomic<long> serial = 0;
    Signed certificate{X509_new(), &X509_free};
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kSecondsPerDay * 10);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kSecondsPerDay * valid_for_days);
    X509_set_pubkey(certificate.get(), key);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(name.c_str());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC, bytes,
                               -1, -1, 0);
    return certificate;
}

}  // namespace

Certificate make_authority() {
    const Key key{EVP_EC_gen("P-256"), &EVP_PKEY_free};
    const Signed certificate = unsigned_certificate(key.get(), "test authority", 1);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
    add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    return as_pem(certificate.get(), key.get());
}

Certificate make_certificate(const Certificate& authority, const CertificateRequest& request) {
    const Signed issuer = read_certificate(authority.certificate);
    const Key issuer_key = read_key(authority.key);
    const Key key{EVP_EC_gen("P-256"), &EVP_PKEY_free};
    const Signed certificate =
        unsigned_certificate(key.get(), "test server", request.valid_for_days);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
    add_extension(certificate.get(), NID_subject_alt_name, request.name);
    X509_sign(certificate.get(), issuer_key.get(), EVP_sha256());
    return as_pem(certificate.get(), key.get());
}

}  // namespace holdfast::test
