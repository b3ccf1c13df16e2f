//! Sets up the HTTP library so that none of its own limits is reached before a connection's, and so
//! that it writes much at a time.

use salvo::Server;
use salvo::conn::Acceptor;

use crate::api_tables::HEAD_BYTES_MAX;

/// Most bytes that the HTTP library keeps of a head, or of a response before it writes them: four
/// parts of a file in one call of the system, a seventh more bytes a second than in four. It refuses
/// heads without a body, so its limit lies above ours, and nothing reaches it. Its limit of header
/// fields stays at 100: with a higher one it would allocate room for as many at every request.
const LIBRARY_BYTES_MAX: usize = 256 * 1024;
const _: () = assert!(HEAD_BYTES_MAX < LIBRARY_BYTES_MAX);

/// The HTTP library's server for these connections.
pub(crate) fn server_of<A: Acceptor + Send>(connections: A) -> Server<A> {
    let mut server = Server::new(connections);
    server
        .http1_mut()
        .max_buf_size(LIBRARY_BYTES_MAX)
        // Connections have their own deadline for heads: the library would close a slow one without
        // a response, and would count the idle time before it too.
        .header_read_timeout(None)
        // Connections decide whether a client that has closed its side still waits for its
        // response; if not, the library drops the request, and its query with it.
        .half_close(false);
    server
}
