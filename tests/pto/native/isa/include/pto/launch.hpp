#pragma once
namespace tilelab {
template <class Call, class... Args>
struct Entry {
    static void run(void* packed)
    {
        std::apply([](auto... args) { Call{}(args...); }, *static_cast<std::tuple<Args...>*>(packed));
    }
    static inline const bool known = (tl_register(typeid(Entry).name(), &run), true);
};
inline int64_t blocks(int64_t count, void* = nullptr, void* = nullptr) { return count; }
template <class Call, class... Args>
void launch(Call, int64_t count, Args... args)
{
    (void)Entry<Call, Args...>::known;
    std::tuple<Args...> packed(args...);
    ask(TL_HOST_LAUNCH, word(typeid(Entry<Call, Args...>).name()), word(&packed), count);
}
inline float* device(int64_t bytes, bool filled)
{
    auto* at = static_cast<float*>(std::calloc(1, bytes));
    ask(TL_HOST_ALLOC, word(at), bytes);
    if (filled) {
        for (int64_t i = 0; i < bytes / 4; ++i) {
            at[i] = static_cast<float>(i);
        }
        ask(TL_HOST_WRITE, word(at), bytes);
    }
    return at;
}
} // namespace tilelab
