#include "oracles/blake2b/steering.h"

namespace lockstep::oracles::blake2b {
namespace {

constexpr std::uint32_t max_digest_bytes = 64;

using Total = std::array<std::uint64_t, 2>;  // modulo 2^128, low word first

Total boundary_of(const Case& question) noexcept {
  switch (question.boundary) {
    case Boundary::at_2_32:
      return {std::uint64_t{1} << 32, 0};
    case Boundary::at_2_64:
      return {0, 1};
    case Boundary::at_2_128:
      break;
  }
  return {0, 0};
}

Total plus(Total total, std::int64_t bytes) noexcept {
  const auto magnitude = static_cast<std::uint64_t>(bytes < 0 ? -bytes : bytes);
  if (bytes < 0) {
    if (total[0] < magnitude) --total[1];
    total[0] -= magnitude;
  } else {
    total[0] += magnitude;
    if (total[0] < magnitude) ++total[1];
  }
  return total;
}

void sequential_without_key(Case& question) noexcept {
  question.key_bytes = question.salt_bytes = question.personal_bytes = 0;
  question.tree = false;
  question.call = Call::incremental;
}

}  // namespace

std::int64_t counter_end(const Case& question) noexcept {
  const std::int64_t most = std::int64_t{question.text_bytes} + 256;
  const std::int64_t at = question.counter_end % (most + 1 + block_bytes);
  return at <= most ? at : most - at;
}

void plan(Case& question) noexcept {
  question.preset = false;
  if (question.steering == Steering::none) return;
  if (question.digest_bytes == 0 || question.digest_bytes > max_digest_bytes) {
    question.steering = Steering::none;
    return;
  }
  sequential_without_key(question);
  const std::int64_t beyond = counter_end(question);
  const std::int64_t text = question.text_bytes;
  // Every boundary is a multiple of the block.
  const auto into_block = static_cast<std::uint32_t>(beyond - text) % block_bytes;
  question.before.buffered = into_block == 0 ? block_bytes : into_block;
  question.before.t = plus(boundary_of(question), beyond - text - question.before.buffered);
  question.preset = true;
}

void steer(Case& question) noexcept {
  plan(question);
  if (question.preset) {
    question.key.clear();
    question.salt.clear();
    question.personal.clear();
  } else {
    question.chain.clear();
    question.buffer.clear();
  }
}

}  // namespace lockstep::oracles::blake2b
