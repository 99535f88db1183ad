// The same mutator for AFL++, whose driver ignores LLVMFuzzerCustomMutator: a library for
// AFL_CUSTOM_MUTATOR_LIBRARY.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fuzzers/loop.h"
#include "oracles/differential/random.h"

namespace {

struct Mutator {
  lockstep::differential::Random random{0};
  std::vector<std::uint8_t> buffer;
};

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void* afl_custom_init(void* /*afl*/, unsigned seed) {
  auto* mutator = new Mutator;
  mutator->random = lockstep::differential::Random(seed);
  return mutator;
}

[[gnu::visibility("default")]] std::size_t afl_custom_fuzz(void* data, std::uint8_t* input, std::size_t size,
                                                           std::uint8_t** output, std::uint8_t* other,
                                                           std::size_t other_size, std::size_t max_size) {
  auto& mutator = *static_cast<Mutator*>(data);
  mutator.buffer.resize(max_size);
  const std::uint64_t seed = mutator.random.next();
  *output = mutator.buffer.data();
  if (other != nullptr && other_size != 0 && seed % 10 == 0) {
    return lockstep::fuzzers::target().cross_over({input, size}, {other, other_size}, mutator.buffer, seed);
  }
  size = size < max_size ? size : max_size;
  std::memcpy(mutator.buffer.data(), input, size);
  return lockstep::fuzzers::target().mutate(mutator.buffer, size, seed);
}

[[gnu::visibility("default")]] void afl_custom_deinit(void* data) {
  delete static_cast<Mutator*>(data);
}
}
