cargo add progenitor@0.15.1 progenitor-client@0.15.1 regress@0.11.1 serde_json@1
cargo add serde@1 --features derive
cargo add chrono@0.4 --no-default-features --features serde
cargo add reqwest@0.13 --no-default-features
cargo add tokio@1 --features macros,rt,time
# The generator reads OpenAPI 3.0, so the document is converted first.
curl -sS "$BASE/docs/openapi_3_0.py" -o openapi_3_0.py
curl -sS "$BASE/openapi.json" | python3 openapi_3_0.py >openapi.json
# In src/main.rs: progenitor::generate_api!(spec = "openapi.json", interface = Builder);
