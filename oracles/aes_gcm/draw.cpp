// The campaign's own distribution of AES-GCM cases: lengths at edges, most counters steered.
#include <algorithm>

#include "oracles/aes_gcm/algorithm.h"
#include "oracles/differential/draw.h"

namespace lockstep::oracles::aes_gcm {
namespace {

using differential::FieldMutator;
using differential::Random;

std::uint32_t draw_nonce_bytes(Random& random, Steering steering) {
  if (steering == Steering::nonce) {
    if (random.chance(80)) return 16;
    return static_cast<std::uint32_t>(16 + random.below(random.chance(80) ? 50 : 113));
  }
  if (random.chance(60)) return 12;
  return static_cast<std::uint32_t>(random.chance(80) ? 1 + random.below(40)
                                                      : random.below(usual_nonce_limit + 1));
}

std::uint32_t draw_aad_bytes(Random& random) {
  switch (random.below(6)) {
    case 0:
      return 0;
    case 1:
      return 13;
    case 2:
      return static_cast<std::uint32_t>(16 * random.below(5));
    case 3:
    case 4:
      return static_cast<std::uint32_t>(random.below(36));
    default:
      return static_cast<std::uint32_t>(random.below(usual_aad_limit + 1));
  }
}

}  // namespace

void Algorithm::draw(Case& c, Random& random) {
  static constexpr std::uint32_t key_sizes[] = {16, 24, 32};
  static constexpr std::uint32_t tag_sizes[] = {12, 13, 14, 15, 8, 4};

  const std::uint64_t how = random.below(100);
  c.steering = how < 68   ? Steering::nonce
               : how < 70 ? Steering::preset_counter
               : how < 74 ? Steering::virtual_totals
                          : Steering::none;
  c.operation =
      c.steering == Steering::none && random.chance(12) ? Operation::open : Operation::seal_then_open;
  c.key_bytes = random.chance(99) ? key_sizes[random.below(3)] : static_cast<std::uint32_t>(random.below(65));
  c.nonce_bytes = draw_nonce_bytes(random, c.steering);
  c.aad_bytes = draw_aad_bytes(random);
  c.text_bytes = FieldMutator::edge_length(random, strides(), usual_text_limit);
  // Rarely something long, for counts of blocks, pairs and bytes that are kept too narrow.
  switch (random.below(150)) {
    case 0:
      c.text_bytes = static_cast<std::uint32_t>(random.below(12000));
      break;
    case 1:
      c.aad_bytes = static_cast<std::uint32_t>(random.below(1200));
      break;
    case 2:
      c.nonce_bytes = static_cast<std::uint32_t>(16 + random.below(600));
      break;
    default:
      break;
  }
  c.tag_bytes = random.chance(60)   ? 16
                : random.chance(97) ? tag_sizes[random.below(6)]
                                    : static_cast<std::uint32_t>(random.below(33));

  const unsigned stride = strides()[random.below(strides().size())];
  c.boundary = random.chance(70) ? 3 : static_cast<std::uint8_t>(random.below(4));
  // Under a 12-byte nonce the 32-bit boundary is the limit of the standard: mostly a refusal.
  if (c.steering == Steering::preset_counter && random.chance(80)) {
    c.boundary = static_cast<std::uint8_t>(random.below(3));
  }
  c.boundary_block = static_cast<std::uint16_t>(random.below(2 * std::uint64_t{stride} + 3));
  if (random.chance(4)) {
    // Anywhere in a text as it is: also behind more strides than two.
    c.boundary_block = static_cast<std::uint16_t>(random.below(c.text_bytes / 16U + 1));
  } else if (c.steering != Steering::none && random.chance(75)) {
    // The carry has to fall inside the text to be seen, in bulk as well as in the tail.
    const auto least =
        static_cast<std::uint32_t>(16U * c.boundary_block + 1 + random.below(12 * (stride + 1)));
    c.text_bytes = std::max(c.text_bytes, least);
  }
  c.virtual_total = static_cast<VirtualTotal>(random.below(6));
  c.virtual_distance = static_cast<std::uint16_t>(random.next());
  if (c.steering == Steering::virtual_totals && random.chance(60)) {
    // Onto the limit itself, one byte short of it, one byte beyond.
    const bool of_text = c.virtual_total <= VirtualTotal::text_limit;
    c.text_bytes %= 500;
    const std::uint32_t bytes = of_text ? c.text_bytes : c.aad_bytes;
    c.virtual_distance =
        static_cast<std::uint16_t>(bytes + 1 - std::min<std::uint64_t>(bytes + 1, random.below(3)));
  }

  c.call = random.chance(45) ? Call::one_shot : Call::incremental;
  c.aad_cut_count = differential::draw_cuts(random, c.aad_bytes, c.aad_cuts);
  c.in_cut_count = differential::draw_cuts(random, c.text_bytes, c.in_cuts);
  const std::uint8_t out_cuts = differential::draw_cuts(random, c.text_bytes, c.out_cuts);
  if (random.chance(30)) c.out_cut_count = out_cuts;
  if (random.chance(10)) {
    // At the end of a piece, in its last block or behind it: what is left behind for the next is the carry.
    const std::uint32_t end = c.in_cut_count > 0 && random.chance(50)
                                  ? c.in_cuts[random.below(c.in_cut_count)] % (c.text_bytes + 1)
                                  : c.text_bytes;
    const std::uint32_t blocks = (end + 15) / 16;
    c.boundary_block = static_cast<std::uint16_t>(blocks - std::min<std::uint64_t>(blocks, random.below(2)));
  }
  c.hand_over = c.call == Call::incremental && random.chance(55);
  for (ImplementationRef& each : c.schedule) {
    each = implementation_references()[random.below(implementation_references().size())];
  }
  c.export_before = differential::draw_calls(random, 20);
  c.copy_before = differential::draw_calls(random, 15);
  c.rekey = random.chance(20);
  if (random.chance(20)) c.reuse = static_cast<Reuse>(1 + random.below(3));
  c.aliasing = random.chance(35) ? Aliasing::in_place : Aliasing::apart;
  if (random.chance(2)) {
    c.aliasing = Aliasing::partial_overlap;
    // By one byte at either end, or by any number of them.
    c.overlap_bytes = static_cast<std::uint8_t>(random.chance(60) ? random.below(2) : random.next());
  }
  for (Placement* placement : {&c.key_placement, &c.nonce_placement, &c.aad_placement, &c.in_placement,
                               &c.out_placement, &c.tag_placement, &c.state_placement, &c.object_placement}) {
    *placement = FieldMutator::draw_placement(random);
  }
  c.tamper = random.chance(60) ? Tamper::none : static_cast<Tamper>(1 + random.below(4));
  c.tamper_bit = static_cast<std::uint32_t>(random.next());
  c.fill_seed = random.next();
}

// Uniform changes of fields would drift to what no foreign library can answer: presets, sizes outside the
// standard.
void Algorithm::rebalance(Case& c, Random& random) {
  if (c.steering != Steering::nonce && random.chance(85)) c.steering = Steering::nonce;
  if (c.key_bytes != 16 && c.key_bytes != 24 && c.key_bytes != 32 && random.chance(80)) c.key_bytes = 32;
  if ((c.tag_bytes < 12 || c.tag_bytes > 16) && random.chance(80)) c.tag_bytes = 16;
  if ((c.nonce_bytes == 0 || c.nonce_bytes > 128) && random.chance(80)) c.nonce_bytes = 16;
  if (c.aliasing == Aliasing::partial_overlap && random.chance(90)) c.aliasing = Aliasing::apart;
  if (c.operation == Operation::open && random.chance(60)) c.operation = Operation::seal_then_open;
}

}  // namespace lockstep::oracles::aes_gcm
