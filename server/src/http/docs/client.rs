//! The pages of the guide about generated clients: for each language, how to generate a client from
//! the OpenAPI document, and a program that keeps a copy of all boats. `.ci/contract clients` runs
//! these programs unchanged.

use askama::Template;

use crate::http::openapi::render;

/// A client made by a third-party generator.
pub(super) struct Client {
    /// The language.
    pub(super) name: &'static str,
    /// The path of its page.
    pub(super) path: &'static str,
    generator: &'static str,
    /// Commands that generate the client, run the program and keep it running.
    make: &'static str,
    file: &'static str,
    program: &'static str,
}

pub(super) static TYPESCRIPT: Client = Client {
    name: "TypeScript",
    path: "/docs/typescript",
    generator: "openapi-typescript",
    make: include_str!("clients/typescript.sh"),
    file: "boats.ts",
    program: include_str!("clients/boats.ts"),
};
pub(super) static PYTHON: Client = Client {
    name: "Python",
    path: "/docs/python",
    generator: "openapi-python-client",
    make: include_str!("clients/python.sh"),
    file: "boats.py",
    program: include_str!("clients/boats.py"),
};
pub(super) static RUST: Client = Client {
    name: "Rust",
    path: "/docs/rust",
    generator: "progenitor",
    make: include_str!("clients/rust.sh"),
    file: "src/main.rs",
    program: include_str!("clients/boats.rs"),
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
