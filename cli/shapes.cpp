#include "cli/shapes.h"

#include <algorithm>

#include "cli/algorithms.h"
#include "oracles/differential/random.h"

namespace lockstep::cli {

Shapes::Shapes(const differential::Target& target)
    : names_(target), implementations_(available_implementations(target.name())) {
  constexpr std::string_view cut_count = "_cut_count";
  for (const std::string& name : names_.fields) {
    if (name.ends_with("_placement")) placements_.push_back(name);
    if (name.starts_with("schedule_")) schedule_.push_back(name);
    if (!name.ends_with(cut_count)) continue;
    const std::string stem = name.substr(0, name.size() - cut_count.size());
    Cuts cuts = {.count = name, .content = {}, .positions = {}};
    for (const std::string& position : names_.fields) {
      if (position.starts_with(stem + "_cut_") && position != name) cuts.positions.push_back(position);
    }
    // Pieces of input are pieces of the content that comes last and longest.
    const auto& contents = names_.contents;
    const std::string_view content = stem == "in" || stem == "out" ? "text" : std::string_view(stem);
    if (std::ranges::find(contents, content) != contents.end()) cuts.content = content;
    cuts_.push_back(std::move(cuts));
  }
}

// Every buffer ends where memory ends.
Shape Shapes::guarded(std::string_view name) const {
  Shape shape = {.name = std::string(name), .fields = {}};
  for (const std::string& placement : placements_) shape.fields.emplace_back(placement, "flush behind");
  return shape;
}

void Shapes::cut(Shape& shape, const Question& question, std::size_t seed) const {
  differential::Random random(seed);
  for (const Cuts& cuts : cuts_) {
    const auto content = question.vector.fields.find(cuts.content);
    const std::size_t bytes = content == question.vector.fields.end() ? 64 : content->second.size() / 2;
    const std::size_t count = 1 + random.below(cuts.positions.size());
    shape.fields.emplace_back(cuts.count, std::to_string(count));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t position = random.below(std::min<std::size_t>(bytes, 0xffff) + 1);
      shape.fields.emplace_back(cuts.positions[i], std::to_string(position));
    }
  }
}

std::vector<Shape> Shapes::of(const Question& question, std::size_t index) const {
  std::vector<Shape> shapes;
  if (question.only_as_written) return {{.name = "as written", .fields = {}}};
  const bool says_how = std::ranges::any_of(
      question.vector.fields, [&](const auto& field) { return !names_.is_question(field.first); });
  if (says_how) shapes.push_back(guarded("as written"));
  if (!names_.has("call")) {
    if (shapes.empty()) shapes.push_back(guarded("as written"));
    return shapes;
  }
  shapes.push_back(guarded("one_shot"));
  shapes.back().fields.emplace_back("call", "one_shot");
  if (names_.has("aliasing")) {
    shapes.push_back(guarded("one_shot in_place"));
    shapes.back().fields.emplace_back("call", "one_shot");
    shapes.back().fields.emplace_back("aliasing", "in_place");
  }
  shapes.push_back(guarded("incremental"));
  shapes.back().fields.emplace_back("call", "incremental");
  cut(shapes.back(), question, 2 * index);
  if (names_.has("hand_over") && !implementations_.empty()) {
    shapes.push_back(guarded("incremental hand_over"));
    shapes.back().fields.emplace_back("call", "incremental");
    shapes.back().fields.emplace_back("hand_over", "1");
    cut(shapes.back(), question, 2 * index + 1);
    differential::Random random(~index);
    for (const std::string& entry : schedule_) {
      shapes.back().fields.emplace_back(entry, implementations_[random.below(implementations_.size())]);
    }
  }
  return shapes;
}

}  // namespace lockstep::cli
