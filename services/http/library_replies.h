/*
 * libmicrohttpd's own replies, in our envelope.
 *
 * libmicrohttpd 0.9.75 answers a malformed request by itself, with a page of HTML, before
 * any of its callbacks is called: a header line without a colon, a bad Content-Length, a
 * version that it does not know, a head that does not fit, a broken chunk.  All of these
 * replies pass through its public function MHD_queue_response(), and the library calls
 * that through the dynamic linker.  So a definition in the program takes its place
 * (ld.so(8), symbol interposition).  It writes our reply to the socket by itself and
 * tells libmicrohttpd that queueing has failed, whereupon the library closes the
 * connection.  (Queueing another reply works too, but for a bad Content-Length 0.9.75
 * goes on after its own error and sends two heads.)  Our own replies go to the library's
 * function directly.
 *
 * 414 and 431 become headers_too_large (431); everything else bad_request (400).
 */
#ifndef LIBRARY_REPLIES_H
#define LIBRARY_REPLIES_H

#include "server_internal.h"

/* libmicrohttpd's MHD_queue_response(), for replies that are ours already; NULL where the
 * dynamic linker does not find it. */
queue_response_fn *library_replies_find_queue(void);

#endif
