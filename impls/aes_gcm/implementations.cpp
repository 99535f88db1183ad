// THE list: selection, tests, fuzzers, bench and reports all walk it. A new kernel is its file and two lines
// here.
#include "impls/aes_gcm/kernel.h"

namespace lockstep::aes_gcm {

extern const Implementation portable;
extern const Implementation table;
#if defined(__x86_64__)
extern const Implementation x86_aesni;
extern const Implementation x86_aesni_2way;
extern const Implementation x86_vaes_avx2;
extern const Implementation x86_vaes_avx512;
#endif

namespace {

constexpr const Implementation* all[] = {
    &portable,  &table,
#if defined(__x86_64__)
    &x86_aesni, &x86_aesni_2way, &x86_vaes_avx2, &x86_vaes_avx512,
#endif
};

}  // namespace

std::span<const Implementation* const> implementations() noexcept {
  return all;
}

}  // namespace lockstep::aes_gcm
