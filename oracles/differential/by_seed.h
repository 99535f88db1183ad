#pragma once

#include <cstdint>

#include "oracles/differential/draw.h"

namespace lockstep::differential {

// How a case is called where it has no field that says so: its seed decides, the same in every replay. What
// takes many calls is rare: these faults show in any case, so that a few of them are enough.
struct BySeed {
  std::uint8_t refuse_before = 0;  // bit n mod 8: calls that must be refused are made before call n
  bool refuse_overlap = false;     // the same of a one-shot call
  bool other_object =
      false;                 // an earlier message, if the case does not re-key, is under another object's key
  bool import_over = false;  // what was exported is taken up by an object that another message has used
  bool replace_key = false;  // before a copy ends, the object that its key was copied from has another
  std::uint8_t in_lists = 0;  // bit n mod 8: a piece of a hash comes in a list, beside empty spans

  explicit BySeed(std::uint64_t fill_seed) noexcept {
    Random random(fill_seed);
    refuse_before = draw_calls(random, 5);
    refuse_before &= static_cast<std::uint8_t>(-refuse_before);  // once is enough, and dear enough
    refuse_overlap = random.chance(5);
    other_object = random.chance(50);
    import_over = random.chance(50);
    replace_key = random.chance(30);
    in_lists = draw_calls(random, 20);
  }
};

// A fill_seed by which nothing of that happens, and by which nobody is asked twice.
inline constexpr std::uint64_t quiet_seed = 4;

}  // namespace lockstep::differential
