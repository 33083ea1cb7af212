#include "coach.h"

void coach_free(struct coach *coach)
{
    if (coach != NULL)
        coach->free(coach);
}
