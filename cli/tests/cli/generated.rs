//! Exports from the generator of large exports follow every rule, so a new rule that they break is
//! noticed before a benchmark reads them.

#[path = "../../examples/generate_export/export.rs"]
mod export;

use crate::harness::TestCli;

#[test]
fn a_generated_export_has_no_finding() {
    for seed in 0..3 {
        let mut cli = TestCli::new();
        let mut lines = Vec::new();
        export::write_export(400, seed, &mut lines).unwrap();
        cli.write("export.ndjson", &lines);
        let outcome = cli.run(&["validate", "--json", "[dir]/export.ndjson"]);
        let report = outcome.document();
        assert_eq!(report["findings"], serde_json::json!([]), "seed {seed}");
    }
}
