#include "saturation.h"

#define INTERVAL_US 500000
#define SAMPLES_MIN 3

void saturation_init(struct saturation *saturation, int64_t target_us)
{
    *saturation = (struct saturation){.target_us = target_us};
}

void saturation_note(struct saturation *saturation, int64_t delay_us, int64_t now_us)
{
    if (saturation->target_us == 0 || delay_us <= saturation->target_us) {
        saturation->samples = 0;
        saturation->is_on = false;
        return;
    }
    if (saturation->samples++ == 0)
        saturation->since_us = now_us;
    if (saturation->samples >= SAMPLES_MIN &&
        now_us - saturation->since_us >= INTERVAL_US)
        saturation->is_on = true;
}
