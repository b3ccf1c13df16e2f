//! From export to response: records with every key of the format, and the exact text of their
//! responses (specification sections 2.2 to 2.5). No two values are equal, so a test fails if two
//! are swapped.

use serde_json::{Value, json};

use super::{Run, lines};

fn full_manufacturer() -> Value {
    json!({
        "kind": "manufacturer", "id": "maker-1", "slug": "full-yard", "name": "Full Yard",
        "website": "https://yard.example/boats?lang=en",
        "logo": { "url": "https://images.example/logo.svg", "alt": "A full sail",
            "width": 641, "height": 241, "format": "svg" },
        "description": "Builds \"full\" boats.\nSince 1962.",
        "updatedAt": "2026-10-01T14:00:00.50+02:00", "published": true,
    })
}

/// The terms and designers that [`full_boat`] refers to.
fn referred_to() -> Vec<Value> {
    let term = |vocabulary: &str, id: &str, slug: &str, name: &str| json!({ "kind": "term", "vocabulary": vocabulary, "id": id, "slug": slug, "name": name });
    let designer = |id: &str, name: &str, website: Option<&str>| json!({ "kind": "designer", "id": id, "name": name, "website": website });
    vec![
        term("type", "type-1", "sailing-monohull", "Sailing monohull"),
        term("category", "category-1", "cruiser", "Cruiser"),
        term("category", "category-2", "blue-water", "Blue water"),
        term("activity", "activity-1", "racing", "Racing"),
        term("activity", "activity-2", "day-sailing", "Day sailing"),
        term("hullType", "hull-1", "displacement", "Displacement"),
        term("hullMaterial", "material-1", "cedar", "Cedar"),
        designer(
            "designer-1",
            "Naval One",
            Some("https://naval-one.example/"),
        ),
        designer("designer-2", "Naval Two", None),
        designer("designer-3", "Inés Interior", Some("http://ines.example/")),
        designer(
            "designer-4",
            "Exterior Four",
            Some("https://four.example/x"),
        ),
    ]
}

fn full_boat() -> Value {
    let mut boat = json!({
        "kind": "boat", "id": "boat-1", "slug": "full-31.25", "model": "Full 31", "version": "Mk II",
        "manufacturer": "maker-1", "type": "type-1",
        "production": { "firstYear": 1971, "lastYear": 1983 },
        "unit": "imperial", "lengthOverall": 31.25,
        "referencePrice": { "amount": 89_500.5, "currency": { "code": "GBP", "symbol": "£" } },
        "image": { "url": "https://images.example/main.jpg", "alt": "Under way",
            "width": 1601, "height": 901, "format": "jpg" },
        "description": "Plain text.", "published": true, "updatedAt": "2026-10-02T00:00:00Z",
        "categories": ["category-2", "category-1"], "activities": ["activity-1", "activity-2"],
        "gallery": [
            { "url": "https://images.example/one.png", "alt": "At anchor",
                "width": 1602, "height": 902, "format": "png" },
            { "url": "https://images.example/two.webp", "alt": null,
                "width": 1603, "height": 903, "format": "webp" },
        ],
    });
    let parts = full_boat_parts();
    boat.as_object_mut()
        .unwrap()
        .extend(parts.as_object().unwrap().clone());
    boat
}

fn full_boat_parts() -> Value {
    json!({
        "hull": {
            "type": "hull-1", "material": "material-1", "keelType": "Fin keel",
            "unsinkable": true, "trailerable": false,
            "appendages": [{ "name": "Skeg", "value": "half" }, { "name": "Bulb", "value": "lead" }],
        },
        "dimensions": {
            "lengthOverall": 31.25, "lengthWaterline": 25.5, "beamOverall": 10.25,
            "beamCabinLine": 8.125, "beamHull": 9.75, "draftMax": 5.5, "draftMin": 4.25,
            "headroom": 6.1, "bridgedeckClearance": 2.3, "nominalBridgedeckClearance": 2.6,
            "displacement": 12_400, "ballastWeight": 4900, "ballastType": "Iron",
            "tonnageGross": 9.2, "tonnageNet": 8.7,
        },
        "accommodation": { "cabins": 3, "berths": 7, "heads": 2 },
        "steering": {
            "helm": "Tiller", "rudder": "Spade", "cockpitType": "Open", "cockpitLocation": "Aft",
        },
        "performance": { "cruisingSpeed": 6.5, "topSpeed": 7.9, "displacementHullSpeed": 6.8 },
        "rig": {
            "mastHeight": 44.4, "mastConfiguration": "Ketch", "riggingType": "Masthead",
            "standingRigging": "Rod", "spars": "Aluminium", "rotatingSpars": true,
            "spreadersLevel": 1, "spreadersAngle": -20.5,
        },
        "sails": {
            "upwindArea": 612.5, "downwindArea": 1105,
            "mainsail": [{ "name": "Reefs", "value": "3 rows" }],
            "headsail": [{ "name": "Genoa", "value": "380 sq ft" }, { "name": "Jib", "value": "120 %" }],
            "spinnaker": [{ "name": "Asymmetric", "value": "740 sq ft" }],
        },
        "tanks": {
            "fuel": ["25 gal"], "water": ["40 gal", "15 gal"], "holding": ["12 gal"],
            "waterHeaters": ["6 gal, 230 V"],
        },
        "engines": [
            { "maker": "Yanmar", "model": "3YM20", "type": "Inboard", "drive": "Saildrive",
                "fuel": "Diesel", "power": "21 hp", "powerType": "Mechanical" },
            { "maker": "Torqeedo", "model": "Cruise 2", "type": "Outboard", "drive": "Propeller",
                "fuel": "Battery", "power": "2 kW", "powerType": "Electric" },
        ],
        "designers": {
            "naval": ["designer-2", "designer-1"], "interior": ["designer-3"],
            "exterior": ["designer-4"],
        },
        "ceClassification": { "a": 8, "b": 10, "c": 11, "d": 12 },
    })
}

/// The fields in the specification's order, the summary first.
const BOAT_BODY: &str = r#"
{"data":{
"id":"boat-1",
"slug":"full-31.25",
"model":"Full 31",
"version":"Mk II",
"manufacturer":{"id":"maker-1","name":"Full Yard","slug":"full-yard",
    "website":"https://yard.example/boats?lang=en"},
"type":{"id":"type-1","name":"Sailing monohull","slug":"sailing-monohull"},
"production":{"firstYear":1971,"lastYear":1983},
"unit":"imperial",
"lengthOverall":31.25,
"lengthOverallMetres":9.53,
"referencePrice":{"amount":89500.5,"currency":{"code":"GBP","symbol":"£"}},
"image":{"url":"https://images.example/main.jpg","alt":"Under way",
    "width":1601,"height":901,"format":"jpg"},
"description":"Plain text.",
"categories":[
    {"id":"category-2","name":"Blue water","slug":"blue-water"},
    {"id":"category-1","name":"Cruiser","slug":"cruiser"}],
"activities":[
    {"id":"activity-1","name":"Racing","slug":"racing"},
    {"id":"activity-2","name":"Day sailing","slug":"day-sailing"}],
"hull":{
    "type":{"id":"hull-1","name":"Displacement","slug":"displacement"},
    "material":{"id":"material-1","name":"Cedar","slug":"cedar"},
    "keelType":"Fin keel","unsinkable":true,"trailerable":false,
    "appendages":[{"name":"Skeg","value":"half"},{"name":"Bulb","value":"lead"}]},
"dimensions":{
    "lengthOverall":31.25,"lengthWaterline":25.5,"beamOverall":10.25,"beamCabinLine":8.125,
    "beamHull":9.75,"draftMax":5.5,"draftMin":4.25,"headroom":6.1,"bridgedeckClearance":2.3,
    "nominalBridgedeckClearance":2.6,"displacement":12400,"ballastWeight":4900,
    "ballastType":"Iron","tonnageGross":9.2,"tonnageNet":8.7},
"accommodation":{"cabins":3,"berths":7,"heads":2},
"steering":{"helm":"Tiller","rudder":"Spade","cockpitType":"Open","cockpitLocation":"Aft"},
"performance":{"cruisingSpeed":6.5,"topSpeed":7.9,"displacementHullSpeed":6.8},
"rig":{
    "mastHeight":44.4,"mastConfiguration":"Ketch","riggingType":"Masthead",
    "standingRigging":"Rod","spars":"Aluminium","rotatingSpars":true,
    "spreadersLevel":1,"spreadersAngle":-20.5},
"sails":{
    "upwindArea":612.5,"downwindArea":1105,
    "mainsail":[{"name":"Reefs","value":"3 rows"}],
    "headsail":[{"name":"Genoa","value":"380 sq ft"},{"name":"Jib","value":"120 %"}],
    "spinnaker":[{"name":"Asymmetric","value":"740 sq ft"}]},
"tanks":{
    "fuel":["25 gal"],"water":["40 gal","15 gal"],"holding":["12 gal"],
    "waterHeaters":["6 gal, 230 V"]},
"engines":[
    {"maker":"Yanmar","model":"3YM20","type":"Inboard","drive":"Saildrive",
    "fuel":"Diesel","power":"21 hp","powerType":"Mechanical"},
    {"maker":"Torqeedo","model":"Cruise 2","type":"Outboard","drive":"Propeller",
    "fuel":"Battery","power":"2 kW","powerType":"Electric"}],
"designers":{
    "naval":[
        {"id":"designer-2","name":"Naval Two","website":null},
        {"id":"designer-1","name":"Naval One","website":"https://naval-one.example/"}],
    "interior":[{"id":"designer-3","name":"Inés Interior","website":"http://ines.example/"}],
    "exterior":[{"id":"designer-4","name":"Exterior Four","website":"https://four.example/x"}]},
"ceClassification":{"a":8,"b":10,"c":11,"d":12},
"gallery":[
    {"url":"https://images.example/one.png","alt":"At anchor",
    "width":1602,"height":902,"format":"png"},
    {"url":"https://images.example/two.webp","alt":null,
    "width":1603,"height":903,"format":"webp"}]
}}"#;

const MANUFACTURER_BODY: &str = r#"
{"data":{
"id":"maker-1",
"slug":"full-yard",
"name":"Full Yard",
"website":"https://yard.example/boats?lang=en",
"logo":{"url":"https://images.example/logo.svg","alt":"A full sail",
    "width":641,"height":241,"format":"svg"},
"updatedAt":"2026-10-01T12:00:00.50Z",
"description":"Builds \"full\" boats.\nSince 1962.",
"boatCount":1
}}"#;

/// Bodies of the boat and its manufacturer, in this order.
fn bodies() -> [String; 2] {
    let records = [vec![full_boat()], referred_to(), vec![full_manufacturer()]];
    let run = Run::of(&lines(&records.concat()), false);
    assert_eq!(run.findings(), Vec::<String>::new());
    run.served.bodies.try_into().unwrap()
}

/// Compares a body with a text that is broken into indented lines for readability.
#[track_caller]
fn check(body: &str, expected: &str) {
    let expected: String = expected.lines().map(str::trim_start).collect();
    assert_eq!(body, expected);
}

#[test]
fn a_boat_with_every_field_is_served_with_every_value() {
    let [boat, _manufacturer] = bodies();
    check(&boat, BOAT_BODY);
}

#[test]
fn a_manufacturer_with_every_field_is_served_with_every_value() {
    let [_boat, manufacturer] = bodies();
    check(&manufacturer, MANUFACTURER_BODY);
}

#[test]
fn records_with_every_field_are_made_native_again() {
    let records = [vec![full_boat()], referred_to(), vec![full_manufacturer()]];
    let native = super::published::check(&Run::of(&lines(&records.concat()), false));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../snapshots/cli"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("native_again", native.join("\n")));
}
