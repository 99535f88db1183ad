// What Lockstep is compared with in the kill matrix: cases without steering, and what a naive target makes of
// bytes.
#include <algorithm>
#include <set>

#include "oracles/aes_gcm/algorithm.h"
#include "oracles/blake2b/algorithm.h"
#include "oracles/differential/by_seed.h"
#include "oracles/differential/raw_bytes.h"
#include "oracles/ghash/algorithm.h"
#include "oracles/targets.h"
#include "support.h"

namespace lockstep::oracles {
namespace {

using namespace lockstep::oracles::test;
using differential::Field;
using differential::Placement;
using differential::Target;

// All bytes different from their neighbours.
Bytes counted(std::size_t bytes) {
  Bytes result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<std::uint8_t>(7 * i + 3);
  return result;
}

bool is_steering(std::string_view field) {
  return field == "steering" || field.ends_with("_steering");
}

TEST(WithoutSteering, NoCaseIsSteered) {
  constexpr unsigned cases = 400;
  for (const Target* target : targets()) {
    unsigned steered = 0;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
      const Bytes drawn = target->draw(seed);
      Bytes plain;
      target->unsteered(drawn, plain);
      for (const Field& field : target->fields(drawn))
        steered += is_steering(field.name) && field.value != "none";
      unsigned fields = 0;
      for (const Field& field : target->fields(plain)) {
        if (!is_steering(field.name)) continue;
        ++fields;
        EXPECT_EQ(field.value, "none") << target->name();
      }
      EXPECT_GT(fields, 0U) << target->name() << " has no field of this name";
      differential::Run run;
      if (seed % 20 == 0) {
        target->run(plain, run);
        EXPECT_TRUE(run.verdict.agrees());
        EXPECT_FALSE(run.facts.steered);
      }
      Bytes again;
      target->unsteered(plain, again);
      EXPECT_EQ(again, plain);
    }
    EXPECT_GT(steered, cases / 20) << target->name();
  }
}

TEST(WithoutSteering, NothingElseChanges) {
  for (const Target* target : targets()) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Bytes drawn = target->draw(seed);
      const auto fields = target->fields(drawn);
      if (std::ranges::any_of(fields,
                              [](const Field& f) { return is_steering(f.name) && f.value != "none"; }))
        continue;
      drawn.insert(drawn.end(), {1, 2, 3, 4, 5});  // content
      Bytes plain;
      target->unsteered(drawn, plain);
      EXPECT_EQ(plain, drawn) << target->name();
    }
  }
}

TEST(Naive, RawBytes) {
  const Bytes bytes = {1, 2, 3};
  differential::RawBytes raw(bytes);
  EXPECT_EQ(raw.byte(), 1);
  EXPECT_EQ(raw.take(4), (Bytes{2, 3, 0, 0}));
  EXPECT_EQ(raw.size(), 0U);
  EXPECT_EQ(raw.byte(), 0);
}

TEST(Naive, QuietSeed) {
  const differential::BySeed by_seed(differential::quiet_seed);
  EXPECT_EQ(by_seed.refuse_before, 0);
  EXPECT_EQ(by_seed.in_lists, 0);
  EXPECT_FALSE(by_seed.refuse_overlap || by_seed.other_object || by_seed.import_over || by_seed.replace_key);
}

// The case as it is asked: encoded, and decoded again.
template <class Algorithm>
typename Algorithm::Case naive_case(const Target& target, const Bytes& raw) {
  Bytes encoded;
  target.naive(raw, encoded);
  EXPECT_EQ(differential::header_target(encoded), Algorithm::id);
  auto question = decode<typename Algorithm::Case>(std::span(encoded).subspan(differential::header_bytes));
  const Bytes before = encode(question);
  Algorithm::steer(question);
  EXPECT_EQ(encode(question), before) << "it is steered";
  EXPECT_EQ(encode(Algorithm::naive(raw)), before);
  EXPECT_EQ(question.fill_seed, differential::quiet_seed);
  EXPECT_FALSE(question.hand_over);
  EXPECT_EQ(question.in_placement, Placement::behind());
  EXPECT_EQ(question.out_placement, Placement::behind());
  return question;
}

const Target& target_of(std::string_view name) {
  return **std::ranges::find(targets(), name, [](const Target* target) { return target->name(); });
}

TEST(Naive, AesGcm) {
  const Target& target = target_of("aes_gcm");
  std::set<std::uint32_t> key_sizes;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{20}, std::size_t{100}, std::size_t{4000}}) {
    for (std::uint8_t first = 0; first < 6; ++first) {
      Bytes raw = counted(size);
      if (size > 0) raw[0] = first;
      const auto question = naive_case<aes_gcm::Algorithm>(target, raw);
      key_sizes.insert(question.key_bytes);
      EXPECT_EQ(question.nonce_bytes, 12U);
      EXPECT_EQ(question.tag_bytes, 16U);
      EXPECT_EQ(question.call, aes_gcm::Call::one_shot);
      EXPECT_EQ(question.aliasing, aes_gcm::Aliasing::apart);
      EXPECT_EQ(question.tamper, aes_gcm::Tamper::none);
      EXPECT_EQ(question.operation, aes_gcm::Operation::seal_then_open);
      EXPECT_EQ(question.out_cut_count, 0);
      // First byte, key, nonce, length, then AAD and text in what is left.
      const std::size_t before = 1 + question.key_bytes + 12 + 1;
      EXPECT_EQ(question.aad.size() + question.text.size(), size > before ? size - before : 0);
      if (size <= before) continue;
      const auto rest = raw.begin() + static_cast<std::ptrdiff_t>(before);
      EXPECT_TRUE(std::equal(question.key.begin(), question.key.end(), raw.begin() + 1));
      EXPECT_TRUE(
          std::equal(question.nonce.begin(), question.nonce.end(), raw.begin() + 1 + question.key_bytes));
      EXPECT_EQ(question.aad_bytes, raw[before - 1] % (size - before + 1));
      EXPECT_TRUE(std::equal(question.aad.begin(), question.aad.end(), rest));
      EXPECT_TRUE(std::equal(question.text.begin(), question.text.end(), rest + question.aad_bytes));
    }
  }
  EXPECT_EQ(key_sizes, (std::set<std::uint32_t>{16, 24, 32}));
}

TEST(Naive, Blake2b) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{300}}) {
    const auto question = naive_case<blake2b::Algorithm>(target_of("blake2b"), counted(size));
    EXPECT_EQ(question.text, counted(size));
    EXPECT_EQ(question.digest_bytes, 64U);
    EXPECT_EQ(question.key_bytes + question.salt_bytes + question.personal_bytes, 0U);
    EXPECT_EQ(question.call, blake2b::Call::one_shot);
  }
}

TEST(Naive, Ghash) {
  const Bytes raw = counted(100);
  const auto question = naive_case<ghash::Algorithm>(target_of("ghash"), raw);
  EXPECT_EQ(question.key, copy(std::span(raw).first(16)));
  EXPECT_EQ(question.text, copy(std::span(raw).subspan(16)));
  EXPECT_EQ(question.call, ghash::Call::one_shot);
  EXPECT_EQ(naive_case<ghash::Algorithm>(target_of("ghash"), {}).key, Bytes(16));
}

// Implementations and one foreign library; nobody else costs time.
TEST(Naive, WhoIsAsked) {
  for (const Target* target : targets()) {
    Bytes encoded;
    target->naive(counted(200), encoded);
    differential::Run run;
    target->run(encoded, run, differential::Effort::naive);
    EXPECT_TRUE(run.verdict.agrees());
    for (std::size_t i = 0; i < target->participants().size(); ++i) {
      const auto& info = target->participants()[i];
      const bool asked = (info.shipped && info.name != "hand_over") || i == target->naive_oracle();
      EXPECT_EQ(run.outcomes[i].supported(), asked) << info.name;
      for (differential::AnswerId id = 0; asked && id < differential::max_answers; ++id) {
        EXPECT_TRUE(!target->naive_answers().contains(id) || run.outcomes[i].has(id)) << info.name;
      }
    }
    EXPECT_TRUE(run.points.empty() && run.lanes.empty());
  }
}

}  // namespace
}  // namespace lockstep::oracles
