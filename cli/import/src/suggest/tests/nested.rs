//! Drafts for records with objects in them, and for XML.

use super::*;

/// The draft's lines for boats, and what it leaves to a person, of a record in JSON.
fn drafted(record: &str) -> String {
    told(&suggested("a.json", format!("[{record}]")).unwrap())
}

/// The draft's lines for boats of elements in a list of XML.
fn drafted_xml(elements: &str) -> String {
    let document = format!("<boats>{elements}</boats>");
    told(&suggested("a.xml", document).unwrap())
}

fn told(suggestion: &Suggestion) -> String {
    let usual = ["published", "updatedAt", "unit", "key", "type"];
    let decisions = suggestion.decisions.iter();
    let decisions = decisions.filter(|decision| !usual.contains(&decision.field.as_str()));
    let decisions = decisions.filter(|decision| !decision.why.starts_with("required"));
    let told = decisions.map(|decision| format!("{}: {}", decision.field, decision.why));
    let lines = boat_lines(suggestion).into_iter();
    let lines = lines.filter(|line| !line.starts_with(['#', 's', 'u']));
    let all: Vec<String> = lines.map(str::to_owned).chain(told).collect();
    all.join("\n")
}

#[test]
fn a_number_beside_its_unit_is_a_measure_whatever_both_are_called() {
    insta::assert_snapshot!([
        drafted(r#"{"loa": {"value": 31, "unit": "ft"}, "draft": {"value": 1.8, "unit": "m", "note": "x"}}"#),
        drafted(r#"{"specs": {"beam": {"val": "3.4", "uom": "m"}}, "weight": {"value": 2, "unitText": "t"}}"#),
        drafted(r#"{"technik": {"laenge": {"wert": "9,02", "einheit": "m"}, "breite": {"wert": "3,10 m breit", "einheit": "m"}}}"#),
        // Nothing says what these are.
        drafted(r#"{"loa": {"value": 31}, "beam": {"amount": 3, "unit": "m"}}"#),
    ].join("\n\n"), @r##"
    lengthOverall = '(.loa | with_unit("value"; "unit")) | distance'
    dimensions.draftMax = '(.draft | with_unit("value"; "unit")) | distance'

    dimensions.beamOverall = '(.specs.beam | with_unit("val"; "uom")) | distance'
    dimensions.displacement = '(.weight | with_unit("value"; "unitText")) | weight'

    lengthOverall = '(.technik.laenge | with_unit("wert"; "einheit")) | distance'
    dimensions.beamOverall = '(.technik.breite | with_unit("wert"; "einheit")) | distance'
    lengthOverall: of (.technik.laenge | with_unit("wert"; "einheit")) (9,02 m), by its last name: look whether it is the boat's
    dimensions.beamOverall: of (.technik.breite | with_unit("wert"; "einheit")) (3,10 m breit), by its last name: look whether it is the boat's
    "##);
}

#[test]
fn pairs_of_a_name_and_a_value_are_keys() {
    insta::assert_snapshot!([
        drafted(r#"{"additional_attributes": [{"code": "length", "value": "10.4"}, {"code": "beam", "value": "3.4 m"}]}"#),
        drafted(r#"{"custom_attributes": [{"attribute_code": "year_built", "value": "2018"}, {"attribute_code": "category_ids", "value": ["1", "2"]}]}"#),
        drafted(r#"{"specs": [{"name": "Draft", "value": 1.8, "unit": "m"}, {"name": "It's \"so\"", "value": true}]}"#),
        drafted(r#"{"attributes": [{"id": 0, "name": "Berths", "options": ["6"]}, {"id": 1, "name": "Designer", "options": ["Holm"]}]}"#),
        // These are no attributes of a boat, but photos.
        drafted(r#"{"engines": [{"name": "Length", "value": "3"}], "images": [{"name": "Beam", "url": "https://a.example"}]}"#),
    ].join("\n\n"), @r##"
    lengthOverall = '(.additional_attributes | pair("code"; "length") | .value) | distance'
    dimensions.beamOverall = '(.additional_attributes | pair("code"; "beam") | .value) | distance'

    production.firstYear = '(.custom_attributes | pair("attribute_code"; "year_built") | .value) | year'

    dimensions.draftMax = '(.specs | pair("name"; "Draft") | with_unit("value"; "unit")) | distance'

    designers.naval = '[(.attributes | pair("name"; "Designer") | .options) | list(";")[] | slugify]'

    gallery = { each = ".images | many", fields = { url = ".url" } }
    images: they have no sizes, so imports read these from the addresses
    "##);
}

#[test]
fn the_unit_is_that_of_each_record() {
    let lengths = [
        r#"{"value": "34", "unit": "ft"}"#,
        r#"{"value": 10, "unit": "m"}"#,
        r#"{"value": "ca. 33", "unit": "ft"}"#,
        r#"{"value": "33 1/2", "unit": "ft"}"#,
        r#"{"value": "9.5 m", "unit": "m"}"#,
        r#"{"value": "9.5", "unit": "furlong"}"#,
        r#"{"value": "9.5 ft", "unit": "m"}"#,
        r#"{"value": 9.5, "unit": null}"#,
        r#"{"value": null, "unit": "m"}"#,
        "9.5",
    ];
    let read = lengths.map(|length| {
        let drafted = r#"[{"id": 1, "loa": {"value": "10", "unit": "m"}}, {"id": 2, "loa": 5}]"#;
        let suggestion = suggested("a.json", drafted).unwrap();
        let (directory, export) = exported("a.json", format!(r#"[{{"id": 1, "loa": {length}}}]"#));
        let outcome = check(&suggestion.text, &[export], directory.path()).unwrap();
        let report = outcome.report.unwrap();
        let mut fields = report.rules.iter().flat_map(|rule| &rule.fields);
        let field = fields.find(|field| field.field == "lengthOverall").unwrap();
        let (sample, errors) = (field.sample.as_deref(), field.errors);
        format!("{length}: {} ({errors} errors)", sample.unwrap_or("none"))
    });
    insta::assert_snapshot!(read.join("\n"), @r##"
    {"value": "34", "unit": "ft"}: 10.36 (0 errors)
    {"value": 10, "unit": "m"}: 10 (0 errors)
    {"value": "ca. 33", "unit": "ft"}: 10.06 (0 errors)
    {"value": "33 1/2", "unit": "ft"}: 10.21 (0 errors)
    {"value": "9.5 m", "unit": "m"}: 9.5 (0 errors)
    {"value": "9.5", "unit": "furlong"}: none (1 errors)
    {"value": "9.5 ft", "unit": "m"}: none (1 errors)
    {"value": 9.5, "unit": null}: 9.5 (0 errors)
    {"value": null, "unit": "m"}: none (0 errors)
    9.5: 9.5 (0 errors)
    "##);
}

#[test]
fn what_only_a_comment_uses_is_not_defined() {
    let record = r#"[{"model": "x", "specs": [{"name": "Colour", "value": "blue"}]}]"#;
    let text = suggested("a.json", record).unwrap().text;
    assert!(
        text.contains("| pair(") && !text.contains("def pair"),
        "{text}"
    );
}

#[test]
fn a_name_that_a_record_has_twice_is_told_and_not_guessed() {
    let record =
        r#"[{"id": 1, "specs": [{"name": "LOA", "value": "10"}, {"name": "LOA", "value": "33"}]}]"#;
    let suggestion = suggested("a.json", record).unwrap();
    let (directory, export) = exported("a.json", record);
    let findings = check(&suggestion.text, &[export], directory.path());
    let findings = findings.unwrap().findings;
    assert_ne!(findings.errors(), 0);
}

#[test]
fn measures_are_found_in_objects_that_are_not_known_but_not_those_of_parts() {
    insta::assert_snapshot!([
        drafted(r#"{"sizes": {"loa": 10.4, "beam": 3.4, "name": "Tern", "year": 2018}}"#),
        // One alone may be of anything, and a part has its own.
        drafted(r#"{"sizes": {"loa": 10.4}, "cradle": {"length": 3}}"#),
        drafted(r#"{"trailer": {"length": 7, "weight": 400}, "engine": {"weight": 200, "speed": 20}}"#),
        // One of two is not chosen.
        drafted(r#"{"now": {"loa": 10.4, "beam": 3.4}, "planned": {"loa": 11, "beam": 3.4}}"#),
    ].join("\n\n"), @r##"
    lengthOverall = ".sizes.loa | distance"
    dimensions.beamOverall = ".sizes.beam | distance"
    lengthOverall: of .sizes.loa (10.4), by its last name: look whether it is the boat's
    dimensions.beamOverall: of .sizes.beam (3.4), by its last name: look whether it is the boat's





    dimensions.beamOverall = ".now.beam | distance"
    lengthOverall: left out, as several keys are called so: write its line from one of .now.loa (10.4), .planned.loa (11)
    dimensions.beamOverall: of .now.beam (3.4), by its last name: look whether it is the boat's
    "##);
}

#[test]
fn names_of_fields_in_salesforce_lose_their_suffix() {
    insta::assert_snapshot!(drafted(
        r#"{"Id": "a01", "Name": "Tern", "Length__c": 10.4, "marina__Year_Built__c": 2018, "Maker__r": {"Name": "Volund"}, "BEAM__C": 3.4}"#
    ), @r##"
    model = ".Name"
    manufacturer = ".Maker__r.Name | slugify"
    production.firstYear = ".marina__Year_Built__c | year"
    lengthOverall = ".Length__c | distance"
    dimensions.beamOverall = ".BEAM__C | distance"
    "##);
}

#[test]
fn elements_and_attributes_are_keys_with_their_texts() {
    insta::assert_snapshot!([
        drafted_xml(r#"<boat id="1"><name lang="en">Tern</name><length unit="m">10.4</length></boat><boat id="2"><name>Holm</name><length>8</length></boat>"#),
        drafted_xml(r#"<boat><field name="Length">10.4</field><field name="Beam" unit="cm">340</field></boat><boat><field name="Length">9</field></boat>"#),
        drafted_xml(r#"<b:boat><b:model>Tern</b:model><x:price currency="EUR">5000</x:price></b:boat>"#),
        drafted_xml(r#"<boat loa="10.4" beam="3.4"/>"#),
    ].join("\n\n"), @r##"
    model = '(.name | if type == "object" then ."#text" else . end)'
    lengthOverall = '(.length | with_unit("#text"; "@unit")) | distance'

    lengthOverall = '(.field | pair("@name"; "Length") | ."#text") | distance'
    dimensions.beamOverall = '(.field | pair("@name"; "Beam") | with_unit("#text"; "@unit")) | distance'

    model = '."b:model"'
    referencePrice.amount = '."x:price"."#text" | money($record."x:price"."@currency") | .amount'
    referencePrice.currency.code = '."x:price"."#text" | money($record."x:price"."@currency") | .currency'
    referencePrice.currency.symbol = '."x:price"."#text" | money($record."x:price"."@currency") | .currency | lookup("currency_symbol")'

    lengthOverall = '."@loa" | distance'
    dimensions.beamOverall = '."@beam" | distance'
    "##);
}

#[test]
fn what_an_element_says_of_publication_is_asked_or_used() {
    let told = |boat: &str| {
        let document = format!("<boats>{boat}</boats>");
        let suggestion = suggested("a.xml", document).unwrap();
        decision(&suggestion, "published")
    };
    insta::assert_snapshot!([
        told(r#"<boat status="sold"><loa>9</loa></boat>"#),
        told(r#"<boat><loa>9</loa><status code="3">Draft</status></boat>"#),
        told("<boat><loa>9</loa><wp:status>publish</wp:status></boat>"),
        told(r#"<boat><loa>9</loa><attribute name="Archived">yes</attribute><attribute name="x">1</attribute></boat>"#),
    ].join("\n"), @r##"
    where ."@status" | lookup("status"); not public: sold
    where (.status."#text" | lookup("status")) and (.status."@code" | lookup("status_2")); not public: Draft; to be decided, before which nothing is imported: 3
    where ."wp:status" | lookup("status"); public: publish
    where ((.attribute | pair("@name"; "Archived") | ."#text") | flag) == false
    "##);
}

#[test]
fn the_records_of_xml_are_the_elements_that_repeat_and_have_fields_of_boats() {
    let records = |document: &str| {
        let suggestion = suggested("a.xml", document);
        let suggestion = suggestion.map_err(|error| error.to_string());
        suggestion.map_or_else(
            |error| error,
            |suggestion| {
                let mut lines = suggestion.text.lines();
                let line = lines.find(|line| line.starts_with("records = "));
                let others = decision(&suggestion, "records");
                format!("{} {others}", line.unwrap_or_default())
            },
        )
    };
    let boat = "<model>34</model><loa>9</loa>";
    insta::assert_snapshot!([
        format!("<a><meta x='1'/><meta x='2'/><data><row>{boat}</row><row>{boat}</row></data></a>"),
        format!("<a><page><boat>{boat}</boat><boat>{boat}</boat></page><page/></a>"),
        format!("<a><annonce>{boat}<model id='1'><item name='x'/><item name='y'/></model></annonce><annonce/></a>"),
        format!("<a><boats><boat>{boat}</boat></boats><makers><maker><name/></maker><maker/></makers></a>"),
        format!("<a.b><item>{boat}</item></a.b>"),
        format!("<a><b>{boat}</b></a>"),
        "<a><b>1</b><b>2</b></a>".to_owned(),
        "<a>".to_owned(),
    ].iter().map(|document| records(document)).collect::<Vec<_>>().join("\n"), @r##"
    records = ["a.data.row"] the lists a.meta are not read
    records = ["a.page.boat"] 
    records = ["a.annonce"] 
    records = ["a.boats.boat"] the lists a.makers.maker are not read
    records = ['"a.b".item'] 
    the export looks like XML (its root element is `a`), in which no elements look like records
    the export looks like XML (its root element is `a`), in which no elements look like records
    the export looks like XML (its root element is `a`), in which no elements look like records
    "##);
}

#[test]
fn xml_is_drafted_in_the_encoding_that_it_names() {
    let document = "<?xml version='1.0' encoding='ISO-8859-1'?><boats><boat id='1'><model>Gr\u{f6}\u{df}e</model></boat></boats>";
    let encoded = encoding_rs::WINDOWS_1252.encode(document).0;
    let utf_16: Vec<u8> = document.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [encoded.into_owned(), utf_16] {
        let (directory, export) = exported("a.xml", &bytes);
        let suggestion = suggested("a.xml", &bytes).unwrap();
        assert!(!suggestion.text.contains("encoding = "));
        let outcome = check(&suggestion.text, &[export], directory.path()).unwrap();
        let report = outcome.report.unwrap();
        let mut fields = report.rules.iter().flat_map(|rule| &rule.fields);
        let model = fields.find(|field| field.field == "model").unwrap();
        assert_eq!(model.sample.as_deref(), Some("Gr\u{f6}\u{df}e"));
    }
}

/// The draft's lines about images, and what it leaves to a person about them.
fn photos(suggestion: &Suggestion) -> String {
    let lines = suggestion.text.lines();
    let is_about = |line: &&str| {
        let about = ["images = ", "image.", "gallery = "];
        about.iter().any(|about| line.starts_with(about))
    };
    let lines: Vec<&str> = lines.filter(is_about).collect();
    let left = decision(suggestion, "gallery");
    format!("{}\n{left}", lines.join("\n")).trim().to_owned()
}

#[test]
fn photos_are_read_from_lists_of_addresses_and_of_objects() {
    let drafted = |photos: &str| {
        let record = format!("[{{\"id\": 1, {photos}}}, {{\"id\": 2}}]");
        self::photos(&suggested("a.json", record).unwrap())
    };
    insta::assert_snapshot!([
        drafted(r#""photos": ["https://a.example/1.jpg", "https://a.example/2.jpg"]"#),
        drafted(r#""images": [{"id": 7, "src": "https://a.example/1", "name": "1", "alt": "Bow"}]"#),
        drafted(r#""media": {"photos": [{"href": "https://a.example/1.jpg", "caption": null}]}"#),
        drafted(r#""image": [{"uri": "https://a.example/1.jpg", "title": "Bow"}]"#),
        drafted(r#""gallery": [{"url": "https://a.example/1.jpg", "width": 7, "height": 9}]"#),
        // A main one, and a list.
        drafted(r#""image": {"url": "https://a.example/1.jpg"}, "gallery": ["https://a.example/2.jpg"]"#),
        // What cannot be drafted is told.
        drafted(r#""photos": [{"sizes": {"large": "https://a.example/1.jpg"}}]"#),
        drafted(r#""views": [{"url": "https://a.example/1.PNG"}], "papers": ["https://a.example/1.pdf"]"#),
        drafted(r#""Photo 1": "https://a.example/1", "Photo 2": "https://a.example/2""#),
    ].join("\n\n"), @r##"
    images = "measure"      # imports ask the addresses of images for their sizes
    gallery = { each = '.photos | list("\n")', fields = { url = "." } }

    images = "measure"      # imports ask the addresses of images for their sizes
    gallery = { each = ".images | many", fields = { url = ".src", alt = ".alt" } }

    images = "measure"      # imports ask the addresses of images for their sizes
    gallery = { each = ".media.photos | many", fields = { url = ".href", alt = ".caption" } }

    images = "measure"      # imports ask the addresses of images for their sizes
    gallery = { each = ".image | many", fields = { url = ".uri", alt = ".title" } }

    gallery = { each = ".gallery | many", fields = { url = ".url", width = ".width", height = ".height", format = '(.url | values | split("?")[0] | split("/") | last | split(".")[1:] | last | values | ascii_downcase) // null' } }

    images = "measure"      # imports ask the addresses of images for their sizes
    image.url = ".image.url"
    gallery = { each = '.gallery | list("\n")', fields = { url = "." } }

    left out: .photos ({"sizes":{"large":"h…), which looks like photos; a line that reads them is like `gallery = { each = ".photos", fields = { url = ".url" } }`

    left out: .views ({"url":"https://a.ex…), which looks like photos; a line that reads them is like `gallery = { each = ".photos", fields = { url = ".url" } }`

    images = "measure"      # imports ask the addresses of images for their sizes
    image.url = '."Photo 1"'
    left out: ."Photo 2" (https://a.example/2), which looks like photos; a line that reads them is like `gallery = { each = ".photos", fields = { url = ".url" } }`
    "##);
}

#[test]
fn photos_are_read_from_elements_that_repeat_or_do_not() {
    let drafted = |elements: &[&str]| {
        let boats = elements.iter();
        let boats: Vec<String> = boats
            .map(|of| format!("<boat><id>1</id>{of}</boat>"))
            .collect();
        let document = format!("<boats>{}</boats>", boats.join(""));
        self::photos(&suggested("a.xml", document).unwrap())
    };
    insta::assert_snapshot!([
        drafted(&["<photos><photo>https://a.example/1.jpg</photo><photo>https://a.example/2.jpg</photo></photos>", "<photos/>"]),
        drafted(&["<images><image>https://a.example/1.jpg</image></images>", "<images/>"]),
        drafted(&[
            r#"<images><image url="https://a.example/1.jpg" caption="Bow"/></images>"#,
            r#"<images><image url="https://a.example/1.jpg"/><image url="https://a.example/2.jpg"/></images>"#,
        ]),
        drafted(&[
            r#"<photo alt="Bow">https://a.example/1.jpg</photo>"#,
            r#"<photo alt="Bow">https://a.example/1.jpg</photo><photo>https://a.example/2.jpg</photo>"#,
        ]),
        drafted(&["<photo><src>https://a.example/1.jpg</src><width>7</width><height>9</height></photo>".repeat(2).as_str(), ""]),
    ].join("\n\n"), @r##"
    images = "measure"      # imports ask the addresses of images for their sizes
    gallery = { each = '.photos.photo | list("\n")', fields = { url = "." } }

    images = "measure"      # imports ask the addresses of images for their sizes
    gallery = { each = '.images.image | list("\n")', fields = { url = "." } }

    images = "measure"      # imports ask the addresses of images for their sizes
    gallery = { each = ".images.image | many", fields = { url = '."@url"', alt = '."@caption"' } }

    images = "measure"      # imports ask the addresses of images for their sizes
    gallery = { each = ".photo | many", fields = { url = 'if type == "object" then ."#text" else . end', alt = '."@alt"? // null' } }

    gallery = { each = ".photo | many", fields = { url = ".src", width = ".width | number", height = ".height | number", format = '(.src | values | split("?")[0] | split("/") | last | split(".")[1:] | last | values | ascii_downcase) // null' } }
    "##);
}

#[test]
fn one_photo_or_several_are_read_alike() {
    let with = |photos: &str| format!("<boats><boat><id>1</id>{photos}</boat><boat/></boats>");
    let one = r#"<photo alt="Bow">https://a.example/1.jpg</photo>"#;
    let plain = "<photo>https://a.example/1.jpg</photo>";
    let text = suggested("a.xml", with(&[one, plain].concat()))
        .unwrap()
        .text;
    for photos in [one, plain, &[one, one].concat(), &[plain, plain].concat()] {
        let (directory, export) = exported("a.xml", with(photos));
        let outcome = check(&text, &[export], directory.path()).unwrap();
        let count = outcome.images.all;
        assert_eq!(count, photos.matches("https").count() as u64, "{photos}");
        let report = outcome.report.unwrap();
        let mut fields = report.rules.iter().flat_map(|rule| &rule.fields);
        assert!(fields.all(|field| !field.field.starts_with("gallery") || field.errors == 0));
    }
}
