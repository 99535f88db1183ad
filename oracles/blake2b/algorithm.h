#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/blake2b/case.h"
#include "oracles/differential/cells.h"
#include "oracles/differential/target.h"

namespace lockstep::oracles::blake2b {

// participants.cpp: the list of everyone who is asked.
std::span<const differential::Participant<Case>> participants();
// implementations.cpp: the shipped ones that this CPU can run, and their mixture.
void append_implementations(std::vector<differential::Participant<Case>>& list);

// What differential/harness.h makes a Target of.
struct Algorithm {
  using Case = blake2b::Case;
  static constexpr std::string_view name = "blake2b";
  static constexpr std::uint8_t id = 3;
  static constexpr std::span<const std::string_view> answer_names = blake2b::answer_names;
  static constexpr AnswerSet core_answers = blake2b::core_answers;
  static constexpr std::string_view operation_names[] = {"hash"};
  static constexpr std::span<const std::string_view> operations = operation_names;
  static constexpr bool has_lanes = false;  // one block after the other

  static std::span<const differential::Participant<Case>> participants() { return blake2b::participants(); }
  static std::span<const std::string_view> implementation_names();
  static std::span<const ImplementationRef> implementation_references();
  static std::span<const unsigned> strides();
  static std::span<const Case> typical();
  static void steer(Case& question);
  static void plan(Case& question) noexcept;
  static void unsteer(Case& question) noexcept { question.steering = Steering::none; }
  static Case naive(std::span<const std::uint8_t> raw);
  static constexpr std::string_view naive_oracle = "botan";
  static constexpr AnswerSet naive_answers = {digest};
  static void draw(Case& question, differential::Random& random);
  static void rebalance(Case& question, differential::Random& random);
  static differential::Facts facts(const Case& question);
  static void lanes(const Case& question, std::vector<differential::LaneHit>& hits);
  static differential::CellDeclaration cell_declaration();
  static void cells(const Case& question, std::vector<differential::CellPoint>& points);
  static differential::Place locate(const Case& question, AnswerId answer, std::size_t byte,
                                    std::size_t participant);
};

}  // namespace lockstep::oracles::blake2b
