/*
 * What the built-in coach knows, as constant tables: the questions, the kinds of
 * interview and of role, and the words that it listens for.
 *
 * They are written as JSON in patterns/ and turned into C when the program is built
 * (generate/coach_tables.c), so that a misspelt tag does not compile, nothing is parsed
 * at start and a question is a static string.
 */
#ifndef COACH_TABLES_INTERNAL_H
#define COACH_TABLES_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* patterns/interviews.json; in the order in which the words of an interview type are
 * tried. */
enum interview_type {
    TYPE_SYSTEM_DESIGN,
    TYPE_CASE,
    TYPE_TECHNICAL,
    TYPE_SITUATIONAL,
    TYPE_BEHAVIORAL,
    TYPE_SCREENING,
    TYPE_GENERAL,
    TYPE_COUNT
};

enum role_family {
    ROLE_SOFTWARE,
    ROLE_DATA,
    ROLE_PRODUCT,
    ROLE_DESIGN,
    ROLE_SALES,
    ROLE_MARKETING,
    ROLE_SERVICE,
    ROLE_HOSPITALITY,
    ROLE_HEALTHCARE,
    ROLE_MEDICINE, /* who diagnoses: doctors, dentists, vets */
    ROLE_TEACHING,
    ROLE_FINANCE,
    ROLE_OPERATIONS,
    ROLE_TRADES,
    ROLE_MANAGEMENT,
    ROLE_PEOPLE,
    ROLE_LAW,
    ROLE_PUBLIC,
    ROLE_RESEARCH,
    ROLE_GENERAL,
    ROLE_COUNT
};

/* The kind of answer that a question asks for, by which the answer is judged. */
enum asks {
    ASKS_STORY,   /* something that happened: situation, task, action, result */
    ASKS_PLAN,    /* what somebody would do: steps and reasons */
    ASKS_EXPLAIN, /* knowledge or a view: a point, reasons, an example */
    ASKS_SELF     /* about the candidate: background, motives, strengths */
};

/* The questions that nearly every interview asks (patterns/themes.json): answers to these are told
 * apart by CUE_TELLS_... and CUE_HINTS_..., which stand in the same order. */
enum theme {
    THEME_BACKGROUND,
    THEME_LEADERSHIP,
    THEME_TEAM, /* and conflict in one */
    THEME_WEAKNESS,
    THEME_HIRE, /* why hire you */
    THEME_COUNT
};

enum level { LEVEL_EASY, LEVEL_MEDIUM, LEVEL_HARD };

#define BIT(number)  (1u << (number))
#define CUE_BIT(cue) (UINT64_C(1) << (cue)) /* a set of cues has 64 bits */

struct bank_question {
    const char *id;
    const char *text;
    const char *topic;
    unsigned types;  /* BIT(TYPE_...) */
    unsigned levels; /* BIT(LEVEL_...) */
    enum role_family role;
    enum asks asks;
};

struct string_list {
    const char *const *items;
    size_t count;
};

/* Aliases and keywords are whole words; one that ends in '*' is the start of a word. */
struct bank_type {
    struct string_list aliases;
    unsigned draws;            /* BIT(TYPE_...): what its questions come from */
    enum interview_type first; /* of these, the first choice */
};

struct bank_role {
    struct string_list keywords;
    struct string_list weak;       /* only where no keyword of any family is found */
    struct string_list vocabulary; /* words that people of this trade use */
};

struct bank_topic {
    const char *topic;
    const char *about; /* how a follow-up question names it */
    struct string_list words;
};

/* Groups of words and phrases in an answer (patterns/answer_cues.json). */
enum cue {
    CUE_SITUATION,
    CUE_TASK,
    CUE_RESULT,
    CUE_SEQUENCE,
    CUE_REASON,
    CUE_EXAMPLE,
    CUE_CONTRAST,
    CUE_PLAN,
    CUE_CHECK,
    CUE_FIT,
    CUE_VAGUE,
    CUE_STUCK,
    CUE_DECLINE, /* would rather not */
    CUE_WE,
    CUE_OWN,
    CUE_NOT_ACTION,
    CUE_IRREGULAR_ACTION,
    CUE_BETWEEN, /* may stand between "I" and what I did */
    CUE_ENGLISH,
    CUE_FOREIGN,
    CUE_NUMBER_WORDS, /* up to ten */
    CUE_FIGURE_WORDS, /* larger ones and shares, which measure something */
    CUE_STOP,         /* says nothing about the subject */
    CUE_WORK,         /* belongs to working life of any kind */
    CUE_DOER_OWN,     /* "I called": who it was that did something */
    CUE_DOER_SHARED,
    CUE_DOER_OTHER,
    CUE_INSULT,
    CUE_REPEAT,           /* asks to hear the question again, or what it means */
    CUE_ASKING,           /* turns to who asks the questions */
    CUE_WHOLE_REPEAT,     /* CUE_REPEAT, where nothing else is said */
    CUE_WHOLE_SKIP,       /* CUE_DECLINE, where nothing else is said */
    CUE_TRAILING,         /* an end that is none: "so yeah" */
    CUE_LEISURE,          /* seldom belongs to work */
    CUE_CLICHE,           /* anybody could say it of anything */
    CUE_TELLS_BACKGROUND, /* what an answer to a common question says, by enum theme ... */
    CUE_TELLS_LEADERSHIP,
    CUE_TELLS_TEAM,
    CUE_TELLS_WEAKNESS,
    CUE_TELLS_HIRE,
    CUE_HINTS_BACKGROUND, /* ... and what it often says, but others do, too */
    CUE_HINTS_LEADERSHIP,
    CUE_HINTS_TEAM,
    CUE_HINTS_WEAKNESS,
    CUE_HINTS_HIRE,
    CUE_HESITATION, /* from fillers.json */
    CUE_FILLER, /* a hesitation, or the first word of a filler rule: from fillers.json */
    CUE_COUNT
};

struct cue_phrase {
    const char *phrase; /* words in lower case, one space between */
    enum cue cue;
};

/* When a word that is often a filler is one (patterns/fillers.json): the first of these
 * that applies decides. */
struct filler_rule {
    const char *phrase;
    bool set_off;                       /* a filler between pauses: ", like," */
    struct string_list ordinary_after;  /* no filler after one of these words */
    struct string_list ordinary_before; /* no filler before one of these */
    struct string_list filler_before;
    bool opening;                    /* a filler as the first word of a sentence */
    struct string_list seldom_after; /* "*s": words that end so */
    bool otherwise;                  /* where nothing above decides */
    unsigned free;                   /* this many in an answer do not count */
};

/*
 * What turns the coach away from the interview (patterns/redirects.json).  A pattern is a
 * row of words of one sentence: "a/b" is either, "a?" may be missing, ".." and "..N"
 * stand for up to 3, or N, words of any kind.
 */
struct redirect_rules {
    /* phrases that may stand before a command: "please", "can you" */
    struct string_list openers;
    /* patterns that count at the beginning of a sentence */
    struct string_list commands;
    /* the same, but only in a brief answer that tells of nothing done */
    struct string_list when_brief;
    /* patterns that count everywhere ... */
    struct string_list anywhere;
    /* ... but behind one of these words: "told him to ignore" */
    struct string_list guards;
    /* before one of these a match is just being spoken of */
    struct string_list ordinary_before;
};

/* patterns/coach_lines.json: what the coach says besides the bank's questions. */
enum line_kind {
    LINE_OUTCOME,
    LINE_OWN_PART,
    LINE_EXAMPLE,
    LINE_REASON,
    LINE_STUCK,
    LINE_CLOSING,
    LINE_REFUSAL,
    LINE_KIND_COUNT
};

/* patterns/coach_advice.json: one thing to try, by what an answer needs most. */
enum advice {
    ADVICE_WORDS,
    ADVICE_EXAMPLE,
    ADVICE_OWN_PART,
    ADVICE_RESULT,
    ADVICE_REASON,
    ADVICE_RELEVANCE,
    ADVICE_FILLERS,
    ADVICE_MORE,
    ADVICE_PLAIN,
    ADVICE_SUPPORT,
    ADVICE_SHAPE,
    ADVICE_FIGURE,
    ADVICE_KEEP,
    ADVICE_STUCK, /* nothing came to mind */
    ADVICE_BUILD, /* how an answer is made */
    ADVICE_COUNT
};

/* patterns/papers.json: what adverts and CVs say, and what is asked about it; patterns/coach.md says which list
 * is which.  Each is in the order of its bytes. */
struct paper_words {
    struct string_list head_asks, head_duties, head_wishes, head_none;
    struct string_list opens_have, opens_do, opens_of, opens_be, seeks, subjects,
        listings;
    struct string_list closes, wishes, musts, never, barred;
    struct string_list private, cv_skip, cv_keep;
    struct string_list verbs, past, passive, passive_after, always_passive, no_verbs,
        adjectives, linkers, head_nouns, nouns_ing;
    struct string_list qualification, experience, quality;
    struct string_list cuts, trailing, leading, ordinary, names, countable;
    struct string_list synonyms, unshown;
    struct string_list ask_skill, ask_experience, ask_quality, ask_qualification,
        ask_duty, ask_work, ask_trait, ask_resume;
};

extern const struct bank_question bank_questions[];
extern const size_t bank_question_count;
extern const struct bank_type bank_types[TYPE_COUNT];
extern const struct bank_role bank_roles[ROLE_COUNT];
extern const struct bank_topic bank_topics[];
extern const size_t bank_topic_count;
extern const struct cue_phrase cue_phrases[];
extern const size_t cue_phrase_count;
extern const struct string_list hesitations;
extern const struct filler_rule filler_rules[];
extern const size_t filler_rule_count;
/* What a question of each kind may say, in lower case; by enum asks. */
extern const struct string_list question_signs[ASKS_SELF + 1];
/* What a question of each theme says, in lower case. */
extern const struct string_list theme_signs[THEME_COUNT];
extern const struct string_list coach_advice[ADVICE_COUNT]; /* several wordings of each */
extern const struct redirect_rules redirect_rules;
extern const struct paper_words paper_words;
extern const struct string_list coach_lines[LINE_KIND_COUNT]; /* "{about}" is filled in */

#endif
