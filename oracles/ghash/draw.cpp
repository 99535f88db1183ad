// The campaign's own distribution of GHASH cases: lengths at edges, a share of special keys and texts.
#include <algorithm>

#include "oracles/differential/draw.h"
#include "oracles/ghash/algorithm.h"

namespace lockstep::oracles::ghash {

using differential::FieldMutator;
using differential::Random;

void Algorithm::draw(Case& c, Random& random) {
  c.text_bytes = FieldMutator::edge_length(random, strides(), usual_text_limit);
  c.call = random.chance(40) ? Call::one_shot : Call::incremental;
  c.in_cut_count = differential::draw_cuts(random, c.text_bytes, c.in_cuts);
  c.hand_over = c.call == Call::incremental && random.chance(55);
  for (ImplementationRef& each : c.schedule) {
    each = implementation_references()[random.below(implementation_references().size())];
  }
  c.export_before = differential::draw_calls(random, 20);
  c.copy_before = differential::draw_calls(random, 15);
  c.rekey = random.chance(20);
  if (random.chance(20)) c.reuse = static_cast<Reuse>(1 + random.below(2));
  for (Placement* placement :
       {&c.key_placement, &c.in_placement, &c.out_placement, &c.state_placement, &c.object_placement}) {
    *placement = FieldMutator::draw_placement(random);
  }
  // A random H under a random text is what shows a wrong power or a wrong fold: a third of the cases keeps
  // both.
  if (random.chance(48)) c.key_steering = static_cast<KeySteering>(1 + random.below(5));
  if (random.chance(32)) c.text_steering = static_cast<TextSteering>(1 + random.below(4));
  c.steered_bit = static_cast<std::uint32_t>(random.next());
  c.fill_seed = random.next();
}

// An engine keeps what runs long, and mutations of that would drift to long texts.
void Algorithm::rebalance(Case& c, Random& random) {
  if (c.text_bytes > 800 && random.chance(97)) c.text_bytes = 200 + c.text_bytes % 500;
  if (c.key_steering == KeySteering::none && c.text_steering == TextSteering::none && random.chance(40)) {
    c.key_steering = static_cast<KeySteering>(1 + random.below(5));
  }
}

}  // namespace lockstep::oracles::ghash
