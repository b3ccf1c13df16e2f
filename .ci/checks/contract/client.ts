/* What the TypeScript types made from the document are good for, with openapi-fetch: run against a server of the sample.
 * BASE is its address, KEY a key with every scope. It ends with 1 where something is not as the document says. */

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const baseUrl = process.env["BASE"] ?? "";
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${process.env["KEY"]}` } });
const stranger = createClient<paths>({ baseUrl });

type Boat = components["schemas"]["BoatSummary"];

// A record, and then the same record again.
const first = await client.GET("/v1/boats/{idOrSlug}", { params: { path: { idOrSlug: "first-40.7" } } });
assert(first.data !== undefined);
const boat = first.data.data;
assert.equal(boat.slug, "first-40.7");
assert.equal(boat.unit, "metric");
assert.equal(boat.lengthOverall, 11.92);
assert.equal(boat.referencePrice?.currency.code, "EUR");
const etag = first.response.headers.get("ETag");
assert(etag !== null);
const again = await client.GET("/v1/boats/{idOrSlug}", {
  params: { path: { idOrSlug: boat.id }, header: { "If-None-Match": etag } },
});
assert.equal(again.response.status, 304);

// Fields without a value.
const zephyr = await client.GET("/v1/boats/{idOrSlug}", { params: { path: { idOrSlug: "zephyr" } } });
const keelType: string | null | undefined = zephyr.data?.data.hull.keelType;
assert.equal(keelType, null);
assert.equal(zephyr.data?.data.referencePrice, null);

// A list, page by page.
const rows: Boat[] = [];
for (let total = 1; rows.length < total; ) {
  const page = await client.GET("/v1/boats", {
    params: { query: { lengthMin: 30, lengthUnit: "ft", sort: "length", order: "desc", limit: 7, offset: rows.length } },
  });
  assert(page.data !== undefined && page.data.data.length !== 0);
  total = page.data.pagination.total;
  rows.push(...page.data.data);
  assert(total === rows.length || page.data.pagination.limit === 7);
}
const lengths = rows.map((row) => row.lengthOverallMetres);
assert(7 < rows.length && lengths.every((length) => 9.1 < length));
assert.equal(new Set(rows.map((row) => row.id)).size, rows.length);
assert.deepEqual(lengths, lengths.toSorted((one, other) => other - one));

// A manufacturer, and what the service says without a key.
const maker = await stranger.GET("/v1");
assert.equal(maker.data?.data.links.boats, "/v1/boats");
const makers = await client.GET("/v1/manufacturers", { params: { query: { search: "ang", limit: 1 } } });
assert.equal(makers.data?.pagination.total, 1);
assert(!Number.isNaN(Date.parse(makers.data?.data[0]?.updatedAt ?? "")));

// What copies ask for.
const { data: key } = await client.GET("/v1/key");
assert(key !== undefined && key.scopes.includes("catalogue.export"));
assert(key.rateLimit.remaining < key.rateLimit.limit);
const { data: changes } = await client.GET("/v1/changes", { params: { query: { since: key.release } } });
assert.deepEqual([changes?.data, changes?.release], [[], key.release]);
const { data: facets } = await client.GET("/v1/facets", { params: { query: { yearTo: 1999 } } });
assert((facets?.data.year?.max ?? 2000) <= 1999 && facets?.data.type[0]?.count !== 0);
const { data: boats } = await client.GET("/v1/boats.ndjson", { parseAs: "text" });
const one = await client.GET("/v1/boats", { params: { query: { limit: 1 } } });
assert.equal(boats?.trimEnd().split("\n").length, one.data?.pagination.total);

// Errors.
const missing = await client.GET("/v1/boats/{idOrSlug}", { params: { path: { idOrSlug: "nothing" } } });
const refused = await stranger.GET("/v1/boats");
const wrong = await client.GET("/v1/boats", { params: { query: { yearFrom: 1990, yearTo: 1980 } } });
const gone = await client.GET("/v1/changes", { params: { query: { since: "20200101T000000Z-0123456789abcdef" } } });
const codes: (string | undefined)[] = [missing, refused, wrong, gone].map((answer) => answer.error?.error.code);
// A code that a later version adds is no reason to fail.
const later: components["schemas"]["ErrorObject"]["code"] = "ADDED_LATER";
assert(!codes.includes(later));
assert.deepEqual(codes, ["NOT_FOUND", "MISSING_API_KEY", "VALIDATION_ERROR", "RELEASE_GONE"]);
assert.equal(wrong.error?.error.details?.issues[0]?.field, "yearTo");
assert.equal(refused.error?.error.requestId, refused.response.headers.get("X-Request-Id"));
