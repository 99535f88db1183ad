// D. McGrew, J. Viega: The Galois/Counter Mode of Operation (GCM), appendix B, all eighteen test cases.
#include "impls/aes_gcm/kernel.h"
#include "lockstep/aes_gcm.h"
#include "support.h"

namespace lockstep::test {
namespace {

using aes_gcm::Implementation;
using aes_gcm::Key;

constexpr std::string_view key_128 = "feffe9928665731c6d6a8f9467308308";
constexpr std::string_view key_192 = "feffe9928665731c6d6a8f9467308308feffe9928665731c";
constexpr std::string_view key_256 = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
constexpr std::string_view zero_96 = "000000000000000000000000";
constexpr std::string_view zero_128 = "00000000000000000000000000000000";
constexpr std::string_view zero_192 = "000000000000000000000000000000000000000000000000";
constexpr std::string_view zero_256 = "0000000000000000000000000000000000000000000000000000000000000000";
constexpr std::string_view nonce_12 = "cafebabefacedbaddecaf888";
constexpr std::string_view nonce_8 = "cafebabefacedbad";
constexpr std::string_view nonce_60 =
    "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b525416aedbf5"
    "a0de6a57"
    "a637b39b";
constexpr std::string_view aad_20 = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
constexpr std::string_view text_64 =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5"
    "aa0de657"
    "ba637b391aafd255";
constexpr std::string_view text_60 = text_64.substr(0, 120);

struct Vector {
  int number;
  std::string_view key, nonce, aad, plaintext, ciphertext, tag;
};

constexpr Vector vectors[] = {
    {1, zero_128, zero_96, "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"},
    {2, zero_128, zero_96, "", zero_128, "0388dace60b6a392f328c2b971b2fe78",
     "ab6e47d42cec13bdf53a67b21257bddf"},
    {3, key_128, nonce_12, "", text_64,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b3"
     "96a0aac97"
     "3d58e091473f5985",
     "4d5c2af327cd64a62cf35abd2ba6fab4"},
    {4, key_128, nonce_12, aad_20, text_60,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b3"
     "96a0aac97"
     "3d58e091",
     "5bc94fbc3221a5db94fae95ae7121a47"},
    {5, key_128, nonce_8, aad_20, text_60,
     "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c742373806900e49f24b22b097544d4896b424989b5e"
     "1ebac0f07"
     "c23f4598",
     "3612d2e79e3b0785561be14aaca2fccb"},
    {6, key_128, nonce_60, aad_20, text_60,
     "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca701e4a9a4fba43c90ccdcb281d48c7c6fd62875d"
     "2aca41703"
     "4c34aee5",
     "619cc5aefffe0bfa462af43c1699d050"},
    {7, zero_192, zero_96, "", "", "", "cd33b28ac773f74ba00ed1f312572435"},
    {8, zero_192, zero_96, "", zero_128, "98e7247c07f0fe411c267e4384b0f600",
     "2ff58d80033927ab8ef4d4587514f0fb"},
    {9, key_192, nonce_12, "", text_64,
     "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448"
     "b2fe324d9"
     "ccda2710acade256",
     "9924a7c8587336bfb118024db8674a14"},
    {10, key_192, nonce_12, aad_20, text_60,
     "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448"
     "b2fe324d9"
     "ccda2710",
     "2519498e80f1478f37ba55bd6d27618c"},
    {11, key_192, nonce_8, aad_20, text_60,
     "0f10f599ae14a154ed24b36e25324db8c566632ef2bbb34f8347280fc4507057fddc29df9a471f75c66541d4d4dad1c9e93a19a"
     "58e8b473f"
     "a0f062f7",
     "65dcc57fcf623a24094fcca40d3533f8"},
    {12, key_192, nonce_60, aad_20, text_60,
     "d27e88681ce3243c4830165a8fdcf9ff1de9a1d8e6b447ef6ef7b79828666e4581e79012af34ddd9e2f037589b292db3e67c036"
     "745fa22e7"
     "e9b7373b",
     "dcf566ff291c25bbb8568fc3d376a6d9"},
    {13, zero_256, zero_96, "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {14, zero_256, zero_96, "", zero_128, "cea7403d4d606b6e074ec5d3baf39d18",
     "d0d1c8a799996bf0265b98b5d48ab919"},
    {15, key_256, nonce_12, "", text_64,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6"
     "393ba7a0a"
     "bcc9f662898015ad",
     "b094dac5d93471bdec1a502270e3cc6c"},
    {16, key_256, nonce_12, aad_20, text_60,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6"
     "393ba7a0a"
     "bcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
    {17, key_256, nonce_8, aad_20, text_60,
     "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0feb582d33934a4f0954cc2363bc73f7862ac430"
     "e64abe499"
     "f47c9b1f",
     "3a337dbf46a792c45e454913fe2ea8f2"},
    {18, key_256, nonce_60, aad_20, text_60,
     "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf40fc0c3b780f244452da3ebf1c5d82cdea241899"
     "7200ef82e"
     "44ae7e3f",
     "a44a8266ee1c8eb0c8b5d4cf5ae9f19a"},
};

class Known : public testing::TestWithParam<const Implementation*> {};

INSTANTIATE_TEST_SUITE_P(Every, Known, testing::ValuesIn(runnable(aes_gcm::implementations())),
                         test_name<Implementation>);

TEST_P(Known, McGrewViega) {
  for (const Vector& v : vectors) {
    Key key;
    ASSERT_EQ(key.set(from_hex(v.key), GetParam()), Status::ok);
    const Bytes nonce = from_hex(v.nonce);
    const Bytes aad = from_hex(v.aad);
    const Bytes plaintext = from_hex(v.plaintext);
    for (const std::size_t tag_bytes : {16U, 15U, 14U, 13U, 12U, 8U, 4U}) {
      const Bytes expected_tag = from_hex(v.tag.substr(0, 2 * tag_bytes));
      Bytes ciphertext(plaintext.size());
      Bytes tag(tag_bytes);
      EXPECT_EQ(aes_gcm::seal(key, nonce, aad, plaintext, ciphertext, tag), Status::ok);
      EXPECT_EQ(ciphertext, from_hex(v.ciphertext)) << v.number;
      EXPECT_EQ(tag, expected_tag) << v.number;
      Bytes opened(plaintext.size());
      EXPECT_EQ(aes_gcm::open(key, nonce, aad, from_hex(v.ciphertext), opened, expected_tag), Status::ok);
      EXPECT_EQ(opened, plaintext) << v.number;
    }
  }
}

// FIPS 197, appendix C: the block cipher alone.
TEST_P(Known, BlockCipher) {
  const Bytes key = from_hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  const std::pair<std::size_t, std::string_view> answers[] = {
      {16, "69c4e0d86a7b0430d8cdb78070b4c55a"},
      {24, "dda97ca4864cdfe06eaf70a0ec0d7191"},
      {32, "8ea2b7ca516745bfeafc49904b496089"},
  };
  for (const auto& [key_bytes, answer] : answers) {
    std::vector<std::uint64_t> context(aes_gcm::max_context_bytes / 8);
    Bytes h(16);
    GetParam()->expand_key(context.data(), key.data(), key_bytes, h.data());
    Bytes block = from_hex("00112233445566778899aabbccddeeff");
    Bytes out(16);
    GetParam()->encrypt_block(context.data(), block.data(), out.data());
    EXPECT_EQ(out, from_hex(answer));
    GetParam()->encrypt_block(context.data(), block.data(), block.data());
    EXPECT_EQ(block, from_hex(answer)) << "in place";
    Bytes zero(16);
    GetParam()->encrypt_block(context.data(), zero.data(), zero.data());
    EXPECT_EQ(h, zero);
  }
}

}  // namespace
}  // namespace lockstep::test
