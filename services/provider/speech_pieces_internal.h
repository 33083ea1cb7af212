/*
 * A text that is too long for one call of a speaker, cut where a person would breathe,
 * and the audio of its pieces put together again.
 */
#ifndef SPEECH_PIECES_INTERNAL_H
#define SPEECH_PIECES_INTERNAL_H

#include "audio.h"
#include "private_text.h"
#include "span.h"

#include <stdbool.h>
#include <stddef.h>

/* Cuts a text in valid UTF-8 into pieces of at most `max_characters` code points, without
 * white space at their ends: behind a sentence, else behind a comma or the like, else
 * between words, else inside a word.  Returns their number; more than `max_pieces` are
 * only counted. */
size_t speech_pieces_cut(struct span text, size_t max_characters, size_t max_pieces,
                         struct span *ret_pieces);

/* What kind of audio a piece is: AUDIO_MP3, AUDIO_WAV, or AUDIO_UNKNOWN for what cannot
 * be passed on. */
enum audio_container speech_pieces_kind(const struct private_text *piece);

/* One file of all pieces in their order, which are empty afterwards.  WAV comes out with
 * its sizes right, whatever its writer knew of them; of MP3 the tags and indexes that are
 * true of one piece alone are left out.  false, and no audio: they are not of one kind.
 */
bool speech_pieces_join(struct private_text *pieces, size_t count,
                        struct private_text *ret_audio);

#endif
