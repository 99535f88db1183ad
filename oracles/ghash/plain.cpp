#include "oracles/ghash/plain.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "oracles/ghash/case.h"

// Section and algorithm numbers are those of NIST SP 800-38D.
namespace lockstep::oracles::ghash {
namespace {

constexpr std::size_t block_bytes = 16;

// 6.1: the block u_0 u_1 ... u_127; u_0 is the highest bit of `high`, u_127 the lowest of `low`.
struct Element {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  // The element or 0.
  [[nodiscard]] constexpr Element only_if(std::uint64_t bit) const noexcept {
    return {high & (0 - bit), low & (0 - bit)};
  }
};

constexpr Element operator^(Element a, Element b) noexcept {
  return {a.high ^ b.high, a.low ^ b.low};
}

// Bytes 0 .. 15 of a block; those that are missing are zero.
constexpr Element load(std::span<const std::uint8_t> bytes) noexcept {
  Element element;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    (i < 8 ? element.high : element.low) |= std::uint64_t{bytes[i]} << (56 - 8 * (i % 8));
  }
  return element;
}

// 6.3, algorithm 1: X · Y, bit by bit. Every product is one with H, and the V_i depend on Y alone: they are
// made once. The conditions are masks, so that there is no branch to predict.
class Factor {
 public:
  explicit constexpr Factor(Element y) noexcept {
    constexpr std::uint64_t r = std::uint64_t{0b11100001} << 56;  // R = 11100001 || 0^120
    for (Element& v : v_) {
      v = y;
      const std::uint64_t if_lsb = 0 - (y.low & 1);
      y.low = y.low >> 1 | y.high << 63;
      y.high = y.high >> 1 ^ (r & if_lsb);
    }
  }

  [[nodiscard]] constexpr Element times(Element x) const noexcept {
    Element z;
    for (std::size_t i = 0; i < 64; ++i) {
      z = z ^ (v_[i].only_if(x.high >> (63 - i) & 1) ^ v_[64 + i].only_if(x.low >> (63 - i) & 1));
    }
    return z;
  }

 private:
  std::array<Element, 128> v_;
};

// 6.4, algorithm 2; the last block zero-padded. Pieces make no difference to it.
void run(const void* /*self*/, const Case& question, differential::Buffers& /*buffers*/,
         differential::Outcome& outcome) {
  const Factor h(load(question.key));
  Element y;
  for (std::span<const std::uint8_t> rest = question.text; !rest.empty();) {
    const std::span<const std::uint8_t> x = rest.first(rest.size() < block_bytes ? rest.size() : block_bytes);
    y = h.times(y ^ load(x));
    rest = rest.subspan(x.size());
  }
  const std::span<std::uint8_t> out = outcome.allocate(hash, block_bytes);
  for (std::size_t i = 0; i < block_bytes; ++i) {
    out[i] = static_cast<std::uint8_t>((i < 8 ? y.high : y.low) >> (56 - 8 * (i % 8)));
  }
}

}  // namespace

differential::Participant<Case> plain_participant() {
  return {.info = {.name = "plain", .origin = "plain", .version = "SP 800-38D"},
          .limits = {},
          .declares = [](const Case&) noexcept -> AnswerSet { return {hash}; },
          .run = run};
}

}  // namespace lockstep::oracles::ghash
