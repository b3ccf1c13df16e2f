# All boats, one page a line: `Link` names the next page until there is none.
head=$(mktemp)
next='/v1/boats?limit=20'
while [ -n "$next" ]; do
    curl -sS --fail-with-body -D "$head" -w '\n' -H "Authorization: Bearer $KEY" "$BASE$next" || break
    next=$(sed -n 's/^[Ll]ink:.*<\([^>]*\)>; rel="next".*/\1/p' "$head")
done
rm "$head"
