//! Build script of `server` and of `cli`: lets what they build find the DuckDB library.
//!
//! Crate `duckdb` links a shared library outside the system's folders. Its directory is written
//! into every binary, test and benchmark, so that they run when called directly, by anybody,
//! without `LD_LIBRARY_PATH`; the binary's own folder is searched too, for an installation that
//! ships both. It must not look for the library itself: that is the work of `.ci/libduckdb`.

use std::env;
use std::path::Path;

const HOW_TO_SET: &str = "use `make`, or first `export DUCKDB_LIB_DIR=\"$(.ci/libduckdb)\"`, or compile DuckDB with `--features bundled`";

fn main() {
    println!("cargo::rerun-if-env-changed=DUCKDB_LIB_DIR");
    if env::var_os("CARGO_FEATURE_BUNDLED").is_some() {
        return;
    }
    let macos = env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|os| os == "macos");
    let (library, beside_binary) = if macos {
        ("libduckdb.dylib", "@loader_path")
    } else {
        ("libduckdb.so", "$ORIGIN")
    };
    let directory = env::var("DUCKDB_LIB_DIR").unwrap_or_default();
    if Path::new(&directory).is_absolute() && Path::new(&directory).join(library).is_file() {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{beside_binary}");
        println!("cargo::rustc-link-arg=-Wl,-rpath,{directory}");
    } else {
        println!(
            "cargo::error=DUCKDB_LIB_DIR is `{directory}`, not the absolute path of a directory that holds {library}: {HOW_TO_SET}"
        );
    }
}
