# curl itself waits for what `Retry-After` says, and asks again, for two minutes at most: a quota renews in days.
curl -sS --fail-with-body --retry 5 --retry-max-time 120 -H "Authorization: Bearer $KEY" "$BASE/v1/manufacturers?limit=1"
