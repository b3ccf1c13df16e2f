//! How the HTTP library is set up: nothing of its own is met before what a connection decides.

use salvo::Server;
use salvo::conn::Acceptor;

use crate::contract::head::HEAD_BYTES_MAX;

/// Read buffer of a connection, in bytes. The HTTP library's own limits answer without a body, so
/// this one lies above ours, and nothing reaches it. That of header fields is left at its 100: a
/// higher one makes the library allocate room for so many at every request.
const LIBRARY_HEAD_BYTES_MAX: usize = 2 * HEAD_BYTES_MAX;

/// A server of these connections.
pub(crate) fn server_of<A: Acceptor + Send>(connections: A) -> Server<A> {
    let mut server = Server::new(connections);
    server
        .http1_mut()
        .max_buf_size(LIBRARY_HEAD_BYTES_MAX)
        // Connections watch for themselves how long a head takes: the library would close a slow
        // one without an answer, and counts the idle time before it too.
        .header_read_timeout(None)
        // Connections decide for themselves whether a client that has closed its side still waits
        // for the answer; if not, the library drops the request, and its query with it.
        .half_close(false);
    server
}
