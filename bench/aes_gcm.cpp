// AES-GCM seal, every implementation that this CPU can run beside Botan and OpenSSL in one process: ready
// key, 12-byte nonce, 13 bytes of AAD. A time here is good for ratios within one run, not across machines or
// runs.
#include <benchmark/benchmark.h>
#include <botan/aead.h>
#include <openssl/evp.h>

#include <string>
#include <vector>

#include "lockstep/aes_gcm.h"

namespace {

namespace library = lockstep::aes_gcm;

struct Message {
  explicit Message(benchmark::State& state)
      : key(static_cast<std::size_t>(state.range(0) / 8)),
        text(static_cast<std::size_t>(state.range(1))),
        out(text.size()) {}
  std::vector<std::uint8_t> key, text, out;
  std::vector<std::uint8_t> nonce = std::vector<std::uint8_t>(12), aad = std::vector<std::uint8_t>(13);
  std::uint8_t tag[16] = {};

  // Messages are independent; only the nonce says which.
  void next() { ++nonce[0]; }
};

void finish(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(1));
}

void seal_ours(benchmark::State& state, const library::Implementation* implementation) {
  Message message(state);
  library::Key key;
  if (key.set(message.key, implementation) != lockstep::Status::ok) return state.SkipWithError("key refused");
  for ([[maybe_unused]] auto iteration : state) {
    message.next();
    const lockstep::Status status =
        library::seal(key, message.nonce, message.aad, message.text, message.out, message.tag);
    if (status != lockstep::Status::ok) return state.SkipWithError("seal refused");
    benchmark::DoNotOptimize(message.tag);
  }
  finish(state);
}

void seal_openssl(benchmark::State& state) {
  Message message(state);
  EVP_CIPHER* cipher =
      EVP_CIPHER_fetch(nullptr, ("AES-" + std::to_string(state.range(0)) + "-GCM").c_str(), nullptr);
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex2(context, cipher, message.key.data(), nullptr, nullptr);
  int bytes = 0;
  for ([[maybe_unused]] auto iteration : state) {
    message.next();
    EVP_EncryptInit_ex2(context, nullptr, nullptr, message.nonce.data(), nullptr);
    EVP_EncryptUpdate(context, nullptr, &bytes, message.aad.data(), static_cast<int>(message.aad.size()));
    EVP_EncryptUpdate(context, message.out.data(), &bytes, message.text.data(),
                      static_cast<int>(message.text.size()));
    EVP_EncryptFinal_ex(context, message.tag, &bytes);
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, message.tag);
    benchmark::DoNotOptimize(message.tag);
  }
  EVP_CIPHER_CTX_free(context);
  EVP_CIPHER_free(cipher);
  finish(state);
}

void seal_botan(benchmark::State& state) {
  Message message(state);
  auto cipher = Botan::AEAD_Mode::create("AES-" + std::to_string(state.range(0)) + "/GCM", Botan::ENCRYPTION);
  cipher->set_key(message.key);
  Botan::secure_vector<std::uint8_t> buffer;
  for ([[maybe_unused]] auto iteration : state) {
    message.next();
    cipher->set_ad(message.aad);
    cipher->start(message.nonce);
    buffer.assign(message.text.begin(), message.text.end());
    cipher->finish(buffer);
    benchmark::DoNotOptimize(buffer.data());
  }
  finish(state);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (int key_bits : {128, 256}) {
    for (int bytes : {16, 64, 256, 576, 1024, 1420, 4096, 16384}) benchmark->Args({key_bits, bytes});
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const library::Implementation* implementation : library::implementations()) {
    const lockstep::ImplementationInfo& info = library::info(*implementation);
    if (!lockstep::cpu_features().contains_all(info.required)) continue;
    benchmark::RegisterBenchmark(("seal/" + std::string(info.name)).c_str(), seal_ours, implementation)
        ->Apply(sizes);
  }
  benchmark::RegisterBenchmark("seal/openssl", seal_openssl)->Apply(sizes);
  benchmark::RegisterBenchmark("seal/botan", seal_botan)->Apply(sizes);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 5;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
