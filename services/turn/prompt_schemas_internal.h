/*
 * The JSON Schemas of the model's answers, in the subset that strict structured output
 * takes: every property required, none besides.  `refused` comes first, so that the
 * verdict is known before any other word is written.  The bounds of length are the
 * prompt's and the parser's business: strict mode knows none.
 */
#ifndef PROMPT_SCHEMAS_INTERNAL_H
#define PROMPT_SCHEMAS_INTERNAL_H

#define FEEDBACK_SCHEMA                                                                      \
    "{\"type\":\"object\",\"properties\":{"                                                  \
    "\"dimensions\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"     \
    "\"label\":{\"type\":\"string\",\"enum\":[\"Clarity\",\"Relevance\",\"Structure\","      \
    "\"Filler Words\"]},"                                                                    \
    "\"score\":{\"type\":\"integer\"},"                                                      \
    "\"tip\":{\"type\":\"string\"},\"quote\":{\"type\":[\"string\",\"null\"]}},"             \
    "\"required\":[\"label\",\"score\",\"tip\",\"quote\"],\"additionalProperties\":false}}," \
    "\"summary_tip\":{\"type\":\"string\"}},"                                                \
    "\"required\":[\"dimensions\",\"summary_tip\"],\"additionalProperties\":false}"

#define REPLY_SCHEMA                                                                \
    "{\"type\":\"object\",\"properties\":{"                                         \
    "\"refused\":{\"type\":\"boolean\"},"                                           \
    "\"follow_up_question\":{\"type\":\"string\"},"                                 \
    "\"coaching_feedback\":{\"anyOf\":[" FEEDBACK_SCHEMA ",{\"type\":\"null\"}]}}," \
    "\"required\":[\"refused\",\"follow_up_question\",\"coaching_feedback\"],"      \
    "\"additionalProperties\":false}"

#define LINES_SCHEMA "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"

#define SUMMARY_SCHEMA                                                     \
    "{\"type\":\"object\",\"properties\":{"                                \
    "\"overall_assessment\":{\"type\":\"string\"},"                        \
    "\"strengths\":" LINES_SCHEMA ",\"improvements\":" LINES_SCHEMA        \
    ",\"recommended_actions\":" LINES_SCHEMA "},"                          \
    "\"required\":[\"overall_assessment\",\"strengths\",\"improvements\"," \
    "\"recommended_actions\"],\"additionalProperties\":false}"

#endif
