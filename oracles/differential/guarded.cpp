#include "oracles/differential/guarded.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lockstep::differential {
namespace {

constexpr std::size_t canary_bytes = 64;
constexpr std::uint8_t canary_value = 0xc5;
constexpr auto canary = [] {
  std::array<std::uint8_t, canary_bytes> bytes = {};
  bytes.fill(canary_value);
  return bytes;
}();

// Whole canaries are the usual case, and of constant size: the compiler makes a few vector instructions of
// them.
void fill_canary(std::uint8_t* at, std::size_t bytes) noexcept {
  if (bytes == canary_bytes) {
    std::memcpy(at, canary.data(), canary_bytes);
  } else {
    std::memcpy(at, canary.data(), bytes);
  }
}

bool canary_intact(const std::uint8_t* at, std::size_t bytes) noexcept {
  return same_bytes({at, bytes}, std::span(canary).first(bytes));
}

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

std::string to_string(Placement placement) {
  if (placement.code == Placement::front_code) return "flush in front";
  if (placement.code == Placement::behind_code) return "flush behind";
  return "aligned " + std::to_string(placement.code % 64U);
}

bool from_string(std::string_view text, Placement& placement) {
  constexpr std::string_view prefix = "aligned ";
  if (text == "flush in front") {
    placement = Placement::front();
    return true;
  }
  if (text == "flush behind") {
    placement = Placement::behind();
    return true;
  }
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  unsigned alignment = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), alignment);
  if (error != std::errc{} || end != text.data() + text.size() || alignment > 63) return false;
  placement = Placement::aligned(alignment);
  return true;
}

GuardedRegion::~GuardedRegion() {
  if (mapping_ != nullptr) munmap(mapping_, pages_bytes_ + 2 * page_bytes());
}

void GuardedRegion::reserve(std::size_t bytes) {
  if (mapping_ != nullptr && bytes <= pages_bytes_) return;
  const std::size_t page = page_bytes();
  if (mapping_ != nullptr) munmap(mapping_, pages_bytes_ + 2 * page);
  pages_bytes_ = (std::max(bytes, 2 * page) + page - 1) / page * page;
  void* mapping = mmap(nullptr, pages_bytes_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED ||
      mprotect(static_cast<std::uint8_t*>(mapping) + page, pages_bytes_, PROT_READ | PROT_WRITE) != 0) {
    std::perror("lockstep: no memory for guarded buffers");
    std::abort();
  }
  mapping_ = static_cast<std::uint8_t*>(mapping);
}

std::span<std::uint8_t> GuardedRegion::place(std::size_t bytes, Placement placement, std::size_t alignment) {
  reserve(bytes + 2 * canary_bytes + 64);
  std::uint8_t* const begin = mapping_ + page_bytes();
  std::uint8_t* const end = begin + pages_bytes_;
  if (placement == Placement::front()) {
    data_ = begin;
  } else if (placement == Placement::behind()) {
    data_ = end - (bytes + alignment - 1) / alignment * alignment;
  } else {
    data_ = begin + canary_bytes + placement.code % 64U / alignment * alignment;
  }
  bytes_ = bytes;
  window_ = data_ - std::min(canary_bytes, static_cast<std::size_t>(data_ - begin));
  std::uint8_t* const window_end =
      data_ + bytes + std::min(canary_bytes, static_cast<std::size_t>(end - (data_ + bytes)));
  window_bytes_ = static_cast<std::size_t>(window_end - window_);
  input_ = false;
  return {data_, bytes_};
}

void GuardedRegion::arm() {
  fill_canary(window_, static_cast<std::size_t>(data_ - window_));
  fill_canary(data_ + bytes_, static_cast<std::size_t>(window_ + window_bytes_ - (data_ + bytes_)));
}

std::span<const std::uint8_t> GuardedRegion::place_input(std::span<const std::uint8_t> contents,
                                                         Placement placement) {
  place(contents.size(), placement);
  arm();
  if (!contents.empty()) std::memcpy(data_, contents.data(), contents.size());
  contents_.assign(contents.begin(), contents.end());
  input_ = true;
  return {data_, bytes_};
}

std::span<std::uint8_t> GuardedRegion::place_output(std::size_t bytes, Placement placement) {
  place(bytes, placement);
  arm();
  std::memset(data_, unwritten_value, bytes);
  return {data_, bytes_};
}

void GuardedRegion::check(Outcome& outcome) const {
  if (window_ == nullptr) return;
  // One pass in the usual case; the exact place is looked for only when something is wrong.
  const auto report = [&](const std::uint8_t* at, bool inside) {
    char text[96];
    if (inside) {
      std::snprintf(text, sizeof text, "%.*s was modified at byte %td", static_cast<int>(name_.size()),
                    name_.data(), at - data_);
      outcome.violate(ViolationKind::contract, text);
    } else if (at < data_) {
      std::snprintf(text, sizeof text, "wrote %td bytes in front of %.*s", data_ - at,
                    static_cast<int>(name_.size()), name_.data());
      outcome.violate(ViolationKind::memory, text);
    } else {
      std::snprintf(text, sizeof text, "wrote %td bytes beyond the end of %.*s", at - (data_ + bytes_) + 1,
                    static_cast<int>(name_.size()), name_.data());
      outcome.violate(ViolationKind::memory, text);
    }
  };
  const auto check_canary = [&](const std::uint8_t* from, const std::uint8_t* to) {
    if (canary_intact(from, static_cast<std::size_t>(to - from))) return;
    report(std::find_if(from, to, [](std::uint8_t byte) { return byte != canary_value; }), false);
  };
  check_canary(window_, data_);
  check_canary(data_ + bytes_, window_ + window_bytes_);
  if (!input_ || same_bytes({data_, bytes_}, contents_)) return;
  report(std::mismatch(data_, data_ + bytes_, contents_.begin()).first, true);
}

std::string GuardedRegion::describe(const void* address) const {
  const auto* const at = static_cast<const std::uint8_t*>(address);
  if (mapping_ == nullptr || at < mapping_ || at >= mapping_ + pages_bytes_ + 2 * page_bytes()) return {};
  const std::string name(name_);
  if (at < data_) return std::to_string(data_ - at) + " bytes in front of " + name;
  if (at >= data_ + bytes_) return std::to_string(at - (data_ + bytes_)) + " bytes behind the end of " + name;
  return "byte " + std::to_string(at - data_) + " of " + name;
}

namespace {

// One per process: the participants of a case run one after another.
sigjmp_buf fault_return;
volatile std::sig_atomic_t fault_expected = 0;
volatile int fault_signal = 0;
const void* volatile fault_address = nullptr;

#ifdef LOCKSTEP_SANITIZED
// A sanitizer that has found something ends the process by SIGABRT; nobody may hold it up.
constexpr std::array fault_signals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
#else
constexpr std::array fault_signals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
#endif
std::array<struct sigaction, fault_signals.size()> previous_actions;

[[noreturn]] void end_call(int signal, const void* address) {
  fault_expected = 0;
  fault_signal = signal;
  fault_address = address;
  siglongjmp(fault_return, 1);
}

void on_fault(int signal, siginfo_t* info, void* /*context*/) {
  // An abort has no address; what the structure holds in its place is a process.
  if (fault_expected != 0) end_call(signal, signal == SIGABRT ? nullptr : info->si_addr);
  // Not ours: give the signal back to whoever had it; the instruction runs again and faults there.
  for (std::size_t i = 0; i < fault_signals.size(); ++i) {
    if (fault_signals[i] == signal) sigaction(signal, &previous_actions[i], nullptr);
  }
}

// Whoever hangs is found by a clock of the process's own CPU time that ticks for ever: a timer for each call
// would cost two system calls. A call that has lasted through `patience` ticks has hung. Where one hangs on a
// case the others often do: for the rest of the case patience is short, so that all of them have answered
// before an engine loses its own.
constexpr suseconds_t tick_microseconds = 250'000;
constexpr unsigned first_patience = 4;  // a million bytes through the plain oracle take a tenth of a second
constexpr unsigned later_patience = 1;
unsigned patience = first_patience;
volatile unsigned calls_begun = 0;
unsigned call_at_last_tick = 0;
unsigned ticks_in_call = 0;

void on_tick(int /*signal*/) {
  const unsigned call = calls_begun;
  if (fault_expected == 0 || call != call_at_last_tick) {
    call_at_last_tick = call;
    ticks_in_call = 0;
    return;
  }
  if (++ticks_in_call < patience) return;
  ticks_in_call = 0;
  patience = later_patience;
  end_call(hang_signal, nullptr);
}

// A forked child has no timers.
void start_clock() {
  constexpr itimerval ticks = {.it_interval = {.tv_sec = 0, .tv_usec = tick_microseconds},
                               .it_value = {.tv_sec = 0, .tv_usec = tick_microseconds}};
  setitimer(ITIMER_VIRTUAL, &ticks, nullptr);
}

// Late, at the first call: after the handlers of a sanitizer and of a fuzzing engine, which stay behind ours.
bool install_fault_handlers() {
  static std::vector<std::uint8_t> stack(std::size_t{1} << 16U);
  stack_t current = {};
  sigaltstack(nullptr, &current);
  if ((current.ss_flags & SS_DISABLE) != 0) {
    stack_t alternate = {};
    alternate.ss_sp = stack.data();
    alternate.ss_size = stack.size();
    sigaltstack(&alternate, nullptr);
  }
  for (std::size_t i = 0; i < fault_signals.size(); ++i) {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(fault_signals[i], &action, &previous_actions[i]);
  }
  struct sigaction tick = {};
  tick.sa_handler = on_tick;
  tick.sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigaction(hang_signal, &tick, nullptr);
  start_clock();
  pthread_atfork(nullptr, nullptr, start_clock);
  return true;
}

}  // namespace

void begin_case() noexcept {
  patience = first_patience;
}

bool run_catching_faults(void (*function)(void* argument), void* argument, Fault& fault) {
  static const bool installed = install_fault_handlers();
  static_cast<void>(installed);
  // The signal mask is not saved: SA_NODEFER leaves it as it was, and the system call would cost more than a
  // case.
  if (sigsetjmp(fault_return, 0) != 0) {
    fault = {fault_signal, fault_address};
    return false;
  }
  calls_begun = calls_begun + 1;
  fault_expected = 1;
  function(argument);
  fault_expected = 0;
  return true;
}

std::string describe(const Fault& fault, const Buffers& buffers) {
  if (fault.signal == hang_signal) return "does not return";
  const char* const name = sigabbrev_np(fault.signal);
  std::string text = "SIG" + std::string(name == nullptr ? "?" : name);
  for (const GuardedRegion* region : buffers.all()) {
    const std::string where = region->describe(fault.address);
    if (!where.empty()) return text + ", " + where;
  }
  return text;
}

}  // namespace lockstep::differential
