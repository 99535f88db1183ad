#include "lockstep/status.h"

#include "lockstep/implementation.h"

namespace lockstep {

std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::bad_key_size:
      return "bad_key_size";
    case Status::bad_nonce_size:
      return "bad_nonce_size";
    case Status::bad_tag_size:
      return "bad_tag_size";
    case Status::bad_digest_size:
      return "bad_digest_size";
    case Status::bad_salt_size:
      return "bad_salt_size";
    case Status::bad_personal_size:
      return "bad_personal_size";
    case Status::bad_tree_parameter:
      return "bad_tree_parameter";
    case Status::bad_output_size:
      return "bad_output_size";
    case Status::aad_too_long:
      return "aad_too_long";
    case Status::text_too_long:
      return "text_too_long";
    case Status::overlapping_buffers:
      return "overlapping_buffers";
    case Status::wrong_order:
      return "wrong_order";
    case Status::key_mismatch:
      return "key_mismatch";
    case Status::bad_state:
      return "bad_state";
    case Status::cpu_lacks_features:
      return "cpu_lacks_features";
    case Status::authentication_failed:
      return "authentication_failed";
  }
  return "unknown";
}

std::string_view to_string(Policy policy) noexcept {
  switch (policy) {
    case Policy::constant_time:
      return "constant_time";
    case Policy::fastest:
      return "fastest";
  }
  return "unknown";
}

}  // namespace lockstep
