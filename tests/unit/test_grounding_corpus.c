/*
 * What a corpus says of itself: what is refused, what is out of scope, and the two files that ship.
 */
#include "corpus.h"

#include "index.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct corpus *read_corpus(const char *json)
{
    struct buffer problem;
    struct corpus *corpus;

    buffer_init(&problem, 4096);
    corpus = corpus_new("corpus.json", span_of(json), &problem);
    cr_assert_not_null(corpus, "%s", problem.bytes);
    buffer_done(&problem);
    return corpus;
}

Test(corpus, that_is_none_is_refused_with_its_place)
{
    static const struct {
        const char *json, *said;
    } cases[] = {
        {"", "corpus.json: not JSON, at offset 0\n"},
        {"{", "corpus.json: not JSON, at offset 1\n"},
        {"{\"title\":\"\xff\"}", "corpus.json: not JSON, at offset 10\n"},
        {"7", "corpus.json: not a JSON object, at offset 0\n"},
        {"{\"title\":7}",
         "corpus.json: \"title\" must be a text of 1 to 300 bytes in one line\n"},
        {"{\"title\":\"a\\nb\"}",
         "corpus.json: \"title\" must be a text of 1 to 300 bytes in one line\n"},
        {"{\"title\":\"t\",\"topics\":{}}",
         "corpus.json: \"topics\" must be a list of at most 100 texts\n"},
        {"{\"title\":\"t\",\"out_of_scope\":7}",
         "corpus.json: \"out_of_scope\" must be a list of at most 1000 entries\n"},
        {"{\"title\":\"t\",\"out_of_scope\":[{\"pattern\":\"a\"},{\"pattern\":\"[\"}]}",
         "corpus.json: out_of_scope[1]: the pattern does not compile: missing terminating ]"
         " for character class, at offset 1\n"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buffer problem;

        buffer_init(&problem, 4096);
        cr_expect_null(corpus_new("corpus.json", span_of(cases[i].json), &problem));
        cr_expect_str_eq(problem.bytes, cases[i].said);
        buffer_done(&problem);
    }
}

Test(corpus, joins_its_topics)
{
    static const struct {
        const char *json, *topics;
    } cases[] = {
        {"{\"title\":\"T\"}", ""},
        {"{\"title\":\"T\",\"topics\":[\"a\"]}", "a"},
        {"{\"title\":\"T\",\"topics\":[\"a\",\"b\"]}", "a and b"},
        {"{\"title\":\"T\",\"topics\":[\"a\",\"b\",\"c\"],\"note\":1}", "a, b and c"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct corpus *corpus = read_corpus(cases[i].json);

        cr_expect_str_eq(corpus_title(corpus), "T");
        cr_expect_str_eq(corpus_topics(corpus), cases[i].topics);
        corpus_free(corpus);
    }
}

static void expect_judged(struct corpus *corpus, const char *question, const char *match)
{
    struct span found = {NULL, 0};
    const char *topic = NULL;
    enum corpus_scope scope = corpus_judge(corpus, span_of(question), &found, &topic);

    cr_expect_eq(scope, match != NULL ? CORPUS_OUT_OF_SCOPE : CORPUS_IN_SCOPE,
                 "%s: \"%.*s\"", question, (int)found.length,
                 found.bytes != NULL ? found.bytes : "");
    if (match != NULL && scope == CORPUS_OUT_OF_SCOPE)
        cr_expect(span_equals(found, match), "%s: \"%.*s\", not \"%s\"", question,
                  (int)found.length, found.bytes, match);
}

Test(corpus, an_entry_names_its_topic_or_none)
{
    struct corpus *corpus =
        read_corpus("{\"title\":\"T\",\"out_of_scope\":[{\"topic\":\"old robots\","
                    "\"pattern\":\"ROS 1\"},{\"pattern\":\"catkin\"}]}");
    struct span match;
    const char *topic;

    cr_assert_eq(corpus_judge(corpus, span_of("What is ROS 1?"), &match, &topic),
                 CORPUS_OUT_OF_SCOPE);
    cr_expect_str_eq(topic, "old robots");
    cr_assert_eq(corpus_judge(corpus, span_of("What is catkin?"), &match, &topic),
                 CORPUS_OUT_OF_SCOPE);
    cr_expect_null(topic);
    corpus_free(corpus);
}

Test(corpus, is_undecided_where_a_pattern_takes_too_long, .timeout = 10)
{
    struct corpus *corpus = read_corpus(
        "{\"title\":\"T\",\"out_of_scope\":[{\"topic\":\"t\",\"pattern\":\"(a+)+$\"}]}");
    struct span match;
    const char *topic;

    cr_expect_eq(corpus_judge(corpus, span_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"),
                              &match, &topic),
                 CORPUS_UNDECIDED);
    expect_judged(corpus, "aaa", "aaa");
    expect_judged(corpus, "", NULL);
    corpus_free(corpus);
}

Test(corpus, of_robotics_leaves_out_what_its_course_does)
{
    static const struct {
        const char *question, *match;
    } cases[] = {
        {"How do I do PID tuning?", "PID tuning"},
        {"How do I tune a PID controller?", "tune a PID controller"},
        {"What is optimal control", "optimal control"},
        {"Is MPC better?", "MPC"},
        {"explain model predictive control", "model predictive control"},
        {"Explain KALMAN FILTERS to me", "KALMAN FILTERS"},
        {"an LQR, please", "LQR"},
        {"sliding-mode control", "sliding-mode control"},
        {"Generate PWM in C", "PWM"},
        {"pulse width", "pulse width"},
        {"current control of a motor", "current control"},
        {"which motor drivers", "motor drivers"},
        {"an H-bridge or an H bridge", "H-bridge"},
        {"pick MOSFETs", "MOSFETs"},
        {"a brushless DC motor", "brushless DC motor"},
        {"PCBs", "PCBs"},
        {"a printed circuit board", "printed circuit board"},
        {"mechanical CAD", "mechanical CAD"},
        {"solidworks", "solidworks"},
        {"fabrication of parts", "fabrication"},
        {"Can I 3D print it?", "3D print"},
        {"machining", "machining"},
        {"How do I train a model?", "train a model"},
        {"fine-tune an LLM", "fine-tune an LLM"},
        {"training neural networks", "training neural networks"},
        {"backpropagation", "backpropagation"},
        {"gradient descent", "gradient descent"},
        {"the loss function", "loss function"},
        {"Does ROS 1 work?", "ROS 1"},
        {"catkin_make fails", "catkin_make"},
        {"rosbuild", "rosbuild"},
        {"roslaunch robot demo.launch", "roslaunch robot demo.launch"},
        {"Webots", "Webots"},
        {"CoppeliaSim", "CoppeliaSim"},
        {"V-REP", "V-REP"},
        {"pybullet", "pybullet"},
        {"What is ROS 2?", NULL},
        {"What is ROS 10?", NULL},
        {"Does the train arrive before the model?", NULL},
        {"Which models are trained?", NULL},
        {"What is a rapid response?", NULL},
        {"Is the motor driven?", NULL},
        {"ros2 launch demo.launch.py", NULL},
        {"How does Gazebo simulate?", NULL},
        {"the pulse of the width", NULL},
        {"What is a controller?", NULL},
    };
    static char json[16384];
    FILE *file = fopen(PATTERNS "/robotics.corpus.json", "rb");

    cr_assert_not_null(file);
    json[fread(json, 1, sizeof(json) - 1, file)] = '\0';
    fclose(file);
    struct corpus *corpus = read_corpus(json);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_judged(corpus, cases[i].question, cases[i].match);
    corpus_free(corpus);
}

Test(corpus, of_the_handbook_is_good)
{
    struct buffer problem;
    struct index_reader *reader;
    struct corpus *corpus;

    buffer_init(&problem, 4096);
    reader = index_reader_open(NULL, &problem);
    cr_assert_not_null(reader, "%s", problem.bytes);
    corpus = corpus_new("corpus.json", index_corpus_json(reader), &problem);
    cr_assert_not_null(corpus, "%s", problem.bytes);
    expect_judged(corpus, "Can I sue them?", "sue");
    expect_judged(corpus, "Do I need a visa?", "visa");
    expect_judged(corpus, "Should I take beta blockers?", "beta blockers");
    expect_judged(corpus, "What is the minimum wage?", "minimum wage");
    expect_judged(corpus, "What should I say about pay?", NULL);
    expect_judged(corpus, "How do I pursue a career in advisory?", NULL);
    corpus_free(corpus);
    index_reader_free(reader);
    buffer_done(&problem);
}
