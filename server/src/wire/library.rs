//! Sets up the HTTP library so that none of its own limits is reached before a connection's.

use salvo::Server;
use salvo::conn::Acceptor;

use crate::api_tables::HEAD_BYTES_MAX;

/// Read buffer of a connection, in bytes. The HTTP library refuses without a body, so its limit
/// lies above ours, and nothing reaches it. Its limit of header fields stays at 100: with a higher
/// one the library would allocate room for as many at every request.
const LIBRARY_HEAD_BYTES_MAX: usize = 2 * HEAD_BYTES_MAX;

/// The HTTP library's server for these connections.
pub(crate) fn server_of<A: Acceptor + Send>(connections: A) -> Server<A> {
    let mut server = Server::new(connections);
    server
        .http1_mut()
        .max_buf_size(LIBRARY_HEAD_BYTES_MAX)
        // Connections have their own deadline for heads: the library would close a slow one without
        // a response, and would count the idle time before it too.
        .header_read_timeout(None)
        // Connections decide whether a client that has closed its side still waits for its
        // response; if not, the library drops the request, and its query with it.
        .half_close(false);
    server
}
