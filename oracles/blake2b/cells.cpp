// What is counted as covered of BLAKE2b: attributes of the compressions of a piece of text, what of them
// cannot be together, and the points of a case.
#include <algorithm>

#include "oracles/blake2b/algorithm.h"
#include "oracles/blake2b/steering.h"
#include "oracles/differential/cell_values.h"
#include "oracles/differential/pieces.h"

namespace lockstep::oracles::blake2b {
namespace {

using differential::CellDeclaration;
using differential::CellPoint;

enum Attribute : std::uint8_t {
  implementation,
  final_block,
  blocks_run,
  buffered,
  split_phase,
  hand_over,
  call,
  boundary,
  digest_size,
  key_size,
  salt,
  personal,
  tree,
  last_node,
  guard_in,
  guard_out,
  reuse,
  rekey,
  between,
};

constexpr unsigned one_shot = static_cast<unsigned>(Call::one_shot);

// Bytes of a block: 0, 1, up to 63, 64, up to 126, 127, 128.
constexpr std::uint8_t fill_value(std::size_t bytes) noexcept {
  if (bytes < 2) return static_cast<std::uint8_t>(bytes);
  if (bytes < 64) return 2;
  if (bytes == 64) return 3;
  return bytes < 127 ? 4 : bytes == 127 ? 5 : 6;
}
constexpr unsigned empty_block = fill_value(0);
constexpr unsigned full_block = fill_value(block_bytes);
constexpr unsigned last_piece = full_block;  // of split_phase, where a whole block is 0

// Where the total passes the boundary of a preset: five places for each boundary.
enum Passed : std::uint8_t { not_yet, exactly, in_last_block, in_earlier_block, before_text, passed_count };

std::uint8_t boundary_value(const Case& question) noexcept {
  if (!question.preset) return 0;
  const std::int64_t beyond = blake2b::counter_end(question);
  const Passed passed = beyond < 0                      ? not_yet
                        : beyond == 0                   ? exactly
                        : beyond < block_bytes          ? in_last_block
                        : beyond <= question.text_bytes ? in_earlier_block
                                                        : before_text;
  return static_cast<std::uint8_t>(1 + passed_count * static_cast<unsigned>(question.boundary) + passed);
}
constexpr unsigned passed_of(unsigned value) noexcept {
  return (value - 1) % passed_count;
}

std::uint8_t digest_value(std::uint32_t bytes) noexcept {
  if (bytes == 1) return 0;
  if (bytes < 32) return 1;
  if (bytes == 32) return 2;
  if (bytes < 48) return 3;
  return bytes == 48 ? 4 : bytes < 64 ? 5 : 6;
}

constexpr bool none_with_preset(unsigned, unsigned at, unsigned value) noexcept {
  return at == 0 || value == 0;
}
constexpr std::string_view in_h = "a preset has all that in its h";

constexpr differential::CellConstraint constraints[] = {
    {boundary, key_size, none_with_preset, in_h},
    {boundary, salt, none_with_preset, in_h},
    {boundary, personal, none_with_preset, in_h},
    {boundary, tree, none_with_preset, in_h},
    {boundary, call, [](unsigned, unsigned at, unsigned how) noexcept { return at == 0 || how != one_shot; },
     "a preset is taken up by an incremental call"},
    {final_block, boundary,
     [](unsigned, unsigned fill, unsigned at) noexcept {
       return at == 0 || passed_of(at) != exactly || fill == full_block;
     },
     "a boundary is a multiple of the block"},
    {final_block, boundary,
     [](unsigned, unsigned fill, unsigned at) noexcept { return at == 0 || fill != empty_block; },
     "a preset keeps at least a byte"},
    {final_block, boundary,
     [](unsigned, unsigned fill, unsigned at) noexcept {
       return at == 0 || passed_of(at) != in_last_block || fill != full_block;
     },
     "a full last block passes no boundary inside"},
    {final_block, key_size,
     [](unsigned, unsigned fill, unsigned key) noexcept { return key == 0 || fill != empty_block; },
     "the key fills a block"},
    {buffered, blocks_run,
     [](unsigned, unsigned compressed, unsigned blocks) noexcept { return compressed != 2 || blocks == 0; },
     "what stays in the buffer makes no block"},
    {final_block, blocks_run,
     [](unsigned, unsigned fill, unsigned blocks) noexcept { return fill != empty_block || blocks == 0; },
     "the last block is empty if there is no other"},
    {final_block, buffered,
     [](unsigned, unsigned fill, unsigned compressed) noexcept {
       return fill != empty_block || compressed == 0;
     },
     "the last block is empty if there is no other"},
    {final_block, split_phase,
     [](unsigned, unsigned fill, unsigned phase) noexcept {
       return fill != empty_block || phase == 0 || phase == last_piece;
     },
     "the last block is empty if there is no other"},
    {buffered, key_size,
     [](unsigned, unsigned compressed, unsigned key) noexcept { return key == 0 || compressed != 0; },
     "the key fills a block"},
    {buffered, boundary,
     [](unsigned, unsigned compressed, unsigned at) noexcept { return at == 0 || compressed != 0; },
     "a preset keeps at least a byte"},
    {hand_over, call,
     [](unsigned, unsigned next, unsigned how) noexcept { return next == 0 || how != one_shot; },
     "a one-shot call has nothing to hand over"},
    {call, reuse,
     [](unsigned, unsigned how, unsigned before) noexcept { return before == 0 || how != one_shot; },
     "a one-shot call has no object to use again"},
    {reuse, rekey,
     [](unsigned, unsigned before, unsigned other) noexcept { return before != 0 || other == 0; },
     "without a message before there is none with another key"},
    {call, between,
     [](unsigned, unsigned how, unsigned what) noexcept { return what == 0 || how != one_shot; },
     "nothing can be done within a one-shot call"},
};

std::size_t scheduled(const Case& question, std::size_t number) noexcept {
  return differential::resolve(question.schedule[number % question.schedule.size()],
                               Algorithm::implementation_references());
}

}  // namespace

CellDeclaration Algorithm::cell_declaration() {
  using differential::operator+;
  const std::vector<std::string> names = differential::words_of(implementation_names());
  const std::vector<std::string> none = {"none"};
  const std::vector<std::string> no_yes = {"no", "yes"};
  std::vector<std::string> boundaries = none;
  for (const std::string_view at : {"2^32", "2^64", "2^128"}) {
    for (const std::string_view passed : {" not reached", " reached exactly", " in the last block",
                                          " in an earlier block", " before the text"}) {
      boundaries.push_back(std::string(at).append(passed));
    }
  }
  CellDeclaration declared;
  declared.attributes = {
      {"implementation", names},
      {"final_block", {"0", "1", "2..63", "64", "65..126", "127", "128"}},
      {"blocks", {"0", "1", "2", "many"}},
      {"buffered", {"was empty", "compressed", "kept"}},
      {"split_phase", {"0", "1", "2..63", "64", "65..126", "127", "last"}},
      {"hand_over", none + names},
      {"call", {"one_shot", "incremental"}},
      {"boundary", boundaries},
      {"digest", {"1", "2..31", "32", "33..47", "48", "49..63", "64"}},
      {"key", {"none", "1..63", "64"}},
      {"salt", no_yes},
      {"personal", no_yes},
      {"tree", no_yes},
      {"last_node", no_yes},
      {"guard_in", differential::guard_words()},
      {"guard_out", differential::guard_words()},
      {"reuse", {"none", "after_success", "after_rejection", "after_abandonment"}},
      {"rekey", no_yes},
      {"between", differential::between_words()},
  };
  declared.strides.assign(names.size(), 1);
  declared.triples = {{implementation, final_block, boundary},
                      {implementation, split_phase, hand_over},
                      {implementation, blocks_run, buffered},
                      {implementation, final_block, guard_in},
                      {implementation, digest_size, guard_out}};
  declared.constraints.assign(std::begin(constraints), std::end(constraints));
  return declared;
}

// Of a planned case.
void Algorithm::cells(const Case& question, std::vector<CellPoint>& points) {
  const auto refused = [](std::uint32_t bytes) { return bytes != 0 && bytes != 16; };
  if (question.digest_bytes == 0 || question.digest_bytes > 64 || question.key_bytes > 64 ||
      refused(question.salt_bytes) || refused(question.personal_bytes) ||
      (question.tree && (question.depth == 0 || question.inner_length > 64))) {
    return;
  }
  const bool in_pieces = question.call == Call::incremental;
  const auto pieces = differential::cut(question.text_bytes, question.in_cut_count, question.in_cuts);
  // What is in the buffer when the text begins.
  const std::size_t before = question.preset          ? question.before.buffered
                             : question.key_bytes > 0 ? block_bytes
                                                      : 0;
  const std::size_t bytes = before + question.text_bytes;
  CellPoint point = {};
  point[final_block] = fill_value(bytes == 0 ? 0 : (bytes - 1) % block_bytes + 1);
  point[call] = static_cast<std::uint8_t>(question.call);
  point[boundary] = boundary_value(question);
  point[digest_size] = digest_value(question.digest_bytes);
  point[key_size] = question.key_bytes == 0 ? 0 : question.key_bytes < 64 ? 1 : 2;
  point[salt] = question.salt_bytes > 0 ? 1 : 0;
  point[personal] = question.personal_bytes > 0 ? 1 : 0;
  point[tree] = question.tree ? 1 : 0;
  point[last_node] = question.last_node ? 1 : 0;
  point[guard_in] = differential::guard_value(question.in_placement);
  point[guard_out] = differential::guard_value(question.out_placement);
  if (in_pieces) {
    point[reuse] = static_cast<std::uint8_t>(question.reuse);
    point[rekey] = question.reuse != Reuse::none && question.rekey ? 1 : 0;
    point[between] =
        differential::between_value(question.export_before, question.copy_before, 1, pieces.count + 1);
  }
  std::size_t kept = before;
  for (std::size_t i = 0; i < pieces.count; ++i) {
    const std::size_t piece = pieces.bounds[i + 1] - pieces.bounds[i];
    const bool compresses = piece > block_bytes - kept;
    const std::size_t left = compresses && kept > 0 ? piece - (block_bytes - kept) : piece;
    const std::size_t blocks = compresses && left > 0 ? (left - 1) / block_bytes : 0;
    point[blocks_run] = static_cast<std::uint8_t>(std::min<std::size_t>(blocks, 3));
    point[buffered] = kept == 0 ? 0 : compresses ? 1 : 2;
    kept = before + pieces.bounds[i + 1];
    if (kept > 0) kept = (kept - 1) % block_bytes + 1;
    const bool last = i + 1 == pieces.count;
    point[split_phase] = last ? static_cast<std::uint8_t>(last_piece) : fill_value(kept % block_bytes);
    const auto add = [&](std::size_t by, std::size_t next) {
      point[implementation] = static_cast<std::uint8_t>(by);
      point[hand_over] = static_cast<std::uint8_t>(next);
      points.push_back(point);
    };
    for (std::size_t by = 0; by < implementation_names().size(); ++by) add(by, 0);
    if (question.hand_over && in_pieces) add(scheduled(question, i + 1), scheduled(question, i + 2) + 1);
  }
}

}  // namespace lockstep::oracles::blake2b
