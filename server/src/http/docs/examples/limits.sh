# curl itself waits for what `Retry-After` says, and asks again.
curl -sS --fail-with-body --retry 5 -H "Authorization: Bearer $KEY" "$BASE/v1/manufacturers?limit=1"
