python3 -m venv .venv && . .venv/bin/activate
pip install openapi-python-client==0.29.1
openapi-python-client generate --url "$BASE/openapi.json" --meta none --output-path boat_catalogue_client
