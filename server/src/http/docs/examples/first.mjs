// One boat of the list, and its full record. Node.js 18 or later, without packages.
const { BASE, KEY } = process.env;

async function get(path) {
  const answer = await fetch(BASE + path, { headers: { Authorization: `Bearer ${KEY}` } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${body.error.code}: ${body.error.message}`);
  return body.data;
}

const [row] = await get("/v1/boats?limit=1");
const boat = await get(`/v1/boats/${row.slug}`);
console.log(`${boat.manufacturer.name} ${boat.model}: ${boat.lengthOverallMetres} m`);
