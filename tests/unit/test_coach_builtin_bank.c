/*
 * The question bank: what is in it, and what it hands out.
 */
#include "coach_builtin_probe.h"
#include "question_bank_internal.h"
#include "reading_internal.h"
#include "words.h"

#include <stdio.h>

static const char *const roles[] = {"Backend Engineer",    "Data Scientist",
                                    "Product Owner",       "UX Designer",
                                    "Account Executive",   "SEO Specialist",
                                    "Call Centre Agent",   "Sous Chef",
                                    "Registered Nurse",    "Primary School Teacher",
                                    "Tax Accountant",      "Warehouse Operative",
                                    "Electrician",         "Team Leader",
                                    "HR Business Partner", "Paralegal",
                                    "Policy Officer",      "Postdoctoral Researcher",
                                    "Astronaut",           "ペンギン"};
static const char *const types[] = {"behavioral",   "Technical", "situational",
                                    "phone screen", "case",      "system design",
                                    "general",      "HR",        "whatever you like"};

static struct private_text text(const char *string)
{
    return private_text_copy(string, strlen(string));
}

/* Ten questions in a row of one interview; true when they are ten different ones. */
static bool fills_ten(const char *role, const char *type, enum difficulty difficulty,
                      const char *seed)
{
    struct private_text asked[10], role_text = text(role), type_text = text(type);
    bool is_new = true;

    for (size_t i = 0; i < 10; i++) {
        const char *question =
            question_bank_pick(&role_text, &type_text, difficulty, asked, i, seed);

        for (size_t k = 0; k < i; k++)
            is_new &= !span_equals(private_reveal(&asked[k]), question);
        asked[i] = text(question);
    }
    for (size_t i = 0; i < 10; i++)
        private_text_free(&asked[i]);
    private_text_free(&role_text);
    private_text_free(&type_text);
    return is_new;
}

Test(question_bank, has_ten_different_questions_for_every_interview)
{
    size_t interviews = 0;

    for (size_t role = 0; role < sizeof(roles) / sizeof(*roles); role++)
        for (size_t type = 0; type < sizeof(types) / sizeof(*types); type++)
            for (int difficulty = 0; difficulty < 3; difficulty++, interviews++)
                cr_expect(fills_ten(roles[role], types[type], (enum difficulty)difficulty,
                                    "1b4e28ba-2fa1-11d2-883f-0016d3cca427"),
                          "%s, %s, %d", roles[role], types[type], difficulty);
    cr_expect_geq(interviews, 500);
}

Test(question_bank, has_at_least_260_questions_that_can_be_spoken)
{
    cr_expect_geq(bank_question_count, 260);
    for (size_t i = 0; i < bank_question_count; i++) {
        struct span question = span_of(bank_questions[i].text);

        cr_expect_leq(words_count(question), 35, "%s", question.bytes);
        cr_expect_eq(question.bytes[question.length - 1], '?', "%s", question.bytes);
        cr_expect(bank_questions[i].types && bank_questions[i].levels, "%s",
                  bank_questions[i].id);
    }
}

Test(question_bank, has_no_question_and_no_id_twice)
{
    for (size_t i = 0; i < bank_question_count; i++) {
        cr_expect_eq(question_bank_find(span_of(bank_questions[i].text)),
                     &bank_questions[i], "%s", bank_questions[i].id);
        for (size_t k = 0; k < i; k++)
            cr_expect_str_neq(bank_questions[i].id, bank_questions[k].id);
    }
}

Test(question_bank, picks_the_same_for_the_same_session)
{
    struct private_text role = text("nurse"), type = text("behavioral");
    const char *one = question_bank_pick(&role, &type, DIFFICULTY_EASY, NULL, 0, "a");
    const char *again = question_bank_pick(&role, &type, DIFFICULTY_EASY, NULL, 0, "a");

    cr_expect_str_eq(one, again);
    private_text_free(&role);
    private_text_free(&type);
}

Test(question_bank, opens_different_sessions_differently)
{
    struct private_text role = text("nurse"), type = text("behavioral");
    const char *seen[40];
    size_t different = 0;

    for (size_t i = 0; i < 40; i++) {
        char seed[16];
        bool is_new = true;

        snprintf(seed, sizeof(seed), "session %zu", i);
        seen[i] = question_bank_pick(&role, &type, DIFFICULTY_MEDIUM, NULL, 0, seed);
        for (size_t k = 0; k < i; k++)
            is_new &= seen[k] != seen[i];
        different += is_new;
    }
    cr_expect_geq(different, 12);
    private_text_free(&role);
    private_text_free(&type);
}

Test(question_bank, does_not_ask_again_what_was_asked_behind_a_welcome)
{
    const struct bank_question *question = &bank_questions[7];
    char spoken[512];

    snprintf(spoken, sizeof(spoken), "Welcome! Here is the first question. %s ",
             question->text);

    cr_expect_eq(question_bank_find(span_of(spoken)), question);
}

struct reading_of {
    const char *text;
    int meaning;
};

Test(question_bank, understands_what_people_call_an_interview)
{
    static const struct reading_of cases[] = {
        {"behavioral", TYPE_BEHAVIORAL},
        {"Behavioural interview", TYPE_BEHAVIORAL},
        {"competency-based", TYPE_BEHAVIORAL},
        {"STAR", TYPE_BEHAVIORAL},
        {"technical", TYPE_TECHNICAL},
        {"Coding", TYPE_TECHNICAL},
        {"technical phone screen", TYPE_TECHNICAL},
        {"coding interview", TYPE_TECHNICAL},
        {"situational", TYPE_SITUATIONAL},
        {"Scenario based", TYPE_SITUATIONAL},
        {"phone screen", TYPE_SCREENING},
        {"HR", TYPE_SCREENING},
        {"screening", TYPE_SCREENING},
        {"culture fit", TYPE_SCREENING},
        {"case study", TYPE_CASE},
        {"Consulting case", TYPE_CASE},
        {"system design", TYPE_SYSTEM_DESIGN},
        {"system_design", TYPE_SYSTEM_DESIGN},
        {"general", TYPE_GENERAL},
        {"mixed", TYPE_GENERAL},
        {"", TYPE_GENERAL},
        {"Vorstellungsgespräch", TYPE_GENERAL},
        {"startup", TYPE_GENERAL}, /* has "star" in it */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq((int)question_bank_type(span_of(cases[i].text)), cases[i].meaning,
                     "%s: %d", cases[i].text, question_bank_type(span_of(cases[i].text)));
}

Test(question_bank, understands_what_people_call_a_role)
{
    static const struct reading_of cases[] = {
        {"Software Engineer", ROLE_SOFTWARE},
        {"senior backend developer", ROLE_SOFTWARE},
        {"iOS Developer", ROLE_SOFTWARE},
        {"Engineering Manager", ROLE_SOFTWARE},
        {"Data Engineer", ROLE_DATA},
        {"ML engineer", ROLE_DATA},
        {"Product Manager", ROLE_PRODUCT},
        {"Project Manager", ROLE_PRODUCT},
        {"Graphic Designer", ROLE_DESIGN},
        {"UX/UI designer", ROLE_DESIGN},
        {"Sales Manager", ROLE_SALES},
        {"Sales Engineer", ROLE_SALES},
        {"Marketing Manager", ROLE_MARKETING},
        {"Content Writer", ROLE_MARKETING},
        {"Customer Service Rep", ROLE_SERVICE},
        {"Retail Assistant", ROLE_SERVICE},
        {"Waiter", ROLE_HOSPITALITY},
        {"Hotel Receptionist", ROLE_SERVICE},
        {"Registered Nurse", ROLE_HEALTHCARE},
        {"RN", ROLE_HEALTHCARE},
        {"Teacher", ROLE_TEACHING},
        {"Teaching assistant", ROLE_TEACHING},
        {"Accountant", ROLE_FINANCE},
        {"Financial Analyst", ROLE_FINANCE},
        {"Warehouse Supervisor", ROLE_MANAGEMENT},
        {"Mechanical Engineer", ROLE_OPERATIONS},
        {"Truck driver", ROLE_OPERATIONS},
        {"Plumber", ROLE_TRADES},
        {"HVAC technician", ROLE_TRADES},
        {"Manager", ROLE_MANAGEMENT},
        {"CEO", ROLE_MANAGEMENT},
        {"HR Manager", ROLE_PEOPLE},
        {"Recruiter", ROLE_PEOPLE},
        {"Lawyer", ROLE_LAW},
        {"Police officer", ROLE_PUBLIC},
        {"Social worker", ROLE_PUBLIC},
        {"Research Assistant", ROLE_RESEARCH},
        {"PhD student", ROLE_RESEARCH},
        {"Chimney sweep", ROLE_GENERAL},
        {"", ROLE_GENERAL},
        {"Wizard", ROLE_GENERAL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq((int)question_bank_role(span_of(cases[i].text)), cases[i].meaning,
                     "%s: %d", cases[i].text, question_bank_role(span_of(cases[i].text)));
}

Test(question_bank, mixes_questions_of_the_trade_with_those_for_everybody)
{
    struct private_text role = text("Registered Nurse"), type = text("behavioral");
    size_t of_the_trade = 0;

    for (int i = 0; i < 100; i++) {
        char seed[16];

        snprintf(seed, sizeof(seed), "%d", i);
        const char *question =
            question_bank_pick(&role, &type, DIFFICULTY_MEDIUM, NULL, 0, seed);
        of_the_trade += question_bank_find(span_of(question))->role == ROLE_HEALTHCARE;
    }
    cr_expect(of_the_trade >= 30 && of_the_trade <= 70, "%zu", of_the_trade);
    private_text_free(&role);
    private_text_free(&type);
}

Test(question_bank, keeps_to_the_kind_and_level_that_were_asked_for)
{
    struct private_text role = text("developer"), type = text("technical");
    size_t same_level = 0;

    for (int i = 0; i < 100; i++) {
        char seed[16];

        snprintf(seed, sizeof(seed), "%d", i);
        const struct bank_question *question = question_bank_find(
            span_of(question_bank_pick(&role, &type, DIFFICULTY_HARD, NULL, 0, seed)));
        cr_expect(question->types & BIT(TYPE_TECHNICAL), "%s", question->id);
        cr_expect(question->levels & (BIT(LEVEL_HARD) | BIT(LEVEL_MEDIUM)), "%s",
                  question->id);
        same_level += (question->levels & BIT(LEVEL_HARD)) != 0;
    }
    cr_expect_geq(same_level, 80);
    private_text_free(&role);
    private_text_free(&type);
}

/* The bank says what its questions ask for; of others the wording must tell, and on our
 * own it can be seen how well it does. */
Test(question_bank, tells_by_the_wording_what_most_questions_ask_for)
{
    struct lexicon *lexicon = lexicon_new();
    size_t right = 0;

    for (size_t i = 0; i < bank_question_count; i++) {
        char reworded[512];
        struct asked asked;

        snprintf(reworded, sizeof(reworded), "%s Take your time.",
                 bank_questions[i].text);
        asked_read(&asked, lexicon, span_of(reworded));
        right += asked.asks == bank_questions[i].asks;
    }
    cr_expect_geq(right * 100, bank_question_count * 80, "%zu of %zu", right,
                  bank_question_count);
    lexicon_free(lexicon);
}

static uint64_t hash_of(const char *phrase)
{
    uint64_t hash = lexicon_hash_start();

    while (*phrase) {
        size_t length = strcspn(phrase, " ");

        hash = lexicon_hash(hash, (struct span){phrase, length});
        phrase += length + strspn(phrase + length, " ");
    }
    return hash;
}

Test(lexicon, gives_no_two_phrases_one_hash)
{
    for (size_t i = 0; i < cue_phrase_count; i++)
        for (size_t k = 0; k < i; k++)
            if (hash_of(cue_phrases[i].phrase) == hash_of(cue_phrases[k].phrase))
                cr_expect_str_eq(cue_phrases[i].phrase, cue_phrases[k].phrase);
}

Test(lexicon, gives_forms_of_a_word_one_stem)
{
    static const char *const forms[][2] = {
        {"planning", "planned"},       {"plans", "plan"},
        {"customers", "customer"},     {"prioritise", "priority"},
        {"organised", "organisation"}, {"Manager", "managing"},
        {"stopped", "stop"},           {"decided", "decide"}};

    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        cr_expect_eq(lexicon_stem(span_of(forms[i][0])),
                     lexicon_stem(span_of(forms[i][1])), "%s, %s", forms[i][0],
                     forms[i][1]);
}

Test(question_bank, asks_nobody_the_questions_of_another_trade)
{
    static const struct {
        const char *role;
        enum role_family family;
    } cases[] = {
        {"Principal Engineer", ROLE_SOFTWARE},
        {"Principal Software Engineer", ROLE_SOFTWARE},
        {"Principal Designer", ROLE_DESIGN},
        {"School Principal", ROLE_TEACHING},
        {"Doctor", ROLE_MEDICINE},
        {"Junior doctor", ROLE_MEDICINE},
        {"General Practitioner", ROLE_MEDICINE},
        {"Surgeon", ROLE_MEDICINE},
        {"Registered Nurse", ROLE_HEALTHCARE},
        {"Dental nurse", ROLE_HEALTHCARE},
        {"Care assistant", ROLE_HEALTHCARE},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq(question_bank_role(span_of(cases[i].role)), cases[i].family, "%s",
                     cases[i].role);
}
