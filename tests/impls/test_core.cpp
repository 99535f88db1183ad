#include <array>
#include <set>

#include "impls/core/constant_time.h"
#include "impls/core/endian.h"
#include "impls/core/overlap.h"
#include "impls/core/wipe.h"
#include "lockstep/aes_gcm.h"
#include "lockstep/blake2b.h"
#include "lockstep/ghash.h"
#include "support.h"

namespace lockstep::test {
namespace {

TEST(Endian, LoadsAndStoresAtAnyAddress) {
  const std::array<std::uint8_t, 9> bytes = {0xFF, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(core::load_be32(bytes.data() + 1), 0x01020304U);
  EXPECT_EQ(core::load_le32(bytes.data() + 1), 0x04030201U);
  EXPECT_EQ(core::load_be64(bytes.data() + 1), 0x0102030405060708U);
  EXPECT_EQ(core::load_le64(bytes.data() + 1), 0x0807060504030201U);
  std::array<std::uint8_t, 9> stored = {0xFF};
  core::store_be32(stored.data() + 1, 0x01020304);
  core::store_be32(stored.data() + 5, 0x05060708);
  EXPECT_EQ(stored, bytes);
  core::store_le64(stored.data() + 1, 0x0807060504030201);
  EXPECT_EQ(stored, bytes);
  core::store_be64(stored.data() + 1, 0x0102030405060708);
  EXPECT_EQ(stored, bytes);
}

TEST(Overlap, SharedBytesOnly) {
  const std::array<std::uint8_t, 32> buffer = {};
  const std::span<const std::uint8_t> all(buffer);
  EXPECT_FALSE(core::overlap(all.first(16), all.last(16)));
  EXPECT_FALSE(core::overlap(all.last(16), all.first(16)));
  EXPECT_TRUE(core::overlap(all.first(17), all.last(16)));
  EXPECT_TRUE(core::overlap(all.last(16), all.first(17)));
  EXPECT_TRUE(core::overlap(all, all.subspan(5, 1)));
  EXPECT_TRUE(core::overlap(all.subspan(5, 1), all));
  EXPECT_FALSE(core::overlap(all, all.subspan(5, 0)));
  EXPECT_FALSE(core::overlap({}, all));
}

TEST(ConstantTime, EveryByteCounts) {
  Random random(1);
  const Bytes a = random.bytes(16);
  for (std::size_t bytes = 0; bytes <= 16; ++bytes) {
    for (std::size_t i = 0; i < 16; ++i) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        Bytes b = a;
        b[i] = static_cast<std::uint8_t>(b[i] ^ 1U << bit);
        EXPECT_EQ(core::equal_constant_time(a.data(), b.data(), bytes), i >= bytes);
      }
    }
  }
}

TEST(Wipe, ZeroesItsBytesOnly) {
  Bytes bytes(64, 0xAA);
  core::wipe(bytes.data() + 8, 48);
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], i >= 8 && i < 56 ? 0 : 0xAA);
  core::wipe(nullptr, 0);
}

TEST(CpuFeatures, SetOfValues) {
  constexpr CpuFeatures some = {CpuFeature::aesni, CpuFeature::gfni};
  static_assert(some.contains(CpuFeature::gfni) && !some.contains(CpuFeature::ssse3));
  static_assert(some.contains_all({}) && some.contains_all({CpuFeature::aesni}));
  static_assert(!some.contains_all({CpuFeature::aesni, CpuFeature::avx}));
  static_assert(some == CpuFeatures{CpuFeature::gfni, CpuFeature::aesni});
}

TEST(CpuFeatures, DetectionIsStableAndConsistent) {
  const CpuFeatures features = cpu_features();
  EXPECT_EQ(features, cpu_features());
  // What no real CPU and no hypervisor leaves out.
  if (features.contains(CpuFeature::avx)) {
    EXPECT_TRUE(features.contains(CpuFeature::sse41));
  }
  if (features.contains(CpuFeature::sse41)) {
    EXPECT_TRUE(features.contains(CpuFeature::ssse3));
  }
  if (features.contains(CpuFeature::avx2)) {
    EXPECT_TRUE(features.contains(CpuFeature::avx));
  }
  if (features.contains(CpuFeature::avx512vl)) {
    EXPECT_TRUE(features.contains(CpuFeature::avx512f));
  }
#if defined(__x86_64__)
  const std::pair<CpuFeature, bool> by_compiler[] = {
      {CpuFeature::ssse3, __builtin_cpu_supports("ssse3") != 0},
      {CpuFeature::sse41, __builtin_cpu_supports("sse4.1") != 0},
      {CpuFeature::aesni, __builtin_cpu_supports("aes") != 0},
      {CpuFeature::pclmul, __builtin_cpu_supports("pclmul") != 0},
      {CpuFeature::avx, __builtin_cpu_supports("avx") != 0},
      {CpuFeature::avx2, __builtin_cpu_supports("avx2") != 0},
      {CpuFeature::bmi2, __builtin_cpu_supports("bmi2") != 0},
      {CpuFeature::avx512f, __builtin_cpu_supports("avx512f") != 0},
      {CpuFeature::avx512vl, __builtin_cpu_supports("avx512vl") != 0},
      {CpuFeature::avx512bw, __builtin_cpu_supports("avx512bw") != 0},
      {CpuFeature::avx512dq, __builtin_cpu_supports("avx512dq") != 0},
      {CpuFeature::vpclmulqdq, __builtin_cpu_supports("vpclmulqdq") != 0},
  };
  for (const auto& [feature, present] : by_compiler) {
    EXPECT_EQ(features.contains(feature), present) << to_string(feature);
  }
#endif
}

TEST(Names, AllDifferent) {
  std::set<std::string_view> names;
  for (unsigned i = 0; i < static_cast<unsigned>(CpuFeature::count_); ++i) {
    names.insert(to_string(static_cast<CpuFeature>(i)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(CpuFeature::count_));
  EXPECT_EQ(names.count("unknown"), 0U);
  names.clear();
  const auto last = static_cast<unsigned>(Status::authentication_failed);
  for (unsigned i = 0; i <= last; ++i) names.insert(to_string(static_cast<Status>(i)));
  EXPECT_EQ(names.size(), std::size_t{last} + 1);
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_EQ(to_string(Policy::constant_time), "constant_time");
  EXPECT_EQ(to_string(Policy::fastest), "fastest");
}

template <class Implementation>
std::string_view selected(std::span<const Implementation* const> list, CpuFeatures features, Policy policy) {
  const Implementation* implementation = select(list, features, policy);
  return implementation == nullptr ? "none" : info(*implementation).name;
}

struct Choice {
  ImplementationInfo about;
};

const ImplementationInfo& info(const Choice& choice) {
  return choice.about;
}

TEST(Select, HighestPriorityThatFeaturesAndPolicyAllow) {
  const auto choice = [](std::string_view name, CpuFeatures required, int priority, bool constant_time) {
    return Choice{.about = {.name = name,
                            .arch = "any",
                            .required = required,
                            .priority = priority,
                            .constant_time = constant_time,
                            .stride_blocks = 1,
                            .tail_strides = {},
                            .linux_aliases = {}}};
  };
  const Choice a = choice("a", {}, 1, true);
  const Choice b = choice("b", {}, 2, false);
  const Choice c = choice("c", {CpuFeature::avx}, 3, true);
  const Choice d = choice("d", {CpuFeature::avx, CpuFeature::vaes}, 4, false);
  const Choice* const all[] = {&a, &b, &c, &d};
  const std::span<const Choice* const> list(all);
  EXPECT_EQ(select(list, {}), &a);
  EXPECT_EQ(select(list, {}, Policy::fastest), &b);
  EXPECT_EQ(select(list, {CpuFeature::avx}), &c);
  EXPECT_EQ(select(list, {CpuFeature::vaes}), &a);
  EXPECT_EQ(select(list, {CpuFeature::avx, CpuFeature::vaes}), &c);
  EXPECT_EQ(select(list, {CpuFeature::avx, CpuFeature::vaes}, Policy::fastest), &d);
  EXPECT_EQ(select(list.subspan(1), {}), nullptr);
  EXPECT_EQ(select(list.first(0), {}), nullptr);
}

TEST(Select, BuiltInLists) {
  const auto gcm = aes_gcm::implementations();
  const auto hash = ghash::implementations();
  EXPECT_EQ(selected(gcm, {}, Policy::constant_time), "portable");
  EXPECT_EQ(selected(gcm, {}, Policy::fastest), "table");
  EXPECT_EQ(selected(hash, {}, Policy::constant_time), "portable");
  EXPECT_EQ(selected(hash, {}, Policy::fastest), "table");
#if defined(__x86_64__)
  constexpr CpuFeatures x86 = {CpuFeature::ssse3, CpuFeature::aesni, CpuFeature::pclmul};
  for (const Policy policy : {Policy::constant_time, Policy::fastest}) {
    EXPECT_EQ(selected(gcm, x86, policy), "x86_aesni_2way");
    EXPECT_EQ(selected(hash, x86, policy), "x86_pclmul");
    EXPECT_EQ(selected(hash, {CpuFeature::ssse3, CpuFeature::pclmul}, policy), "x86_pclmul");
  }
  EXPECT_EQ(selected(gcm, {CpuFeature::aesni, CpuFeature::ssse3}, Policy::constant_time), "portable");
#endif
}

TEST(Find, ByNameThenByLinuxAlias) {
  const auto gcm = aes_gcm::implementations();
  const auto name = [&](std::string_view wanted) -> std::string_view {
    const auto* found = find(gcm, wanted);
    return found == nullptr ? "none" : info(*found).name;
  };
  EXPECT_EQ(name("portable"), "portable");
  EXPECT_EQ(name("table"), "table");
  EXPECT_EQ(name("gcm_base(ctr(aes-fixed-time),ghash-generic)"), "portable");
  EXPECT_EQ(name("gcm_base(ctr(aes-generic),ghash-generic)"), "table");
  EXPECT_EQ(name("ghash-generic"), "none");
  EXPECT_EQ(name(""), "none");
  ASSERT_NE(find(ghash::implementations(), "ghash-generic"), nullptr);
  EXPECT_EQ(info(*find(ghash::implementations(), "ghash-generic")).name, "table");
#if defined(__x86_64__)
  EXPECT_EQ(name("x86_aesni"), "x86_aesni");
  EXPECT_EQ(name("x86_aesni_2way"), "x86_aesni_2way");
  EXPECT_EQ(name("generic-gcm-aesni"), "x86_aesni");
  ASSERT_NE(find(ghash::implementations(), "ghash-clmulni"), nullptr);
  EXPECT_EQ(info(*find(ghash::implementations(), "ghash-clmulni")).name, "x86_pclmul");
#endif
}

template <class Implementation>
void check_descriptors(std::span<const Implementation* const> list) {
  std::set<std::string_view> names;
  std::set<int> priorities;
  for (const Implementation* implementation : list) {
    const ImplementationInfo& i = info(*implementation);
    EXPECT_TRUE(names.insert(i.name).second) << i.name;
    EXPECT_TRUE(priorities.insert(i.priority).second) << i.name;
    for (std::string_view alias : i.linux_aliases) EXPECT_TRUE(names.insert(alias).second) << alias;
    EXPECT_GE(i.stride_blocks, 1U) << i.name;
    unsigned before = i.stride_blocks;
    for (unsigned stride : i.tail_strides) {
      EXPECT_LT(stride, before) << i.name;
      EXPECT_GE(stride, 1U) << i.name;
      before = stride;
    }
    const bool any = i.arch == "any";
    EXPECT_EQ(any, i.name == "portable" || i.name == "table") << i.name;
    EXPECT_EQ(i.constant_time, i.name != "table") << i.name;
    EXPECT_EQ(any, i.required == CpuFeatures{}) << i.name;
    if (!any) {
      EXPECT_EQ(i.name.substr(0, i.arch.size()), i.arch) << i.name;
    }
  }
}

TEST(Descriptors, Sane) {
  check_descriptors(aes_gcm::implementations());
  check_descriptors(blake2b::implementations());
  check_descriptors(ghash::implementations());
}

TEST(PublicTypes, NeedNoMoreThanMallocAlignment) {
  static_assert(alignof(aes_gcm::Key) <= 16 && alignof(aes_gcm::MessageState) <= 16);
  static_assert(alignof(aes_gcm::SealMessage) <= 16 && alignof(aes_gcm::OpenMessage) <= 16);
  static_assert(alignof(blake2b::Hash) <= 16 && alignof(blake2b::State) <= 16);
  static_assert(alignof(ghash::Key) <= 16 && alignof(ghash::Hash) <= 16);
}

}  // namespace
}  // namespace lockstep::test
