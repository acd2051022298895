constexpr bool dst_32bit = @WIDE@;
constexpr bool dst_full = @FULL@;
constexpr uint32_t done_mailboxes[] = {@BOXES@};
constexpr uint32_t done_value = @DONE@;
constexpr uint32_t go_value = @GO@;
