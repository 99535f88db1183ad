// The *how* of a case: that the campaign's distribution asks for all of it, and that it is laid out as asked.
#include <gtest/gtest.h>

#include <map>

#include "lockstep/aes_gcm.h"
#include "oracles/aes_gcm/algorithm.h"
#include "oracles/aes_gcm/refusals.h"
#include "oracles/aes_gcm/tamper.h"
#include "oracles/aes_gcm/text.h"
#include "oracles/differential/by_seed.h"
#include "oracles/differential/placed.h"
#include "oracles/differential/report.h"
#include "oracles/targets.h"

namespace lockstep::oracles {
namespace {

using differential::Outcome;
using differential::Random;

constexpr std::uint64_t first_seed = 4000;

TEST(CallShapes, DrawnCasesAgree) {
  for (const differential::Target* target : targets()) {
    differential::Run run;
    for (std::uint64_t seed = first_seed; seed < first_seed + 1500; ++seed) {
      const std::vector<std::uint8_t> input = target->draw(seed);
      target->run(input, run);
      ASSERT_TRUE(run.verdict.agrees()) << "seed " << seed << "\n" << report(*target, input, run);
    }
  }
}

// Every kind of call, often enough for a campaign of seconds.
TEST(CallShapes, TheDistributionAsksForAll) {
  for (const differential::Target* target : targets()) {
    std::map<std::string, unsigned> seen;
    for (std::uint64_t seed = first_seed; seed < first_seed + 4000; ++seed) {
      std::map<std::string_view, std::string> fields;
      for (const differential::Field& field : target->fields(target->draw(seed))) {
        fields[field.name] = field.value;
      }
      if (fields["call"] == "incremental") {
        for (const char* name : {"export_before", "copy_before", "rekey"}) {
          if (fields[name] != "0") ++seen[name];
        }
        ++seen["reuse " + fields["reuse"]];
        if (fields["hand_over"] == "1") ++seen["hand_over"];
      }
      if (fields.contains("aliasing")) ++seen["aliasing " + fields["aliasing"]];
      if (fields.contains("out_cut_count") && fields["out_cut_count"] != "0")
        ++seen["scattered " + fields["call"]];
      for (const auto& [name, value] : fields) {
        if (name.ends_with("_placement")) ++seen[std::string(name) + " " + value];
      }
    }
    const auto demand = [&](const std::string& what) {
      EXPECT_GE(seen[what], 10U) << target->name() << ": " << what;
    };
    for (const char* what :
         {"export_before", "copy_before", "rekey", "hand_over", "reuse after_success",
          "reuse after_abandonment", "key_placement flush behind", "in_placement flush in front",
          "object_placement aligned 1", "state_placement aligned 63"}) {
      demand(what);
    }
    if (target->name() == "aes_gcm") {
      for (const char* what : {"reuse after_rejection", "aliasing in_place", "aliasing partial_overlap",
                               "scattered one_shot", "scattered incremental", "tag_placement flush behind"}) {
        demand(what);
      }
    }
  }
}

TEST(CallShapes, SeedsAskForTheRest) {
  std::map<std::string, unsigned> seen;
  for (std::uint64_t seed = first_seed; seed < first_seed + 4000; ++seed) {
    const differential::BySeed asks(seed);
    seen["refuse_before"] += asks.refuse_before != 0 ? 1 : 0;
    seen["refuse_overlap"] += asks.refuse_overlap ? 1 : 0;
    seen["other_object"] += asks.other_object ? 1 : 0;
    seen["import_over"] += asks.import_over ? 1 : 0;
    seen["replace_key"] += asks.replace_key ? 1 : 0;
    seen["in_lists"] += asks.in_lists != 0 ? 1 : 0;
  }
  for (const auto& [name, times] : seen) EXPECT_GE(times, 100U) << name;
}

// Who reads a span behind the last one of a list is seen; an empty list is one too.
TEST(CallShapes, NothingLiesBehindAList) {
  differential::Buffers buffers;
  const std::uint8_t byte = 7;
  const std::span<const std::uint8_t> spans[] = {{&byte, 1}, {}};
  for (const std::size_t count : {0U, 1U, 2U}) {
    const ConstBuffers placed = place_list(buffers.in_list, ConstBuffers(spans).first(count));
    ASSERT_EQ(placed.size(), count);
    if (count > 0) {
      EXPECT_EQ(placed[0].data(), &byte);
    }
    auto read_behind = [&] {
      const auto word = *reinterpret_cast<const volatile std::size_t*>(placed.data() + count);
      static_cast<void>(word);
    };
    differential::Fault fault;
    EXPECT_FALSE(differential::run_catching_faults(read_behind, fault));
    EXPECT_EQ(differential::describe(fault, buffers), "SIGSEGV, 0 bytes behind the end of list of in");
  }
}

// Whatever the cuts: the input spans of all calls are the text, the output spans are as many bytes, and what
// is written through them is what is gathered.
TEST(CallShapes, SpansAreTheText) {
  differential::Buffers buffers;
  Random random(7);
  for (unsigned i = 0; i < 4000; ++i) {
    aes_gcm::Case question;
    aes_gcm::Algorithm::draw(question, random);
    question.text.resize(question.text_bytes);
    random.fill(question.text);
    const aes_gcm::Text text(question, buffers, question.text);
    EXPECT_TRUE(text.untouched(question.text));
    std::vector<std::uint8_t> fed;
    std::size_t out_bytes = 0;
    std::uint8_t next = 0;
    const bool in_place = question.aliasing == aes_gcm::Aliasing::in_place;
    for (const aes_gcm::Text::Call& call : text.calls()) {
      std::size_t in_call = 0;
      std::size_t out_call = 0;
      for (const auto span : call.in) {
        fed.insert(fed.end(), span.begin(), span.end());
        in_call += span.size();
      }
      for (const auto span : call.out) out_call += span.size();
      EXPECT_EQ(in_call, out_call);
      out_bytes += out_call;
      if (shared_bytes(question) > 0) continue;
      for (const auto span : call.out) {
        for (std::uint8_t& byte : span) byte = ++next;
      }
    }
    ASSERT_EQ(out_bytes, question.text_bytes);
    ASSERT_EQ(fed, question.text);
    if (shared_bytes(question) > 0) continue;
    std::vector<std::uint8_t> gathered(question.text_bytes);
    text.gather(gathered);
    next = 0;
    for (const std::uint8_t byte : gathered) ASSERT_EQ(byte, static_cast<std::uint8_t>(++next));
    Outcome outcome;
    text.check(outcome);
    EXPECT_FALSE(outcome.has(differential::violation_answer)) << outcome.text(differential::violation_answer);
    EXPECT_EQ(text.untouched(question.text), question.text_bytes == 0) << in_place;
  }
}

// What is written to the input, between two pieces of the output, or around either.
TEST(CallShapes, WhatIsWrittenBesideTheOutputIsSeen) {
  differential::Buffers buffers;
  for (const bool scattered : {false, true}) {
    aes_gcm::Case question;
    question.text_bytes = 40;
    question.text.assign(40, 7);
    question.in_cut_count = question.out_cut_count = scattered ? 1 : 0;
    question.in_cuts[0] = 10;
    question.out_cuts[0] = 20;
    question.in_placement = question.out_placement = differential::Placement::aligned(3);
    const auto broken_after_change = [&](std::ptrdiff_t at, bool of_input) {
      const aes_gcm::Text text(question, buffers, question.text);
      const std::uint8_t* const from =
          of_input ? text.calls()[0].in[0].data() : text.calls()[0].out[0].data();
      const_cast<std::uint8_t*>(from)[at] ^= 1;
      Outcome outcome;
      text.check(outcome);
      return std::string(outcome.text(differential::violation_answer));
    };
    EXPECT_EQ(broken_after_change(5, true), "in was modified at byte 5");
    EXPECT_EQ(broken_after_change(5, false), "");
    EXPECT_EQ(broken_after_change(-1, false), "wrote 1 bytes in front of out");
    if (!scattered) continue;
    EXPECT_EQ(broken_after_change(20, false), "wrote between two pieces of out");
    EXPECT_EQ(broken_after_change(32, false), "wrote between two pieces of out");
    EXPECT_EQ(broken_after_change(33, false), "");
  }
}

// The library refuses what it must. Asked whether it refuses what it need not, it does not.
TEST(CallShapes, ARefusalThatDoesNotComeIsSeen) {
  differential::Buffers buffers;
  const std::vector<std::uint8_t> bytes(16, 1);
  const std::vector<std::uint8_t> other_bytes(16, 2);
  ::lockstep::aes_gcm::Key key;
  ::lockstep::aes_gcm::Key other;
  ASSERT_EQ(key.set(bytes), Status::ok);
  ASSERT_EQ(other.set(other_bytes), Status::ok);
  const aes_gcm::PlaceState place = {buffers.state, differential::Placement::behind()};
  const auto broken_of = [&](const ::lockstep::aes_gcm::Key& second) {
    ::lockstep::aes_gcm::SealMessage message;
    EXPECT_EQ(message.start(key, bytes), Status::ok);
    Outcome outcome;
    aes_gcm::demand_refusals(message, key, second, place, outcome);
    return std::string(outcome.text(differential::violation_answer));
  };
  EXPECT_EQ(broken_of(other), "");
  EXPECT_EQ(broken_of(key), "another key: ok instead of key_mismatch");
}

// One bit of what the case names, and nothing else: a tag that is compared in part is found by its last bits
// alone.
TEST(CallShapes, TamperingChangesTheBitThatIsNamed) {
  using aes_gcm::Tamper;
  aes_gcm::Case question;
  question.nonce.assign(12, 1);
  question.aad.assign(9, 2);
  const std::vector<std::uint8_t> ciphertext(33, 3);
  const std::vector<std::uint8_t> tag(16, 4);
  aes_gcm::Tampered message;
  for (const Tamper what : {Tamper::none, Tamper::ciphertext, Tamper::tag, Tamper::aad, Tamper::nonce}) {
    question.tamper = what;
    for (question.tamper_bit = 0; question.tamper_bit < 600; ++question.tamper_bit) {
      aes_gcm::tamper(question, ciphertext, tag, message);
      const auto expect = [&](const std::vector<std::uint8_t>& got, std::vector<std::uint8_t> expected,
                              bool changed) {
        const std::size_t bit = question.tamper_bit % (8 * expected.size());
        if (changed) expected[bit / 8] = static_cast<std::uint8_t>(expected[bit / 8] ^ 1U << (bit % 8));
        ASSERT_EQ(got, expected) << static_cast<unsigned>(what) << ", bit " << question.tamper_bit;
      };
      expect(message.ciphertext, ciphertext, what == Tamper::ciphertext);
      expect(message.tag, tag, what == Tamper::tag);
      expect(message.aad, question.aad, what == Tamper::aad);
      expect(message.nonce, question.nonce, what == Tamper::nonce);
    }
  }
}

TEST(CallShapes, APartialOverlapSharesWhatItSays) {
  differential::Buffers buffers;
  for (std::uint32_t bytes = 0; bytes < 40; ++bytes) {
    for (unsigned code = 0; code < 256; ++code) {
      aes_gcm::Case question;
      question.aliasing = aes_gcm::Aliasing::partial_overlap;
      question.text_bytes = bytes;
      question.overlap_bytes = static_cast<std::uint8_t>(code);
      question.text.assign(bytes, 7);
      const std::size_t shared = shared_bytes(question);
      EXPECT_EQ(shared > 0, bytes > 1);
      if (shared == 0) continue;
      ASSERT_LT(shared, bytes);
      const aes_gcm::Text text(question, buffers, question.text);
      const std::uint8_t* const in = text.calls()[0].in[0].data();
      const std::uint8_t* const out = text.calls()[0].out[0].data();
      EXPECT_EQ(code % 2 == 0 ? out - in : in - out, static_cast<std::ptrdiff_t>(bytes - shared));
    }
  }
  aes_gcm::Case question;
  question.aliasing = aes_gcm::Aliasing::partial_overlap;
  question.text_bytes = 100;
  EXPECT_EQ(shared_bytes(question), 1U);
}

// Something that keeps a byte when it should not.
struct Careless {
  std::uint8_t secret[5] = {};
  explicit Careless(bool careful = true) noexcept : careful_(careful) {}
  ~Careless() {
    for (std::uint8_t& byte : secret) byte = 0;
    if (!careful_) secret[3] = 9;
    careful_ = true;
    __asm__ __volatile__("" : : "r"(this) : "memory");
  }

 private:
  bool careful_;
};

TEST(CallShapes, WhatIsNotWipedIsSeen) {
  differential::GuardedRegion region("object");
  for (const bool careful : {true, false}) {
    Outcome outcome;
    {
      differential::Placed<Careless> object(region, differential::Placement::behind(), outcome, careful);
      object->secret[2] = 1;
    }
    EXPECT_EQ(outcome.text(differential::violation_answer),
              careful ? "" : "object is not wiped after destruction: byte 3");
  }
}

}  // namespace
}  // namespace lockstep::oracles
