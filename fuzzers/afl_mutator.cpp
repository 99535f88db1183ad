// The same mutator for AFL++, whose driver ignores LLVMFuzzerCustomMutator: a library for
// AFL_CUSTOM_MUTATOR_LIBRARY.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "fuzzers/loop.h"
#include "fuzzers/statistics.h"
#include "fuzzers/without.h"
#include "oracles/differential/random.h"

namespace {

struct Mutator {
  lockstep::differential::Random random{0};
  std::vector<std::uint8_t> buffer;
  const lockstep::fuzzers::Statistics* statistics = nullptr;  // which the target fills
};

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void* afl_custom_init(void* /*afl*/, unsigned seed) {
  auto* mutator = new Mutator;
  mutator->random = lockstep::differential::Random(seed);
  if (!lockstep::fuzzers::without("cells"))
    mutator->statistics = lockstep::fuzzers::read_statistics(std::getenv("LOCKSTEP_STATISTICS"));
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
  const auto& target = lockstep::fuzzers::target();
  return target.mutate(mutator.buffer, size, seed, lockstep::fuzzers::aim_of(mutator.statistics, target));
}

[[gnu::visibility("default")]] void afl_custom_deinit(void* data) {
  delete static_cast<Mutator*>(data);
}
}
