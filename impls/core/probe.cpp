#include "impls/core/probe.h"

#ifdef LOCKSTEP_PROBE
namespace lockstep::core {

constinit thread_local std::uint64_t bulk_iterations = 0;

}  // namespace lockstep::core
#endif
