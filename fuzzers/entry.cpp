// What libFuzzer, and AFL++'s driver of the same interface, call.
#include <cstddef>
#include <cstdint>
#include <span>

#include "fuzzers/loop.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed);
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size,
                                                 const std::uint8_t* b, std::size_t b_size, std::uint8_t* out,
                                                 std::size_t max_size, unsigned seed);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lockstep::fuzzers::execute({data, size});
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  return lockstep::fuzzers::target().mutate({data, max_size}, size, seed, lockstep::fuzzers::aim());
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                      std::size_t b_size, std::uint8_t* out, std::size_t max_size,
                                      unsigned seed) {
  return lockstep::fuzzers::target().cross_over({a, a_size}, {b, b_size}, {out, max_size}, seed);
}
