#include <array>
#include "internal/template_string.h"
#include "api/dataflow/dataflow_buffer.h"
#include "experimental/kernel_args.h"
#include "api/compile_time_args.h"
#include "api/debug/assert.h"
#include "api/tensor/tensor_binding_token.h"
struct ScratchpadBindingToken;
namespace dfb {
@BUFFERS@
template <::internal::TemplateString name> constexpr auto get_token_if_present() { @CASES@return static_cast<const DFBBindingToken<dfb::AccessPattern::UNKNOWN, dfb::AccessPattern::UNKNOWN>*>(nullptr); }
}
namespace tensor {
template <::internal::TemplateString name> constexpr auto get_token_if_present() { return static_cast<const ::tensor_accessor::NullTensorBindingToken*>(nullptr); }
}
namespace scratch {
template <::internal::TemplateString name> constexpr auto get_token_if_present() { return static_cast<const ScratchpadBindingToken*>(nullptr); }
}
@ARGUMENTS@
inline uint32_t get_vararg(uint32_t i) { return get_arg_val<uint32_t>(i); }
inline uint32_t get_common_vararg(uint32_t i) { return get_common_arg_val<uint32_t>(i); }
constexpr uint32_t get_num_compile_time_varargs() { return @WORDS@u; }
template <uint32_t i> constexpr uint32_t get_compile_time_vararg() {
    return kernel_compile_time_args[i];
}
constexpr uint32_t get_compile_time_vararg(uint32_t i) {
    return kernel_compile_time_args[i];
}
