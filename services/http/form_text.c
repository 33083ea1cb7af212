#include "form_text.h"

#include "utf8.h"

const char *form_text_fault(struct span text, size_t max_chars, bool is_name)
{
    bool is_blank = true;
    size_t offset = 0;

    if (text.length == 0)
        return "too_short";
    if (!utf8_is_valid(text.bytes, text.length))
        return "not_text";
    if (utf8_count(text.bytes, text.length) > max_chars)
        return "too_long";
    while (offset < text.length) {
        uint32_t code_point = utf8_next(text.bytes, text.length, &offset);

        if (is_name && utf8_is_control(code_point))
            return "not_text";
        if (!utf8_is_space(code_point))
            is_blank = false;
    }
    return is_blank ? "blank" : NULL;
}
