// THE list: selection, tests, fuzzers, bench and reports all walk it. A new kernel is its file and two lines
// here.
#include "impls/blake2b/kernel.h"

namespace lockstep::blake2b {

extern const Implementation portable;
#if defined(__x86_64__)
extern const Implementation x86_sse41;
extern const Implementation x86_avx2;
extern const Implementation x86_avx512;
#endif

namespace {

constexpr const Implementation* all[] = {
    &portable,
#if defined(__x86_64__)
    &x86_sse41,
    &x86_avx2,
    &x86_avx512,
#endif
};

}  // namespace

std::span<const Implementation* const> implementations() noexcept {
  return all;
}

}  // namespace lockstep::blake2b
