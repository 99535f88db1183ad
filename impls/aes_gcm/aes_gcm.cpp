#include "lockstep/aes_gcm.h"

#include <algorithm>
#include <cstring>

#include "impls/aes_gcm/kernel.h"
#include "impls/core/constant_time.h"
#include "impls/core/endian.h"
#include "impls/core/overlap.h"
#include "impls/core/wipe.h"

namespace lockstep::aes_gcm {

namespace {

bool valid_tag_size(std::size_t bytes) noexcept {
  return bytes == 4 || bytes == 8 || (bytes >= 12 && bytes <= block_bytes);
}

bool fits(std::uint64_t total, std::uint64_t more, std::uint64_t limit) noexcept {
  return more <= limit - total;  // total <= limit always holds, so nothing wraps
}

bool all_zero(const std::uint8_t* p, std::size_t bytes) noexcept {
  std::uint32_t any = 0;
  for (std::size_t i = 0; i < bytes; ++i) any |= p[i];
  return any == 0;
}

// Bit lengths of a pair of totals, section 7.1 step 4. Both totals are below 2^61.
void store_lengths(std::uint8_t* block, std::uint64_t aad_bytes, std::uint64_t text_bytes) noexcept {
  core::store_be64(block, aad_bytes * 8);
  core::store_be64(block + 8, text_bytes * 8);
}

// The refusals that a one-shot call can tell before it starts, in the order in which the header lists them.
[[gnu::always_inline]] inline Status check_one_shot(const Key& key, std::span<const std::uint8_t> nonce,
                                                    ConstBuffers aad, ConstBuffers in, MutableBuffers out,
                                                    std::span<const std::uint8_t> tag) noexcept {
  if (key.implementation() == nullptr) return Status::wrong_order;
  if (nonce.empty() || !fits(0, nonce.size(), max_nonce_bytes)) return Status::bad_nonce_size;
  if (!valid_tag_size(tag.size())) return Status::bad_tag_size;
  const std::uint64_t text_bytes = core::total_bytes(in);
  if (core::total_bytes(out) != text_bytes) return Status::bad_output_size;
  if (!fits(0, core::total_bytes(aad), max_aad_bytes)) return Status::aad_too_long;
  if (!fits(0, text_bytes, max_text_bytes)) return Status::text_too_long;
  if (!core::in_place_or_apart(in, out) || core::overlap(out, nonce) || core::overlap(out, tag)) {
    return Status::overlapping_buffers;
  }
  for (const std::span<const std::uint8_t> piece : aad) {
    if (core::overlap(out, piece)) return Status::overlapping_buffers;
  }
  return Status::ok;
}

// The message of a one-shot call, which makes all checks before it starts.
template <class Base>
struct Checked : Base {
  using Base::take_aad;
  using Base::take_text;
};

}  // namespace

const ImplementationInfo& info(const Implementation& implementation) noexcept {
  return implementation.info;
}

Key::~Key() {
  if (implementation_ != nullptr) core::wipe(this, sizeof *this);
}

Status Key::set(std::span<const std::uint8_t> key, const Implementation* implementation) noexcept {
  static_assert(context_bytes == max_context_bytes);
  if (key.size() != 16 && key.size() != 24 && key.size() != 32) return Status::bad_key_size;
  if (implementation == nullptr) implementation = select(implementations(), cpu_features());
  if (!cpu_features().contains_all(implementation->info.required)) return Status::cpu_lacks_features;
  // Another implementation, or a shorter key, may not cover all of what stands there.
  if (implementation_ != nullptr) core::wipe(context_, sizeof context_);
  implementation_ = implementation;
  implementation->expand_key(context_, key.data(), key.size(), hash_subkey_);
  return Status::ok;
}

Message::~Message() {
  if (started()) wipe();
}

void Message::wipe() noexcept {
  static_assert(sizeof(Message) == sizeof(MessageState) + 2 * sizeof(void*), "no padding");
  // In front of the wipe: in a destructor the compiler drops stores that nothing reads.
  key_ = nullptr;
  phase_ = Phase::idle;
  core::wipe(&state_, sizeof state_);
}

Status Message::start(const Key& key, std::span<const std::uint8_t> nonce) noexcept {
  if (key.implementation_ == nullptr) return Status::wrong_order;
  if (nonce.empty() || !fits(0, nonce.size(), max_nonce_bytes)) return Status::bad_nonce_size;
  const Implementation& kernel = *key.implementation_;
  // J0, section 7.1 step 2.
  std::uint8_t j0[block_bytes] = {};
  if (nonce.size() == 12) {
    std::memcpy(j0, nonce.data(), 12);
    j0[15] = 1;
  } else {
    std::uint8_t lengths[block_bytes];
    store_lengths(lengths, 0, nonce.size());
    kernel.hash(key.context_, j0, nonce.data(), nonce.size());
    kernel.hash(key.context_, j0, lengths, block_bytes);
  }
  state_ = {};
  kernel.encrypt_block(key.context_, j0, state_.tag_mask);
  std::memcpy(state_.counter, j0, 12);
  core::store_be32(state_.counter + 12, core::load_be32(j0 + 12) + 1);
  key_ = &key;
  phase_ = Phase::aad;
  return Status::ok;
}

// Inlined, as what a one-shot call does: a piece is a list whose length the compiler knows.
[[gnu::always_inline]] inline Status Message::authenticate(ConstBuffers pieces) noexcept {
  if (phase_ != Phase::aad) return Status::wrong_order;
  if (!fits(state_.aad_bytes, core::total_bytes(pieces), max_aad_bytes)) return Status::aad_too_long;
  for (const std::span<const std::uint8_t> piece : pieces) take_aad(piece);
  return Status::ok;
}

template <class>
Status Message::aad(ConstBuffers pieces) noexcept {
  return authenticate(pieces);
}
template Status Message::aad<void>(ConstBuffers pieces) noexcept;

Status Message::aad(std::span<const std::uint8_t> piece) noexcept {
  return authenticate(ConstBuffers(&piece, 1));
}

void Message::take_aad(std::span<const std::uint8_t> piece) noexcept {
  if (piece.empty()) return;
  const Implementation& kernel = *key_->implementation_;
  const std::size_t filled = state_.aad_bytes % block_bytes;
  state_.aad_bytes += piece.size();
  if (filled > 0) {
    const std::size_t bytes = std::min(block_bytes - filled, piece.size());
    std::memcpy(state_.partial + filled, piece.data(), bytes);
    if (filled + bytes < block_bytes) return;
    kernel.hash(key_->context_, state_.ghash, state_.partial, block_bytes);
    std::memset(state_.partial, 0, block_bytes);
    piece = piece.subspan(bytes);
  }
  const std::size_t rest = piece.size() % block_bytes;
  const std::size_t whole = piece.size() - rest;
  if (whole > 0) kernel.hash(key_->context_, state_.ghash, piece.data(), whole);
  if (rest > 0) std::memcpy(state_.partial, piece.data() + whole, rest);
}

// The AAD is zero-padded to whole blocks of its own before the text, section 7.1 step 4.
void Message::begin_text() noexcept {
  phase_ = Phase::text;
  if (state_.aad_bytes % block_bytes == 0) return;
  key_->implementation_->hash(key_->context_, state_.ghash, state_.partial, block_bytes);
  std::memset(state_.partial, 0, block_bytes);
}

[[gnu::always_inline]] inline Status Message::crypt(ConstBuffers in, MutableBuffers out) noexcept {
  if (phase_ == Phase::idle) return Status::wrong_order;
  const std::uint64_t bytes = core::total_bytes(in);
  if (core::total_bytes(out) != bytes) return Status::bad_output_size;
  if (!fits(state_.text_bytes, bytes, max_text_bytes)) return Status::text_too_long;
  if (!core::in_place_or_apart(in, out)) return Status::overlapping_buffers;
  core::each_segment(in, out, [this](auto from, auto to, std::size_t) { take_text(from, to); });
  return Status::ok;
}

void Message::take_text(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) noexcept {
  if (in.empty()) return;
  if (phase_ == Phase::aad) begin_text();

  const Implementation& kernel = *key_->implementation_;
  const bool sealing = direction_ == Direction::seal;
  std::size_t done = 0;
  const std::size_t filled = state_.text_bytes % block_bytes;
  state_.text_bytes += in.size();
  if (filled > 0) {
    done = std::min(block_bytes - filled, in.size());
    for (std::size_t i = 0; i < done; ++i) {
      const std::uint8_t given = in[i];
      const auto made = static_cast<std::uint8_t>(given ^ state_.keystream[filled + i]);
      state_.partial[filled + i] = sealing ? made : given;
      out[i] = made;
    }
    if (filled + done == block_bytes) {
      kernel.hash(key_->context_, state_.ghash, state_.partial, block_bytes);
      std::memset(state_.partial, 0, block_bytes);
      std::memset(state_.keystream, 0, block_bytes);
    }
  }
  if (done < in.size()) {
    const auto kernel_crypt = sealing ? kernel.seal : kernel.open;
    kernel_crypt(key_->context_, state_, in.data() + done, out.data() + done, in.size() - done);
  }
}

void Message::finish_tag(std::uint8_t (&tag)[block_bytes]) noexcept {
  // One call of the kernel for what is left: the started block of AAD or text, and the lengths.
  std::uint8_t last[2 * block_bytes];
  const std::uint64_t phase_bytes = phase_ == Phase::text ? state_.text_bytes : state_.aad_bytes;
  const std::size_t started_bytes = phase_bytes % block_bytes != 0 ? block_bytes : 0;
  std::memcpy(last, state_.partial, started_bytes);
  store_lengths(last + started_bytes, state_.aad_bytes, state_.text_bytes);
  key_->implementation_->hash(key_->context_, state_.ghash, last, started_bytes + block_bytes);
  for (unsigned i = 0; i < block_bytes; i += 8) {
    core::store_le64(tag + i, core::load_le64(state_.ghash + i) ^ core::load_le64(state_.tag_mask + i));
  }
  wipe();
}

Status Message::hand_over(const Key& same_key) noexcept {
  if (phase_ == Phase::idle || same_key.implementation_ == nullptr) return Status::wrong_order;
  if (!core::equal_constant_time(key_->hash_subkey_, same_key.hash_subkey_, block_bytes)) {
    return Status::key_mismatch;
  }
  key_ = &same_key;
  return Status::ok;
}

namespace {

constexpr std::uint8_t state_version = 1;
constexpr std::size_t header_bytes = 8;

}  // namespace

Status Message::export_state(std::span<std::uint8_t> out) const noexcept {
  if (phase_ == Phase::idle) return Status::wrong_order;
  if (out.size() != exported_state_bytes) return Status::bad_output_size;
  std::uint8_t* p = out.data();
  std::memset(p, 0, header_bytes);
  p[0] = state_version;
  p[1] = static_cast<std::uint8_t>(direction_);
  p[2] = static_cast<std::uint8_t>(phase_);
  p += header_bytes;
  for (const auto* block :
       {&state_.ghash, &state_.counter, &state_.tag_mask, &state_.keystream, &state_.partial}) {
    std::memcpy(p, *block, block_bytes);
    p += block_bytes;
  }
  core::store_le64(p, state_.aad_bytes);
  core::store_le64(p + 8, state_.text_bytes);
  return Status::ok;
}

Status Message::import_state(const Key& key, std::span<const std::uint8_t> state) noexcept {
  if (key.implementation_ == nullptr) return Status::wrong_order;
  if (state.size() != exported_state_bytes) return Status::bad_state;
  const std::uint8_t* p = state.data();
  if (p[0] != state_version || p[1] != static_cast<std::uint8_t>(direction_)) return Status::bad_state;
  const bool in_aad = p[2] == static_cast<std::uint8_t>(Phase::aad);
  if (!in_aad && p[2] != static_cast<std::uint8_t>(Phase::text)) return Status::bad_state;
  if (!all_zero(p + 3, header_bytes - 3)) return Status::bad_state;
  p += header_bytes;
  MessageState taken = {};
  for (auto* block : {&taken.ghash, &taken.counter, &taken.tag_mask, &taken.keystream, &taken.partial}) {
    std::memcpy(*block, p, block_bytes);
    p += block_bytes;
  }
  taken.aad_bytes = core::load_le64(p);
  taken.text_bytes = core::load_le64(p + 8);

  bool reachable = taken.aad_bytes <= max_aad_bytes && taken.text_bytes <= max_text_bytes;
  reachable = reachable && in_aad == (taken.text_bytes == 0);
  const std::size_t filled = (in_aad ? taken.aad_bytes : taken.text_bytes) % block_bytes;
  reachable = reachable && all_zero(taken.partial + filled, block_bytes - filled);
  if (in_aad || filled == 0) reachable = reachable && all_zero(taken.keystream, block_bytes);
  const bool nothing_hashed =
      in_aad ? taken.aad_bytes < block_bytes : taken.aad_bytes == 0 && taken.text_bytes < block_bytes;
  if (nothing_hashed) reachable = reachable && all_zero(taken.ghash, block_bytes);
  if (reachable) {
    state_ = taken;
    phase_ = in_aad ? Phase::aad : Phase::text;
    key_ = &key;
  }
  core::wipe(&taken, sizeof taken);
  return reachable ? Status::ok : Status::bad_state;
}

template <class>
Status SealMessage::encrypt(ConstBuffers plaintext, MutableBuffers ciphertext) noexcept {
  return crypt(plaintext, ciphertext);
}
template Status SealMessage::encrypt<void>(ConstBuffers plaintext, MutableBuffers ciphertext) noexcept;

Status SealMessage::encrypt(std::span<const std::uint8_t> plaintext,
                            std::span<std::uint8_t> ciphertext) noexcept {
  return crypt(ConstBuffers(&plaintext, 1), MutableBuffers(&ciphertext, 1));
}

Status SealMessage::finish(std::span<std::uint8_t> tag) noexcept {
  if (!started()) return Status::wrong_order;
  if (!valid_tag_size(tag.size())) return Status::bad_tag_size;
  std::uint8_t whole[block_bytes];
  finish_tag(whole);
  std::memcpy(tag.data(), whole, tag.size());
  return Status::ok;
}

template <class>
Status OpenMessage::decrypt_unverified(ConstBuffers ciphertext, MutableBuffers plaintext) noexcept {
  return crypt(ciphertext, plaintext);
}
template Status OpenMessage::decrypt_unverified<void>(ConstBuffers ciphertext,
                                                      MutableBuffers plaintext) noexcept;

Status OpenMessage::decrypt_unverified(std::span<const std::uint8_t> ciphertext,
                                       std::span<std::uint8_t> plaintext) noexcept {
  return crypt(ConstBuffers(&ciphertext, 1), MutableBuffers(&plaintext, 1));
}

Status OpenMessage::verify(std::span<const std::uint8_t> tag) noexcept {
  if (!started()) return Status::wrong_order;
  if (!valid_tag_size(tag.size())) return Status::bad_tag_size;
  std::uint8_t whole[block_bytes];
  finish_tag(whole);
  const bool equal = core::equal_constant_time(whole, tag.data(), tag.size());
  // To whoever sent a wrong tag, the right one is a forgery.
  core::wipe(whole, sizeof whole);
  return equal ? Status::ok : Status::authentication_failed;
}

namespace {

// Inlined into the call on lists and into the contiguous one: there every list has one span, which the
// compiler knows. As a call of the other it took 10 ns more, a seventh of sealing 16 bytes.
[[gnu::always_inline]] inline Status seal_lists(const Key& key, std::span<const std::uint8_t> nonce,
                                                ConstBuffers aad, ConstBuffers plaintext,
                                                MutableBuffers ciphertext,
                                                std::span<std::uint8_t> tag) noexcept {
  Status status = check_one_shot(key, nonce, aad, plaintext, ciphertext, tag);
  if (status != Status::ok) return status;
  if (core::overlap(tag, nonce) || core::overlap(aad, tag) || core::overlap(plaintext, tag)) {
    return Status::overlapping_buffers;
  }
  Checked<SealMessage> message;
  status = message.start(key, nonce);
  if (status != Status::ok) return status;
  for (const std::span<const std::uint8_t> piece : aad) message.take_aad(piece);
  core::each_segment(plaintext, ciphertext,
                     [&message](auto from, auto to, std::size_t) { message.take_text(from, to); });
  return message.finish(tag);
}

[[gnu::always_inline]] inline Status open_lists(const Key& key, std::span<const std::uint8_t> nonce,
                                                ConstBuffers aad, ConstBuffers ciphertext,
                                                MutableBuffers plaintext,
                                                std::span<const std::uint8_t> tag) noexcept {
  Status status = check_one_shot(key, nonce, aad, ciphertext, plaintext, tag);
  if (status != Status::ok) return status;
  Checked<OpenMessage> message;
  status = message.start(key, nonce);
  if (status != Status::ok) return status;
  for (const std::span<const std::uint8_t> piece : aad) message.take_aad(piece);
  core::each_segment(ciphertext, plaintext,
                     [&message](auto from, auto to, std::size_t) { message.take_text(from, to); });
  status = message.verify(tag);
  if (status != Status::ok) {
    for (const std::span<std::uint8_t> out : plaintext) core::wipe(out.data(), out.size());
  }
  return status;
}

}  // namespace

template <class>
Status seal(const Key& key, std::span<const std::uint8_t> nonce, ConstBuffers aad, ConstBuffers plaintext,
            MutableBuffers ciphertext, std::span<std::uint8_t> tag) noexcept {
  return seal_lists(key, nonce, aad, plaintext, ciphertext, tag);
}
template Status seal<void>(const Key& key, std::span<const std::uint8_t> nonce, ConstBuffers aad,
                           ConstBuffers plaintext, MutableBuffers ciphertext,
                           std::span<std::uint8_t> tag) noexcept;

Status seal(const Key& key, std::span<const std::uint8_t> nonce, std::span<const std::uint8_t> aad,
            std::span<const std::uint8_t> plaintext, std::span<std::uint8_t> ciphertext,
            std::span<std::uint8_t> tag) noexcept {
  return seal_lists(key, nonce, ConstBuffers(&aad, 1), ConstBuffers(&plaintext, 1),
                    MutableBuffers(&ciphertext, 1), tag);
}

template <class>
Status open(const Key& key, std::span<const std::uint8_t> nonce, ConstBuffers aad, ConstBuffers ciphertext,
            MutableBuffers plaintext, std::span<const std::uint8_t> tag) noexcept {
  return open_lists(key, nonce, aad, ciphertext, plaintext, tag);
}
template Status open<void>(const Key& key, std::span<const std::uint8_t> nonce, ConstBuffers aad,
                           ConstBuffers ciphertext, MutableBuffers plaintext,
                           std::span<const std::uint8_t> tag) noexcept;

Status open(const Key& key, std::span<const std::uint8_t> nonce, std::span<const std::uint8_t> aad,
            std::span<const std::uint8_t> ciphertext, std::span<std::uint8_t> plaintext,
            std::span<const std::uint8_t> tag) noexcept {
  return open_lists(key, nonce, ConstBuffers(&aad, 1), ConstBuffers(&ciphertext, 1),
                    MutableBuffers(&plaintext, 1), tag);
}

}  // namespace lockstep::aes_gcm
