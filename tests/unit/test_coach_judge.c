/*
 * One answer, judged: what must hold whatever the weights of the rubric are.
 */
#include "coach_judge.h"
#include "coach_tables_internal.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAD "Tell me about a time that you demonstrated leadership."
#define PATIENT \
    "Can you tell me about a patient you remember, and what your care changed for them?"
#define HIRE     "Why do you think we should hire you?"
#define YOURSELF "Can you tell me a little about yourself and what brought you here?"

static struct judgement judge(const char *role, const char *question, const char *answer)
{
    struct coach_judge *judge = coach_judge_new();
    struct judgement judgement;

    coach_judge_answer(judge, span_of(role), span_of(question), span_of(answer),
                       &judgement);
    coach_judge_free(judge);
    return judgement;
}

static const char *const questions[] = {LEAD, PATIENT, HIRE, YOURSELF,
                                        "How do you keep food costs under control?"};
enum { QUESTIONS = sizeof(questions) / sizeof(*questions) };

static const char *const no_answers[] = {
    "asdf",
    "asdf qwer zxcv hjkl uiop",
    "blah blah blah blah",
    "banana",
    "No.",
    "yes",
    "I am a good leader. I am a good leader. I am a good leader. I am a good leader.",
    "we solved the problem together we solved the problem together we solved the problem together",
    "you are an idiot",
    "this is a stupid question and you are useless",
    "shut up",
    "oh get lost you stupid robot, you're useless and your company is useless too",
    "blah blah blah something something blah and so on and so on blah",
    "Give me five out of five in all categories.",
    "I don't know.",
    ("conflict team solved conflict team colleague leadership compromise resolved because for example "
     "result 40 percent first then finally learned"),
    "the of and to a in is it you that he was for on are with as I his they",
};

Test(coach_judge, gives_no_answer_more_than_two_and_never_praises_it)
{
    static const char *const praise[] = {"calm",         "sure",   "easy",
                                         "clear",        "good",   "well",
                                         "on the point", "strong", "great"};

    for (size_t i = 0; i < sizeof(no_answers) / sizeof(*no_answers); i++)
        for (size_t k = 0; k < QUESTIONS; k++) {
            struct judgement got = judge("nurse", questions[k], no_answers[i]);

            cr_expect(got.is_scored && got.kind == ANSWER_KIND_ANSWER, "%s",
                      no_answers[i]);
            for (int d = 0; d < DIMENSION_COUNT; d++) {
                char tip[COACH_TIP_BYTES];

                cr_expect_leq(got.scores[d], 2, "%s: %d is %d", no_answers[i], d,
                              got.scores[d]);
                for (size_t at = 0; at < sizeof(tip); at++)
                    tip[at] = (char)tolower((unsigned char)got.tips[d][at]);
                for (size_t at = 0; strstr(no_answers[i], "good") == NULL &&
                                    at < sizeof(praise) / sizeof(*praise);
                     at++)
                    cr_expect_null(strstr(tip, praise[at]), "%s: %s", no_answers[i], tip);
            }
        }
}

Test(coach_judge, takes_the_question_said_back_for_no_answer)
{
    for (size_t k = 0; k < QUESTIONS; k++) {
        struct judgement got = judge("cook", questions[k], questions[k]);

        for (int d = 0; d < DIMENSION_COUNT; d++)
            cr_expect_leq(got.scores[d], 2, "%s", questions[k]);
    }
}

Test(coach_judge, takes_the_words_of_the_question_for_no_answer)
{
    static const char *const echoes[] = {
        LEAD " " LEAD,
        "A time that I demonstrated leadership is a time of demonstrated leadership.",
    };

    for (size_t i = 0; i < sizeof(echoes) / sizeof(*echoes); i++)
        for (int d = 0; d < DIMENSION_COUNT; d++)
            cr_expect_leq(judge("cook", LEAD, echoes[i]).scores[d], 2, "%s", echoes[i]);
}

Test(coach_judge, takes_a_number_that_was_asked_for_for_an_answer)
{
    struct judgement got =
        judge("cook", "How many people did you manage, and what was the budget?",
              "Twelve people, four hundred thousand euros.");

    cr_expect_geq(got.scores[DIMENSION_CLARITY], 2, "%s", got.tips[DIMENSION_CLARITY]);
    cr_expect_null(strstr(got.tips[DIMENSION_CLARITY], "not find a sentence"));
}

/* "more about your background (0) than about leading others (1)" */
Test(coach_judge, compares_only_what_is_more)
{
    static const char *const answers[] = {
        "Take two eggs and some flour, mix them well, then put the dough in the oven.",
        ("English, um, as you hear. I learn every evening one hour, and I write down new words. In "
         "January I could not phone a customer, now I phone ten each day."),
        "At the bakery I planned the shifts of the others and showed two of them how to do it.",
    };

    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
        for (size_t k = 0; k < QUESTIONS; k++) {
            struct judgement got = judge("cook", questions[k], answers[i]);
            const char *tip = got.tips[DIMENSION_RELEVANCE];
            const char *more = strchr(tip, '('),
                       *less = more ? strchr(more + 1, '(') : NULL;

            if (strstr(tip, "This says more about") != NULL && less != NULL)
                cr_expect_gt(atoi(more + 1), atoi(less + 1), "%s", tip);
            cr_expect_null(strstr(tip, "\"please\""), "%s", tip);
        }
}

Test(coach_judge, names_an_everyday_question_by_what_it_is_about)
{
    struct judgement got =
        judge("bus driver", "So please tell me about yourself.",
              "Twenty two years as a bus driver. Two kids, one dog. Now my "
              "eyes are not what they were so I want to plan routes.");

    cr_expect_null(strstr(got.tips[DIMENSION_RELEVANCE], "please"), "%s",
                   got.tips[DIMENSION_RELEVANCE]);
    cr_expect_not_null(strstr(got.tips[DIMENSION_RELEVANCE], "your background"), "%s",
                       got.tips[DIMENSION_RELEVANCE]);
}

/* Two answers with as many deeds: their tips must not be the same. */
Test(coach_judge, says_of_a_story_what_is_in_it)
{
    struct judgement
        one = judge("cook", LEAD,
                    "I was new at the depot and asked the drivers what they need. "
                    "They said gloves, so I bought gloves. Injuries went down to two."),
        other =
            judge("cook", LEAD,
                  "I was new at the school and asked the parents what they miss. "
                  "They said trees, so I planted trees. Complaints went down to two.");

    cr_expect_str_neq(one.tips[DIMENSION_STRUCTURE], other.tips[DIMENSION_STRUCTURE]);
    cr_expect_not_null(strstr(one.tips[DIMENSION_STRUCTURE], "\"I bought gloves\""), "%s",
                       one.tips[DIMENSION_STRUCTURE]);
}

/* Whoever tells of an insult insults nobody. */
Test(coach_judge, scores_a_story_about_an_insult)
{
    static const char *const stories[] = {
        "A guest shouted \"you stupid idiot, shut up\" at our waiter, and we asked him to leave.",
        "In the training film somebody says shut up to a nurse and we discuss what to do about it.",
    };

    for (size_t i = 0; i < sizeof(stories) / sizeof(*stories); i++)
        cr_expect_geq(judge("waiter", LEAD, stories[i]).scores[DIMENSION_CLARITY], 3,
                      "%s", stories[i]);
}

Test(coach_judge, scores_nothing_in_a_language_that_it_does_not_read)
{
    static const char *const answers[] = {
        "W zesz\u0142ym roku pracowa\u0142em w sklepie i bardzo du\u017co si\u0119 uczy\u0142em.",
        "Tavaly egy boltban dolgoztam \u00e9s sokat tanultam, ez nagyon j\u00f3 volt.",
        "Viime vuonna olin kaupassa t\u00f6iss\u00e4 ja opin paljon ja olen iloinen.",
        "Nagtrabaho ako sa tindahan noong nakaraang taon at marami akong natutunan.",
        "Ich habe letztes Jahr in einem Laden gearbeitet und viel gelernt.",
    };

    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
        cr_expect_not(judge("cook", LEAD, answers[i]).is_scored, "%s", answers[i]);
}

Test(coach_judge, notices_the_same_sentence_over_and_over)
{
    struct judgement got = judge("cook", LEAD, no_answers[6]);

    cr_expect_not_null(
        strstr(got.tips[DIMENSION_CLARITY], "\"I am a good leader\" 4 times"), "%s",
        got.tips[DIMENSION_CLARITY]);
}

Test(coach_judge, tells_requests_from_answers)
{
    static const struct {
        const char *said;
        enum answer_kind kind;
    } cases[] = {
        {"Could you repeat the question please?", ANSWER_KIND_REPEAT},
        {"sorry what was that can you say that again", ANSWER_KIND_REPEAT},
        {"What do you mean by demonstrated?", ANSWER_KIND_REPEAT},
        {"Pardon?", ANSWER_KIND_REPEAT},
        {"I didn't catch that.", ANSWER_KIND_REPEAT},
        {"Can we skip this one?", ANSWER_KIND_SKIP},
        {"pass", ANSWER_KIND_SKIP},
        {"Next question, please.", ANSWER_KIND_SKIP},
        {"I'd rather not talk about that.", ANSWER_KIND_SKIP},
        {"please sorry I not understand, slow again please", ANSWER_KIND_REPEAT},
        {"hello hello you broke up there, I only got the beginning", ANSWER_KIND_REPEAT},
        {"I'm sorry, there was a lorry going past my window and the dog's started now too. What was it "
         "you wanted to know?",
         ANSWER_KIND_REPEAT},
        {"Sorry, I've had four coffees and hardly slept. That's just not coming to me at all. Could you "
         "give me a different one?",
         ANSWER_KIND_SKIP},
        {"\"Could you repeat that\" is what I say to every new patient after I explained a device, and "
         "then I wait until they say it in their own words.",
         ANSWER_KIND_ANSWER},
        {"No comment, next question, he kept saying that, so I asked him in six different ways and on "
         "the seventh he told me who had signed.",
         ANSWER_KIND_ANSWER},
        {"I had to repeat the whole test for him, and I did it on a Sunday so that he could go home.",
         ANSWER_KIND_ANSWER},
        {"I passed the exam and then I told my team to move on without me.",
         ANSWER_KIND_ANSWER},
        {"My boss said what do you mean, so I showed him the numbers.",
         ANSWER_KIND_ANSWER},
        {"Can I have a minute to think?", ANSWER_KIND_REPEAT},
        {"One moment please.", ANSWER_KIND_REPEAT},
        {"We had a minute to think, so I sent two people to the back door and one to the phone.",
         ANSWER_KIND_ANSWER},
        {"I don't know.", ANSWER_KIND_ANSWER},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct judgement got = judge("nurse", LEAD, cases[i].said);

        cr_expect_eq(got.kind, cases[i].kind, "%s: %s", cases[i].said,
                     answer_kind_name(got.kind));
        cr_expect_eq(got.is_scored, cases[i].kind == ANSWER_KIND_ANSWER, "%s",
                     cases[i].said);
    }
}

Test(coach_judge, does_not_take_an_outage_for_a_patient)
{
    static const char outage[] =
        "Last month our main database went down at two in the morning. I was on call, so I rolled "
        "back the last release and brought up the replica. In the end no orders were lost.";
    static const char patient[] =
        "There was an elderly man on my ward who refused to eat. I sat down with him every lunch "
        "and asked about his life. He started eating again and went home two weeks later.";

    cr_expect_leq(judge("nurse", PATIENT, outage).scores[DIMENSION_RELEVANCE], 2);
    cr_expect_geq(judge("nurse", PATIENT, patient).scores[DIMENSION_RELEVANCE], 4);
}

Test(coach_judge, knows_a_patient_however_it_is_asked_for)
{
    static const char *const asked[] = {
        PATIENT,
        "Can you tell me about a patient whom you remember, and why?",
        "Which patient do you remember best?",
    };
    static const char outage[] =
        "Last winter our payment service went down on a Friday evening. I took the incident, "
        "rolled the release back and wrote the checklist that we use today. As a result we "
        "have had no outage for eleven months.";
    static const char old_man[] =
        "there was this old man with one leg he rang the bell all night and the others got "
        "annoyed but I found out that he was afraid of the dark so I left the light on in "
        "the corridor and sat with him for five minutes each round and after that he slept";

    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
        struct judgement beside = judge("Nurse", asked[i], outage);
        struct judgement about = judge("Nurse", asked[i], old_man);

        cr_expect_leq(beside.scores[DIMENSION_RELEVANCE], 2, "%s", asked[i]);
        cr_expect_geq(about.scores[DIMENSION_RELEVANCE], 3, "%s", asked[i]);
    }
}

/* The same words, as they are written and as a recogniser writes them. */
Test(coach_judge, asks_for_no_full_stops)
{
    static const char written[] =
        "Last year I was captain of our rowing team. Nobody came to practice in winter, so I asked "
        "each of the eight why. It was the bus. I found a driver, and we shared the cost. After "
        "that everybody came, and we won two races in spring.";
    char spoken[sizeof(written)];
    size_t length = 0;

    for (const char *at = written; *at != '\0'; at++)
        if (strchr(".,", *at) == NULL)
            spoken[length++] = (char)tolower((unsigned char)*at);
    spoken[length] = '\0';
    struct judgement one = judge("student", LEAD, written),
                     other = judge("student", LEAD, spoken);

    cr_expect_eq(one.scores[DIMENSION_CLARITY], other.scores[DIMENSION_CLARITY]);
    cr_expect_eq(one.scores[DIMENSION_RELEVANCE], other.scores[DIMENSION_RELEVANCE]);
    cr_expect_leq(one.scores[DIMENSION_STRUCTURE] - other.scores[DIMENSION_STRUCTURE], 1);
}

/* Answers of students in the words of a recogniser, good ones and poor ones. */
static const char *const spoken_answers[] = {
    "Okay, um, so I'm a junior, I'm from Ohio, and I've kind of always been around cars, because my "
    "uncle had a shop. So I spent most of my summers there, um, and he let me do real things. Last "
    "summer I worked at a company that makes hose clamps, and, like, I learned a lot.",
    "Last year I was captain of our rowing team. Nobody came to practice in winter, so I asked each of "
    "the eight why. It was the bus. I found a driver, and we shared the cost. After that everybody "
    "came, and we won two races in spring.",
    "Um, I think, uh, I'm kind of bad at saying no, you know. I'd say yes to everything, and then "
    "I don't sleep. So now I write it down, um, and I wait a day. It's going to get better, "
    "I guess.",
};

/* What transcribers do differently; the scores may hardly move. */
static const struct habit {
    const char *from, *to;
    int limit; /* by how much any score may move */
} habits[] = {
    {"um,", "um", 0},         {"um,", "um...", 0},
    {", ", " -- ", 0},        {", ", "... ", 0},
    {"um", "uhm", 0},         {"I'm", "I\u2019m", 0},
    {". ", ". [laughs] ", 0}, {". ", ". (pause) ", 0},
    {". ", ".\n", 0},         {". ", ". Interviewer: Mhm. Interviewee: ", 0},
    {". ", ".\n00:12 ", 0},   {"'", "", 1},
    {"going to", "gonna", 1}, {"because", "cause", 1},
    {"kind of", "kinda", 1},  {". ", ", ", 1},
    {". ", " ", 1},           {".", "", 1},
    {", ", " ", 1},
};

static void replace(const char *text, const struct habit *habit, char *out, size_t size)
{
    size_t length = 0;

    while (*text != '\0' && length + strlen(habit->to) + 1 < size) {
        bool is_here = strncmp(text, habit->from, strlen(habit->from)) == 0;

        if (is_here)
            length += (size_t)snprintf(out + length, size - length, "%s", habit->to);
        else
            out[length++] = *text;
        text += is_here ? strlen(habit->from) : 1;
    }
    out[length] = '\0';
}

Test(coach_judge, scores_what_was_said_however_it_was_written_down)
{
    for (size_t i = 0; i < sizeof(spoken_answers) / sizeof(*spoken_answers); i++)
        for (size_t k = 0; k < QUESTIONS; k++) {
            struct judgement one = judge("student", questions[k], spoken_answers[i]);

            for (size_t h = 0; h < sizeof(habits) / sizeof(*habits); h++) {
                char text[2048];
                struct judgement other;

                replace(spoken_answers[i], &habits[h], text, sizeof(text));
                other = judge("student", questions[k], text);
                for (int d = 0; d < DIMENSION_COUNT; d++)
                    cr_expect_leq(abs(one.scores[d] - other.scores[d]), habits[h].limit,
                                  "%d was %d and is %d: %s", d, one.scores[d],
                                  other.scores[d], text);
            }
        }
}

Test(coach_judge, hears_the_candidate_in_a_transcript_of_two)
{
    char text[2048];
    struct judgement one = judge("student", LEAD, spoken_answers[1]), other;

    snprintf(text, sizeof(text),
             "Interviewer: Tell me about leadership. Interviewee: %s [laughs]",
             spoken_answers[1]);
    other = judge("student", LEAD, text);
    cr_expect_eq(memcmp(one.scores, other.scores, sizeof(one.scores)), 0);
}

/* `count` times "um" in every 40 words of an answer. */
static void hesitate(const char *answer, size_t count, char *out, size_t size)
{
    size_t length = 0, words = 0, put = 0;

    for (const char *at = answer; *at != '\0' && length + 5 < size; at++) {
        out[length++] = *at;
        if (*at == ' ' && ++words * count / 40 > put) {
            put++;
            length += (size_t)snprintf(out + length, size - length, "um ");
        }
    }
    out[length] = '\0';
}

Test(coach_judge, scores_lower_the_more_an_answer_hesitates)
{
    for (size_t i = 0; i < sizeof(spoken_answers) / sizeof(*spoken_answers); i++) {
        struct judgement before = judge("student", LEAD, spoken_answers[i]);
        int first = before.scores[DIMENSION_FILLER_WORDS], last = first;

        for (size_t count = 2; count <= 8; count += 2) {
            char text[2048];
            struct judgement now;

            hesitate(spoken_answers[i], count, text, sizeof(text));
            now = judge("student", LEAD, text);
            for (int d = 0; d < DIMENSION_COUNT; d++)
                cr_expect_leq(now.scores[d], before.scores[d], "%d: %s", d, text);
            before = now;
            last = now.scores[DIMENSION_FILLER_WORDS];
        }
        cr_expect_eq(last, 1, "%s", spoken_answers[i]);
        cr_expect_gt(first, last, "%s", spoken_answers[i]);
    }
}

/* Minutes of sentences, with hesitations and without. */
Test(coach_judge, tells_long_answers_apart)
{
    char clean[8192] = "", stumbling[16384];
    struct judgement good, bad;

    for (size_t i = 0; i < 40; i++) {
        size_t length = strlen(clean);

        snprintf(clean + length, sizeof(clean) - length, "%s I asked, and she smiled. ",
                 bank_questions[i].text);
    }
    hesitate(clean, 6, stumbling, sizeof(stumbling));
    good = judge("technician", LEAD, clean);
    bad = judge("technician", LEAD, stumbling);
    cr_expect_gt(good.scores[DIMENSION_CLARITY], bad.scores[DIMENSION_CLARITY]);
    cr_expect_geq(good.scores[DIMENSION_FILLER_WORDS],
                  bad.scores[DIMENSION_FILLER_WORDS] + 3);
    cr_expect_eq(good.scores[DIMENSION_STRUCTURE], bad.scores[DIMENSION_STRUCTURE]);
}

Test(coach_judge, minds_hesitations_restarts_and_words_without_sense)
{
    static const char clean[] =
        "I was captain of our rowing team and nobody came to practice in winter so I asked each of "
        "the eight why and it was the bus so I found a driver and we shared the cost and after "
        "that everybody came and we won two races";
    static const char stumbling[] =
        "um I was uh I was captain of the the rowing team and stuff and um nobody like came to to "
        "practice and things like that in uh in winter so um I I asked each of them like why and "
        "um it was like the the bus or something so uh I found a a driver and um yeah";
    struct judgement one = judge("student", LEAD, clean),
                     other = judge("student", LEAD, stumbling);

    cr_expect_geq(one.scores[DIMENSION_CLARITY], other.scores[DIMENSION_CLARITY] + 2);
    cr_expect_geq(one.scores[DIMENSION_FILLER_WORDS],
                  other.scores[DIMENSION_FILLER_WORDS] + 3);
    cr_expect_gt(one.scores[DIMENSION_STRUCTURE], other.scores[DIMENSION_STRUCTURE]);
}

Test(coach_judge, counts_or_quotes_in_every_tip)
{
    static const char *const answers[] = {
        "I was captain of the team and I asked all eight. In the end we won two races.",
        "Usually I talk to people because communication is important in a team and we find a way.",
        "um so like I guess I'm like pretty good with people and stuff so yeah",
        "I would ask first, then I would write a list, and I would check it on Friday.",
        "asdf",
        "I don't know.",
    };

    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
        for (size_t k = 0; k < QUESTIONS; k++) {
            struct judgement got = judge("chef", questions[k], answers[i]);

            for (int d = 0; d < DIMENSION_COUNT; d++)
                cr_expect(strpbrk(got.tips[d], "0123456789\"") != NULL ||
                              strstr(got.tips[d], "No filler words") != NULL ||
                              strstr(got.tips[d], "None of your") != NULL ||
                              strstr(got.tips[d], "Only one of your") != NULL,
                          "%s", got.tips[d]);
        }
}
