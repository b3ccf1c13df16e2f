"""What httplint notes about our messages, and why each note may stay: the one table of them.

A note with a status that is not here is a finding, and so is what stands here and is not noted any more. GOOD and INFO
are the linter's words for what it only tells; they are listed too, so that a change of caching is seen.
"""

from dataclasses import dataclass

ANSWERED = (200, 304)
REFUSED = (400, 401, 403, 404, 405, 408, 410, 413, 414, 416, 429, 431, 500, 503)


@dataclass(frozen=True)
class Explained:
    """A note, by the name of its class in httplint; the statuses that it is seen with; why it stays."""

    note: str
    statuses: tuple
    why: str


EXPLAINED = [
    # Praise.
    Explained("CL_CORRECT", (200, 206, 308, *REFUSED), "as it should be"),
    Explained("DATE_CORRECT", (*ANSWERED, 204, 206, 308, *REFUSED), "as it should be"),
    Explained("FRESHNESS_FRESH", (*ANSWERED, 206), "max-age, which the contract sets"),

    # The documentation, which says to browsers what it may do.
    Explained("CONTENT_SECURITY_POLICY", ANSWERED, "as it should be"),
    Explained("CONTENT_TYPE_OPTIONS", ANSWERED, "as it should be"),
    Explained("PERMISSIONS_POLICY_PRESENT", ANSWERED, "as it should be"),
    Explained("REFERRER_POLICY_STRICT", ANSWERED, "as it should be"),
    Explained("FRESHNESS_NO_CACHE", (200,), "documentation is asked for again, so that it fits the server that runs"),

    # A status is noted because it is one: it is meant for the client, and these requests were sent to see it.
    Explained("STATUS_BAD_REQUEST", (400,), "a parameter that does not exist was asked for"),
    Explained("STATUS_FORBIDDEN", (403,), "the key does not have the scope"),
    Explained("STATUS_NOT_FOUND", (404,), "a record and a path that do not exist were asked for"),
    Explained("STATUS_METHOD_NOT_ALLOWED", (405,), "the catalogue is read-only"),
    Explained("STATUS_GONE", (410,), "changes since a release that is not kept were asked for"),
    Explained("STATUS_REQUEST_ENTITY_TOO_LARGE", (413,), "a body was announced, and none is taken"),
    Explained("STATUS_URI_TOO_LONG", (414,), "an address of 20 KiB was asked for"),
    Explained("STATUS_TOO_MANY_REQUESTS", (429,), "a limit was used up"),
    Explained("STATUS_REQUEST_HEADER_FIELDS_TOO_LARGE", (431,), "a header field of 20 KiB was sent"),
    Explained("STATUS_INTERNAL_SERVICE_ERROR", (500,), "bodies were damaged while they were served"),
    Explained("STATUS_SERVICE_UNAVAILABLE", (503,), "the key store was taken away"),

    # Who may store an answer, and for how long.
    Explained("CURRENT_AGE", (200,), "a list that was asked for before comes from the cache, which `Age` says"),
    Explained("AGE_PENALTY", (200,),
              "of such a list only the body is old: the message is of this moment, as its limits are, and so is Date"),
    Explained("STORE_PRIVATE_CC", (*ANSWERED, 206), "records are for the client that has the key: `private`"),
    Explained("STORE_STORABLE", ANSWERED, "the OpenAPI document is for everybody"),
    Explained("STORE_NO_STORE", (200, 308), "the version descriptor, the uptime and what is left of limits are of the moment; "
              "/ may be a page of its own one day"),
    Explained("LOCATION_NOT_ABSOLUTE", (308,), "behind a proxy a server does not know its own address"),
    Explained("STALE_SERVABLE", (*ANSWERED, 206, 400, 401, 403, 404, 410, 416, 429, 500, 503),
              "what forbids it is `must-revalidate`, which lets shared caches store answers to requests with a key"),
    Explained("STORE_UNSTORABLE", (304, 400, 401, 404, 408, 413, 414, 431),
              "no answer that is a refusal is to be stored, nor that the documentation is still the same"),
    Explained("STORE_PRIVATE_AUTH", (400, 401, 403, 404, 410, 416, 429, 500, 503),
              "the contract has no Cache-Control on errors; what a client with a key stores, no other client reads"),
    Explained("FRESHNESS_NONE", (400, 401, 403, 404, 416, 429, 500, 503), "and it has to ask again each time"),

    Explained("FRESHNESS_HEURISTIC", (410,), "a guess goes by Last-Modified, which there is not; and a release that is gone stays so"),

    # Pages of other origins, on servers that let them in.
    Explained("CORS_ORIGIN_MATCH", (*ANSWERED, 204, 400, 401, 405, 413), "the origin is one of those that were named"),
    Explained("CORS_ORIGIN_STAR", (*ANSWERED, 204, 400, 401, 405, 413), "every origin was let in"),
    Explained("CORS_PREFLIGHT_RESPONSE", (204,), "it is one"),
]
