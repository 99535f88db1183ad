#pragma once

#include <string_view>

namespace lockstep {

// Why a call was refused. Nothing is written by a call that returns anything but `ok`, with one exception
// that is part of its contract: `authentication_failed` from a one-shot open leaves the destination all zero.
enum class [[nodiscard]] Status{
    ok,
    bad_key_size,
    bad_nonce_size,
    bad_tag_size,
    bad_digest_size,
    bad_salt_size,
    bad_personal_size,
    bad_tree_parameter,   // BLAKE2 specification, section 2.8
    bad_output_size,      // the output is not exactly as long as the call says
    aad_too_long,         // SP 800-38D, section 5.2.1.1: len(A) <= 2^64 - 1 bits
    text_too_long,        // SP 800-38D, section 5.2.1.1: len(P) <= 2^39 - 256 bits
    overlapping_buffers,  // neither apart nor exactly in place
    wrong_order,          // no key, not started, AAD after text, or already finished
    key_mismatch,         // a message was handed to an expansion of another key
    bad_state,            // bytes that no export_state of this version wrote
    cpu_lacks_features,   // this implementation cannot run on this CPU
    authentication_failed,
};

std::string_view to_string(Status status) noexcept;

}  // namespace lockstep
