// THE list: selection, tests, fuzzers, bench and reports all walk it. A new kernel is its file and two lines
// here.
#include "impls/ghash/kernel.h"

namespace lockstep::ghash {

extern const Implementation portable;
extern const Implementation table;
#if defined(__x86_64__)
extern const Implementation x86_pclmul;
extern const Implementation x86_vpclmul;
#endif

namespace {

constexpr const Implementation* all[] = {
    &portable,
    &table,
#if defined(__x86_64__)
    &x86_pclmul,
    &x86_vpclmul,
#endif
};

}  // namespace

std::span<const Implementation* const> implementations() noexcept {
  return all;
}

}  // namespace lockstep::ghash
