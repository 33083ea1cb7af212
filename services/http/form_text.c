#include "form_text.h"

#include "utf8.h"

const char *form_text_fault(struct span text, size_t max_chars, bool is_name)
{
    size_t offset = 0;

    if (text.length == 0)
        return "too_short";
    if (!utf8_is_valid(text.bytes, text.length))
        return "not_text";
    if (utf8_count(text.bytes, text.length) > max_chars)
        return "too_long";
    while (is_name && offset < text.length)
        if (utf8_is_control(utf8_next(text.bytes, text.length, &offset)))
            return "not_text";
    return utf8_is_blank(text.bytes, text.length) ? "blank" : NULL;
}
