/*
 * The trade-off as a picture: both rates over the threshold, on a scale of square roots, because one
 * of them matters at one per cent.
 */
#include "calibrate_internal.h"

#include <math.h>

#define WIDTH  760
#define HEIGHT 460
#define LEFT   70
#define TOP    60
#define RIGHT  20
#define BOTTOM 60
#define POINTS 200

static double x_of(double threshold)
{
    return LEFT + threshold * (WIDTH - LEFT - RIGHT);
}

static double y_of(double rate)
{
    return HEIGHT - BOTTOM - sqrt(rate) * (HEIGHT - TOP - BOTTOM);
}

static void draw_line(FILE *out, double x1, double y1, double x2, double y2,
                      const char *style)
{
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1,
            x2, y2, style);
}

static void draw_axes(FILE *out)
{
    static const double rates[] = {0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1};

    for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
        draw_line(out, x_of(0), y_of(rates[i]), x_of(1), y_of(rates[i]),
                  "stroke=\"#ddd\"");
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f %%</text>\n",
                LEFT - 8, y_of(rates[i]) + 4, 100 * rates[i]);
    }
    for (int step = 0; step <= 10; step++) {
        draw_line(out, x_of(step / 10.0), y_of(0), x_of(step / 10.0), y_of(0) + 5,
                  "stroke=\"#333\"");
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.1f</text>\n",
                x_of(step / 10.0), y_of(0) + 20, step / 10.0);
    }
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">threshold</text>\n",
            x_of(0.5), HEIGHT - 16);
}

static void draw_curve(FILE *out, const struct labelled_set *set,
                       double (*rate)(const struct shares *shares), const char *colour)
{
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
            colour);
    for (int step = 0; step <= POINTS; step++) {
        double threshold = (double)step / POINTS;
        struct shares shares = shares_at(set, threshold, NULL);

        fprintf(out, "%.1f,%.1f ", x_of(threshold), y_of(rate(&shares)));
    }
    fputs("\"/>\n", out);
}

static void draw_threshold(FILE *out, double threshold, const char *name)
{
    draw_line(out, x_of(threshold), y_of(0), x_of(threshold), y_of(1),
              "stroke=\"#333\" stroke-dasharray=\"4 3\"");
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s %.2f</text>\n",
            x_of(threshold), TOP - 8, name, threshold);
}

static void draw_key(FILE *out, double y, const char *colour, const char *name,
                     double goal)
{
    draw_line(out, LEFT + 14, y, LEFT + 40, y, "stroke=\"#fff\" stroke-width=\"14\"");
    fprintf(out,
            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-width=\"2\"/>\n<text x=\"%d\" y=\"%.1f\">%s (goal: at most %.0f "
            "%%)</text>\n",
            LEFT + 14, y, LEFT + 40, y, colour, LEFT + 48, y + 4, name, 100 * goal);
}

void calibrate_draw(FILE *out, const struct settings *settings,
                    const struct labelled_set *set)
{
    double answer, related;

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
            "<title>False refusals and false answers over the threshold</title>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"24\" font-size=\"15\">%zu labelled questions</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, set->count);
    draw_axes(out);
    draw_curve(out, set, shares_false_refusals, "#c0392b");
    draw_curve(out, set, shares_false_answers, "#2060b0");
    draw_threshold(out, settings->ground_related_score, "related");
    draw_threshold(out, settings->ground_answer_score, "answer");
    if (calibrate_pair(set, &answer, &related))
        fprintf(out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#2a8a3a\"/>\n"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                "fill=\"#2a8a3a\">%.2f</text>\n",
                x_of(answer), y_of(0), x_of(answer), y_of(0) - 10, answer);
    draw_key(out, TOP + 16, "#c0392b", "false refusals", CALIBRATE_FALSE_REFUSALS_MOST);
    draw_key(out, TOP + 36, "#2060b0", "false answers", CALIBRATE_FALSE_ANSWERS_MOST);
    fputs("</svg>\n", out);
}
