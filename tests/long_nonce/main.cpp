// One real nonce of more than 2^29 bytes, whose bit length does not fit into 32 bits, through every AES-GCM
// of this library, plain and Botan: no fuzzing can bring there. long_nonce [BYTES]: exit code 0 if all agree,
// 1 if not, 5 for wrong usage.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "oracles/aes_gcm/algorithm.h"

namespace {

namespace gcm = lockstep::oracles::aes_gcm;
namespace differential = lockstep::differential;

constexpr std::uint32_t usual_bytes = (std::uint32_t{1} << 29) + 1;

gcm::Case with_nonce_of(std::uint32_t bytes) {
  gcm::Case question;
  question.nonce_bytes = bytes;
  question.aad_bytes = 5;
  question.text_bytes = 33;
  const auto fill = [](std::vector<std::uint8_t>& content, std::size_t size, unsigned step) {
    content.resize(size);
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<std::uint8_t>(i * step + (i >> 8U));
  };
  fill(question.key, question.key_bytes, 7);
  fill(question.nonce, question.nonce_bytes, 11);
  fill(question.aad, question.aad_bytes, 13);
  fill(question.text, question.text_bytes, 17);
  return question;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t bytes = usual_bytes;
  if (argc > 1) {
    const char* const end = argv[1] + std::strlen(argv[1]);
    const auto [rest, error] = std::from_chars(argv[1], end, bytes);
    if (argc > 2 || error != std::errc() || rest != end || bytes == 0) {
      std::fputs("usage: long_nonce [BYTES]\n", stderr);
      return 5;
    }
  }
  const gcm::Case question = with_nonce_of(bytes);
  differential::Outcome first;
  unsigned answered = 0;
  bool foreign = false;
  bool agree = true;
  for (const auto& participant : gcm::participants()) {
    const std::string name(participant.info.name);
    if (const std::string_view why = participant.unsupported(question, false); !why.empty()) {
      std::printf("%-16s not asked: %.*s\n", name.c_str(), static_cast<int>(why.size()), why.data());
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    differential::Buffers buffers;
    differential::Outcome outcome;
    participant.run(participant.self, question, buffers, outcome);
    bool same = outcome.violation() == differential::ViolationKind::none;
    for (const differential::AnswerId id : {gcm::ciphertext, gcm::tag, gcm::accepted}) {
      if (answered == 0) first.set(id, outcome.get(id));
      same = same && outcome.has(id) && differential::same_bytes(outcome.get(id), first.get(id));
    }
    ++answered;
    foreign |= !participant.info.shipped && participant.info.origin != "plain";
    agree &= same;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::printf("%-16s %s, %.1f s\n", name.c_str(), same ? "agrees" : "DIFFERS from the first",
                taken.count());
    std::fflush(stdout);
  }
  std::printf("a nonce of %u bytes: %u answered, %s\n", bytes, answered, agree ? "all agree" : "they DIFFER");
  return agree && foreign && answered > 2 ? 0 : 1;
}
