/* A file of its own: glibc's struct tcp_info ends before tcpi_bytes_received, and
 * <linux/tcp.h>, which has it, cannot stand beside <netinet/tcp.h>, which libuv includes. */
#include "received.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

bool received_bytes(int descriptor, uint64_t *ret_bytes)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);

    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_bytes_received) +
                   sizeof(info.tcpi_bytes_received))
        return false;
    *ret_bytes = info.tcpi_bytes_received;
    return true;
}
