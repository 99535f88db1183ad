// What somebody writes first: raw bytes in, one call, compared with one library.
#include "oracles/blake2b/algorithm.h"
#include "oracles/differential/by_seed.h"
#include "oracles/differential/raw_bytes.h"

namespace lockstep::oracles::blake2b {

Case Algorithm::naive(std::span<const std::uint8_t> raw) {
  differential::RawBytes bytes(raw);
  Case question;
  question.fill_seed = differential::quiet_seed;
  question.text = bytes.take(bytes.size());
  question.text_bytes = static_cast<std::uint32_t>(question.text.size());
  // An address sanitizer would see what reads or writes behind them.
  question.in_placement = question.out_placement = Placement::behind();
  return question;
}

}  // namespace lockstep::oracles::blake2b
