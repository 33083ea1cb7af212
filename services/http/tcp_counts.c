/*
 * TCP_INFO (tcp(7)), in a file of its own because linux/tcp.h, which has all of it, and netinet/tcp.h,
 * which libuv includes, cannot be read together.
 */
#include "tcp_counts_internal.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

#define STATE_CLOSED 7 /* TCP_CLOSE of the kernel's tcp_states.h */

bool tcp_counts_ask(int descriptor, struct tcp_counts *ret_counts)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);

    /* The last member of those that are read has been there since Linux 4.19. */
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_bytes_retrans) +
                   sizeof(info.tcpi_bytes_retrans))
        return false;
    *ret_counts = (struct tcp_counts){
        .written =
            info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes,
        .acknowledged = info.tcpi_bytes_acked,
        .is_closed = info.tcpi_state == STATE_CLOSED,
    };
    return true;
}
