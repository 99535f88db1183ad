// After finish, verify and destruction every byte of an object is zero, but the one that says which kind of
// message it is: looked at from outside, padding included, at every alignment that the type allows.
#include <algorithm>
#include <cstring>
#include <new>

#include "aes_gcm_support.h"
#include "lockstep/blake2b.h"
#include "lockstep/ghash.h"

namespace lockstep::test {
namespace {

// An object in memory that was filled before.
template <class Object>
class Placed {
 public:
  explicit Placed(std::size_t shift, std::uint8_t before = 0) : shift_(shift) {
    std::memset(memory_, before, sizeof memory_);
    object_ = new (memory_ + shift) Object;
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  ~Placed() {
    if (object_ != nullptr) object_->~Object();
  }
  Object* operator->() const { return object_; }
  Object& operator*() const { return *object_; }
  void destroy() {
    object_->~Object();
    object_ = nullptr;
  }
  void copy_from(const Object& other) {
    destroy();
    object_ = new (memory_ + shift_) Object(other);
  }
  // Through a volatile pointer: the compiler may hold what a dead object left for unreadable.
  [[nodiscard]] Bytes bytes() const {
    const volatile std::uint8_t* p = memory_;
    Bytes copy(sizeof memory_);
    for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = p[i];
    return copy;
  }
  [[nodiscard]] std::size_t bytes_left() const {
    const Bytes all = bytes();
    return all.size() - static_cast<std::size_t>(std::count(all.begin(), all.end(), 0));
  }

 private:
  alignas(64) std::uint8_t memory_[sizeof(Object) + 64];
  std::size_t shift_;
  Object* object_;
};

constexpr std::size_t shifts[] = {0, 8, 16, 24, 40, 56};
static_assert(alignof(Key) <= 8 && alignof(SealMessage) <= 8 && alignof(ghash::Hash) <= 8 &&
              alignof(blake2b::Hash) <= 8);

template <class Key, class Implementation>
void key_is_wiped(std::span<const Implementation* const> all, std::size_t key_bytes) {
  Random random(70);
  for (const std::size_t shift : shifts) {
    for (const Implementation* implementation : runnable(all)) {
      Placed<Key> key(shift);
      EXPECT_EQ(key.bytes_left(), 0U) << "never held anything";
      ASSERT_EQ(key->set(random.bytes(key_bytes), implementation), Status::ok);
      EXPECT_GT(key.bytes_left(), 16U);
      EXPECT_EQ(key->set(Bytes(7)), Status::bad_key_size);
      Placed<Key> copy(shift);
      copy.copy_from(*key);
      key.destroy();
      EXPECT_EQ(key.bytes_left(), 0U) << info(*implementation).name << " " << shift;
      EXPECT_GT(copy.bytes_left(), 16U);
      *copy = Key();
      EXPECT_EQ(copy.bytes_left(), 0U);
      ASSERT_EQ(copy->set(random.bytes(key_bytes), implementation), Status::ok);
      ASSERT_EQ(copy->set(random.bytes(key_bytes)), Status::ok);
      copy.destroy();
      EXPECT_EQ(copy.bytes_left(), 0U);
    }
  }
}

TEST(Wiped, Keys) {
  key_is_wiped<Key>(aes_gcm::implementations(), 32);
  key_is_wiped<ghash::Key>(ghash::implementations(), 16);
}

// `run` starts a message and works on it, `end` ends it and must be repeatable.
template <class Object, class Run, class End>
void object_is_wiped(std::size_t kind_bytes, Run run, End end) {
  for (const std::size_t shift : shifts) {
    Placed<Object> object(shift);
    const Bytes fresh = object.bytes();
    EXPECT_EQ(object.bytes_left(), kind_bytes);
    for (int time = 0; time < 3; ++time) {  // usable again
      run(*object);
      EXPECT_GT(object.bytes_left(), 16U);
      end(*object);
      EXPECT_EQ(object.bytes(), fresh) << shift;
    }
    run(*object);
    object.destroy();
    EXPECT_EQ(object.bytes(), fresh) << "destroyed while running, at " << shift;

    // What stood in the memory of the original does not come along.
    Placed<Object> noisy(shift, 0xFF);
    run(*noisy);
    Placed<Object> copy(shift);
    copy.copy_from(*noisy);
    end(*copy);
    EXPECT_EQ(copy.bytes(), fresh) << "a copy, finished, at " << shift;
    *copy = *noisy;
    copy.destroy();
    EXPECT_EQ(copy.bytes(), fresh) << "a copy, destroyed, at " << shift;

    Placed<Object> idle(shift);
    end(*idle);  // refused
    idle.destroy();
    EXPECT_EQ(idle.bytes(), fresh) << "never started, at " << shift;
  }
}

class WipedMessage : public testing::TestWithParam<const Implementation*> {
 protected:
  Random random_{71};
  Bytes raw_ = random_.bytes(32);
  Key key_ = make_key(raw_, GetParam());
  Bytes nonce_ = random_.bytes(12);
  Bytes aad_ = random_.bytes(21);
  Bytes text_ = random_.bytes(53);
  Sealed sealed_ = seal(key_, nonce_, aad_, text_);
};

INSTANTIATE_TEST_SUITE_P(Every, WipedMessage, testing::ValuesIn(runnable(aes_gcm::implementations())),
                         test_name<Implementation>);

TEST_P(WipedMessage, Seal) {
  object_is_wiped<SealMessage>(
      1,
      [&](SealMessage& message) {
        Bytes out(text_.size());
        ASSERT_EQ(message.start(key_, nonce_), Status::ok);
        ASSERT_EQ(message.aad(aad_), Status::ok);
        ASSERT_EQ(message.encrypt(text_, out), Status::ok);
        ASSERT_EQ(out, sealed_.ciphertext);
      },
      [&](SealMessage& message) {
        Bytes tag(16);
        if (message.finish(tag) == Status::ok) {
          EXPECT_EQ(tag, sealed_.tag);
        }
      });
}

TEST_P(WipedMessage, OpenVerifiedOrNot) {
  for (const bool right : {true, false}) {
    Bytes tag = sealed_.tag;
    if (!right) tag[3] ^= 1;
    object_is_wiped<OpenMessage>(
        1,
        [&](OpenMessage& message) {
          Bytes out(text_.size());
          ASSERT_EQ(message.start(key_, nonce_), Status::ok);
          ASSERT_EQ(message.aad(aad_), Status::ok);
          ASSERT_EQ(message.decrypt_unverified(sealed_.ciphertext, out), Status::ok);
          ASSERT_EQ(out, text_);
        },
        [&](OpenMessage& message) {
          const Status status = message.verify(tag);
          if (status != Status::wrong_order) {
            EXPECT_EQ(status, right ? Status::ok : Status::authentication_failed);
          }
        });
  }
}

TEST_P(WipedMessage, EndedWithinTheAad) {
  object_is_wiped<SealMessage>(
      1,
      [&](SealMessage& message) {
        ASSERT_EQ(message.start(key_, nonce_), Status::ok);
        ASSERT_EQ(message.aad(aad_), Status::ok);
        ASSERT_EQ(message.import_state(key_, exported(message)), Status::ok);
      },
      [&](SealMessage& message) {
        Bytes tag(4);
        static_cast<void>(message.finish(tag));
      });
}

TEST(Wiped, GhashHash) {
  Random random(72);
  for (const ghash::Implementation* implementation : runnable(ghash::implementations())) {
    for (const std::size_t bytes : {16U, 47U}) {
      const Bytes h = random.bytes(16);
      const Bytes data = random.bytes(bytes);
      ghash::Key key;
      ASSERT_EQ(key.set(h, implementation), Status::ok);
      object_is_wiped<ghash::Hash>(
          0,
          [&](ghash::Hash& hash) {
            ASSERT_EQ(hash.start(key), Status::ok);
            ASSERT_EQ(hash.update(data), Status::ok);
          },
          [&](ghash::Hash& hash) {
            Bytes out(16);
            if (hash.finish(out) == Status::ok) {
              EXPECT_EQ(out, ghash_bitwise(h, Bytes(16), data));
            }
          });
    }
  }
}

TEST(Wiped, Blake2bHash) {
  Random random(73);
  for (const blake2b::Implementation* implementation : runnable(blake2b::implementations())) {
    for (const std::size_t bytes : {0U, 128U, 200U}) {
      const Bytes secret = random.bytes(40);
      const Bytes data = random.bytes(bytes);
      blake2b::Parameters parameters;
      parameters.digest_bytes = 20;
      parameters.last_node = true;
      Bytes expected(20);
      ASSERT_EQ(blake2b::hash(parameters, secret, data, expected, implementation), Status::ok);
      object_is_wiped<blake2b::Hash>(
          0,
          [&](blake2b::Hash& hash) {
            ASSERT_EQ(hash.start(parameters, secret, implementation), Status::ok);
            ASSERT_EQ(hash.update(data), Status::ok);
          },
          [&](blake2b::Hash& hash) {
            Bytes out(20);
            if (hash.finish(out) == Status::ok) {
              EXPECT_EQ(out, expected);
            }
          });
    }
  }
}

}  // namespace
}  // namespace lockstep::test
