//! The pages of the guide about languages: for each a program that keeps a copy of all boats, which
//! needs no client, and how to generate one from the OpenAPI document. `.ci/contract clients` runs
//! the programs unchanged.

use askama::Template;

use crate::http::openapi::render;

/// What a language has: a program, and a client made by a third-party generator.
pub(super) struct Client {
    /// The language.
    pub(super) name: &'static str,
    /// The path of its page.
    pub(super) path: &'static str,
    file: &'static str,
    program: &'static str,
    /// Commands that run the program.
    run: &'static str,
    generator: &'static str,
    /// Commands that generate the client.
    make: &'static str,
}

pub(super) static TYPESCRIPT: Client = Client {
    name: "TypeScript",
    path: "/docs/typescript",
    file: "boats.ts",
    program: include_str!("clients/boats.ts"),
    run: "node boats.ts\n",
    generator: "openapi-typescript",
    make: include_str!("clients/typescript.sh"),
};
pub(super) static PYTHON: Client = Client {
    name: "Python",
    path: "/docs/python",
    file: "boats.py",
    program: include_str!("clients/boats.py"),
    run: "python3 boats.py\n",
    generator: "openapi-python-client",
    make: include_str!("clients/python.sh"),
};
pub(super) static RUST: Client = Client {
    name: "Rust",
    path: "/docs/rust",
    file: "src/main.rs",
    program: include_str!("clients/boats.rs"),
    run: "cargo init --name boats\ncargo add ureq@3 --features json\ncargo add serde_json@1\ncargo run\n",
    generator: "progenitor",
    make: include_str!("clients/rust.sh"),
};

/// Every client, in the order of the links.
pub(super) static ALL: [&Client; 3] = [&TYPESCRIPT, &PYTHON, &RUST];

#[derive(Template)]
#[template(path = "docs/client.html")]
struct ClientPage {
    version: &'static str,
    client: &'static Client,
    clients: &'static [&'static Client],
}

impl Client {
    /// The page.
    pub(super) fn page(&'static self) -> String {
        render(&ClientPage {
            version: env!("CARGO_PKG_VERSION"),
            client: self,
            clients: &ALL,
        })
    }
}
