#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "search/encoder/model_file.hpp"
#include "support/temporary_folder.hpp"
#include "tool_search/model_package.hpp"

namespace holdfast::test {

/// Returns the archive that tests/support/fetch_model has fetched; empty if it has not.
inline std::string package_archive() {
    const char* path = std::getenv("HOLDFAST_MODEL_PACKAGE");
    return path == nullptr ? std::string{} : content_of_file(path);
}

/// A model file in memory, aligned like a mapped file.
class ModelInMemory final {
public:
    explicit ModelInMemory(std::string_view bytes)
        : size_(bytes.size()),
          data_(static_cast<char*>(std::aligned_alloc(64, (bytes.size() + 63) / 64 * 64))) {
        std::memcpy(data_.get(), bytes.data(), bytes.size());
    }

    [[nodiscard]] std::string_view bytes() const { return {data_.get(), size_}; }

private:
    struct Free {
        void operator()(char* data) const { std::free(data); }
    };

    std::size_t size_;
    std::unique_ptr<char, Free> data_;
};

/// Tests that need the real model. They fail if it has not been fetched.
class PublishedModelTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        const std::string archive = package_archive();
        if (archive.empty()) {
            return;
        }
        auto model = tool_search::model_of_package(archive);
        if (model) {
            model_ = std::make_unique<ModelInMemory>(*model);
        }
    }
    static void TearDownTestSuite() { model_.reset(); }

    void SetUp() override {
        ASSERT_NE(model_, nullptr)
            << "The model's package is missing; tests/support/fetch_model gets it.";
    }

    static search::encoder::ModelView view() {
        return *search::encoder::view_model(model_->bytes());
    }

    static inline std::unique_ptr<ModelInMemory> model_;
};

}  // namespace holdfast::test
