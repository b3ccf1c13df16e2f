"""What pages list is what there is, and numbers in them are those of the sources.

    .ci/run checks
"""

import re
import unittest

from checks import steps
from checks.base import ROOT

SERVING, UNAVAILABLE = "server/deploy/serving.md", "server/deploy/unavailable.md"
SHARED, PUBLISH = "server/deploy/several-servers.md", "cli/guides/publish.md"
NIGHTLY, UPGRADE = "cli/guides/nightly-import.md", "server/deploy/upgrade.md"
API, MAPPINGS = "server/guides/api.md", "cli/import/guides/mappings.md"
# A source, what stands before a number there, the page that has the number, and how; `{}` is the number.
NUMBERS = (
    ("server/src/wire/admission.rs", "const CONNECTIONS_MAX: usize = ", SERVING, "| connections | {}, or"),
    ("server/src/wire/admission.rs", "const OTHER_FILES: usize = ", SERVING, "or {} fewer than the process may open files"),
    ("server/src/wire/connection/state.rs", "const IDLE_MAX: Duration = Duration::from_secs(", SERVING,
     "| idle connection | {} seconds;"),
    ("server/src/wire/connection/state.rs", "const IDLE_MAX: Duration = Duration::from_secs(", "server/deploy/install.md",
     "idle timeout to the server below {} seconds"),
    ("server/src/wire/connection/state.rs", "const HEAD_MAX: Duration = Duration::from_secs(", SERVING,
     "| request line and headers | {} seconds,"),
    ("server/src/wire/connection/state.rs", "const ANSWER_MAX: Duration = Duration::from_mins(", SERVING,
     "| response | {} minutes,"),
    ("server/src/wire/connection/state.rs", "const STALLED_MAX: Duration = Duration::from_secs(", SERVING,
     "and {} seconds without progress"),
    ("server/src/serve.rs", "const STOP_SECONDS_MAX: u64 = ", SERVING, "finishes requests for up to {} seconds"),
    ("server/src/catalogue/queue.rs", "waiting_max: ", UNAVAILABLE, "with up to {} waiting"),
    ("server/src/catalogue/queue.rs", "working: Duration::from_secs(", UNAVAILABLE, "and {} s for the query"),
    ("shared/src/keys/limits.rs", "const CHANGES_HOLD_WITHIN: Duration = Duration::from_secs(", UNAVAILABLE,
     "not confirmed within {} s"),
    ("server/src/limits/redis.rs", "const WAIT_MAX: Duration = Duration::from_millis(", SHARED, "within {} ms"),
    ("cli/src/commands/fetch.rs", 'value_name = "SIZE", default_value = "', NIGHTLY, "| a file to fetch | {} GiB |"),
    ("cli/src/commands/import/comparison.rs", "const SAMPLE_MAX: usize = ", PUBLISH, "compares {} changed records of a kind"),
    ("shared/src/release/prune.rs", "const YOUNG: Duration = Duration::from_hours(", PUBLISH, "in the last {} hours"),
    ("shared/src/release/manifest.rs", 'const FORMAT: &str = "boat-release/', UPGRADE, "`boat-release/{}` only"),
    ("shared/src/keys/tables.rs", "const VERSION: i64 = ", UPGRADE, "tables of version {}."),
    ("server/src/params/search.rs", "const SEARCH_MAX: usize = ", API, "| `search` | up to {} characters"),
    ("server/src/params/parameter.rs", "const LIMIT_MAX: u64 = ", API, "rows of a page (1–{}, "),
    ("server/src/params/parameter.rs", "const LIMIT_DEFAULT: u64 = ", API, ", {} by default), and rows before it"),
    ("server/src/params/changes.rs", "const CHANGES_LIMIT_MAX: u64 = ", API, "up to {} changes a page"),
    ("server/src/http/representation.rs", "const TINY_BYTES: usize = ", API, "compresses responses from {} bytes on"),
    ("server/src/catalogue/facets.rs", "const FACET_VALUES_MAX: usize = ", API, "(the first {})"),
    ("cli/import/src/mapping/bounds.rs", "const DEPTH_MAX: usize = ", MAPPINGS, "and {} levels;"),
    ("cli/import/src/source/readers/xml/element.rs", "const NODES_MAX: usize = ", MAPPINGS, "{} elements and attributes"),
    ("cli/import/src/source/readers/workbook/parts.rs", "const PACKED_MAX: u64 = ", MAPPINGS, "a workbook {} MiB,"),
    ("cli/import/src/mapping/watch.rs", "const RECORD_TIME_MAX: Duration = Duration::from_secs(", MAPPINGS,
     "stopped after {} seconds"),
    ("cli/src/commands/wait.rs", "const WAIT_MAX: Duration = Duration::from_secs(", "cli/guides/keys.md",
     "within {} seconds, the command"),
    ("server/src/ops/scrape/quotas.rs", "const SUBSCRIPTIONS_MAX: usize = ", "server/deploy/monitoring.md",
     "the first {} by name"),
)


def read(path):
    return (ROOT / path).read_text()


class Pages(unittest.TestCase):
    def test_a_number_is_that_of_the_sources(self):
        for source, before, page, shown in NUMBERS:
            with self.subTest(page=page, shown=shown):
                found = re.search(re.escape(before) + r"(\d[\d_]*)", read(source))
                self.assertTrue(found, f"{source} does not have `{before}`")
                self.assertIn(shown.format(found[1].replace("_", ",")), read(page), page)

    def test_contributors_read_which_trials_a_place_needs_and_no_trial_is_left_out(self):
        table = read("CONTRIBUTING.md").partition("| Place | Trials |\n")[2].partition("\n\n")[0]
        named = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[2])}
        self.assertEqual(named, {step.name for step in steps.TRIALS} - {"build"})

    def test_operators_read_what_to_do_at_each_alert(self):
        table = read("server/deploy/monitoring.md").partition("| Alert (`Catalogue…`) |")[2].partition("\n\n")[0]
        named = {name for row in table.splitlines() for name in re.findall(r"`([A-Z]\w+)`", row.split("|")[1])}
        self.assertEqual(named, {*re.findall(r"alert: Catalogue(\w+)", read("server/deploy/prometheus/alerts.yml"))})


if __name__ == "__main__":
    unittest.main()
