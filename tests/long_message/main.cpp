// One real message of more than 2^32 bytes, streamed through every BLAKE2b of this library, their mixture,
// and foreign libraries, which no fuzzing can bring there: the counter passes 2^32 for good. Around the
// boundary the digests of several lengths are compared, that with a full last block among them. long_message
// [BYTES]: exit code 0 if all agree, 1 if not, 5 for wrong usage.
#include <blake2.h>
#include <botan/hash.h>
#include <openssl/evp.h>
#include <sodium/core.h>
#include <sodium/crypto_generichash_blake2b.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "lockstep/blake2b.h"

namespace {

namespace library = lockstep::blake2b;
using Bytes = std::span<const std::uint8_t>;
using Digest = std::array<std::uint8_t, 64>;

constexpr std::uint64_t usual_bytes = (std::uint64_t{1} << 32) + 129;

void demand(bool good, std::string_view who) {
  if (good) return;
  std::fprintf(stderr, "long_message: %.*s refused\n", static_cast<int>(who.size()), who.data());
  std::exit(1);
}

class Hasher {
 public:
  explicit Hasher(std::string name) : name_(std::move(name)) {}
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  virtual ~Hasher() = default;
  virtual void update(Bytes piece) = 0;
  // Of everything so far; the message goes on.
  virtual Digest digest() = 0;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  double seconds = 0;  // spent in update

 private:
  std::string name_;
};

class Ours : public Hasher {
 public:
  explicit Ours(const library::Implementation* implementation)
      : Hasher(std::string(library::info(*implementation).name)) {
    demand(hash_.start({}, {}, implementation) == lockstep::Status::ok, name());
  }
  void update(Bytes piece) override { demand(hash_.update(piece) == lockstep::Status::ok, name()); }
  Digest digest() override {
    library::Hash copy = hash_;
    Digest out;
    demand(copy.finish(out) == lockstep::Status::ok, name());
    return out;
  }

 protected:
  explicit Ours(std::string name) : Hasher(std::move(name)) {
    demand(hash_.start() == lockstep::Status::ok, this->name());
  }
  library::Hash hash_;
};

// Each piece by the next implementation.
class Mixture final : public Ours {
 public:
  explicit Mixture(std::vector<const library::Implementation*> list)
      : Ours(std::string("hand_over")), list_(std::move(list)) {}
  void update(Bytes piece) override {
    demand(hash_.hand_over(list_[next_++ % list_.size()]) == lockstep::Status::ok, name());
    Ours::update(piece);
  }

 private:
  std::vector<const library::Implementation*> list_;
  std::size_t next_ = 0;
};

class Botan2 final : public Hasher {
 public:
  Botan2() : Hasher("botan"), hash_(Botan::HashFunction::create_or_throw("BLAKE2b(512)")) {}
  void update(Bytes piece) override { hash_->update(piece.data(), piece.size()); }
  Digest digest() override {
    Digest out;
    hash_->copy_state()->final(out.data());
    return out;
  }

 private:
  std::unique_ptr<Botan::HashFunction> hash_;
};

class OpenSsl final : public Hasher {
 public:
  OpenSsl() : Hasher("openssl") {
    EVP_MD* const function = EVP_MD_fetch(nullptr, "BLAKE2B-512", nullptr);
    demand(function != nullptr && EVP_DigestInit_ex2(context_.get(), function, nullptr) == 1, name());
    EVP_MD_free(function);
  }
  void update(Bytes piece) override {
    demand(EVP_DigestUpdate(context_.get(), piece.data(), piece.size()) == 1, name());
  }
  Digest digest() override {
    const Context copy(EVP_MD_CTX_new());
    Digest out;
    demand(EVP_MD_CTX_copy_ex(copy.get(), context_.get()) == 1 &&
               EVP_DigestFinal_ex(copy.get(), out.data(), nullptr) == 1,
           name());
    return out;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
  };
  using Context = std::unique_ptr<EVP_MD_CTX, Free>;
  Context context_{EVP_MD_CTX_new()};
};

class Sodium final : public Hasher {
 public:
  Sodium() : Hasher("sodium") {
    demand(sodium_init() >= 0 && crypto_generichash_blake2b_init(&state_, nullptr, 0, 64) == 0, name());
  }
  void update(Bytes piece) override {
    demand(crypto_generichash_blake2b_update(&state_, piece.data(), piece.size()) == 0, name());
  }
  Digest digest() override {
    crypto_generichash_blake2b_state copy = state_;
    Digest out;
    demand(crypto_generichash_blake2b_final(&copy, out.data(), out.size()) == 0, name());
    return out;
  }

 private:
  crypto_generichash_blake2b_state state_;
};

class B2 final : public Hasher {
 public:
  B2() : Hasher("b2") { demand(blake2b_init(&state_, 64) == 0, name()); }
  void update(Bytes piece) override {
    demand(blake2b_update(&state_, piece.data(), piece.size()) == 0, name());
  }
  Digest digest() override {
    blake2b_state copy = state_;
    Digest out;
    demand(blake2b_final(&copy, out.data(), out.size()) == 0, name());
    return out;
  }

 private:
  blake2b_state state_;
};

std::vector<std::unique_ptr<Hasher>> everyone() {
  std::vector<std::unique_ptr<Hasher>> list;
  std::vector<const library::Implementation*> here;
  for (const library::Implementation* implementation : library::implementations()) {
    if (lockstep::cpu_features().contains_all(library::info(*implementation).required)) {
      here.push_back(implementation);
    }
  }
  list.reserve(here.size() + 5);
  for (const library::Implementation* implementation : here) {
    list.push_back(std::make_unique<Ours>(implementation));
  }
  list.push_back(std::make_unique<Mixture>(here));
  list.push_back(std::make_unique<Botan2>());
  list.push_back(std::make_unique<OpenSsl>());
  list.push_back(std::make_unique<Sodium>());
  list.push_back(std::make_unique<B2>());
  return list;
}

// SplitMix64: the message is a pure function of its place.
void generate(std::span<std::uint64_t> words, std::uint64_t& state) {
  for (std::uint64_t& word : words) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    word = z ^ (z >> 31);
  }
}

// Lengths at which digests are compared, in order: around 2^32 those that a carry could spoil, and the end.
std::vector<std::uint64_t> lengths_to_compare(std::uint64_t bytes) {
  std::vector<std::uint64_t> list;
  constexpr std::uint64_t boundary = std::uint64_t{1} << 32;
  for (const std::uint64_t at :
       {boundary - 128, boundary - 1, boundary, boundary + 1, boundary + 127, boundary + 128}) {
    if (at < bytes) list.push_back(at);
  }
  list.push_back(bytes);
  return list;
}

// Whether all have the same digest now; says who has not.
bool compare(std::span<const std::unique_ptr<Hasher>> hashers, std::uint64_t length) {
  const Digest first = hashers.front()->digest();
  bool equal = true;
  for (const std::unique_ptr<Hasher>& hasher : hashers) {
    if (hasher->digest() == first) continue;
    std::printf("after %llu bytes %s differs from %s\n", static_cast<unsigned long long>(length),
                hasher->name().c_str(), hashers.front()->name().c_str());
    equal = false;
  }
  if (equal) {
    std::printf("after %llu bytes all %zu agree: ", static_cast<unsigned long long>(length), hashers.size());
    for (std::size_t i = 0; i < 8; ++i) std::printf("%02x", first[i]);
    std::printf("...\n");
  }
  std::fflush(stdout);
  return equal;
}

// Of the processor, not of the wall: whoever else runs here does not count.
double seconds_now() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool run(std::uint64_t bytes) {
  const std::vector<std::unique_ptr<Hasher>> hashers = everyone();
  // Not a multiple of a block, so that buffers are filled and emptied in every way.
  constexpr std::size_t piece_words = (std::size_t{1} << 17) + 3;
  std::vector<std::uint64_t> words(piece_words);
  std::uint64_t seed = 1;
  std::uint64_t done = 0;
  bool equal = true;
  for (const std::uint64_t length : lengths_to_compare(bytes)) {
    while (done < length) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(length - done, 8 * words.size() - done % 7));
      generate(words, seed);
      const Bytes piece(reinterpret_cast<const std::uint8_t*>(words.data()), count);
      for (const std::unique_ptr<Hasher>& hasher : hashers) {
        const double start = seconds_now();
        hasher->update(piece);
        hasher->seconds += seconds_now() - start;
      }
      done += count;
    }
    equal &= compare(hashers, length);
  }
  for (const std::unique_ptr<Hasher>& hasher : hashers) {
    std::printf("%-12s %6.0f MB/s\n", hasher->name().c_str(),
                static_cast<double>(bytes) / 1e6 / std::max(hasher->seconds, 1e-9));
  }
  std::printf("%s\n", equal ? "all equal" : "NOT EQUAL");
  return equal;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t bytes = usual_bytes;
  if (argc > 1) {
    const std::string_view text = argv[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (argc > 2 || error != std::errc{} || end != text.data() + text.size()) {
      std::fprintf(stderr, "usage: long_message [BYTES]\n");
      return 5;
    }
  }
  return run(bytes) ? 0 : 1;
}
