"""What the Python client made from the document is good for: run against a server of the sample.

BASE is its address, KEY a key with every scope. It ends with 1 where something is not as the document says.
"""

import os
from http import HTTPStatus

from boat_catalogue_client import AuthenticatedClient, Client
from boat_catalogue_client.api.boats import get_all_boats_ndjson, get_boat, get_facets, list_boats
from boat_catalogue_client.api.copies import list_changes
from boat_catalogue_client.api.key import get_key
from boat_catalogue_client.api.manufacturers import list_manufacturers
from boat_catalogue_client.api.service import describe_version
from boat_catalogue_client.models import (
    BoatEnvelope, BoatSummaryList, ChangeList, ErrorEnvelope, FacetsEnvelope, Key, ListBoatsLengthUnit, ListBoatsOrder,
    ListBoatsSort, ManufacturerSummaryList, VersionEnvelope)

BASE = os.environ["BASE"]
# Whatever the document does not say of a status is an exception.
CLIENT = AuthenticatedClient(BASE, os.environ["KEY"], raise_on_unexpected_status=True)
STRANGER = Client(BASE, raise_on_unexpected_status=True)


def records():
    answer = get_boat.sync_detailed("first-40.7", client=CLIENT)
    assert isinstance(answer.parsed, BoatEnvelope)
    boat = answer.parsed.data
    assert (boat.slug, boat.unit.value, boat.length_overall) == ("first-40.7", "metric", 11.92)
    assert boat.reference_price.currency.code == "EUR"
    # Everything that is sent is described.
    assert not boat.additional_properties and not boat.hull.additional_properties
    again = get_boat.sync_detailed(boat.id, client=CLIENT, if_none_match=answer.headers["ETag"])
    assert again.status_code == HTTPStatus.NOT_MODIFIED and again.parsed is None
    zephyr = get_boat.sync("zephyr", client=CLIENT)
    assert isinstance(zephyr, BoatEnvelope)
    assert zephyr.data.hull.keel_type is None and zephyr.data.reference_price is None


def lists():
    rows, total = [], 1
    while len(rows) < total:
        page = list_boats.sync(client=CLIENT, length_min=30, length_unit=ListBoatsLengthUnit.FT,
                               sort=ListBoatsSort.LENGTH, order=ListBoatsOrder.DESC, limit=7, offset=len(rows))
        assert isinstance(page, BoatSummaryList) and page.data and page.pagination.limit == 7
        total = page.pagination.total
        rows += page.data
    lengths = [row.length_overall_metres for row in rows]
    assert 7 < len(rows) == len({row.id for row in rows})
    assert lengths == sorted(lengths, reverse=True) and 9.1 < min(lengths)


def others():
    version = describe_version.sync(client=STRANGER)
    assert isinstance(version, VersionEnvelope) and version.data.links.boats == "/v1/boats"
    makers = list_manufacturers.sync(client=CLIENT, search="ang", limit=1)
    assert isinstance(makers, ManufacturerSummaryList) and makers.pagination.total == 1
    assert makers.data[0].updated_at.utcoffset().total_seconds() == 0


def copies():
    key = get_key.sync(client=CLIENT)
    assert isinstance(key, Key) and "catalogue.export" in key.scopes and key.rate_limit.remaining < key.rate_limit.limit
    changes = list_changes.sync(client=CLIENT, since=key.release)
    assert isinstance(changes, ChangeList) and (changes.data, changes.release) == ([], key.release)
    facets = get_facets.sync(client=CLIENT, year_to=1999)
    assert isinstance(facets, FacetsEnvelope) and facets.data.year.max_ <= 1999 and facets.data.type_[0].count
    boats, page = get_all_boats_ndjson.sync(client=CLIENT), list_boats.sync(client=CLIENT, limit=1)
    assert boats.count(b"\n") == page.pagination.total


def errors():
    missing = get_boat.sync("nothing", client=CLIENT)
    refused = list_boats.sync_detailed(client=STRANGER)
    wrong = list_boats.sync(client=CLIENT, year_from=1990, year_to=1980)
    gone = list_changes.sync(client=CLIENT, since="20200101T000000Z-0123456789abcdef")
    for answer, code in [(missing, "NOT_FOUND"), (refused.parsed, "MISSING_API_KEY"), (wrong, "VALIDATION_ERROR"),
                         (gone, "RELEASE_GONE")]:
        assert isinstance(answer, ErrorEnvelope) and answer.error.code == code
    assert wrong.error.details.issues[0].field == "yearTo"
    assert refused.parsed.error.request_id == refused.headers["X-Request-Id"]
    # A code that a later version adds is no reason to fail.
    later = {"error": {"code": "ADDED_LATER", "message": "", "requestId": "1"}}
    assert ErrorEnvelope.from_dict(later).error.code == "ADDED_LATER"


records()
lists()
others()
copies()
errors()
