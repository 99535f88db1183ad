#include "cli/algorithms.h"

#include "lockstep/aes_gcm.h"
#include "lockstep/blake2b.h"
#include "lockstep/ghash.h"

namespace lockstep::cli {
namespace {

std::vector<std::string_view> names_of(CpuFeatures features, CpuFeatures without) {
  std::vector<std::string_view> names;
  for (unsigned i = 0; i < static_cast<unsigned>(CpuFeature::count_); ++i) {
    const auto feature = static_cast<CpuFeature>(i);
    if (features.contains(feature) && !without.contains(feature)) names.push_back(to_string(feature));
  }
  return names;
}

template <class Implementation>
std::vector<ListedImplementation> describe(std::span<const Implementation* const> list) {
  std::vector<ListedImplementation> described;
  for (const Implementation* implementation : list) {
    ListedImplementation each;
    each.info = info(*implementation);
    each.required = names_of(each.info.required, {});
    each.missing = names_of(each.info.required, cpu_features());
    for (const Policy policy : {Policy::constant_time, Policy::fastest}) {
      if (select(list, cpu_features(), policy) == implementation)
        each.selected_by.push_back(to_string(policy));
    }
    described.push_back(std::move(each));
  }
  return described;
}

constexpr Algorithm table[] = {
    {"aes_gcm", [] { return describe(aes_gcm::implementations()); }},
    {"ghash", [] { return describe(ghash::implementations()); }},
    {"blake2b", [] { return describe(blake2b::implementations()); }},
};

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  return table;
}

std::vector<std::string_view> available_implementations(std::string_view algorithm) {
  std::vector<std::string_view> names;
  for (const Algorithm& each : algorithms()) {
    if (each.name != algorithm) continue;
    for (const ListedImplementation& implementation : each.implementations()) {
      if (implementation.available()) names.push_back(implementation.info.name);
    }
  }
  return names;
}

}  // namespace lockstep::cli
