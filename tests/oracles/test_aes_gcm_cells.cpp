// How the text of a case comes to the kernels, and what of it is counted.
#include "oracles/aes_gcm/algorithm.h"
#include "oracles/aes_gcm/kernel_calls.h"
#include "oracles/aes_gcm/steering.h"
#include "oracles/differential/cells.h"
#include "oracles/targets.h"
#include "support.h"

namespace lockstep::oracles::aes_gcm {
namespace {

using namespace lockstep::oracles::test;
using differential::CellMap;
using differential::CellPoint;
using differential::Random;

struct Expected {
  std::size_t begin, end, call;
  bool ends_call, last;
};

void expect_pieces(const Case& question, std::initializer_list<Expected> expected) {
  const TextPieces pieces = text_pieces_of(question);
  ASSERT_EQ(pieces.count, expected.size());
  for (std::size_t i = 0; i < pieces.count; ++i) {
    const Expected& wanted = expected.begin()[i];
    EXPECT_EQ(pieces.list[i].begin, wanted.begin) << i;
    EXPECT_EQ(pieces.list[i].end, wanted.end) << i;
    EXPECT_EQ(pieces.list[i].call, wanted.call) << i;
    EXPECT_EQ(pieces.list[i].ends_call, wanted.ends_call) << i;
    EXPECT_EQ(pieces.list[i].last, wanted.last) << i;
  }
}

Case with_cuts(Call call, std::uint32_t text_bytes, std::initializer_list<std::uint16_t> in,
               std::initializer_list<std::uint16_t> out) {
  Case question;
  question.call = call;
  question.text_bytes = text_bytes;
  question.in_cut_count = static_cast<std::uint8_t>(in.size());
  std::ranges::copy(in, question.in_cuts.begin());
  question.out_cut_count = static_cast<std::uint8_t>(out.size());
  std::ranges::copy(out, question.out_cuts.begin());
  return question;
}

TEST(AesGcmKernelCalls, OneShotIsOnePiece) {
  expect_pieces(with_cuts(Call::one_shot, 100, {10, 20}, {}), {{0, 100, 2, true, true}});
}

TEST(AesGcmKernelCalls, PiecesAreCalls) {
  Case question = with_cuts(Call::incremental, 100, {20, 10, 10}, {});
  question.aad_cut_count = 1;  // calls 0 to 2 are start and two pieces of AAD
  expect_pieces(question, {{0, 10, 3, true, false},
                           {10, 10, 4, true, false},
                           {10, 20, 5, true, false},
                           {20, 100, 6, true, true}});
  EXPECT_EQ(text_pieces_of(question).list[0].kernel_bytes(), 10U);
  EXPECT_EQ(text_pieces_of(question).list[1].kernel_bytes(), 0U);
  EXPECT_EQ(text_pieces_of(question).list[2].first_block(), 1U);
  EXPECT_EQ(text_pieces_of(question).list[2].kernel_bytes(), 4U);
}

TEST(AesGcmKernelCalls, ScatteringRefinesBothSides) {
  expect_pieces(with_cuts(Call::one_shot, 100, {10, 20}, {16, 20}), {{0, 10, 2, false, false},
                                                                     {10, 16, 2, false, false},
                                                                     {16, 20, 2, false, false},
                                                                     {20, 100, 2, true, true}});
  // Two calls, the first with one of three pieces.
  expect_pieces(with_cuts(Call::incremental, 100, {40, 60}, {16, 50}), {{0, 16, 2, false, false},
                                                                        {16, 40, 2, true, false},
                                                                        {40, 50, 3, false, false},
                                                                        {50, 60, 3, false, false},
                                                                        {60, 100, 3, true, true}});
  // Without a cut of input, and without text, a call gets nothing.
  expect_pieces(with_cuts(Call::incremental, 100, {}, {50}),
                {{0, 0, 2, true, false}, {0, 50, 3, false, false}, {50, 100, 3, true, true}});
  expect_pieces(with_cuts(Call::incremental, 0, {7}, {7}), {{0, 0, 2, true, false}, {0, 0, 3, true, true}});
}

TEST(AesGcmKernelCalls, PiecesCoverTheText) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto question = random_case<Case>(random);
    const TextPieces pieces = text_pieces_of(question);
    ASSERT_LE(pieces.count, pieces.list.size());
    std::size_t at = 0;
    for (const TextPiece& piece : pieces) {
      ASSERT_EQ(piece.begin, at);
      ASSERT_GE(piece.end, at);
      ASSERT_EQ(piece.last, &piece == pieces.end() - 1);
      at = piece.end;
    }
    ASSERT_EQ(at, question.text_bytes);
  }
}

TEST(AesGcmCells, APlanIsWhatSteeringDoesToTheFields) {
  Random random(2);
  for (int i = 0; i < 5000; ++i) {
    Case steered;
    Algorithm::draw(steered, random);
    Case planned = steered;
    steered = decode<Case>(encode(steered));
    steer(steered);
    plan(planned);
    EXPECT_TRUE(planned.key.empty() && planned.nonce.empty() && planned.aad.empty() && planned.text.empty());
    EXPECT_EQ(planned.preset, steered.preset);
    EXPECT_EQ(planned.before.text_bytes, steered.before.text_bytes);
    std::vector<CellPoint> of_plan;
    std::vector<CellPoint> of_steered;
    Algorithm::cells(planned, of_plan);
    Algorithm::cells(steered, of_steered);
    EXPECT_EQ(of_plan, of_steered);
  }
}

// The words of the points of a case, for one implementation.
std::vector<std::string> words_of(const Case& question, std::string_view implementation) {
  const std::span<const differential::CellAttribute> attributes =
      find_target("aes_gcm")->cells().attributes();
  std::vector<CellPoint> points;
  Algorithm::cells(question, points);
  std::vector<std::string> list;
  for (const CellPoint& point : points) {
    if (attributes[0].values[point[0]] != implementation) continue;
    std::string text;
    for (std::size_t i = 1; i < attributes.size(); ++i) {
      if (point[i] != 0) text += attributes[i].name + " = " + attributes[i].values[point[i]] + ", ";
    }
    list.push_back(text);
  }
  return list;
}

TEST(AesGcmCells, NamesWhatHappens) {
  Case question = with_cuts(Call::one_shot, 16 * 9 + 3, {}, {});
  question.tamper = Tamper::tag;
  question.steering = Steering::nonce;
  question.boundary = 3;
  question.boundary_block = 9;
  plan(question);
  // portable has a stride of four blocks.
  const std::string both =
      "length = blocks + 2..14, strides = 2, tail = 1 blocks and a rest, wrap_lane = tail 1, "
      "split_phase = last, nonce = 16, tag = 16, ";
  EXPECT_EQ(words_of(question, "portable"), (std::vector<std::string>{both, "operation = reject, " + both}));
  question.aliasing = Aliasing::partial_overlap;
  EXPECT_EQ(words_of(question, "portable"),
            std::vector<std::string>{"length = blocks + 2..14, split_phase = last, aliasing = "
                                     "partial_overlap, nonce = 16, tag = 16, "});
  question.tag_bytes = 11;
  EXPECT_TRUE(words_of(question, "portable").empty()) << "refused";
}

TEST(AesGcmCells, GuardsAreThoseOfEachBuffer) {
  Case question = with_cuts(Call::one_shot, 16, {}, {});
  question.in_placement = Placement::front();
  question.out_placement = Placement::behind();
  plan(question);
  const auto holds = [&](std::string_view words) {
    const std::vector<std::string> list = words_of(question, "portable");
    return !list.empty() && list[0].find(words) != std::string::npos;
  };
  EXPECT_TRUE(holds("guard_in = front, guard_out = behind, "));
  question.aliasing = Aliasing::in_place;
  EXPECT_TRUE(holds("guard_in = behind, guard_out = behind, ")) << "there is one buffer";
  question.out_placement = Placement::front();
  EXPECT_TRUE(holds("guard_in = front, guard_out = front, "));
}

// Reachable is what can be, and nothing that cannot: a campaign would look for it for ever.
TEST(AesGcmCells, KnowsWhatCannotBe) {
  const CellMap& map = find_target("aes_gcm")->cells();
  for (const char* const words :
       {"call = one_shot, reuse = after_success", "hand_over = portable, call = one_shot",
        "split_phase = 3, call = one_shot", "call = scatter one_shot, between = copy",
        "wrap_lane = bulk 0, nonce = 12", "wrap_lane = tail 0, nonce = below 16",
        "strides = 0, wrap_lane = bulk 0", "tail = 0 blocks, wrap_lane = tail 0",
        "implementation = portable, tail = 4 blocks", "implementation = portable, wrap_lane = bulk 4",
        "operation = open, aliasing = partial_overlap", "strides = 1, aliasing = partial_overlap"}) {
    const std::optional<std::size_t> cell = map.find(words);
    ASSERT_TRUE(cell) << words;
    EXPECT_EQ(map.reachable()[*cell], 0) << words;
    EXPECT_NE(map.reason(*cell), "") << words;
  }
  for (const char* const words :
       {"call = incremental, reuse = after_rejection", "split_phase = 3, call = scatter one_shot",
        "wrap_lane = tail 0, nonce = blocks and a rest", "implementation = portable, wrap_lane = bulk 3",
        "split_phase = 3, aliasing = in_place"}) {
    const std::optional<std::size_t> cell = map.find(words);
    ASSERT_TRUE(cell) << words;
    EXPECT_EQ(map.reachable()[*cell], 1) << words;
  }
}

TEST(AesGcmLanes, AreWhereTheCounterWraps) {
  // portable, the first of all, has a stride of four blocks.
  const auto lanes_of = [](const Case& question) {
    std::vector<differential::LaneHit> all;
    Algorithm::lanes(question, all);
    std::vector<std::string> list;
    for (const differential::LaneHit& hit : all) {
      if (hit.participant != 0) continue;
      list.push_back((hit.operation == 0 ? "seal " : "open ") + std::string(hit.bulk ? "bulk " : "tail ") +
                     std::to_string(hit.lane));
    }
    return list;
  };
  using Words = std::vector<std::string>;
  Case question = with_cuts(Call::one_shot, 16 * 9 + 3, {}, {});
  question.steering = Steering::nonce;
  question.boundary = 3;
  question.boundary_block = 6;
  plan(question);
  EXPECT_EQ(lanes_of(question), (Words{"seal bulk 2", "open bulk 2"}));
  question.boundary_block = 9;
  EXPECT_EQ(lanes_of(question), (Words{"seal tail 1", "open tail 1"}));
  question.tamper = Tamper::nonce;
  EXPECT_EQ(lanes_of(question), Words{"seal tail 1"}) << "it is opened under another J0";
  question.boundary = 2;
  EXPECT_TRUE(lanes_of(question).empty()) << "a carry is no wrap";
}

TEST(AesGcmCells, OnlyTheMixtureHandsOver) {
  Case question = with_cuts(Call::incremental, 40, {20}, {});
  question.hand_over = true;
  for (std::size_t i = 0; i < question.schedule.size(); ++i) {
    question.schedule[i] = differential::reference(i % 2 == 0 ? "table" : "portable");
  }
  plan(question);
  // Two operations of two pieces alone, and for each implementation one of the pieces of the mixture.
  const std::vector<std::string> list = words_of(question, "table");
  EXPECT_EQ(list.size(), 6U);
  EXPECT_EQ(std::ranges::count_if(list,
                                  [](const std::string& text) {
                                    return text.find("split_phase = 4, hand_over = portable") !=
                                           std::string::npos;
                                  }),
            2);
}

}  // namespace
}  // namespace lockstep::oracles::aes_gcm
