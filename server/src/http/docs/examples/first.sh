# One boat of the list.
curl -sS --fail-with-body -H "Authorization: Bearer $KEY" "$BASE/v1/boats?limit=1"
