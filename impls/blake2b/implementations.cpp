// THE list: selection, tests, fuzzers, bench and reports all walk it. A new kernel is its file and two lines
// here.
#include "impls/blake2b/kernel.h"

namespace lockstep::blake2b {

extern const Implementation portable;

namespace {

constexpr const Implementation* all[] = {
    &portable,
};

}  // namespace

std::span<const Implementation* const> implementations() noexcept {
  return all;
}

}  // namespace lockstep::blake2b
