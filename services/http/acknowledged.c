#include "acknowledged.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define STATE_CLOSED 7 /* TCP_CLOSE of the kernel's tcp_states.h */

bool acknowledged_ask(int descriptor, uint64_t *ret_bytes, bool *ret_is_closed)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);

    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return false;
    *ret_bytes = info.tcpi_bytes_acked;
    *ret_is_closed = info.tcpi_state == STATE_CLOSED;
    return true;
}
