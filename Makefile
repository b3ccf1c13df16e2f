# Every task of the project. Cargo runs through .ci/cargo, which finds or fetches the DuckDB library;
# BUNDLED=1 compiles DuckDB from source instead (about an hour of processor time, once).
.DEFAULT_GOAL := help
.PHONY: help demo build test lint doc check format snapshots ci bench-get bench-lists bench-import bench-start

help: ## list these tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

demo: ## import the sample export, issue a key and serve; ARGS="--listen 127.0.0.1:9000"
	.ci/cargo run -p cli -- demo $(ARGS)

build: ## the optimised binary: release/catalogue in the target directory
	.ci/cargo build --release -p cli

test: ## all tests
	.ci/cargo test --workspace

lint: ## formatting and clippy, warnings denied
	cargo fmt --all --check
	.ci/cargo clippy --workspace --all-targets -- -D warnings

doc: ## the documentation of all items, warnings denied
	RUSTDOCFLAGS="-D warnings" .ci/cargo doc --workspace --no-deps --document-private-items

check: lint doc test ## what has to pass before a commit

format: ## format the code
	cargo fmt --all

snapshots: ## write all snapshots of the tests anew, into the emptied folder
	mkdir -p snapshots && find snapshots -type f -delete
	INSTA_UPDATE=always .ci/cargo test --workspace

ci: ## everything that continuous integration runs
	bash .ci/run

bench-get: ## one boat over HTTP beside nginx and an empty handler; BOATS="10000 100000"
	python3 .ci/bench get $(BOATS)

bench-lists: ## every filter and sort beside bare DuckDB, and lists over HTTP beside ROAPI; BOATS="10000 100000"
	python3 .ci/bench lists $(BOATS)

bench-import: ## an import beside DuckDB's COPY from JSON to Parquet; BOATS=100000
	python3 .ci/bench import $(BOATS)

bench-start: ## how long the server takes to start, and its memory; BOATS="10000 100000 1000000"
	python3 .ci/bench start $(BOATS)
