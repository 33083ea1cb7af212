/*
 * Poise: an interview coach that refuses well.  One sentence for each room and its files:
 *
 *   base/      settings, errors, log, JSON and text that stays private: what every room needs.
 *   text/      words, terms, sentences and markdown read a text, mask takes out how somebody can be reached,
 *              model_json reads the JSON that a model wrote: what several rooms read texts with.
 *   audio/     audio tells containers apart and how long a recording lasts; wav reads and writes one.
 *   net/       loop runs a thread's events; call makes one outgoing HTTP call on warm connections;
 *              upstream tries it again or, by breaker, not at all.
 *   provider/  coach_groq and coach_anthropic ask a model for feedback and questions; transcriber_ and speaker_ files hear
 *              recordings and speak replies.
 *   coach/     coach_builtin reads an answer, scores it by rubric and asks from its question_bank: it
 *              stands in where there is no model, and answers with the same JSON.  paper reads adverts and
 *              CVs, advert finds demands, resume lines of a CV, papers asks about both, and demand_shown finds
 *              a demand in an answer.
 *   session/   session and token are the rules of an interview's life.
 *   store/     keeps interviews, and decides what happens exactly once, in sqlite/ or in postgres/; refusal is
 *              the log of questions that were refused.
 *   safety/    fold, normalise, patterns, prefilter and filter: which words go no further.
 *   turn/      turn is the pipeline from an answer to the next question; prompt, reply and summary
 *              are what it says to the coach and makes of its answer, reply_stream finds the question
 *              while that is still being written, delivery measures how the answer was spoken; opening is
 *              the beginning of an interview with an advert.
 *   grounding/ ask is the pipeline from a question about the study material to an answer or a refusal, and
 *              gates says which; chunk, corpus and index read the material, relevance and the
 *              retrievers find passages in it, generate has an answer made from them, and support holds
 *              it to them.
 *   http/      server is a request's life, one route_ file for each endpoint; envelope writes every
 *              reply, and uploads holds what comes in within bounds.
 *   web/       the page: machine is the interview's states, interview what they do, one module for each
 *              screen; plain modules, which page.cmake makes into one script, served by route_page.
 *   process/   serve builds and runs the service, a worker for each loop; supervisor is its talk with
 *              systemd.
 *   command/   check, coach, doctor, health, backup and forget are the operator's tools; ask, refusals, support, index and
 *              calibrate are for whoever keeps the study material.
 */
#include "command.h"

#include "errors.h"
#include "names.h"
#include "serve.h"
#include "settings.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 65536

static int print(struct buffer *text)
{
    bool is_good = fwrite(text->bytes, 1, text->length, stdout) == text->length &&
                   fflush(stdout) == 0;

    buffer_done(text);
    return is_good ? 0 : 1;
}

static int print_help(int argc, char **argv)
{
    struct buffer text;

    (void)argc;
    (void)argv;
    buffer_init(&text, TEXT_BYTES);
    buffer_append_string(
        &text, "Poise: an interview coach that refuses well.\n"
               "\n"
               "  poise [serve]        run the service\n"
               "  poise check          put texts through the safety filter\n"
               "  poise ask QUESTION   answer from the study material, or refuse\n"
               "  poise refusals       questions that were refused: the refusal log\n"
               "  poise index          read study material into an index\n"
               "  poise calibrate      hold the thresholds to labelled questions\n"
               "  poise support        say whether answers stand in passages\n"
               "  poise coach          hold the built-in coach to labelled answers\n"
               "  poise backup FILE    copy the store while the service runs\n"
               "  poise restore FILE   put such a copy in its place\n"
               "  poise forget ID      remove every trace of a session\n"
               "  poise doctor         say what works with these settings and what does "
               "not\n"
               "  poise health         say whether the service lives that runs here\n"
               "  poise --errors       every error a client can see\n"
               "  poise --env-example  every setting, as a .env file\n"
               "  poise --help, --version\n"
               "\n"
               "Settings, from the environment or ./.env (default, range):\n");
    settings_write_help(&text);
    return print(&text);
}

static int print_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    printf("poise %s\n", version());
    return 0;
}

static int print_env_example(int argc, char **argv)
{
    struct buffer text;

    (void)argc;
    (void)argv;
    buffer_init(&text, TEXT_BYTES);
    settings_write_example(&text);
    return print(&text);
}

static int print_errors(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    printf("stage\tcode\tstatus\tretryable\tmessage_safe\n");
    for (int error = OK + 1; error < ERROR_COUNT; error++) {
        const struct error_info *info = error_info((enum error)error);

        printf("%s\t%s\t", stage_name(info->stage), info->code);
        if (info->http_status > 0)
            printf("%u", info->http_status);
        else
            printf("-");
        printf("\t%s\t%s\n", info->retryable ? "yes" : "no", info->message_safe);
    }
    return 0;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *usage; /* NULL: it looks at no arguments */
} commands[] = {
    {"serve", serve, "usage: poise [serve]\n"},
    {"check", command_check, check_usage},
    {"doctor", command_doctor, "usage: poise doctor\n"},
    {"ask", command_ask, ask_usage},
    {"refusals", command_refusals, refusals_usage},
    {"support", command_support, support_usage},
    {"index", command_index, index_usage},
    {"calibrate", command_calibrate, calibrate_usage},
    {"coach", command_coach, coach_usage},
    {"backup", command_backup, backup_usage},
    {"restore", command_restore, restore_usage},
    {"forget", command_forget, forget_usage},
    {"health", command_health, "usage: poise health\n"},
    {"--help", print_help, NULL},
    {"-h", print_help, NULL},
    {"--version", print_version, NULL},
    {"--env-example", print_env_example, NULL},
    {"--errors", print_errors, NULL},
};

static bool asks_for_help(int argc, char **argv)
{
    return argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0);
}

static int run(size_t at, int argc, char **argv)
{
    if (asks_for_help(argc, argv) && commands[at].usage != NULL) {
        fputs(commands[at].usage, stdout);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    return commands[at].run(argc > 2 ? argc - 2 : 0, argv + (argc > 2 ? 2 : argc));
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "serve";

    /* ChaCha20 in the process, seeded by the kernel: a turn needs several ids. */
    randombytes_set_implementation(&randombytes_internal_implementation);
    if (sodium_init() < 0) {
        fprintf(stderr, "poise: the system gives no random numbers\n");
        return 1;
    }
    for (size_t at = 0; at < sizeof(commands) / sizeof(commands[0]); at++)
        if (strcmp(commands[at].name, name) == 0)
            return run(at, argc, argv);
    fprintf(stderr, "poise: unknown command %s; see poise --help\n", name);
    return 2;
}
