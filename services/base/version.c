#include "version.h"

const char *version(void)
{
    return POISE_VERSION;
}
