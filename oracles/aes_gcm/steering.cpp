#include "oracles/aes_gcm/steering.h"

#include <algorithm>
#include <array>

#include "oracles/aes/plain.h"
#include "oracles/aes_gcm/field.h"
#include "oracles/differential/random.h"

namespace lockstep::oracles::aes_gcm {
namespace {

using differential::Random;
using Block = std::array<std::uint8_t, 16>;

// What is drawn here must not repeat the content, which is drawn from fill_seed itself.
Random random_of(const Case& question, std::uint64_t purpose) noexcept {
  return Random((question.fill_seed ^ purpose * 0xa0761d6478bd642fU) + purpose);
}
constexpr std::uint64_t for_j0 = 1;
constexpr std::uint64_t for_state = 2;
constexpr std::uint64_t for_nonce = 3;

constexpr std::uint64_t blocks_of(std::uint64_t bytes) noexcept {
  return (bytes + 15) / 16;
}

// A boundary beyond the text, which nobody would see, moves into it; `blocks` is the counter after the text.
void move_boundary_into(Case& question, std::uint64_t blocks) noexcept {
  if (question.boundary_block > blocks) {
    question.boundary_block = static_cast<std::uint16_t>(question.boundary_block % (blocks + 1));
  }
}

Block block_at(std::span<const std::uint8_t> bytes) noexcept {
  Block block = {};
  std::copy_n(bytes.begin(), std::min(bytes.size(), block.size()), block.begin());
  return block;
}

// Random, but its low bits are those for which J0 + 1 + boundary_block has them all zero.
Block wanted_j0(const Case& question) noexcept {
  Block j0 = {};
  random_of(question, for_j0).fill(j0);
  const std::uint32_t low = 0U - (1U + question.boundary_block);
  for (unsigned i = 0; i <= question.boundary; ++i) j0[15 - i] = static_cast<std::uint8_t>(low >> (8 * i));
  return j0;
}

void plan_nonce(Case& question) noexcept {
  question.nonce_bytes = std::max(question.nonce_bytes, 16U);
  move_boundary_into(question, blocks_of(question.text_bytes));
}

// J0 = (((... · H + N_s) · H + R) · H + L) · H, where N_s is the last whole block of the nonce, R the rest,
// if there is one, and L the length block: solved for N_s.
void solve_nonce(Case& question) {
  question.nonce.resize(question.nonce_bytes);
  Block h_block = {};
  aes::Aes(question.key).encrypt_block(h_block, h_block);
  const Polynomial h = from_block(h_block);
  const Polynomial h_inverse = invert(h);
  const std::span<std::uint8_t> nonce = question.nonce;
  const std::size_t solved = nonce.size() / 16 * 16 - 16;

  Block length = {};
  const std::uint64_t bits = 8 * std::uint64_t{nonce.size()};
  for (unsigned i = 0; i < 8; ++i) length[15 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  Polynomial y = multiply(from_block(wanted_j0(question)), h_inverse) ^ from_block(length);
  if (nonce.size() % 16 != 0) y = multiply(y, h_inverse) ^ from_block(block_at(nonce.subspan(solved + 16)));
  y = multiply(y, h_inverse);

  Polynomial before;
  for (std::size_t at = 0; at < solved; at += 16) {
    before = multiply(before ^ from_block(block_at(nonce.subspan(at))), h);
  }
  std::ranges::copy(to_block(y ^ before), nonce.begin() + static_cast<std::ptrdiff_t>(solved));
}

// A preset has a 12-byte nonce.
void fit_content(Case& question) {
  const std::size_t given = std::min<std::size_t>(question.nonce.size(), question.nonce_bytes);
  question.nonce.resize(question.nonce_bytes);
  random_of(question, for_nonce).fill(std::span(question.nonce).subspan(given));
  question.aad.resize(question.aad_bytes);
}

// A state with these totals. Once a block has been hashed, any running value of GHASH is that of some
// message.
void preset(Case& question, std::uint64_t aad_bytes, std::uint64_t text_bytes, Random& random) noexcept {
  question.preset = true;
  question.call = Call::incremental;
  question.nonce_bytes = 12;
  question.before.aad_bytes = aad_bytes;
  question.before.text_bytes = text_bytes;
  const std::uint64_t hashed = text_bytes != 0 ? blocks_of(aad_bytes) + text_bytes / 16 : aad_bytes / 16;
  if (hashed != 0) random.fill(question.before.ghash);
  random.fill(std::span(question.before.partial).first((text_bytes != 0 ? text_bytes : aad_bytes) % 16));
}

void preset_text(Case& question, std::uint64_t text_bytes, Random& random) noexcept {
  question.aad_bytes = 0;
  // Of every magnitude up to 2^61 - 1.
  const std::uint64_t aad_bytes = random.next() >> (3 + random.below(61));
  preset(question, aad_bytes, text_bytes, random);
}

// With a 12-byte nonce, block i of a text is encrypted under a counter of i + 2.
void plan_preset_counter(Case& question) noexcept {
  Random random = random_of(question, for_state);
  // Bytes of the block that the text goes on in.
  std::uint64_t started = random.chance(40) ? 1 + random.below(15) : 0;
  move_boundary_into(question, blocks_of(question.text_bytes == 0 ? 0 : started + question.text_bytes));
  // The carry happens where a block begins, so that the boundary cannot fall on a block that has begun.
  if (question.boundary_block == 0) started = 0;

  const unsigned bits = 8 * (question.boundary + 1U);
  const std::uint64_t least = ((question.boundary_block + std::uint64_t{3}) >> bits) + 1;
  const std::uint64_t most = question.boundary == 3 ? 1 : (std::uint64_t{1} << (32 - bits)) - 1;
  const std::uint64_t carries = least + random.below(most - least + 1);
  const std::uint64_t carry_block = (carries << bits) - 2;
  preset_text(question, 16 * (carry_block - question.boundary_block) + started, random);
}

void plan_virtual_totals(Case& question) noexcept {
  Random random = random_of(question, for_state);
  const VirtualTotal total = question.virtual_total;
  const bool of_text = total <= VirtualTotal::text_limit;
  const std::uint64_t bytes = of_text ? question.text_bytes : question.aad_bytes;
  std::uint64_t mark = 0;
  bool limit = false;
  switch (total) {
    case VirtualTotal::text_2_29:
    case VirtualTotal::aad_2_29:
      mark = std::uint64_t{1} << 29;
      break;
    case VirtualTotal::text_2_32:
    case VirtualTotal::aad_2_32:
      mark = std::uint64_t{1} << 32;
      break;
    case VirtualTotal::text_limit:
      mark = (std::uint64_t{1} << 36) - 32;
      limit = true;
      break;
    case VirtualTotal::aad_limit:
      mark = (std::uint64_t{1} << 61) - 1;
      limit = true;
      break;
  }
  // What follows reaches a mark, and stays within a limit as often as it goes beyond.
  const std::uint64_t distances = std::min<std::uint64_t>(600, limit ? 2 * bytes + 2 : bytes + 1);
  mark -= question.virtual_distance % distances;
  if (of_text) {
    preset_text(question, mark, random);
  } else {
    preset(question, mark, 0, random);
  }
}

}  // namespace

void plan(Case& question) noexcept {
  question.preset = false;
  question.before = {};
  const bool possible =
      aes::Aes::is_key_size(question.key_bytes) &&
      (question.steering <= Steering::nonce || question.operation == Operation::seal_then_open);
  if (!possible) question.steering = Steering::none;
  switch (question.steering) {
    case Steering::none:
      break;
    case Steering::nonce:
      plan_nonce(question);
      break;
    case Steering::preset_counter:
      plan_preset_counter(question);
      break;
    case Steering::virtual_totals:
      plan_virtual_totals(question);
      break;
  }
}

void steer(Case& question) {
  plan(question);
  if (question.steering == Steering::nonce) solve_nonce(question);
  if (question.preset) fit_content(question);
}

Wrap wrap_of(const Case& question) noexcept {
  // A preset has a 12-byte nonce, under which the limit of the text comes before the wrap.
  if (question.steering != Steering::nonce || question.boundary != 3) return {};
  if (question.boundary_block >= blocks_of(question.text_bytes)) return {};
  return {true, question.boundary_block};
}

}  // namespace lockstep::oracles::aes_gcm
