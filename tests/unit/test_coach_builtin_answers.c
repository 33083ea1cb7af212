/*
 * Answers in many voices, and what a fair coach would say to them: a range for each
 * score, and which kind of question should come next.
 */
#include "coach_builtin_probe.h"
#include "coach_lines_internal.h"

#include <stdio.h>

enum { NEXT = LINE_KIND_COUNT }; /* the next question of the bank */

struct voice {
    const char *name, *question, *answer;
    int least[DIMENSION_COUNT],
        most[DIMENSION_COUNT]; /* clarity, relevance, structure, fillers */
    int next;                  /* enum line_kind */
};

#define TEAM \
    "Can you tell me about a time you worked closely with a team, and what your own part in it was?"
#define DEADLINE "Can you walk me through a time you had to meet a very tight deadline?"
#define CONFLICT \
    "Can you describe a disagreement you had with a colleague, and how the two of you settled it?"
#define MISTAKE \
    "What is the most expensive mistake you have made at work, and what did you change afterwards?"
#define FEEDBACK \
    "Can you tell me about a time you received criticism that was hard to hear, and what you did with it?"
#define PATIENT \
    "Can you tell me about a patient you remember, and what your care changed for them?"
#define PUPIL \
    "Can you tell me about a pupil you helped to turn a corner, and what you did?"
#define SALE \
    "Can you walk me through a sale you are proud of, from first contact to signature?"
#define JOB \
    "Can you walk me through a job you are proud of, from the first visit to handing it over?"
#define GUEST \
    "Can you tell me about a guest who arrived unhappy and left happy, and what you did?"
#define BUG \
    "What is the hardest bug you have tracked down, and how did you narrow it down?"
#define YOURSELF "Can you tell me a little about yourself and what brought you here?"
#define ROLE     "What draws you to this role in particular?"
#define WEAKNESS \
    "What is one thing you are working on getting better at, and how are you going about it?"
#define STRENGTH \
    "What would you say you are best at, and when did it last make a difference?"
#define FRIDAY \
    "You realise on Wednesday that you will miss Friday's deadline. What do you do first?"
#define ANGRY \
    "A caller is shouting before you have said a word. What would you say and do?"
#define CAFE \
    "A small café has queues in the morning and is empty after two. How would you raise its profit?"
#define LINKS \
    "How would you design a service that shortens web links, and what would you store?"
#define RACE \
    "Can you explain what a race condition is, and how you would find one in running code?"
#define CASH "What is the difference between profit and cash, and why does it matter?"
#define ESCALATE \
    "How do you decide when to solve a problem yourself and when to pass it on?"
#define OUTCOME  "How did that deadline turn out in the end, and how could you tell?"
#define OWN_PART "What was your own contribution to that disagreement, step by step?"

/* clang-format off */
static const struct voice voices[] = {
    {"a developer's whole story", DEADLINE,
     "Last spring our biggest client moved their launch forward by two weeks. I was responsible for "
     "the payment page, and we had ten days instead of twenty-four. First I listed every open task "
     "and asked the client which ones had to be there on day one. Then I cut the list from thirty "
     "items to twelve, moved the daily meeting to the morning, and paired with our tester so that "
     "bugs were fixed the same day. In the end we went live one day early, with no serious errors, "
     "and the client signed for another year.", {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"a nurse's whole story", PATIENT,
     "There was an elderly man on my ward who refused to eat. I sat down with him every lunch and "
     "asked about his life. He told me he had been a baker, so I brought in fresh bread from the "
     "canteen. He started eating again and went home two weeks later.",
     {4, 3, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"a waiter's whole story", GUEST,
     "One evening a guest came in soaked and furious because her taxi had dropped her at the wrong "
     "door. I took her coat, gave her a table by the radiator and brought a hot tea before she had "
     "ordered anything. I also called the taxi company for her. By the end she was laughing, left a "
     "big tip, and she has come back every month since then.", {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"a plumber's plain words", JOB,
     "An old lady had no hot water for two weeks. Three firms had told her she needed a new boiler. "
     "I went over, I tested the thermostat and found a loose wire. I fixed it in twenty minutes and "
     "charged her thirty pounds. She still sends me a card every Christmas.",
     {4, 3, 3, 5}, {5, 5, 5, 5}, NEXT},
    {"a teacher with a result in figures", PUPIL,
     "Last year I had a pupil in my maths class who never spoke. I noticed that he drew during "
     "lessons, so I asked him to draw the problems instead of writing them. Then I let him explain "
     "his drawings to one friend, later to a group. By the summer his mark had gone from 38 to 71 "
     "percent and he volunteered at the board.", {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"a salesperson's whole story", SALE,
     "Two years ago I called a hospital that had turned us down twice. I asked the head nurse what "
     "annoyed her most about their current beds. It was the brakes. So I brought one bed, let her "
     "team use it for a week, and wrote down every comment. They ordered forty beds, which was our "
     "biggest contract that quarter.", {4, 3, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"an engineer on a bug", BUG,
     "Our service crashed every Sunday night at three. I compared the logs of four weeks and saw that "
     "a backup ran at the same time. I reproduced it on my laptop by filling the disk, and found that "
     "we never checked whether a write had failed. I added the check and an alert. It has not "
     "happened since, and we found two other places with the same bug.",
     {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"a short but whole story", MISTAKE,
     "I once ordered the wrong tiles for a bathroom. It cost four hundred pounds and I paid half of "
     "it. Now I measure twice and send the customer a photo before I order anything.",
     {3, 3, 3, 5}, {5, 5, 5, 5}, NEXT},
    {"a student without a job yet", TEAM,
     "In my second year at university we were five people building a solar cooker. My part was the "
     "frame. I drew three versions, built two from scrap wood and tested them in the wind. The second "
     "one held, and our team won the faculty prize.", {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"somebody who writes English as a second language", CONFLICT,
     "In my last job me and colleague had big disagreement about shift plan. I asked him to drink "
     "coffee with me and I listened why he is angry. He had small child and nobody know this. I "
     "changed two shifts with him and wrote new plan. After that he was happy and we worked good "
     "together.", {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"speech without punctuation", TEAM,
     "so last summer i was working in a hotel and our team had to set up a wedding for two hundred "
     "guests and my part was the tables and i made a plan with numbers and showed it to everyone and "
     "we finished an hour early and the couple thanked us in their speech",
     {2, 4, 4, 4}, {5, 5, 5, 5}, NEXT},

    {"a story without its end", DEADLINE,
     "At my last job we had to deliver a website for a shop before Christmas. I was in charge of the "
     "product pages. I wrote a list of everything that was missing and asked two colleagues for help. "
     "I also called the client every morning so that they knew where we were.",
     {4, 4, 3, 5}, {5, 5, 4, 5}, LINE_OUTCOME},
    {"a story without its end, and nervous", CONFLICT,
     "Um, my colleague and I, um, we did not agree about the, uh, the rota. So I, um, I talked to her "
     "in the break and I, uh, showed her the holidays that everybody had asked for, um, so that she "
     "could see it.", {2, 3, 2, 1}, {5, 5, 4, 2}, LINE_OUTCOME},
    {"nothing but we", TEAM,
     "We had to move the whole office to another city in one month. We made a plan and we split it into "
     "parts. We packed the computers and we tested everything in the new rooms. We finished on time "
     "and everybody was happy with it.", {4, 3, 2, 5}, {5, 5, 4, 5}, LINE_OWN_PART},
    {"we rolled it out", CONFLICT,
     "We had a disagreement about the new system and we rolled it out anyway and we trained everyone "
     "and it was fine for all of us because we were a good team and we talked a lot about it together.",
     {2, 4, 2, 4}, {4, 5, 4, 5}, LINE_OWN_PART},
    {"phrases that fit everybody", PATIENT,
     "I am a hard worker and a team player and I always give my best in everything. I think things "
     "like communication are important and I usually do whatever is needed.",
     {3, 1, 1, 4}, {5, 3, 2, 5}, LINE_EXAMPLE},
    {"very short for a story", FEEDBACK, "My boss said I talk too much.",
     {1, 2, 1, 3}, {3, 4, 2, 5}, LINE_EXAMPLE},
    {"one word", TEAM, "Football.", {1, 1, 1, 1}, {2, 2, 2, 2}, LINE_STUCK},
    {"off the subject", CONFLICT,
     "Yesterday my cat climbed a tree and the neighbours laughed. We had pasta for dinner and watched "
     "a movie about pirates. I slept very well.", {3, 1, 1, 4}, {5, 2, 3, 5}, LINE_EXAMPLE},
    {"a habit in place of a story", DEADLINE,
     "I usually write a list and then I always do the most important things first. Generally that "
     "works for me in all kinds of situations.", {3, 2, 1, 4}, {5, 4, 3, 5}, LINE_EXAMPLE},

    {"I don't know", DEADLINE, "I don't know.", {1, 1, 1, 1}, {2, 2, 1, 2}, LINE_STUCK},
    {"no idea, honestly", CONFLICT, "Honestly, no idea. Nothing comes to mind right now, sorry.",
     {1, 1, 1, 1}, {2, 2, 1, 2}, LINE_STUCK},
    {"never had that", PATIENT, "I have never done that because I am just starting out.",
     {1, 1, 1, 1}, {2, 2, 1, 2}, LINE_STUCK},
    {"noise", MISTAKE, "asdf qwer zxcv hjkl uiop", {1, 1, 1, 1}, {1, 1, 1, 2}, LINE_STUCK},

    {"full of fillers", CONFLICT,
     "Um so like my colleague and I you know we had this um like big argument about like who does the "
     "the night shifts and um I was like really tired and so I uh I talked to her you know and we kind "
     "of um worked it out and like yeah.", {1, 3, 3, 1}, {3, 5, 5, 1}, NEXT},
    {"likes and knows as ordinary words", STRENGTH,
     "I like working with people, and I know how to listen. Last month a customer said that nobody had "
     "treated her like that before. What I like most is the kind of problem that looks small and turns "
     "out to be large, so that you have to think.", {4, 3, 3, 5}, {5, 5, 5, 5}, NEXT},
    {"a single um", YOURSELF,
     "I'm a nurse, um, and I've been working on a surgical ward for three years. Before that I studied "
     "in Leeds. I came here because I want to teach younger nurses, and your hospital has a programme "
     "for that.", {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},

    {"about oneself", ROLE,
     "I trained as a nurse because my grandmother was cared for so well, and I want to give that to "
     "others. I've worked on a surgical ward for three years, and I enjoy the mix of technical work "
     "and talking with patients. This role has more teaching in it, which I'm looking for.",
     {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"about oneself, in short", YOURSELF,
     "I'm Sam, I'm 24, I finished my degree in biology last year and since then I've been working in a "
     "lab as an assistant.", {3, 4, 3, 5}, {5, 5, 5, 5}, NEXT},
    {"an honest weakness", WEAKNESS,
     "Public speaking. I get nervous, so I joined a club last year and I give a short talk every month. "
     "It is getting easier.", {3, 4, 3, 5}, {5, 5, 5, 5}, NEXT},
    {"a bare claim", STRENGTH, "I'm good at many things.", {1, 2, 1, 3}, {3, 4, 3, 5}, LINE_EXAMPLE},

    {"a plan with reasons", FRIDAY,
     "First I would tell my manager right away, because bad news gets worse with time. Then I'd check "
     "what can be dropped or moved, and I'd propose two options with dates. After that I'd agree on "
     "one with the customer and make sure everyone knows.", {4, 4, 5, 5}, {5, 5, 5, 5}, NEXT},
    {"a plan in one line", FRIDAY, "I would work at night until it is done.",
     {2, 2, 2, 4}, {4, 4, 3, 5}, LINE_REASON},
    {"a caller calmed down", ANGRY,
     "I would let them finish, because nobody listens while they are angry. Then I'd say that I'm sorry "
     "it went wrong and ask for the order number. I would tell them what I can do today and call back "
     "to check that it worked.", {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"a case, thought through", CAFE,
     "I would start with the numbers: how many people leave the queue, and what one lost coffee costs. "
     "Then I'd look at two levers, speed in the morning and demand after two. For example, ordering "
     "ahead could save twenty customers a day. In the afternoon I'd test a lunch offer for the offices "
     "nearby, and measure it for two weeks before spending more.", {4, 4, 5, 5}, {5, 5, 5, 5}, NEXT},
    {"a design with a trade-off", LINKS,
     "I'd store the short code and the long link in a key value table. Codes come from a counter in "
     "base sixty-two. Reads are far more than writes, so I'd put a cache in front. The trade-off is "
     "that deleting a link then takes a moment.", {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"an explanation with an example", RACE,
     "A race condition is when two threads touch the same data and the result depends on which comes "
     "first. For example, two threads both read a counter, add one, and write it back, so one "
     "increment is lost. I'd look for it with a thread sanitizer and by adding load, because it rarely "
     "shows up under light use.", {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"a short but right explanation", CASH,
     "Profit is what is left on paper, cash is what is in the bank. You can make a profit and still "
     "run out of cash, because customers pay late.", {3, 4, 3, 5}, {5, 5, 5, 5}, NEXT},
    {"a rule of thumb", ESCALATE,
     "It depends on the risk. If a mistake would hurt a customer, I pass it on straight away. If not, I "
     "try for half an hour first, because most things are simple.", {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},

    {"the outcome, when asked for it", OUTCOME,
     "We delivered two days early and the client sent a thank you note.",
     {3, 4, 4, 4}, {5, 5, 5, 5}, NEXT},
    {"the own part, when asked for it", OWN_PART,
     "I set up the meeting, I listened to both sides, and I wrote down what we agreed.",
     {3, 4, 4, 4}, {5, 5, 5, 5}, NEXT},
    {"nothing, when asked for the outcome", OUTCOME, "Fine I guess.", {1, 1, 1, 3}, {3, 3, 3, 3}, NEXT},

    {"one endless sentence", FEEDBACK,
     "Well, when I was at my last company, which was a logistics firm with about two hundred people, my "
     "manager, who had only just started and came from a completely different industry where they did "
     "everything by telephone, told me in front of the whole team, which I found rather hard at the "
     "time, that my weekly reports, the ones that I had been writing for three years and that nobody "
     "had ever complained about, were much too long for anybody to read on a Monday morning, so I "
     "rewrote them on one page, and since then people have actually answered them.",
     {3, 4, 4, 4}, {5, 5, 5, 5}, NEXT},
    {"one No", CONFLICT, "No.", {1, 1, 1, 1}, {2, 2, 1, 2}, LINE_STUCK},
    {"a list of names of tools", "Which tools or methods do you rely on most in your work, and why those?",
     "Python, Java, Kubernetes, Docker, AWS.", {1, 2, 1, 3}, {3, 3, 3, 3}, LINE_EXAMPLE},
    {"a definition in a sentence", "What is a closure in JavaScript?",
     "It's a function that remembers the variables from where it was created, even after that function "
     "has returned.", {3, 3, 3, 5}, {5, 5, 5, 5}, NEXT},
    {"nervous, with a good story in it", "Describe a time you disagreed with your manager.",
     "So basically, um, my manager wanted to, you know, cut the training from five days to two. And I was "
     "like, that's not gonna work. So I, um, I collected the error reports from the last two groups and I "
     "showed her that, like, the people with two days made three times as many mistakes. She changed her "
     "mind and we kept the five days.", {3, 4, 4, 2}, {5, 5, 5, 3}, NEXT},
    {"broken English, whole story", "Tell me about your last project.",
     "The last project was about migrate old system to new cloud. My responsible was the database. I make "
     "script for copy data at night and check the numbers every morning. Finish in three month and "
     "customer say thank you.", {4, 4, 3, 5}, {5, 5, 5, 5}, NEXT},
    {"a joke and a truth", "What would your colleagues say about you?",
     "That I'm calm and that I ask a lot of questions. And that my coffee is terrible.",
     {3, 3, 2, 5}, {5, 5, 4, 5}, NEXT},
    {"a picture", "How would you explain an API to a child?",
     "Imagine a restaurant. You don't walk into the kitchen, you tell the waiter what you want and he brings "
     "it. The API is the waiter.", {3, 3, 3, 5}, {5, 5, 5, 5}, NEXT},
    {"an ending that others make",
     "Describe a situation where you had to deal with a difficult customer.",
     "A man came in with a toaster that was three years old and wanted his money back. I told "
     "him I understood and looked up the receipt. I couldn't refund it but I found out the "
     "maker had a five year warranty, so I called them for him. He left with a new toaster and "
     "an apology.",
     {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"an ending in one word",
     "Tell me about a time you had to persuade someone.",
     "My dad didn't want to see a doctor. I asked his best friend to go with him and booked "
     "both of them in. He went.",
     {3, 3, 3, 5}, {5, 5, 5, 5}, NEXT},
    {"a favour at the shop",
     "Give me an example of when you went above and beyond.",
     "I can't think of a big one. Once I drove back forty minutes to bring a customer the "
     "screws that were missing from her shelf. She was alone with a baby and couldn't get out. "
     "She sent my boss an email about it.",
     {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"a kitchen on the busiest day",
     "Tell me about a time you worked under pressure.",
     "In my restaurant job we had one cook on Mother's Day and 120 covers. I took over the "
     "grill even though I was front of house, called my cousin to wash dishes and cut the menu "
     "to six plates. Everybody ate. We made record sales that day.",
     {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"a loss and what it taught",
     "Can you tell me about something you tried at work that did not go the way you hoped?",
     "I opened a second food truck too early. Sales were good in summer, so I borrowed money "
     "and hired three people. In October it rained for four weeks and I lost eight thousand "
     "euros. I sold the truck, paid back the loan in a year and learned to plan for the worst "
     "month, not the best.",
     {4, 4, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"work stopped in the wind",
     "Can you describe a time you stopped work because it was not safe?",
     "We were lifting steel and the wind picked up. Foreman wanted one more lift. I said no "
     "and lowered the load. Ten minutes later a gust knocked over the fence. Nobody got hurt.",
     {4, 3, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"a beginner with tools",
     "Can you tell me about a time you had to learn something new quickly?",
     "Yeah so in my internship they needed someone to do Power BI and I said sure even though "
     "I'd never opened it. I watched videos for a weekend. I built the dashboard in four days. "
     "They still use it.",
     {4, 3, 4, 4}, {5, 5, 5, 5}, NEXT},
    {"a colleague helped, with we",
     "Can you tell me about a time you helped someone else succeed?",
     "my teammate was struggling with her presentation so we practiced together for a week and "
     "she got an A",
     {2, 2, 2, 5}, {4, 5, 4, 5}, LINE_OWN_PART},
    {"a plan where a story was asked for",
     "Can you walk me through the most stressful situation you have handled at work?",
     "I would stay calm and prioritize the tasks and communicate with my team.",
     {2, 2, 1, 5}, {4, 4, 3, 5}, LINE_EXAMPLE},
    {"only praise of oneself",
     "Why should we hire you?",
     "Because I'm the best candidate and I'm passionate and motivated and I learn fast.",
     {2, 3, 2, 5}, {4, 5, 4, 5}, LINE_EXAMPLE},
    {"how to stay calm",
     "How do you handle stress?",
     "I run. Seriously, forty minutes after a bad shift and I sleep. On the shift itself I "
     "breathe, look at my list and do the next thing.",
     {3, 3, 2, 5}, {5, 5, 5, 5}, NEXT},
    {"bad news, told plainly",
     "Tell me about a time you had to give bad news.",
     "I had to tell a family that their dog would not wake up from surgery. I took them into "
     "the quiet room, sat down, and told them plainly what had happened. I let them cry and "
     "stayed until they asked to see him. They wrote us a card a month later to say thank you.",
     {4, 3, 4, 5}, {5, 5, 5, 5}, NEXT},
    {"English with a few foreign names", GUEST,
     "A guest from São Paulo, Senhor João, arrived at the Café Müller without a reservation. I found him "
     "a table near the kitchen, apologised for the noise and brought him a dessert. He was happy and "
     "wrote a kind review.", {4, 3, 4, 5}, {5, 5, 5, 5}, NEXT},
};
/* clang-format on */

Test(coach_builtin, scores_nothing_in_a_language_that_it_does_not_read)
{
    static const char *const answers[] = {
        "Ich habe immer gern mit Patienten gearbeitet und wir haben auf der Station sehr "
        "viel gelernt, weil das Team gut war.",
        "Trabajé con mi equipo en un proyecto muy grande y yo estaba a cargo de la "
        "comunicación con los clientes.",
        "前の会社でチームと一緒に大きなプロジェクトを担当しました。",
    };

    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
        struct probe probe = {.role = "assistant",
                              .type = "general",
                              .difficulty = DIFFICULTY_MEDIUM,
                              .asked = {TEAM},
                              .transcript = answers[i]};
        struct json_object *answer = probe_json(&probe);
        struct json_object *feedback = NULL;

        cr_expect_not(probe_is_refused(answer));
        cr_expect(json_object_object_get_ex(answer, "coaching_feedback", &feedback));
        cr_expect_null(feedback, "%s", answers[i]);
        json_object_put(answer);
    }
}

Test(coach_builtin, says_the_question_again_to_who_did_not_hear_it_and_scores_nothing)
{
    struct probe probe = {.role = "assistant",
                          .type = "general",
                          .difficulty = DIFFICULTY_MEDIUM,
                          .asked = {MISTAKE},
                          .transcript = "Could you repeat the question please?"};
    struct json_object *answer = probe_json(&probe);

    cr_expect_str_eq(probe_string(answer, "kind"), "repeat");
    cr_expect_str_eq(probe_string(answer, "follow_up_question"), MISTAKE);
    cr_expect_null(json_member(answer, "coaching_feedback"));
    json_object_put(answer);

    probe.transcript = "I'd rather not talk about that, sorry.";
    answer = probe_json(&probe);
    cr_expect_str_eq(probe_string(answer, "kind"), "skip");
    cr_expect_str_neq(probe_string(answer, "follow_up_question"), MISTAKE);
    cr_expect_null(json_member(answer, "coaching_feedback"));
    json_object_put(answer);
}

static const char *const labels[] = {"clarity", "relevance", "structure", "fillers"};

Test(coach_builtin, judges_many_voices_as_a_fair_listener_would)
{
    for (size_t i = 0; i < sizeof(voices) / sizeof(*voices); i++) {
        const struct voice *voice = &voices[i];
        struct probe probe = {.role = "assistant",
                              .type = "general",
                              .difficulty = DIFFICULTY_MEDIUM,
                              .asked = {voice->question},
                              .transcript = voice->answer};
        struct json_object *answer = probe_json(&probe);

        cr_expect_not(probe_is_refused(answer), "%s: refused", voice->name);
        for (size_t k = 0; k < DIMENSION_COUNT; k++) {
            int score = probe_score(answer, k);

            cr_expect(score >= voice->least[k] && score <= voice->most[k],
                      "%s: %s is %d, not %d to %d (%s)", voice->name, labels[k], score,
                      voice->least[k], voice->most[k], probe_tip(answer, k));
        }
        json_object_put(answer);
    }
}

Test(coach_builtin, asks_for_what_an_answer_lacks)
{
    for (size_t i = 0; i < sizeof(voices) / sizeof(*voices); i++) {
        const struct voice *voice = &voices[i];
        struct probe probe = {.role = "assistant",
                              .type = "general",
                              .difficulty = DIFFICULTY_MEDIUM,
                              .asked = {voice->question},
                              .transcript = voice->answer};
        struct json_object *answer = probe_json(&probe);
        const char *question = probe_string(answer, "follow_up_question");
        const struct bank_topic *topic;
        int next = (int)coach_lines_kind(span_of(question), &topic);

        cr_expect_eq(next, voice->next, "%s: kind %d, not %d: %s", voice->name, next,
                     voice->next, question);
        json_object_put(answer);
    }
}
