// {{ self.0.summary }}. Node.js 18 or later, without packages.
{% if self.0.needs_key -%}
const { BASE, KEY } = process.env;
const headers = { Authorization: `Bearer ${KEY}` };
const answer = await fetch(`${BASE}{{ self.0.target }}`, { headers });
{%- else -%}
const { BASE } = process.env;
const answer = await fetch(`${BASE}{{ self.0.target }}`);
{%- endif %}
console.log(answer.status, await answer.text());
