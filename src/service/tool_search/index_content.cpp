#include "tool_search/index_content.hpp"

#include <utility>

#include "surface/tool_documents.hpp"

namespace holdfast::tool_search {

void IndexContent::show(std::shared_ptr<const surface::Surface> surface) {
    surface_ = std::move(surface);
    writer_.replace_all(surface::documents_of(*surface_));
}

std::vector<IndexContent::Tool> IndexContent::take_cached() {
    std::vector<Tool> taken;
    if (!cache_) {
        return taken;
    }
    for (Tool& tool : writer_.pending(writer_.size())) {
        auto known = cache_->find(tool.text);
        if (known && (dimension_ == 0 || dimension_ == known->dimension())) {
            dimension_ = known->dimension();
            writer_.set_embedding(tool, std::move(known));
            taken.push_back(std::move(tool));
        }
    }
    return taken;
}

void IndexContent::set_embedding(const Tool& tool, const search::Embedding& embedding) {
    if (dimension_ != 0 && dimension_ != embedding.dimension()) {
        writer_.replace_all({});
        writer_.replace_all(surface::documents_of(*surface_));
    }
    dimension_ = embedding.dimension();
    auto shared = std::make_shared<const search::Embedding>(embedding);
    if (cache_) {
        cache_->add(tool.text, shared);
    }
    writer_.set_embedding(tool, std::move(shared));
}

std::optional<platform::FileFault> IndexContent::save() {
    return cache_ ? cache_->save() : std::nullopt;
}

}  // namespace holdfast::tool_search
