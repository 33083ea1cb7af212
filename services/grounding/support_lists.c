/*
 * Words that the check for support knows something of.  They are written out here as people write
 * them, and stemmed when a check is made.
 */
#include "support_internal.h"

#include "mem.h"

#include <string.h>

static const char *const lists[LIST_COUNT] = {
    [LIST_LIGHT] =
        "he she him his her hers their them our us my me himself herself itself themselves also "
        "then than if so but may might must shall into about such some any each every other "
        "another more most very much many just only even well both either because since while "
        "although though however therefore thus whose whom these those here up out over off "
        "through during between within upon per via whether however yet still rather quite "
        "according text passage section says said states stated mentions mentioned describes "
        "explains note short being having get gets got make makes made "
        "yes okay ok sure certainly indeed",
    [LIST_DENIALS] =
        "forbid forbidden prohibit lack lacks fail fails failure unable except avoid "
        "prevent refuse deny reject exclude instead unlike impossible ban without "
        "unless unnecessary closed illegal invalid unknown absent disable ignore",
    [LIST_BREAKS] =
        "but although though because while whereas unless if when since so which "
        "where until whether",
    [LIST_LEADS] =
        "the a an of in on at from for by with into its his her their this that "
        "these those each every some any no",
    [LIST_OPPOSITES] =
        "increase decrease rise fall rose fell rises falls grow shrink grew shrank more less more "
        "fewer most least most fewest above below over under before after first last "
        "first second minimum maximum larger smaller large small big small bigger smaller largest "
        "smallest greater less greater smaller greatest least greatest smallest higher lower high "
        "low highest lowest "
        "upper lower longer shorter long short longest shortest faster slower fast slow fastest "
        "slowest early late earlier later earliest latest enable disable enabled disabled allow "
        "forbid allow prohibit allow prevent permit forbid permit prohibit always never all none "
        "everybody nobody "
        "local remote input output left right old new older newer older younger oldest newest "
        "oldest youngest open closed open close hot cold hotter colder warm cold warmer colder "
        "warmer cooler north south east "
        "west northern southern eastern western gain lose gained lost buy sell bought sold begin "
        "end beginning end start end start stop starts ends starts stops true false success "
        "failure succeed fail public private accept reject include exclude inside outside "
        "internal external positive negative strong weak stronger weaker strongest weakest wide "
        "narrow wider narrower widest narrowest farther closer further nearer nearer farther "
        "ascending descending push pull win lose won lost double halve doubled halved summer "
        "winter day night male female man woman men women optional required optional mandatory "
        "forward backward easy difficult easier harder easy hard heavy light heavier lighter "
        "heaviest lightest best worst better worse up down often rarely often seldom frequently "
        "rarely safe dangerous cheap expensive cheaper dearer parent child server client source "
        "destination import export add remove encrypt decrypt thick thin thicker thinner deep "
        "shallow dry wet rich poor full empty present absent read write before during sender "
        "receiver sent received send receive borrow lend majority minority superior inferior "
        "advantage disadvantage ally enemy friend enemy victory defeat father mother son daughter "
        "brother sister husband wife king queen morning evening former latter sooner later "
        "attack defend create destroy active passive odd even horizontal vertical maximum "
        "minimum maximise minimise accelerate slow expand contract attract repel appear disappear "
        "oldest latest lose win inner outer front rear front back top bottom acid alkaline "
        "voluntary mandatory temporary permanent likely unlikely with without legal illegal "
        "valid invalid known unknown possible impossible necessary unnecessary able unable agree "
        "disagree like dislike once twice double triple daily weekly weekly monthly daily monthly "
        "monthly yearly annually monthly half quarter black white red green red blue blue green "
        "singular plural",
    [LIST_UNITS] =
        "second=sec=s millisecond=ms microsecond nanosecond minute=min hour=hr=h day week month "
        "year decade century millennium\n"
        "metre=meter=m kilometre=kilometer=km centimetre=centimeter=cm millimetre=millimeter=mm "
        "mile foot=feet=ft inch=in yard fathom\n"
        "gram=gramme=g kilogram=kg milligram=mg tonne=ton ounce=oz stone\n"
        "litre=liter=l millilitre=milliliter=ml gallon pint barrel\n"
        "byte bit kilobyte=kb megabyte=mb gigabyte=gb terabyte=tb kilobit megabit gigabit "
        "block word character\n"
        "euro=eur dollar=usd pound=gbp cent penny=pence shilling franc yen rupee mark\n"
        "watt=w kilowatt=kw megawatt=mw gigawatt=gw volt=v kilovolt=kv ampere=amp hertz=hz "
        "kilohertz=khz megahertz=mhz gigahertz=ghz joule calorie\n"
        "hectare acre\n"
        "percent degree\n"
        "celsius fahrenheit kelvin\n"
        "am pm\n"};

const char *support_list(enum support_list list)
{
    return lists[list];
}

static bool has_between(const char *text, size_t from, size_t to, char sign)
{
    return memchr(text + from, sign, to - from) != NULL;
}

/* Rows are kinds of quantity; within a row, a blank goes on to the next unit. */
static void read_units(struct support *support)
{
    const char *text = lists[LIST_UNITS];
    uint16_t unit = 1, quantity = 1;

    terms_read(support->reader, span_of(text), &support->terms);
    for (size_t i = 0; i < support->terms.count; i++) {
        const struct term *term = &support->terms.all[i];
        uint32_t stem =
            support_intern(support, term_stem(&support->terms, term), term->stem_length);

        if (i > 0) {
            unit = (uint16_t)(unit + !has_between(text, term[-1].end, term->start, '='));
            quantity =
                (uint16_t)(quantity + has_between(text, term[-1].end, term->start, '\n'));
        }
        if (support->stems[stem].unit != 0)
            continue;
        support->stems[stem].unit = unit;
        support->stems[stem].quantity = quantity;
    }
}

static void read_pairs(struct support *support)
{
    terms_read(support->reader, span_of(lists[LIST_OPPOSITES]), &support->terms);
    for (size_t i = 0; i + 1 < support->terms.count; i += 2) {
        const struct term *terms = &support->terms.all[i];
        struct support_pair pair = {
            .one = support_intern(support, term_stem(&support->terms, &terms[0]),
                                  terms[0].stem_length),
            .other = support_intern(support, term_stem(&support->terms, &terms[1]),
                                    terms[1].stem_length),
        };

        MEM_ROOM(support->pairs, support->pair_count, support->pair_capacity, 1);
        support->pairs[support->pair_count++] = pair;
    }
}

void support_read_lists(struct support *support)
{
    static const uint32_t flags[LIST_COUNT] = {
        [LIST_LIGHT] = SUPPORT_LIGHT,
        [LIST_DENIALS] = SUPPORT_DENIAL,
        [LIST_BREAKS] = SUPPORT_BREAK,
        [LIST_LEADS] = SUPPORT_LEAD,
    };

    for (int list = 0; list < LIST_COUNT; list++) {
        if (flags[list] == 0)
            continue;
        terms_read(support->reader, span_of(lists[list]), &support->terms);
        for (size_t i = 0; i < support->terms.count; i++) {
            const struct term *term = &support->terms.all[i];
            uint32_t stem = support_intern(support, term_stem(&support->terms, term),
                                           term->stem_length);

            support->stems[stem].flags |= flags[list];
        }
    }
    read_units(support);
    read_pairs(support);
}
