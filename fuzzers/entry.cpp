// What libFuzzer, and AFL++'s driver of the same interface, call.
#include <cstddef>
#include <cstdint>
#include <span>

#include "fuzzers/loop.h"
#include "fuzzers/without.h"

// libFuzzer's own mutations. (AFL++'s driver never asks for any: afl_mutator.cpp.) Other drivers may not have
// it.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size)
    __attribute__((weak));
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed);
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size,
                                                 const std::uint8_t* b, std::size_t b_size, std::uint8_t* out,
                                                 std::size_t max_size, unsigned seed);

namespace {

bool mutates_bytes() {
  static const bool bytes =
      lockstep::fuzzers::without("mutator") || lockstep::fuzzers::naive() != lockstep::fuzzers::Naive::no;
  return bytes && LLVMFuzzerMutate != nullptr;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lockstep::fuzzers::execute({data, size});
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  if (mutates_bytes()) return LLVMFuzzerMutate(data, size, max_size);
  return lockstep::fuzzers::target().mutate({data, max_size}, size, seed, lockstep::fuzzers::aim());
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                      std::size_t b_size, std::uint8_t* out, std::size_t max_size,
                                      unsigned seed) {
  // 0: libFuzzer chooses another mutation. Its own cross-over is among those of LLVMFuzzerMutate.
  if (mutates_bytes()) return 0;
  return lockstep::fuzzers::target().cross_over({a, a_size}, {b, b_size}, {out, max_size}, seed);
}
