#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/differential/fields.h"
#include "oracles/differential/fields_text.h"
#include "oracles/differential/outcome.h"
#include "oracles/differential/participant.h"

namespace lockstep::oracles::test {

using Bytes = std::vector<std::uint8_t>;

inline Bytes from_hex(std::string_view text) {
  std::optional<Bytes> bytes = differential::from_hex(text);
  if (!bytes) ADD_FAILURE() << "not hex: " << text;
  return bytes.value_or(Bytes{});
}

inline Bytes copy(std::span<const std::uint8_t> bytes) {
  return {bytes.begin(), bytes.end()};
}

template <std::size_t count>
Bytes copy(const std::array<std::uint8_t, count>& bytes) {
  return {bytes.begin(), bytes.end()};
}

// One call of a participant, whatever it declares.
template <class Case>
differential::Outcome ask(const differential::Participant<Case>& participant, const Case& question) {
  static differential::Buffers buffers;
  differential::Outcome outcome;
  participant.run(participant.self, question, buffers, outcome);
  EXPECT_EQ(outcome.violation(), differential::ViolationKind::none)
      << participant.info.name << ": " << outcome.text(differential::violation_answer);
  return outcome;
}

template <class Case>
Bytes encode(const Case& question) {
  Bytes bytes;
  differential::Encoder encoder(bytes);
  visit(encoder, question);
  return bytes;
}

template <class Case>
Case decode(std::span<const std::uint8_t> bytes) {
  Case question;
  differential::Decoder decoder(bytes);
  visit(decoder, question);
  return question;
}

// Any case at all, as a fuzzer's first random bytes give it.
template <class Case>
Case random_case(differential::Random& random) {
  Bytes bytes(300);
  random.fill(bytes);
  return decode<Case>(bytes);
}

}  // namespace lockstep::oracles::test
