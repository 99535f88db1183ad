#include <lockstep/aes_gcm.h>

int main() {
  const std::uint8_t key_bytes[32] = {1}, nonce[12] = {2}, text[5] = {'h', 'e', 'l', 'l', 'o'};
  std::uint8_t sealed[5], tag[16], opened[5];
  lockstep::aes_gcm::Key key;
  if (key.set(key_bytes) != lockstep::Status::ok) return 1;
  if (lockstep::aes_gcm::seal(key, nonce, {}, text, sealed, tag) != lockstep::Status::ok) return 2;
  return lockstep::aes_gcm::open(key, nonce, {}, sealed, opened, tag) == lockstep::Status::ok &&
                 opened[4] == 'o'
             ? 0
             : 3;
}
