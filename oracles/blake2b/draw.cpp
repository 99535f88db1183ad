// The campaign's own distribution of BLAKE2b cases: lengths at edges of blocks, every size of everything, and
// enough of what each foreign library can answer.
#include <algorithm>

#include "oracles/blake2b/algorithm.h"
#include "oracles/differential/draw.h"

namespace lockstep::oracles::blake2b {
namespace {

using differential::FieldMutator;
using differential::Random;

std::uint32_t draw_text_bytes(Random& random) {
  std::uint64_t bytes = 0;
  switch (random.below(8)) {
    case 0:
      bytes = random.below(3) * random.below(130);
      break;
    case 1:
    case 2:
      bytes = block_bytes * random.below(6);
      break;
    case 3:
      bytes = block_bytes * (1 + random.below(5)) + random.below(3) - 1;
      break;
    case 4:
      bytes = block_bytes * random.below(5) + random.below(block_bytes);
      break;
    case 5:
      bytes = random.below(260);
      break;
    default:
      bytes = random.chance(6) ? random.below(usual_text_limit + 1) : random.below(900);
      break;
  }
  return static_cast<std::uint32_t>(bytes);
}

// A position that favours the edges of blocks; with a preset the edges lie elsewhere.
std::uint16_t draw_cut(Random& random, std::uint32_t bytes) {
  std::uint64_t cut = random.below(std::uint64_t{bytes} + 1);
  if (random.chance(60)) cut = cut / block_bytes * block_bytes + random.below(2) * (random.below(3) + 127);
  return static_cast<std::uint16_t>(cut);
}

std::uint32_t draw_digest_bytes(Random& random) {
  static constexpr std::uint32_t named[] = {20, 32, 48};
  const std::uint64_t way = random.below(100);
  if (way < 52) return 64;
  if (way < 74) return named[random.below(3)];
  return static_cast<std::uint32_t>(way < 98 ? 1 + random.below(64) : random.below(81));
}

std::uint32_t draw_key_bytes(Random& random) {
  static constexpr std::uint32_t edges[] = {1, 16, 32, 63, 64};
  const std::uint64_t way = random.below(100);
  if (way < 52) return 0;
  if (way < 72) return edges[random.below(5)];
  return static_cast<std::uint32_t>(way < 98 ? 1 + random.below(64) : random.below(81));
}

std::uint32_t draw_salt_bytes(Random& random) {
  const std::uint64_t way = random.below(100);
  if (way < 84) return 0;
  return static_cast<std::uint32_t>(way < 99 ? 16 : random.below(33));
}

}  // namespace

void Algorithm::draw(Case& c, Random& random) {
  c.steering = random.chance(32) ? Steering::preset_counter : Steering::none;
  c.digest_bytes = draw_digest_bytes(random);
  c.key_bytes = draw_key_bytes(random);
  c.salt_bytes = draw_salt_bytes(random);
  c.personal_bytes = draw_salt_bytes(random);
  c.text_bytes = draw_text_bytes(random);
  c.tree = random.chance(8);
  c.fanout = static_cast<std::uint8_t>(random.chance(50) ? random.below(5) : random.below(256));
  c.depth = static_cast<std::uint8_t>(random.chance(70) ? 1 + random.below(3) : random.below(256));
  c.leaf_length = static_cast<std::uint32_t>(random.chance(30) ? 0 : random.next());
  c.node_offset = random.chance(30) ? random.below(4) : random.next();
  c.node_depth = static_cast<std::uint8_t>(random.chance(50) ? random.below(3) : random.below(256));
  c.inner_length = static_cast<std::uint8_t>(random.chance(90) ? random.below(65) : random.below(256));
  c.last_node = random.chance(8);

  c.boundary = static_cast<Boundary>(random.below(3));
  // Exactly; in the last block; in an earlier one, or short of it.
  const std::uint64_t end = random.below(10);
  c.counter_end = static_cast<std::uint32_t>(end < 3   ? 0
                                             : end < 6 ? 1 + random.below(block_bytes)
                                                       : random.below(std::uint64_t{c.text_bytes} + 385));

  c.call = random.chance(35) ? Call::one_shot : Call::incremental;
  for (std::uint16_t& cut : c.in_cuts) cut = draw_cut(random, c.text_bytes);
  c.in_cut_count = static_cast<std::uint8_t>(random.below(random.chance(70) ? 3 : max_pieces));
  c.hand_over = c.call == Call::incremental && random.chance(55);
  for (ImplementationRef& each : c.schedule) {
    each = implementation_references()[random.below(implementation_references().size())];
  }
  c.export_before = differential::draw_calls(random, 20);
  c.copy_before = differential::draw_calls(random, 15);
  c.rekey = random.chance(50);
  if (random.chance(20)) c.reuse = static_cast<Reuse>(1 + random.below(3));
  for (Placement* placement : {&c.key_placement, &c.salt_placement, &c.personal_placement, &c.in_placement,
                               &c.out_placement, &c.state_placement, &c.object_placement}) {
    *placement = FieldMutator::draw_placement(random);
  }
  c.fill_seed = random.next();
}

// Uniform changes of fields would drift to what few can answer: presets, trees, sizes that do not exist.
void Algorithm::rebalance(Case& c, Random& random) {
  if (c.steering != Steering::none && random.chance(35)) c.steering = Steering::none;
  if (c.tree && random.chance(85)) c.tree = false;
  if (c.last_node && random.chance(85)) c.last_node = false;
  if ((c.digest_bytes == 0 || c.digest_bytes > 64) && random.chance(80)) c.digest_bytes = 64;
  if (c.key_bytes > 64 && random.chance(80)) c.key_bytes = 64;
  if (c.key_bytes > 0 && random.chance(20)) c.key_bytes = 0;
  for (std::uint32_t* bytes : {&c.salt_bytes, &c.personal_bytes}) {
    if (*bytes > 0 && random.chance(70)) *bytes = 0;
  }
}

}  // namespace lockstep::oracles::blake2b
