//! What the draft of a mapping publishes: never what a key says is not public, and nothing that it
//! does not understand.

use serde_json::{Value, json};

use super::*;
use crate::mapping::status::words::flag_of;

/// Records of boats, each with these keys besides.
pub(super) fn boats(keys: &[Value]) -> String {
    let boats = keys.iter().enumerate().map(|(number, keys)| {
        let mut boat = json!({
            "id": number, "maker": "Volund", "model": format!("M{number}"), "type": "Ketch",
            "year": 2018, "loa": 9.5,
        });
        let own = keys.as_object().cloned().unwrap_or_default();
        boat.as_object_mut().unwrap().extend(own);
        boat
    });
    Value::Array(boats.collect()).to_string()
}

/// The numbers of published and unpublished boats with the draft for records with these keys.
fn published(keys: &[Value]) -> (u64, u64) {
    let (directory, export) = exported("a.json", boats(keys));
    let exports = [export];
    let suggestion = suggest(&exports, directory.path(), now()).unwrap();
    assert!(!suggestion.is_open, "{}", suggestion.text);
    let outcome = check(&suggestion.text, &exports, directory.path()).unwrap();
    let boats = outcome.tally.boat;
    assert_eq!(outcome.findings.errors(), 0, "{}", suggestion.text);
    (boats.published, boats.unpublished)
}

/// The draft for records with these keys.
fn draft(keys: &[Value]) -> Suggestion {
    suggested("a.json", boats(keys)).unwrap()
}

/// The expression for whether a record is published.
fn expression(suggestion: &Suggestion) -> &str {
    let mut lines = suggestion.text.lines();
    let line = lines.find(|line| line.starts_with("published = "));
    line.unwrap_or_default()
}

#[test]
fn all_keys_of_a_record_decide_together_whether_it_is_public() {
    let time = "2024-01-15T09:00:00Z";
    for keys in [
        json!([{"Archived": false, "Draft": false}, {"Archived": true, "Draft": false},
            {"Archived": false, "Draft": true}]),
        json!([{"Archived": "false"}, {"Archived": "true"}, {"Archived": "true"}]),
        json!([{"isDraft": "no"}, {"isDraft": "yes"}, {"isDraft": "yes"}]),
        json!([{"is_hidden": 0}, {"is_hidden": 1}, {"is_hidden": 1}]),
        json!([{"hidden": null}, {"hidden": true}, {"hidden": true}]),
        json!([{"deleted": "N"}, {"deleted": "Y"}, {"deleted": "Y"}]),
        json!([{"deletedAt": null}, {"deletedAt": time}, {"deletedAt": time}]),
        json!([{"deleted_at": ""}, {"deleted_at": "2024-01-15 09:00:00"}, {"deleted_at": time}]),
        json!([{"enabled": 1}, {"enabled": 0}, {"enabled": 0}]),
        json!([{"is_active": true}, {"is_active": false}, {}]),
        json!([{"visible": "x"}, {"visible": ""}, {"visible": null}]),
        json!([{"Publish": "checked"}, {"Publish": ""}, {}]),
        json!([{"product_online": "1"}, {"product_online": "2"}, {"product_online": "2"}]),
        json!([{"publishedAt": time}, {"publishedAt": null}, {}]),
        json!([{"Published On": time}, {"Published On": "0000-00-00 00:00:00"}, {}]),
        json!([{"postDate": "2024-03-01 09:00:00"}, {"postDate": null}, {}]),
        json!([{"SalesStatus": "Active"}, {"SalesStatus": "Sold"}, {"SalesStatus": "Inactive"}]),
        json!([{"Status": "For sale"}, {"Status": "DRAFT"}, {"Status": "withdrawn"}]),
        json!([{"State": "Live"}, {"State": "Draft"}, {"State": "Archived"}]),
        json!([{"visibility": "public", "status": "published"},
            {"visibility": "hidden", "status": "published"},
            {"visibility": "public", "status": "draft"}]),
        json!([{"status": {"id": 1, "name": "Live"}}, {"status": {"id": 2, "name": "Draft"}},
            {"status": {"id": 3, "name": "Sold"}}]),
        json!([{"meta": {"isHidden": false}}, {"meta": {"isHidden": true}},
            {"meta": {"isHidden": true}}]),
        json!([{"Status": ["Live"]}, {"Status": ["Live", "Sold"]}, {"Status": []}]),
        json!([{"Sold": ""}, {"Sold": "Sold"}, {"Sold": "sold"}]),
        json!([{"Status": "veröffentlicht"}, {"Status": "Entwurf"}, {"Status": "verkauft"}]),
        json!([{"Aktiv": "WAHR"}, {"Aktiv": "FALSCH"}, {"Aktiv": "FALSCH"}]),
        json!([{"Statut": "En ligne"}, {"Statut": "Brouillon"}, {"Statut": "Vendu"}]),
        json!([{"Status": "Te koop"}, {"Status": "Concept"}, {"Status": "Verkocht"}]),
        json!([{"Stato": "Pubblicato"}, {"Stato": "Bozza"}, {"Stato": "Venduta"}]),
        json!([{"Estado": "Publicado"}, {"Estado": "Borrador"}, {"Estado": "Vendido"}]),
        // Names that are not known, by their words.
        json!([{"Inserat": "online"}, {"Inserat": "offline"}, {"Inserat": "Entwurf"}]),
        json!([{"Anzeigenstatus": "aktiv"}, {"Anzeigenstatus": "verkauft"},
            {"Anzeigenstatus": "verkauft"}]),
        // Names of several words, and the answers beside them.
        json!([{"Sold (Y/N)": "N"}, {"Sold (Y/N)": "Y"}, {"Sold (Y/N)": "Y"}]),
        json!([{"Aktiv (J/N)": "J"}, {"Aktiv (J/N)": "N"}, {"Aktiv (J/N)": "N"}]),
        json!([{"soldOut": "no"}, {"soldOut": "yes"}, {"soldOut": "yes"}]),
        json!([{"status_name": "Live"}, {"status_name": "Draft"}, {"status_name": "Sold"}]),
        json!([{"web status": "Live"}, {"web status": "Draft"}, {"web status": "Sold"}]),
        json!([{"Date of publication": time}, {"Date of publication": ""}, {}]),
        json!([{"Date de mise en ligne": time}, {"Date de mise en ligne": ""}, {}]),
        json!([{"Sold (product.metafields.custom.sold)": "false"},
            {"Sold (product.metafields.custom.sold)": "true"},
            {"Sold (product.metafields.custom.sold)": "true"}]),
        // Objects that stand for one value, and those around what is said of a record.
        json!([{"status": {"code": "live"}}, {"status": {"code": "draft"}},
            {"status": {"code": "sold"}}]),
        json!([{"status": {"slug": "live"}}, {"status": {"slug": "draft"}},
            {"status": {"slug": "sold"}}]),
        json!([{"archived": null}, {"archived": {"at": time, "by": "x"}},
            {"archived": {"at": time, "by": "x"}}]),
        json!([{"workflow": {"state": "Live"}}, {"workflow": {"state": "Draft"}},
            {"workflow": {"state": "Sold"}}]),
        json!([{"acf": {"sold": "0"}}, {"acf": {"sold": "1"}}, {"acf": {"sold": "1"}}]),
        json!([{"options": {"isHidden": false}}, {"options": {"isHidden": true}},
            {"options": {"isHidden": true}}]),
        json!([{"node": {"custom": {"sold": "no"}}}, {"node": {"custom": {"sold": "yes"}}},
            {"node": {"custom": {"sold": "yes"}}}]),
        // As sheets have them: letters that only Unicode lowers, and blanks.
        json!([{"Visible": "SÍ"}, {"Visible": "NO "}, {"Visible": "no"}]),
    ] {
        let keys = keys.as_array().unwrap();
        assert_eq!(published(keys), (1, 2), "{keys:?}");
    }
}

#[test]
fn a_record_is_public_neither_before_its_time_nor_after_it() {
    let (past, future) = ("2024-01-15", "2031-01-15");
    for keys in [
        json!([{"expiryDate": null}, {"expiryDate": past}, {"expiryDate": past}]),
        json!([{"expiryDate": future}, {"expiryDate": past}, {"expiryDate": past}]),
        json!([{"expires_at": "2031-01-15T09:00:00+02:00"}, {"expires_at": "2024-01-15T09:00:00Z"},
            {"expires_at": "2024-01-15T09:00:00Z"}]),
        json!([{"unpublishAt": ""}, {"unpublishAt": "2024-01-15 09:00:00"},
            {"unpublishAt": "2024-01-15 09:00:00"}]),
        json!([{"sys": {"expires": 1_900_000_000}}, {"sys": {"expires": 1_700_000_000}},
            {"sys": {"expires": 1_700_000_000}}]),
        json!([{"validUntil": 1_900_000_000_000_u64}, {"validUntil": 1_700_000_000_000_u64},
            {"validUntil": 1_700_000_000_000_u64}]),
        json!([{"Expiré": "non"}, {"Expiré": "oui"}, {"Expiré": "oui"}]),
        json!([{"Expire le": "15.01.2031"}, {"Expire le": "15.01.2024"},
            {"Expire le": "15.01.2024"}]),
        json!([{"gültig bis": "15.01.2031 12:00"}, {"gültig bis": "15.01.2024 12:00"},
            {"gültig bis": "15.01.2024 12:00"}]),
        json!([{"Visible jusqu'au": future}, {"Visible jusqu'au": past},
            {"Visible jusqu'au": past}]),
        json!([{"zichtbaar tot": future}, {"zichtbaar tot": past}, {"zichtbaar tot": past}]),
        json!([{"Data di scadenza": future}, {"Data di scadenza": past},
            {"Data di scadenza": past}]),
        json!([{"publicado hasta": future}, {"publicado hasta": past}, {"publicado hasta": past}]),
        json!([{"publish_down": "0000-00-00 00:00:00"}, {"publish_down": "2024-01-15 09:00:00"},
            {"publish_down": "2024-01-15 09:00:00"}]),
        json!([{"postDate": past}, {"postDate": future}, {"postDate": null}]),
        json!([{"publishDate": "2024-01-15T09:00:00"}, {"publishDate": "2031-01-15T09:00:00"},
            {"publishDate": "2031-01-15T09:00:00"}]),
        json!([{"sichtbar ab": null}, {"sichtbar ab": future}, {"sichtbar ab": future}]),
        json!([{"visible_from": past}, {"visible_from": future}, {"visible_from": future}]),
        json!([{"deletedBy": null}, {"deletedBy": "Anna"}, {"deletedBy": "Bo"}]),
        json!([{"Archived by": {"name": null}}, {"Archived by": {"name": "Anna"}},
            {"Archived by": {"name": "Bo"}}]),
    ] {
        let keys = keys.as_array().unwrap();
        assert_eq!(published(keys), (1, 2), "{keys:?}");
    }
    let suggestion = draft(&[
        json!({"expiryDate": "2031-01-15", "Status": "live"}),
        json!({"expiryDate": null, "Status": "live"}),
    ]);
    insta::assert_snapshot!(decision(&suggestion, "published"), @r#"where (.Status | lookup("status")) and (.expiryDate | past(time("%Y-%m-%d"; "UTC")) != true); public: live; times are taken for UTC"#);
}

#[test]
fn a_time_in_a_form_that_is_not_known_makes_nothing_public() {
    for (name, time) in [
        ("expiryDate", "1/15/2031"),
        ("expires", "in March"),
        ("postDate", "15/01/2024 9:00"),
        ("visible_from", "Q3 2026"),
    ] {
        let suggestion = draft(&[json!({name: time})]);
        assert!(suggestion.is_open, "{}", suggestion.text);
        let why = decision(&suggestion, "published");
        assert!(
            why.contains(&format!("nothing reads .{name}, so nothing")),
            "{why}"
        );
    }
    // One of tomorrow is an error.
    for (today, tomorrow) in [("2031-01-15", "1/15/2031"), ("", "soon")] {
        let (directory, export) = exported("a.json", boats(&[json!({"expires": today})]));
        let suggestion = suggest(&[export], directory.path(), now()).unwrap();
        assert!(!suggestion.is_open, "{}", suggestion.text);
        let (_later, export) = exported("a.json", boats(&[json!({"expires": tomorrow})]));
        let outcome = check(&suggestion.text, &[export], directory.path()).unwrap();
        assert_eq!(outcome.findings.errors(), 1);
        assert_eq!(outcome.tally.boat.published, 0);
    }
}

/// Columns that say whether a boat is shown, or may say so.
const SHOWN: &str = "\
    Website, web, Embargo, Vertraulich, Reserviert, Under offer, Nascondi, Exporté, Reviewed, \
    Vorschau, noindex, discontinued, hide_from_site, Auf Homepage, Im Shop, Portal, \
    Onlineanzeige, inserieren, Webfreigabe, Pubblicabile, Esportato, Gepubliceerd op site, \
    Syndicated, In feed, isIndexed, Mostrar en web";
/// Columns of equipment and of what else sheets answer by yes and no.
const EQUIPMENT: &str = "\
    Bow thruster, Radar, Autopilot, GPS, AIS, VHF, Heating, Webasto, Air conditioning, \
    Generator, Solar panels, Shower, Teak deck, Bimini, Sprayhood, VAT paid, MwSt. ausweisbar, \
    CE, Lazy jacks, Genoa, Spinnaker, Life raft, Safety net, Dinghy, Inverter, Shore power, \
    Fridge, Bugstrahlruder, Feuerlöscher, Landanschluss, Rollgenua, Kühlschrank, \
    Propulseur d'étrave, Pilote automatique, Boegschroef, Elica di prua, Molinete, Flybridge, \
    Removable mast, Pets allowed, Skipper required, One design, Featured, Trade-in";

#[test]
fn a_column_of_yes_and_no_is_asked_about_if_its_name_may_be_about_publishing() {
    for answers in [["yes", "no"], ["1", "0"], ["oui", "non"], ["x", ""]] {
        let row = |answer: &str| -> Value {
            let names = SHOWN.split(", ");
            let keys = names.map(|name| (name.to_owned(), Value::from(answer)));
            Value::Object(keys.collect())
        };
        let suggestion = draft(&answers.map(row));
        for name in SHOWN.split(", ") {
            let is_told = |line: &str| {
                let tells = line.starts_with("published = ") || line.contains("= \"?\"");
                let spellings = [format!(".{name}"), format!(".\"{name}\"")];
                tells && spellings.iter().any(|spelling| line.contains(spelling))
            };
            assert!(suggestion.text.lines().any(is_told), "{name} {answers:?}");
        }
    }
    let website = draft(&[json!({"Website": "https://boats.example/1"})]);
    let why = decision(&website, "published");
    assert_eq!(why, "every record, as no key says otherwise");
}

#[test]
fn equipment_is_not_asked_about() {
    let names = EQUIPMENT.split(", ").map(str::to_owned);
    let keys = names.map(|name| (name, Value::from("yes"))).collect();
    let suggestion = draft(&[Value::Object(keys)]);
    let why = decision(&suggestion, "published");
    assert!(!suggestion.is_open, "{why}");
}

#[test]
fn a_yes_no_column_in_another_language_says_what_is_published() {
    for (header, yes, no) in [
        ("Veröffentlicht", "ja", "nein"),
        ("VEROEFFENTLICHT", "Ja", "Nein"),
        ("Publié", "oui", "non"),
        ("En ligne", "Oui", "Non"),
        ("Pubblicato", "sì", "no"),
        ("Publicado", "sí", "no"),
        ("Gepubliceerd", "ja", "nee"),
    ] {
        let keys = [
            json!({header: yes}),
            json!({header: no}),
            json!({header: no}),
        ];
        assert_eq!(published(&keys), (1, 2), "{header}");
    }
}

#[test]
fn a_key_without_a_value_today_decides_tomorrow() {
    let sheet = |archived: &str, deleted: &str, published: &str| {
        boats(&[json!({"Archived": archived, "deletedAt": deleted, "publishedAt": published})])
    };
    let (directory, export) = exported("a.json", sheet("", "", "2024-01-15"));
    let suggestion = suggest(&[export], directory.path(), now()).unwrap();
    for (later, expected) in [
        (sheet("", "", "2024-01-15"), 1),
        (sheet("yes", "", "2024-01-15"), 0),
        (sheet("", "2024-01-15", "2024-01-15"), 0),
        (sheet("", "", ""), 0),
    ] {
        let (_later, export) = exported("a.json", later);
        let outcome = check(&suggestion.text, &[export], directory.path()).unwrap();
        assert_eq!(
            outcome.tally.boat.published, expected,
            "{}",
            suggestion.text
        );
    }
}

#[test]
fn words_that_are_not_known_are_left_to_a_person() {
    let words = ["Live", "Reserviert", "Draft", "Reserviert", "on hold"];
    let mut keys = words.map(|word| json!({"Status": word})).to_vec();
    keys.push(json!({}));
    let suggestion = draft(&keys);
    assert!(suggestion.is_open);
    let table = suggestion
        .text
        .split("\n\n# Whether records")
        .nth(1)
        .unwrap();
    insta::assert_snapshot!(
        format!("{}\n# Whether records{table}", expression(&suggestion)),
        @r##"
        published = '.Status // "" | lookup("status")'
        # Whether records with the word are public, and how many there are. Nothing is imported while
        # a word has "?": write true or false.
        [tables.status]
        "Live" = true                   # 1
        "Reserviert" = "?"              # 2
        "Draft" = false                 # 1
        "on hold" = "?"                 # 1
        "" = "?"                        # 1
        "##
    );
    insta::assert_snapshot!(decision(&suggestion, "published"), @r##"where .Status // "" | lookup("status"); public: Live; not public: Draft; to be decided, before which nothing is imported: Reserviert, on hold, no value"##);
    for (known, unknown) in [
        ("in stock", "out of stock"),
        ("https://schema.org/InStock", "https://schema.org/PreOrder"),
    ] {
        let feed = draft(&[known, unknown].map(|word| json!({ "availability": word })));
        let [known, unknown] =
            [(known, "true"), (unknown, "\"?\"")].map(|(word, is)| format!("{word:?} = {is}"));
        assert!(
            feed.text.contains(&known) && feed.text.contains(&unknown),
            "{}",
            feed.text
        );
    }
    let refused = Mapping::parse("a".to_owned(), suggestion.text.clone());
    assert!(refused.is_err());
    let decided = suggestion.text.replace("\"?\"", "false");
    assert!(Mapping::parse("a".to_owned(), decided).is_ok());
}

#[test]
fn keys_that_are_not_understood_are_left_to_a_person() {
    let days = |name: &str, other: &str, year: &str| {
        let days = (1..=25).map(|day| json!({name: format!("{day}/2/{year}")}));
        let other = [json!({name: other})].into_iter();
        other.chain(days).collect::<Value>()
    };
    for (keys, expected) in [
        (days("Sold on", "-", "2026"), ".\"Sold on\""),
        (days("Sold on", "1/3/26", "26"), ".\"Sold on\""),
        (days("publishedAt", "n/a", "2026"), ".publishedAt"),
        (json!([{"status": {"id": 3}}]), ".status.id"),
        (json!([{"archived": {"by": "x"}}]), ".archived.by"),
        (
            json!([{"attributes": {"status": {"data": {"attributes": {"name": "Draft"}}}}}]),
            ".attributes.status.data.attributes",
        ),
        (json!([{"webPublished": false}]), ".webPublished"),
        (json!([{"Anzeigen": "nein"}]), ".Anzeigen"),
        (json!([{"Freigabe": "ja"}]), ".Freigabe"),
        (json!([{"im Web": "nein"}]), ".\"im Web\""),
        (json!([{"Show on site": "N"}]), ".\"Show on site\""),
        (json!([{"Approved": false}]), ".Approved"),
        (json!([{"Afficher": "non"}]), ".Afficher"),
        (json!([{"agency": {"status": "Sold"}}]), ".agency.status"),
    ] {
        let suggestion = draft(keys.as_array().unwrap());
        let why = decision(&suggestion, "published");
        assert!(suggestion.is_open, "{}", suggestion.text);
        let named = format!("nothing reads {expected}, so nothing is imported");
        assert!(why.contains(&named), "{why}");
    }
    // Text that looks like an undecided word is none.
    let suggestion = draft(&[json!({"note": "x = \"?\""})]);
    assert!(!suggestion.is_open, "{}", suggestion.text);
    // A cross may mark those that are sold.
    let suggestion = draft(&[json!({"Status": "X"}), json!({})]);
    assert!(suggestion.text.contains("\n\"X\" = \"?\" "));
    // The draft of a boat is none.
    for depth in [
        json!({"draft": {"max": 1.8, "min": 0.9}}),
        json!({"draft": {"value": 1.8, "unit": "m"}}),
        json!({"draft_value": 1.8, "draft_unit": "m"}),
    ] {
        let suggestion = draft(&[depth]);
        assert!(!suggestion.is_open, "{}", suggestion.text);
        assert_eq!(expression(&suggestion), "");
    }
    let suggestion = draft(&[json!({"draft": {"value": 3}}), json!({"draft": null})]);
    assert!(suggestion.is_open, "{}", suggestion.text);
}

#[test]
fn a_key_that_only_late_records_have_decides_as_well() {
    let mut lines = "{\"id\": 1}\n".repeat(10_000);
    lines.push_str("{\"id\": 2, \"flags\": {\"sold\": true, \"new\": true}}\n");
    let (directory, export) = exported("a.ndjson", lines);
    let plan = plan_like("a.ndjson", Layout::of(Format::NDJSON));
    let surveyed = survey(&[export], &plan, &|_| true, false, directory.path()).unwrap();
    let publication = Publication::of(&surveyed.files[0], None);
    let expression = publication.expression();
    assert_eq!(
        expression.unwrap(),
        "((.flags.sold | flag) // false) == false"
    );
}

#[test]
fn of_several_keys_none_makes_a_record_public_by_another_value() {
    let now_and_later = |later: Value| {
        let keys = json!({"published": true, "visible": true});
        let (directory, export) = exported("a.json", boats(&[keys]));
        let suggestion = suggest(&[export], directory.path(), now()).unwrap();
        let (_later, export) = exported("a.json", boats(&[later]));
        let outcome = check(&suggestion.text, &[export], directory.path()).unwrap();
        outcome.tally.boat.published
    };
    assert_eq!(
        now_and_later(json!({"published": true, "visible": true})),
        1
    );
    for value in [json!(0), json!("false")] {
        let later = json!({"published": value, "visible": true});
        assert_eq!(now_and_later(later), 0);
    }
}

#[test]
fn many_times_of_publication_are_not_words_that_are_left_out() {
    let keys: Vec<Value> = (0..30)
        .map(|minute| json!({"postDate": format!("2024-03-01 09:{minute:02}:00")}))
        .collect();
    let suggestion = draft(&keys);
    insta::assert_snapshot!(suggestion.decisions[0].why, @r#"where .postDate | past(time("%Y-%m-%d %H:%M:%S"; "UTC")) == true; times are taken for UTC"#);
}

#[test]
fn a_word_of_tomorrow_is_an_error_and_not_public() {
    let (directory, export) = exported("a.json", boats(&[json!({"Status": "Live"})]));
    let suggestion = suggest(&[export], directory.path(), now()).unwrap();
    for later in [
        json!({"Status": "Reserviert"}),
        json!({"Status": ""}),
        json!({}),
    ] {
        let (_later, export) = exported("a.json", boats(&[later]));
        let outcome = check(&suggestion.text, &[export], directory.path()).unwrap();
        assert_eq!(outcome.findings.errors(), 1);
        assert_eq!(outcome.tally.boat.published, 0);
    }
}

#[test]
fn names_that_may_mean_something_else_are_only_named() {
    for (keys, expected) in [
        (json!({"x": 1}), "every record, as no key says otherwise"),
        // A place, and the depth of a keel.
        (
            json!({"State": "Florida"}),
            "every record; look at .State, which may say more",
        ),
        (
            json!({"Draft": "1.80 m / 5' 11.5\"", "Air draft": "15 m"}),
            "every record, as no key says otherwise",
        ),
        (
            json!({"draft": 1.8}),
            "every record, as no key says otherwise",
        ),
        // The state of something else.
        (
            json!({"engine": {"active": true}}),
            "every record; look at .engine.active, which may say more",
        ),
        (
            json!({"State": "Florida", "etat": "Var", "stato": "Roma", "stage": "6", "estado": "Ceuta",
                "zustand": "gut", "Public price": "on request"}),
            "every record; look at .\"Public price\", .State, .estado, .etat, .stage, and 2 others, \
             which may say more",
        ),
    ] {
        let suggestion = draft(std::slice::from_ref(&keys));
        assert_eq!(decision(&suggestion, "published"), expected, "{keys}");
        assert_eq!(expression(&suggestion), "");
    }
    let suggestion = draft(&[json!({"Draft": "1.8"}), json!({"Draft": "2,05"})]);
    assert!(boat_fields(&suggestion.text).contains(&"dimensions.draftMax"));
}

#[test]
fn keys_that_somebody_added_to_a_content_system_are_left_to_a_person() {
    let documents = |boat: &str| {
        format!(
            "{}\n{{\"_id\":\"y\",\"_type\":\"boat\",\"_updatedAt\":\"2026-01-01T00:00:00Z\",{boat}\
             \"slug\":{{\"current\":\"y\"}},\"title\":\"Yacht\"}}\n",
            r#"{"_id":"b","_type":"manufacturer","_updatedAt":"2026-01-01T00:00:00Z","active":true,"slug":{"current":"h"},"name":"Hanse"}"#,
        )
    };
    let suggestion = suggested("data.ndjson", documents("")).unwrap();
    assert!(!suggestion.is_open, "{}", suggestion.text);
    let suggestion = suggested(
        "data.ndjson",
        documents(r#""status":"sold","isHidden":true,"#),
    );
    let suggestion = suggestion.unwrap();
    assert!(suggestion.is_open);
    assert!(Mapping::parse("a".to_owned(), suggestion.text.clone()).is_err());
    for (boat, expected) in [
        (r#""flags":{"sold":true},"#, "flags.sold"),
        (r#""settings":{"isHidden":true},"#, "settings.isHidden"),
        (r#""workflow":{"state":"draft"},"#, "workflow.state"),
        (r#""status":{"id":3},"#, "status"),
        (r#""archivedAt":null,"#, "archivedAt"),
        (
            r#""settings":{"theme":"x","isHidden":null},"#,
            "settings.isHidden",
        ),
    ] {
        let suggestion = suggested("data.ndjson", documents(boat)).unwrap();
        assert!(suggestion.is_open, "{boat}");
        let table = format!("[tables.unread_status]\n\"{expected}\" = \"?\"");
        assert!(suggestion.text.contains(&table), "{}", suggestion.text);
    }
    insta::assert_snapshot!(decision(&suggestion, "published"), @r##"nothing reads isHidden, status, so nothing is imported before [tables.unread_status] is decided"##);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// A word makes nothing public unless it is known to.
    #[test]
    fn no_word_is_public_by_not_being_understood(word in "\\PC{1,20}") {
        prop_assume!(!word.trim().is_empty() && flag_of(&word) != Some(true));
        let (directory, export) = exported("a.json", boats(&[json!({"Status": word})]));
        let exports = [export];
        let suggestion = suggest(&exports, directory.path(), now()).unwrap();
        if !suggestion.is_open {
            let outcome = check(&suggestion.text, &exports, directory.path()).unwrap();
            prop_assert_eq!(outcome.tally.boat.published, 0);
        }
    }
}

#[test]
fn what_says_so_deep_within_or_later_is_left_to_a_person() {
    for (keys, expected) in [
        (
            json!({"a": {"b": {"c": {"isDraft": true}}}}),
            ".a.b.c.isDraft",
        ),
        (json!({"a": {"b": {"published": "no"}}}), ".a.b.published"),
        (
            json!({"Available from": "2031-01-15"}),
            ".\"Available from\"",
        ),
        (json!({"Verfügbar ab": "15.1.2031"}), ".\"Verfügbar ab\""),
        (json!({"Embargo": "1/15/2031"}), ".Embargo"),
        (
            json!({"release": {"embargo": {"until": "2030-01-01"}}}),
            ".release.embargo.until",
        ),
        (json!({"Is test": "TRUE"}), ".\"Is test\""),
        (json!({"flags": ["draft"]}), ".flags"),
        (json!({"tags": ["new", "hidden"]}), ".tags"),
        (json!({"Info": "SOLD"}), ".Info"),
        (json!({"Info": "Sold, awaiting collection"}), ".Info"),
        (json!({"Info": "DO NOT PUBLISH"}), ".Info"),
        (
            json!({"Interne Notiz": "Bitte nicht veröffentlichen!"}),
            ".\"Interne Notiz\"",
        ),
        (json!({"Info": "verkauft"}), ".Info"),
    ] {
        let suggestion = draft(std::slice::from_ref(&keys));
        let why = decision(&suggestion, "published");
        assert!(suggestion.is_open, "{keys} {why}");
        let named = format!("nothing reads {expected}, so nothing is imported");
        assert!(why.contains(&named), "{why}");
    }
    let suggestion = draft(&[json!({"Embargo": "2031-01-15"}), json!({})]);
    assert_eq!(
        expression(&suggestion),
        r#"published = '.Embargo | past(time("%Y-%m-%d"; "UTC")) != false'"#
    );
    for keys in [
        json!({"a": {"b": {"c": {"isDraft": false}}}}),
        json!({"Info": "A shallow draft and a hidden anchor locker"}),
        json!({"Seller": "private", "Cables": "internal", "tags": ["new", "teak"]}),
        json!({"Story": "She was built for a family that had sold all it had to sail the world"}),
    ] {
        let suggestion = draft(std::slice::from_ref(&keys));
        assert!(!suggestion.is_open, "{keys} {}", suggestion.text);
    }
}

#[test]
fn what_lists_and_texts_of_json_say_is_left_to_a_person() {
    let late = |value: &str| {
        let ids = (0..60).map(|id| json!({ "note": format!("n{id}") }));
        let mut boats: Vec<Value> = ids.collect();
        boats[50] = json!({ "note": value });
        boats
    };
    for (keys, asked) in [
        (
            vec![json!({"channels": [{"name": "web", "published": false}]})],
            ".channels[].published",
        ),
        (
            vec![json!({"versions": [{"n": 1}, {"status": "draft"}]})],
            ".versions[].status",
        ),
        (
            vec![json!({"i18n": {"releases": [{"embargo": "2031-01-01"}]}})],
            ".i18n.releases[].embargo",
        ),
        (
            vec![json!({"a": [[{"b": [{"isDraft": "yes"}]}]]})],
            ".a[][].b[].isDraft",
        ),
        (
            vec![json!({"more": "{\"state\":{\"archived\":true}}"})],
            ".more | fromjson | .state.archived",
        ),
        (
            vec![json!({"more": "[{\"hidden\":1}]"})],
            ".more | fromjson | .[].hidden",
        ),
        (
            vec![json!({"facts": [{"label": "Status", "text": "Draft"}]})],
            r#"(.facts | pair("label"; "Status") | .text)"#,
        ),
        (late("SOLD, do not show"), ".note"),
        (late("drafts.b50"), ".note"),
    ] {
        let suggestion = draft(&keys);
        let line = format!("{} = \"?\"", crate::suggest::text::quoted(asked));
        assert!(
            suggestion.text.contains(&line),
            "{line} {}",
            suggestion.text
        );
        assert!(suggestion.is_open);
    }
    for keys in [
        json!({"channels": [{"name": "web", "published": true}], "engines": [{"state": "new"}]}),
        json!({"prices": [{"amount": 1, "valid_until": "2031-01-01"}], "more": "{not JSON}"}),
    ] {
        let suggestion = draft(std::slice::from_ref(&keys));
        assert!(!suggestion.is_open, "{keys} {}", suggestion.text);
    }
}

#[test]
fn of_several_lists_one_that_is_not_called_sold_is_read() {
    let boat = |element: &str, id: usize| {
        format!(
            "<boat id=\"{id}\"><make>Nord</make><model>{element}{id}</model><year>1998</year>\
             <loa unit=\"m\">9.8</loa><type>Sail</type><price>1</price></boat>"
        )
    };
    let list = |name: &str, boats: usize| {
        let boats: String = (0..boats).map(|id| boat(name, id)).collect();
        format!("<{name}>{boats}</{name}>")
    };
    let feed = |lists: &[String]| format!("<feed>{}</feed>", lists.concat());
    let both = suggested("a.xml", feed(&[list("sold", 9), list("boats", 3)])).unwrap();
    assert!(
        both.text.contains("records = [\"feed.boats.boat\"]"),
        "{}",
        both.text
    );
    assert!(!both.is_open, "{}", both.text);
    let sold = suggested("a.xml", feed(&[list("sold", 9)])).unwrap();
    assert!(sold.is_open);
    assert!(
        sold.text
            .contains("[tables.unread_status]\n\"feed.sold.boat\" = \"?\"")
    );
    insta::assert_snapshot!(decision(&sold, "published"), @"every record; feed.sold.boat may say that none is public, so nothing is imported before [tables.unread_status] is decided");
    let boats: Value = serde_json::from_str(&boats(&[json!({})])).unwrap();
    for name in ["boats", "current"] {
        let lists = json!({"sold_boats": boats, name: boats}).to_string();
        let lists = suggested("a.json", lists).unwrap();
        let read = format!("records = [\"{name}\"]");
        assert!(lists.text.contains(&read), "{}", lists.text);
        assert!(!lists.is_open);
    }
    let file = suggested("sold-2026.json", boats.to_string()).unwrap();
    assert!(file.text.contains("\"sold-2026\" = \"?\""), "{}", file.text);
}

#[test]
fn what_is_around_the_records_may_say_that_none_is_public() {
    let boat = |id: usize| json!({"id": id, "maker": "Nord", "model": format!("M{id}"), "type": "Sail", "loa": 9.8});
    let list = |id| json!([boat(id), boat(id + 1)]).to_string();
    let asked = |files: &[(String, String)]| {
        let (directory, exports) = folder(files);
        let suggestion = suggest(&exports, directory.path(), now()).unwrap();
        let asked = suggestion.text.split("[tables.unread_status]\n").nth(1);
        let asked = asked.and_then(|text| text.split_once(" = "));
        asked.map(|(name, _)| name.trim_matches('"').to_owned())
    };
    for name in [
        "drafts",
        "Entwürfe",
        "verkaufte Boote",
        "brouillons",
        "vendus",
        "bozze",
        "venduti",
        "verkochte",
        "vendidos",
        "pending",
        "not live",
        "nicht mehr verfügbar",
        "recycle bin",
    ] {
        let file = format!("{name}.json");
        assert_eq!(asked(&[(file, list(1))]).as_deref(), Some(name));
        let within = format!("2026/{name}/boats.json");
        assert_eq!(asked(&[(within, list(1))]).as_deref(), Some(name));
    }
    for name in [
        "boats",
        "published",
        "current",
        "in stock",
        "Class 40",
        "notes",
    ] {
        assert_eq!(
            asked(&[(format!("{name}/{name}.json"), list(1))]),
            None,
            "{name}"
        );
    }
    // Files of one record each are one list, wherever they are.
    let each = |folders: &[&str]| {
        let files = folders.iter().zip(1..);
        let file = |(folder, id)| (format!("{folder}/{id}.json"), boat(id).to_string());
        asked(&files.map(file).collect::<Vec<_>>())
    };
    assert_eq!(each(&["a", "a", "draft"]).as_deref(), None);
    assert_eq!(each(&["draft", "a", "a"]).as_deref(), None);
    assert_eq!(each(&["draft", "draft"]).as_deref(), Some("draft"));
}

#[test]
fn photos_without_a_host_or_a_scheme_are_named() {
    for keys in [
        json!({"photo": "//boats.example/1.jpg"}),
        json!({"photos": ["/media/1.jpg", "/media/2.jpg"]}),
        json!({"photos": [{"url": "//boats.example/1.jpg"}]}),
    ] {
        let suggestion = draft(std::slice::from_ref(&keys));
        let why = decision(&suggestion, "gallery");
        assert!(why.contains(r#"url = '"https:" + .url'"#), "{keys} {why}");
    }
}

#[test]
fn hidden_photos_and_other_media_are_left_out() {
    let url = "https://boats.example/1";
    let image = json!({"url": url, "type": "image"});
    let jpeg = json!({"url": url, "type": "image/jpeg"});
    for (shown, hidden) in [
        (
            json!({"url": url, "public": true}),
            json!({"url": url, "public": false}),
        ),
        (json!({"url": url}), json!({"url": url, "hidden": true})),
        (
            json!({"url": url, "@private": "no"}),
            json!({"url": url, "@private": "yes"}),
        ),
        (
            json!({"url": url, "status": "published"}),
            json!({"url": url, "status": "hidden"}),
        ),
        (
            json!({"url": url, "visibility": "Public"}),
            json!({"url": url, "visibility": "draft"}),
        ),
        (image.clone(), json!({"url": url, "type": "video"})),
        (image, json!({"url": url, "type": "brochure"})),
        (jpeg, json!({"url": url, "type": "video/mp4"})),
    ] {
        let (directory, both) = exported("a.json", boats(&[json!({"photos": [shown, hidden]})]));
        let suggestion = suggest(&[both], directory.path(), now()).unwrap();
        let filled = |photos: &[&Value]| {
            let (_later, export) = exported("a.json", boats(&[json!({"photos": photos})]));
            let outcome = check(&suggestion.text, &[export], directory.path()).unwrap();
            assert_eq!(outcome.findings.errors(), 0, "{}", suggestion.text);
            let report = outcome.report.unwrap();
            let mut fields = report.rules[0].fields.iter();
            let gallery = fields.find(|field| field.field == "gallery");
            gallery.map(|field| field.filled)
        };
        assert_eq!(filled(&[&shown, &hidden]), Some(1), "{}", suggestion.text);
        assert_eq!(filled(&[&hidden]), Some(0), "{}", suggestion.text);
    }
}

#[test]
fn what_else_says_that_photos_are_not_public_is_left_to_a_person() {
    let asked = |members: Value| {
        let mut photo = json!({"url": "https://boats.example/1.jpg", "width": 1, "height": 1});
        photo
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().cloned().unwrap());
        let suggestion = draft(&[json!({"photos": [photo]})]);
        let asked = suggestion.text.split("[tables.unread_status]\n").nth(1);
        let asked = asked.and_then(|text| text.split_once(" = "));
        asked.map(|(name, _)| name.trim_matches('"').to_owned())
    };
    for (members, path) in [
        (json!({"approved": false}), ".photos[].approved"),
        (
            json!({"deleted_at": "2024-01-15T09:00:00Z"}),
            ".photos[].deleted_at",
        ),
        (
            json!({"status": {"name": "Published"}}),
            ".photos[].status.name",
        ),
        (
            json!({"publish_at": "2031-01-15T09:00:00Z"}),
            ".photos[].publish_at",
        ),
        (json!({"embargo": "2031-01-15"}), ".photos[].embargo"),
        (
            json!({"channels": [{"published": false}]}),
            ".photos[].channels[].published",
        ),
    ] {
        assert_eq!(asked(members).as_deref(), Some(path));
    }
    for members in [
        json!({"public_id": "a1", "index": 1, "title": "At the show", "alt": "Draft"}),
        json!({"hidden": false, "deleted_at": null, "date": "2024-01-15"}),
    ] {
        assert_eq!(asked(members), None);
    }
    let photos = json!([{"url": "https://boats.example/1.jpg", "hidden": true, "type": "image"},
        {"url": "https://boats.example/2.mp4", "type": "video"}]);
    let suggestion = draft(&[json!({"photos": photos})]);
    insta::assert_snapshot!(decision(&suggestion, "gallery"), @"leaves out what hidden, type marks as not public, or as no image");
}

#[test]
fn a_word_of_a_photo_that_is_not_known_is_left_to_a_person() {
    let url = "https://boats.example/1";
    let photo = json!({"url": url, "status": "by arrangement"});
    let suggestion = draft(&[json!({"photos": [photo]})]);
    assert_ne!(suggestion.errors, 0, "{}", suggestion.text);
}
