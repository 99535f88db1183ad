#include <lockstep/aes_gcm.h>

int main() {
  const std::uint8_t key_bytes[32] = {1}, nonce[12] = {2}, text[5] = {'h', 'e', 'l', 'l', 'o'};
  std::uint8_t sealed[5], tag[16], opened[5];
  lockstep::aes_gcm::Key key;
  if (key.set(key_bytes) != lockstep::Status::ok) return 1;
  if (lockstep::aes_gcm::seal(key, nonce, {}, text, sealed, tag) != lockstep::Status::ok) return 2;
  const std::span<const std::uint8_t> in[] = {std::span(sealed).first(2), std::span(sealed).last(3)};
  const std::span<std::uint8_t> out[] = {std::span(opened).first(4), std::span(opened).last(1)};
  return lockstep::aes_gcm::open(key, nonce, {}, in, out, tag) == lockstep::Status::ok && opened[4] == 'o'
             ? 0
             : 3;
}
