#include "tcp_counts.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

#define STATE_CLOSED 7 /* TCP_CLOSE of the kernel's tcp_states.h */

bool tcp_counts_ask(int descriptor, struct tcp_counts *ret_counts)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);

    /* The number of bytes received is the later member of the two. */
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_bytes_received) +
                   sizeof(info.tcpi_bytes_received))
        return false;
    *ret_counts = (struct tcp_counts){
        .received = info.tcpi_bytes_received,
        .acknowledged = info.tcpi_bytes_acked,
        .is_closed = info.tcpi_state == STATE_CLOSED,
    };
    return true;
}
