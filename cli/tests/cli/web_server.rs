//! A local web server whose answers a test makes.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

/// The server. Each connection serves one request.
pub(crate) struct WebServer {
    pub(crate) address: SocketAddr,
    /// The first lines of all requests.
    asked: Arc<Mutex<Vec<String>>>,
}

impl WebServer {
    /// Starts a server that answers by the method and the path of a request.
    pub(crate) fn new(answer: impl Fn(&str, &str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&asked);
        thread::spawn(move || {
            for client in listener.incoming() {
                let mut client = client.unwrap();
                let mut lines = BufReader::new(&client).lines().map(Result::unwrap);
                let first = lines.next().unwrap_or_default();
                while lines.next().is_some_and(|line| !line.is_empty()) {}
                drop(lines);
                let mut words = first.split(' ').map(str::to_owned);
                let [method, path] = [words.next(), words.next()].map(Option::unwrap_or_default);
                // Before it is answered, or the test may look before it is known.
                noted.lock().unwrap().push(first);
                // The client may have closed the connection.
                _ = client.write_all(&answer(&method, &path));
            }
        });
        Self { address, asked }
    }

    /// One word of the first line of each request since the last call.
    fn words(&self, place: usize) -> Vec<String> {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        let word = |line: &String| line.split(' ').nth(place).unwrap_or_default().to_owned();
        asked.iter().map(word).collect()
    }

    /// The methods of the requests since the last call.
    pub(crate) fn methods(&self) -> Vec<String> {
        self.words(0)
    }

    /// The paths of the requests since the last call, in their alphabet.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths = self.words(1);
        paths.sort();
        paths
    }
}
