/*
 * How somebody can be reached, taken out of a text: e-mail addresses, phone numbers, links and
 * numbers of seven digits or more give way to [email], [phone], [link] and [number].
 */
#ifndef MASK_H
#define MASK_H

#include "buffer.h"
#include "span.h"

/* Appends the masked text.  The text must be valid UTF-8.  In linear time; what is masked already stays
 * as it is.  Years, dates and times of day ("2019-2023", "01/2020 - 03/2022", "0800-1630") are no phone numbers. */
void mask_contacts(struct span text, struct buffer *out);

#endif
