/*
 * Words whose forms the stemmer does not bring together: "wrote" and "write", "teeth" and "tooth".
 *
 * A form that is a common word of its own besides ("left", "found", "bit", "leaves") is not on the list.
 */
#include "terms_internal.h"

#include <stdlib.h>
#include <string.h>

struct irregular {
    const char *form, *plain;
};

/* Sorted. */
static const struct irregular list[] = {
    {"arose", "arise"},       {"ate", "eat"},          {"awoke", "awake"},
    {"became", "become"},     {"began", "begin"},      {"begun", "begin"},
    {"bitten", "bite"},       {"blew", "blow"},        {"blown", "blow"},
    {"bought", "buy"},        {"bred", "breed"},       {"broke", "break"},
    {"broken", "break"},      {"brought", "bring"},    {"built", "build"},
    {"came", "come"},         {"caught", "catch"},     {"children", "child"},
    {"chose", "choose"},      {"chosen", "choose"},    {"dealt", "deal"},
    {"drank", "drink"},       {"drawn", "draw"},       {"drew", "draw"},
    {"driven", "drive"},      {"drove", "drive"},      {"drunk", "drink"},
    {"dug", "dig"},           {"eaten", "eat"},        {"fallen", "fall"},
    {"fed", "feed"},          {"feet", "foot"},        {"fell", "fall"},
    {"felt", "feel"},         {"fled", "flee"},        {"flew", "fly"},
    {"flown", "fly"},         {"forbade", "forbid"},   {"forbidden", "forbid"},
    {"forgot", "forget"},     {"forgotten", "forget"}, {"fought", "fight"},
    {"froze", "freeze"},      {"frozen", "freeze"},    {"gave", "give"},
    {"geese", "goose"},       {"given", "give"},       {"gone", "go"},
    {"grew", "grow"},         {"grown", "grow"},       {"heard", "hear"},
    {"held", "hold"},         {"hid", "hide"},         {"hidden", "hide"},
    {"hung", "hang"},         {"kept", "keep"},        {"knew", "know"},
    {"knives", "knife"},      {"known", "know"},       {"laid", "lay"},
    {"lost", "lose"},         {"made", "make"},        {"meant", "mean"},
    {"men", "man"},           {"met", "meet"},         {"mice", "mouse"},
    {"overcame", "overcome"}, {"paid", "pay"},         {"ran", "run"},
    {"ridden", "ride"},       {"risen", "rise"},       {"rode", "ride"},
    {"rose", "rise"},         {"said", "say"},         {"sang", "sing"},
    {"sank", "sink"},         {"seen", "see"},         {"sent", "send"},
    {"shaken", "shake"},      {"shone", "shine"},      {"shook", "shake"},
    {"shot", "shoot"},        {"shown", "show"},       {"shrank", "shrink"},
    {"slept", "sleep"},       {"sold", "sell"},        {"sought", "seek"},
    {"spent", "spend"},       {"spoke", "speak"},      {"spoken", "speak"},
    {"spun", "spin"},         {"stole", "steal"},      {"stolen", "steal"},
    {"stood", "stand"},       {"struck", "strike"},    {"stuck", "stick"},
    {"sung", "sing"},         {"sunk", "sink"},        {"swam", "swim"},
    {"swept", "sweep"},       {"sworn", "swear"},      {"swum", "swim"},
    {"taken", "take"},        {"taught", "teach"},     {"teeth", "tooth"},
    {"thieves", "thief"},     {"thought", "think"},    {"threw", "throw"},
    {"thrown", "throw"},      {"told", "tell"},        {"took", "take"},
    {"tore", "tear"},         {"torn", "tear"},        {"understood", "understand"},
    {"went", "go"},           {"wives", "wife"},       {"woke", "wake"},
    {"wolves", "wolf"},       {"women", "woman"},      {"won", "win"},
    {"wore", "wear"},         {"worn", "wear"},        {"written", "write"},
    {"wrote", "write"},
};

static int compare_form(const void *word, const void *irregular)
{
    return strcmp(word, ((const struct irregular *)irregular)->form);
}

const char *word_plain_form(const char *folded)
{
    const struct irregular *found = bsearch(folded, list, sizeof(list) / sizeof(list[0]),
                                            sizeof(list[0]), compare_form);

    return found == NULL ? folded : found->plain;
}
