# The same list twice, compressed: 200, then 304, because curl sends the tag that it kept.
for turn in 1 2; do
    curl -sS --compressed --etag-save etag.txt --etag-compare etag.txt -o boats.json \
        -w '%{http_code}\n' -H "Authorization: Bearer $KEY" "$BASE/v1/boats?limit=1"
done
