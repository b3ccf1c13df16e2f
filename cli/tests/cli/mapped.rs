//! The same boats in several content systems, read by the shipped mappings, make the same release,
//! whatever their source and the names of their fields.

mod losses;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use cli::ExitStatus;
use flate2::Compression;
use flate2::write::GzEncoder;
use import::mapping::Shipped;
use serde_json::{Value, json};
use shared::base::data_dir::DataDir;
use shared::release::bodies::Bodies;
use shared::release::{Record, ReleaseStore, Releases};

use crate::harness::{TestCli, assert_snapshot};

const MAPPED: &str = fixture!("mapped");
const SANITY: &str = "[dir]/sanity.toml";

/// A directory with the shipped mappings.
fn with_mappings() -> TestCli {
    let cli = TestCli::new();
    for shipped in Shipped::ALL {
        let name = format!("{}.toml", shipped.name());
        cli.write(&name, shipped.text().as_bytes());
    }
    cli
}

fn export(system: &str) -> String {
    format!("{MAPPED}/{system}")
}

/// The exports that a shipped mapping reads, below [`MAPPED`].
fn exports(shipped: Shipped) -> Vec<String> {
    let name = shipped.name();
    match shipped {
        Shipped::Minimal => ["csv", "json", "parquet"]
            .map(|form| format!("{name}/{form}"))
            .into(),
        _ => vec![name.to_owned()],
    }
}

/// Imports an export and returns the id of the release with its records.
#[track_caller]
fn import(cli: &mut TestCli, export: &str, mapping: Option<&str>) -> String {
    cli.advance(Duration::from_mins(1));
    let mut args = vec!["import", "--json", export];
    args.extend(mapping.into_iter().flat_map(|file| ["--mapping", file]));
    let outcome = cli.run(&args);
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    let document = outcome.document();
    document["release"].as_str().unwrap().to_owned()
}

/// The served bodies with their ETags, by record id.
fn bodies(cli: &TestCli) -> BTreeMap<String, String> {
    let store = ReleaseStore::new(DataDir::new(cli.path("catalogue-data")));
    let release = store.open(&store.current().unwrap().unwrap()).unwrap();
    let of = |records: Vec<Record>, bodies: Bodies| {
        let body = move |(ordinal, record): (usize, Record)| {
            let text = String::from_utf8(bodies.read(ordinal).unwrap().to_vec()).unwrap();
            (record.id.to_string(), format!("{:?} {text}", record.etag))
        };
        records
            .into_iter()
            .enumerate()
            .map(body)
            .collect::<Vec<_>>()
    };
    let boats = of(release.boats().unwrap(), release.boat_bodies(0).unwrap());
    let manufacturers = of(
        release.manufacturers().unwrap(),
        release.manufacturer_bodies(0).unwrap(),
    );
    boats.into_iter().chain(manufacturers).collect()
}

#[test]
fn the_same_boats_are_one_release_whatever_system_holds_them() {
    let native = fs::read_to_string(export("native/export.ndjson")).unwrap();
    for shipped in Shipped::ALL {
        let mut cli = with_mappings();
        cli.write(
            "native.ndjson",
            losses::of(shipped).reduce(&native).as_bytes(),
        );
        let expected_release = import(&mut cli, "[dir]/native.ndjson", None);
        let expected = bodies(&cli);
        assert!(!expected.is_empty());
        let mapping = format!("[dir]/{}.toml", shipped.name());
        for system in exports(shipped) {
            let release = import(&mut cli, &export(&system), Some(&mapping));
            let found = bodies(&cli);
            assert!(found.keys().eq(expected.keys()), "{system}");
            for (id, body) in found {
                assert_eq!(Some(&body), expected.get(&id), "{system}: {id}");
            }
            // A release with the same files is not written again, so the id is the same.
            assert_eq!(release, expected_release, "{system}");
        }
    }
}

#[test]
fn every_shipped_mapping_finds_what_it_asks_for_and_leaves_no_key_unread() {
    let mut cli = with_mappings();
    for shipped in Shipped::ALL {
        for system in exports(shipped) {
            let mapping = format!("[dir]/{}.toml", shipped.name());
            let outcome = cli.run(&["mapping", "check", "--json", &mapping, &export(&system)]);
            assert_eq!(outcome.status, ExitStatus::Done, "{system}: {outcome}");
            let report = outcome.document();
            for rule in report["rules"].as_array().unwrap() {
                assert_eq!(rule["unread"], json!([]), "{system}: {}", rule["types"]);
            }
        }
    }
}

#[test]
fn what_is_not_published_is_counted_and_what_changed_is_warned_of() {
    let mut cli = with_mappings();
    let mut lines = Vec::new();
    for shipped in Shipped::ALL {
        let mapping = format!("--mapping=[dir]/{}.toml", shipped.name());
        for system in exports(shipped) {
            let outcome = cli.run(&["validate", "--json", &mapping, &export(&system)]);
            assert_eq!(outcome.status, ExitStatus::Done, "{system}: {outcome}");
            let report = outcome.document();
            lines.push(format!("{system}: {}", counts(&report["records"])));
            for finding in report["findings"].as_array().unwrap() {
                let [code, message] = ["code", "message"].map(|key| finding[key].as_str().unwrap());
                lines.push(format!("  {code}: {}", message.replace(MAPPED, "")));
            }
        }
    }
    assert_snapshot("mapped", &lines.join("\n"));
}

/// How many records of each kind are published, and how many more are not.
fn counts(records: &Value) -> String {
    let kinds = ["boat", "manufacturer", "term", "designer"];
    let count = |kind| {
        let of = &records[kind];
        format!("{kind} {} + {}", of["published"], of["unpublished"])
    };
    kinds.map(count).join(", ")
}

#[test]
fn the_mapping_of_sheets_reads_them_as_parquet_with_types_too() {
    let mut cli = with_mappings();
    let sheets = import(&mut cli, &export("csv"), Some("[dir]/csv.toml"));
    let text = Shipped::Csv.text().replace(".csv\"]", ".parquet\"]");
    let text = text.replace("\nreader = \"csv\"", "\nreader = \"parquet\"");
    cli.write("parquet.toml", text.as_bytes());
    let typed = import(&mut cli, &export("parquet"), Some("[dir]/parquet.toml"));
    assert_eq!(typed, sheets);
}

#[test]
fn a_file_that_is_read_from_its_end_comes_as_any_other_does() {
    let mut cli = with_mappings();
    let mapping = Some("[dir]/minimal.toml");
    let file = fs::read(format!("{MAPPED}/minimal/parquet/boats.parquet")).unwrap();
    let whole = import(&mut cli, &export("minimal/parquet"), mapping);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&file).unwrap();
    let gzip = gzip.finish().unwrap();
    cli.write("boats.parquet.gz", &gzip);
    assert_eq!(import(&mut cli, "[dir]/boats.parquet.gz", mapping), whole);
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(file.len() as u64);
    let appended = archive.append_data(&mut header, "x/boats.parquet", file.as_slice());
    appended.unwrap();
    cli.write("boats.tar", archive.into_inner().unwrap());
    assert_eq!(import(&mut cli, "[dir]/boats.tar", mapping), whole);

    // A pipe has no name, so the mapping has one source.
    let text = Shipped::Minimal.text();
    let (before, sources) = text.split_once("\n[[sources]]").unwrap();
    let (_, last) = sources.rsplit_once("[[sources]]").unwrap();
    cli.write(
        "one.toml",
        format!("{before}\n[[sources]]{last}").as_bytes(),
    );
    let piped = ["validate", "--mapping=[dir]/one.toml", "-"];
    assert_eq!(cli.run_with_input(&piped, &file).status, ExitStatus::Done);
    for (cut, code) in [
        (&file[..file.len() - 1], "FILE_TRUNCATED"),
        (&gzip[..gzip.len() / 2], "FILE_TRUNCATED"),
        (b"id,maker\n1,Norr\n", "FILE_CORRUPT"),
    ] {
        let refused = cli.run_with_input(&piped, cut);
        assert_eq!(refused.status, ExitStatus::InvalidData, "{refused}");
        assert!(refused.err.contains(&format!("error[{code}]")), "{refused}");
    }
}

#[test]
fn a_field_that_was_renamed_is_one_line_of_the_mapping() {
    let mut cli = with_mappings();
    let before = import(&mut cli, &export("sanity"), Some(SANITY));
    let documents = fs::read_to_string(format!("{MAPPED}/sanity/data.ndjson")).unwrap();
    let renamed = documents.replace("\"loa\":", "\"overallLength\":");
    assert_ne!(renamed, documents);
    cli.write("data.ndjson", renamed.as_bytes());
    let args = ["import", "--mapping", SANITY, "[dir]/data.ndjson"];
    let refused = cli.run(&args);
    assert_eq!(refused.status, ExitStatus::InvalidData, "{refused}");

    let mapping = Shipped::Sanity.text();
    let fixed = mapping.replace("\".loa\"", "\".overallLength\"");
    let lines = mapping.lines().zip(fixed.lines());
    assert_eq!(lines.filter(|(old, new)| old != new).count(), 1);
    cli.write("fixed.toml", fixed.as_bytes());
    let after = import(&mut cli, "[dir]/data.ndjson", Some("[dir]/fixed.toml"));
    assert_eq!(after, before);
}

#[test]
fn texts_are_taken_in_the_locales_that_the_mapping_names() {
    let mut cli = with_mappings();
    let shipped = Shipped::Contentful.text();
    let german = shipped.replace("[\"en-GB\", \"en-US\"]", "[\"de-DE\", \"en-US\"]");
    cli.write("german.toml", german.as_bytes());
    let with = |text: &str, cli: &TestCli| -> usize {
        let bodies = bodies(cli).into_values();
        bodies.filter(|body| body.contains(text)).count()
    };
    import(
        &mut cli,
        &export("contentful"),
        Some("[dir]/contentful.toml"),
    );
    assert_eq!(with("Auf Bestellung gebaut", &cli), 0);
    assert_eq!(with("Cold-moulded wood", &cli), 2);
    import(&mut cli, &export("contentful"), Some("[dir]/german.toml"));
    assert_eq!(with("Auf Bestellung gebaut", &cli), 2);
    assert_eq!(with("Cold-molded wood", &cli), 2);
}

#[test]
fn products_that_a_shop_hid_before_it_had_terms_for_that_are_not_published() {
    let file = format!("{MAPPED}/wordpress/boats.WordPress.2026-11-21.xml");
    let shop = fs::read_to_string(file).unwrap();
    let product = "<wp:post_type><![CDATA[product]]></wp:post_type>";
    let served = |visibility: &str| {
        let mut cli = with_mappings();
        let field = format!(
            "{product}<wp:postmeta><wp:meta_key>_visibility</wp:meta_key>\
             <wp:meta_value>{visibility}</wp:meta_value></wp:postmeta>"
        );
        cli.write("shop.xml", shop.replacen(product, &field, 1).as_bytes());
        import(&mut cli, "[dir]/shop.xml", Some("[dir]/wordpress.toml"));
        bodies(&cli).len()
    };
    assert_eq!(["visible", "catalog"].map(served), [14; 2]);
    assert_eq!(["hidden", "search"].map(served), [13; 2]);
}

#[test]
fn drafts_of_directus_are_not_published_where_the_export_lacks_the_status() {
    let mut cli = with_mappings();
    fs::create_dir(cli.path("directus")).unwrap();
    for entry in fs::read_dir(export("directus")).unwrap() {
        let entry = entry.unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        let mut items: Vec<Value> = serde_json::from_str(&text).unwrap();
        if entry.file_name() == "boats.json" {
            for item in &mut items {
                item.as_object_mut().unwrap().remove("status");
            }
        }
        let text = serde_json::to_vec(&items).unwrap();
        let name = entry.file_name().into_string().unwrap();
        cli.write(&format!("directus/{name}"), &text);
    }
    let args = "validate --json --mapping=[dir]/directus.toml [dir]/directus";
    let report = cli.run(args).document();
    let boats = &report["records"]["boat"];
    assert_eq!(
        *boats,
        json!({"published": 0, "unpublished": 11, "invalid": 0})
    );
    assert_eq!(report["counts"]["NO_PUBLISHED_BOATS"], json!(1));
}

#[test]
fn the_rows_of_a_product_may_stand_in_several_files() {
    let mut cli = with_mappings();
    let whole = import(&mut cli, &export("shopify"), Some("[dir]/shopify.toml"));
    let file = format!("{MAPPED}/shopify/products_export_1.csv");
    let text = fs::read_to_string(file).unwrap();
    // Rows without a title. The first product has two; each is now the second row of its file.
    let has_no_title = |line: &&str| {
        let (_, rest) = line.split_once(',').unwrap_or_default();
        rest.starts_with(",,,,")
    };
    let rows: Vec<&str> = text.lines().filter(has_no_title).collect();
    let moved = [rows[2], rows[1]];
    let (header, _) = text.split_once('\n').unwrap();
    let rest: String = text
        .split_inclusive('\n')
        .filter(|line| !moved.contains(&line.trim_end()))
        .collect();
    cli.write("products_export_1.csv", rest.as_bytes());
    let second = [header.trim_end(), moved[0], moved[1], ""].join("\n");
    cli.write("products_export_2.csv", second.as_bytes());
    let outcome = cli.run("import --mapping=[dir]/shopify.toml [dir]/products_export_1.csv [dir]/products_export_2.csv");
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    assert!(!outcome.err.contains("DUPLICATE_KEY"), "{outcome}");
    assert!(outcome.to_string().contains(&whole), "{outcome}");
}

#[test]
fn an_export_is_read_as_the_archive_that_the_system_makes() {
    let mut cli = with_mappings();
    let native = import(&mut cli, &export("native"), None);
    for (system, prefix) in [("sanity", "production-export-2026-11-21"), ("strapi", ".")] {
        let path = cli.path(format!("{system}.tar.gz"));
        pack(&export(system), prefix, &path);
        let packed = format!("[dir]/{system}.tar.gz");
        let mapping = format!("[dir]/{system}.toml");
        assert_eq!(
            import(&mut cli, &packed, Some(&mapping)),
            native,
            "{system}"
        );
    }
}

/// Packs a folder, with its contents below `prefix`.
fn pack(folder: &str, prefix: &str, archive: &Path) {
    let file = fs::File::create(archive).unwrap();
    let mut builder = tar::Builder::new(GzEncoder::new(file, Compression::fast()));
    builder.append_dir_all(prefix, folder).unwrap();
    builder.into_inner().unwrap().finish().unwrap();
}
