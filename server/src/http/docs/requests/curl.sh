# {{ self.0.summary }}.
curl -sS --fail-with-body \
{%- if self.0.needs_key %}
    -H "Authorization: Bearer $KEY" \
{%- endif %}
    "$BASE{{ self.0.target }}"
