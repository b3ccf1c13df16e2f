# Every task of the project. Cargo runs through .ci/cargo, which finds or fetches the DuckDB library;
# BUNDLED=1 compiles DuckDB from source instead (about an hour of processor time, once).
.DEFAULT_GOAL := help
.PHONY: help demo build dist install test lint doc check format snapshots ci
.PHONY: bench bench-get bench-lists bench-import bench-start bench-overload bench-servers bench-engines

help: ## list these tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

demo: ## import the sample export, issue a key and serve; ARGS="--listen 127.0.0.1:9000"
	.ci/cargo run -p cli -- demo $(ARGS)

build: ## the optimised binary: release/catalogue in the target directory
	.ci/cargo build --release -p cli

dist: build ## packages for machines without Rust: a tarball and a .deb; DIST=folder
	.ci/dist make $(DIST)

install: ## what make build built, for systemd; PREFIX=/usr/local DESTDIR= BINARY="$(.ci/install where)"
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" BINARY="$(BINARY)" .ci/install

test: ## all tests; .ci/with-services make test includes those that need PostgreSQL, Redis or S3
	.ci/cargo test --workspace --no-fail-fast $(if $(SERVICES),-- --include-ignored)
	@[ -n "$(SERVICES)" ] || echo "Left out: tests that need PostgreSQL, Redis or S3. To include them: .ci/with-services make test"

lint: ## formatting and clippy, warnings denied
	@cargo fmt --all --check || status=1; \
	.ci/cargo clippy --workspace --all-targets -- -D warnings || status=1; exit $${status:-0}

doc: ## the documentation of all items, warnings denied
	RUSTDOCFLAGS="-D warnings" .ci/cargo doc --workspace --no-deps --document-private-items

check: lint doc test ## what has to pass before a commit

format: ## format the code
	cargo fmt --all

snapshots: ## write the files in snapshots anew; .ci/with-services make snapshots includes PostgreSQL, Redis and S3
	INSTA_UPDATE=always INSTA_REQUIRE_FULL_MATCH=1 .ci/cargo test --workspace --no-fail-fast $(if $(SERVICES),-- --include-ignored)

ci: ## the gate: everything that each change has to pass
	.ci/run

bench: ## all benchmarks, 20 minutes with ROUNDS=3; writes server/benches/results
	.ci/bench all

bench-get: ## one boat over HTTP beside nginx and empty handlers; BOATS="10000 100000 1000000"
	.ci/bench get $(BOATS)

bench-lists: ## lists beside bare DuckDB, and over HTTP; BOATS="10000 100000 1000000"
	.ci/bench lists $(BOATS)

bench-import: ## an import beside DuckDB's COPY from JSON to Parquet; BOATS=100000
	.ci/bench import $(BOATS)

bench-start: ## how long the server takes to start, and its memory; BOATS="10000 100000 1000000"
	.ci/bench start $(BOATS)

bench-overload: ## five times the lists that it can answer, for OVERLOAD=300 seconds; BOATS=100000
	.ci/bench overload $(BOATS)

bench-servers: ## one boat over HTTP with PostgreSQL and Redis beside the embedded store; BOATS=100000
	.ci/bench servers $(BOATS)

bench-engines: ## what a server requests of PostgreSQL, Redis and S3, for server/deploy/sizing.md
	.ci/bench engines
