//! What the draft of a mapping makes of amounts and measures, and of their currencies: what people
//! wrote, or nothing.

use serde_json::json;

use super::*;

/// What the cells of a column become with the mapping suggested for them.
fn amounts(cells: &[&str]) -> Vec<String> {
    let rows = cells.iter().enumerate();
    let rows = rows.map(|(row, cell)| format!("{row},Volund,{row},Ketch,2018,9,EUR,\"{cell}\""));
    let rows: Vec<String> = rows.collect();
    let sheet = format!(
        "id,maker,model,type,year,loa,currency,price\n{}\n",
        rows.join("\n")
    );
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.csv");
    File::create(&path)
        .and_then(|mut file| file.write_all(sheet.as_bytes()))
        .unwrap();
    let exports = [path.into()];
    let suggestion = suggest(&exports, directory.path(), now()).unwrap();
    let outcome = check(&suggestion.text, &exports, directory.path()).unwrap();
    let report = outcome.report.unwrap();
    let price = report.rules[0].fields.iter();
    let price = price.filter(|field| field.field == "referencePrice.amount");
    price
        .map(|field| {
            let sample = field.sample.clone().unwrap_or_default();
            format!("{} {} {sample}", field.filled, field.errors)
        })
        .collect()
}

#[test]
fn amounts_are_read_as_they_are_written_or_not_at_all() {
    for (cells, expected) in [
        (&["120.000", "88.000"][..], "2 0 120000"),
        (&["288.000,00", "1.288.000,50"], "2 0 288000"),
        (&["288,000.00", "1,288,000"], "2 0 288000"),
        (&["120.50", "99.95"], "2 0 120.5"),
        (&["€ 12.500", "€ 9.000"], "2 0 12500"),
        (&["12500 EUR", "9000 EUR"], "2 0 12500"),
        (&["€ 288,000", "€9,000"], "2 0 288000"),
        // Three decimals are not an amount, whatever others have after the point.
        (&["285000.5", "255.000"], "1 1 285000.5"),
        (&["288,000.00", "255.000"], "1 1 288000"),
        (&["120.000", "0.000"], "2 0 120"),
        // The column says euros.
        (&["US$ 288,000", "A$9,000"], "0 2 "),
        // A range, a remark and a word are not amounts.
        (&["129000-149000", "88000"], "1 1 88000"),
        (&["189000 (2 engines)", "88000"], "1 1 88000"),
        (&["250k", "88000"], "1 1 88000"),
    ] {
        assert_eq!(amounts(cells), [expected], "{cells:?}");
    }
}

/// What weights become with the mapping suggested for a sheet with them and a length, and what is
/// said of them.
fn weights(length: &str, cells: &[&str]) -> (String, String) {
    let rows = cells.iter().enumerate();
    let rows = rows.map(|(row, cell)| format!("{row};Volund;{row};Ketch;2018;{length};{cell}\n"));
    let rows: String = rows.collect();
    let sheet = format!("id;maker;model;type;year;loa;weight (kg)\n{rows}");
    let (directory, export) = exported("a.csv", sheet);
    let exports = [export];
    let suggestion = suggest(&exports, directory.path(), now()).unwrap();
    let outcome = check(&suggestion.text, &exports, directory.path()).unwrap();
    let is_doubtful = outcome
        .findings
        .counts()
        .contains_key(&Code::AmbiguousNumbers);
    let is_guess = decision(&suggestion, "dimensions.displacement").contains("a guess");
    assert_eq!(is_doubtful, is_guess, "{}", suggestion.text);
    let report = outcome.report.unwrap();
    let mut fields = report.rules[0].fields.iter();
    let weight = fields.find(|field| field.field == "dimensions.displacement");
    let weight = weight.map_or_else(String::new, |field| {
        let sample = field.sample.clone().unwrap_or_default();
        format!("{} {} {sample}", field.filled, field.errors)
    });
    (weight, decision(&suggestion, "dimensions.displacement"))
}

#[test]
fn a_column_of_numbers_has_one_convention() {
    for (length, cells, expected, said) in [
        // The other numbers of the column tell.
        (
            "9",
            &["5.300", "10.000", "8.750,5"][..],
            "3 0 5300",
            "5.300 is taken for 5300",
        ),
        (
            "9",
            &["1.200", "4763,5"],
            "2 0 1200",
            "1.200 is taken for 1200",
        ),
        (
            "9",
            &["1,200", "4763.5"],
            "2 0 1200",
            "1,200 is taken for 1200",
        ),
        (
            "9",
            &["40.000", "0.500"],
            "2 0 40",
            "40.000 is taken for 40",
        ),
        // Those of other columns do so only where thousands are likelier anyway.
        (
            "9,45",
            &["1.200", "12 345"],
            "2 0 1200",
            "1.200 is taken for 1200",
        ),
        (
            "9.45",
            &["6.500", "7"],
            "2 0 6.5",
            "6.500 is taken for 6.5: a guess, as no other number of its key tells",
        ),
        // Nothing does.
        (
            "9",
            &["6.500"],
            "1 0 6500",
            "6.500 is taken for 6500: a guess, as no other number of its key tells",
        ),
        // Neither is both.
        (
            "9",
            &["1.234.567", "9.5"],
            "1 1 1234567",
            "1.234.567 is taken for 1234567",
        ),
        ("9", &["1200", "9,5"], "2 0 1200", ""),
    ] {
        let found = weights(length, cells);
        assert_eq!(
            found,
            (expected.to_owned(), said.to_owned()),
            "{length} {cells:?}"
        );
    }
}

#[test]
fn prices_and_weights_say_alike_what_stands_before_decimals() {
    let rows =
        "1,Volund,1,Ketch,2018,9,EUR,89.000,5.300\n2,Volund,2,Ketch,2018,9,EUR,9.500,\"8.750,5\"\n";
    let sheet = format!("id,maker,model,type,year,loa,currency,price,weight (kg)\n{rows}");
    let suggestion = suggested("a.csv", sheet).unwrap();
    let lines = boat_lines(&suggestion);
    let is_of_number = |line: &str| {
        ["referencePrice.amount", "dimensions"]
            .iter()
            .any(|field| line.starts_with(field))
    };
    let of_numbers = lines.iter().filter(|line| is_of_number(line));
    insta::assert_snapshot!(of_numbers.copied().collect::<Vec<_>>().join("\n"), @r#"
    referencePrice.amount = '.price | money($record.currency; ",") | .amount'
    dimensions.displacement = '."weight (kg)" | weight(",")'
    "#);
    assert!(
        suggestion
            .text
            .contains("def weight($decimal): measure(\"kg\"; $decimal);\n")
    );
    for said in [
        "#   referencePrice.amount: 89.000 is taken for 89000\n",
        "#   dimensions.displacement: 5.300 is taken for 5300\n",
    ] {
        assert!(suggestion.text.contains(said), "{}", suggestion.text);
    }
}

#[test]
fn no_other_column_makes_a_price_a_thousand_times_smaller() {
    for (length, price, expected) in [
        ("9.05", "50.000 €", r#"money(null; ",?")"#),
        ("9,05", "50,000 €", r#"money(null; ".?")"#),
        // What two signs say alike, or the price itself, is no guess.
        ("9,05", "50.000 €", r#"money(null; ",")"#),
        ("9.05", "50,000 €", "money(null)"),
        ("9.05", "50.000,- €", r#"money(null; ",")"#),
        ("9.05", "50.000,-- €", r#"money(null; ",")"#),
    ] {
        let sheet =
            format!("id;maker;model;type;year;loa;price\n1;Volund;1;Ketch;2018;{length};{price}\n");
        let (directory, export) = exported("a.csv", sheet);
        let exports = [export];
        let suggestion = suggest(&exports, directory.path(), now()).unwrap();
        let outcome = check(&suggestion.text, &exports, directory.path()).unwrap();
        let warnings = outcome.findings.counts();
        let is_told = warnings.contains_key(&Code::AmbiguousNumbers);
        assert!(suggestion.text.contains(expected), "{}", suggestion.text);
        assert_eq!(is_told, expected.contains('?'), "{length} {price}");
        let report = outcome.report.unwrap();
        let mut fields = report.rules[0].fields.iter();
        let amount = fields.find(|field| field.field == "referencePrice.amount");
        let amount = amount.and_then(|field| field.sample.clone());
        assert_eq!(amount.as_deref(), Some("50000"), "{length} {price}");
    }
}

#[test]
fn the_numbers_of_a_column_do_not_tell_how_its_texts_are_written() {
    let boats = publication::boats(&[
        json!({"currency": "EUR", "price": "255.000", "weight (kg)": "5.300"}),
        json!({"currency": "EUR", "price": 285_000.5, "weight (kg)": 4763.5}),
    ]);
    let (directory, export) = exported("a.json", boats);
    let exports = [export];
    let suggestion = suggest(&exports, directory.path(), now()).unwrap();
    let lines = boat_lines(&suggestion);
    let lines = lines.iter().filter(|line| line.contains("\",?\""));
    insta::assert_snapshot!(lines.copied().collect::<Vec<_>>().join("\n"), @r#"
    referencePrice.amount = '.price | money($record.currency; ",?") | .amount'
    referencePrice.currency.code = '.price | money($record.currency; ",?") | .currency'
    referencePrice.currency.symbol = '.price | money($record.currency; ",?") | .currency | lookup("currency_symbol")'
    dimensions.displacement = '."weight (kg)" | weight(",?")'
    "#);
    let outcome = check(&suggestion.text, &exports, directory.path()).unwrap();
    let told = outcome.findings.counts().get(&Code::AmbiguousNumbers);
    assert_eq!(told, Some(&4), "{}", suggestion.text);
}

/// What a price becomes with the mapping suggested for a sheet with other prices, or its errors.
fn price(header: &str, first: &[&str], later: &str) -> String {
    let sheet = |prices: &[&str]| {
        let rows = prices.iter().enumerate();
        let rows =
            rows.map(|(row, price)| format!("{row},Volund,{row},Ketch,2018,9,\"{price}\"\n"));
        let rows: String = rows.collect();
        format!("id,maker,model,type,year,loa,{header}\n{rows}")
    };
    let (directory, export) = exported("a.csv", sheet(first));
    let suggestion = suggest(&[export], directory.path(), now()).unwrap();
    let (_directory, export) = exported("a.csv", sheet(&[later]));
    let outcome = check(&suggestion.text, &[export], directory.path()).unwrap();
    let report = outcome.report.unwrap();
    let fields = report.rules[0].fields.iter();
    let fields = fields.filter(|field| field.field.starts_with("referencePrice"));
    let values = fields.map(|field| match &field.error {
        Some(error) => error.split(" (").next().unwrap_or_default().to_owned(),
        None => field.sample.clone().unwrap_or_default(),
    });
    let mut values: Vec<_> = values.collect();
    values.dedup();
    values.join(" ")
}

#[test]
fn the_currency_is_that_of_each_price_or_of_the_column_never_that_of_other_prices() {
    let prices = [
        ("price", &["45000 EUR"][..], "89000 EUR"),
        ("price", &["45000 EUR", "£9000"], "£89,000.00"),
        // No currency writes three decimals.
        ("price", &["€ 255.000"], "£1,200"),
        ("price", &["€ 255.000", "£1,200"], "£1,200"),
        ("price", &["£1,200"], "€ 255.000"),
        ("price", &["45000 EUR"], "89000 USD"),
        ("price", &["45000 EUR"], "£120000"),
        ("price", &["45 000 €"], "12\u{a0}500 €"),
        ("Price (EUR)", &["45000"], "89000"),
        ("Price (EUR)", &["45000"], "89000 €"),
        ("Price (EUR)", &["45000"], "$89000"),
        ("Preis in €", &["45000"], "89000"),
        ("Preis in Euro", &["45000"], "89000"),
        ("Asking price (£)", &["45000"], "89000"),
        // Nothing says what it is, or whose dollars they are.
        ("price", &["45000"], "89000"),
        ("price", &["45000 EUR", "9000"], "89000"),
        ("price", &["$45000"], "$89000"),
    ];
    let said = prices.map(|(header, first, later)| {
        let first_said = first.join(", ");
        format!(
            "{header}: {first_said}; {later}: {}.",
            price(header, first, later)
        )
    });
    insta::assert_snapshot!(said.join("\n"), @r#"
    price: 45000 EUR; 89000 EUR: 89000 EUR €.
    price: 45000 EUR, £9000; £89,000.00: 89000 GBP £.
    price: € 255.000; £1,200: could not read "£1,200" as an amount of money: "1,200" is no number with a comma before its decimals, as the mapping has it.
    price: € 255.000, £1,200; £1,200: could not read "£1,200" as an amount of money: "1,200" is no number with a comma before its decimals, as the mapping has it.
    price: £1,200; € 255.000: could not read "€ 255.000" as an amount of money: it is 255000 or 255.000; say in the mapping what stands before decimals, as in `money(null; ",")`.
    price: 45000 EUR; 89000 USD: 89000 USD [tables.currency_symbol] does not have "USD": add `"USD" = …` to it.
    price: 45000 EUR; £120000: 120000 GBP [tables.currency_symbol] does not have "GBP": add `"GBP" = …` to it.
    price: 45 000 €; 12 500 €: 12500 EUR €.
    Price (EUR): 45000; 89000: 89000 EUR €.
    Price (EUR): 45000; 89000 €: 89000 EUR €.
    Price (EUR): 45000; $89000: could not read "$89000" as an amount of money: it is in $, and not in EUR.
    Preis in €: 45000; 89000: 89000 EUR €.
    Preis in Euro: 45000; 89000: 89000 EUR €.
    Asking price (£): 45000; 89000: 89000 GBP £.
    price: 45000; 89000: .
    price: 45000 EUR, 9000; 89000: .
    price: $45000; $89000: could not read "$89000" as an amount of money: "$" is USD or AUD or CAD or NZD or HKD or SGD; say in the mapping which, as in `money("USD")`.
    "#);
}

#[test]
fn dollars_of_nobody_are_told() {
    let sheet = "id,maker,model,type,year,loa,price\n1,Volund,1,Ketch,2018,9,$45000\n";
    let suggestion = suggested("a.csv", sheet).unwrap();
    assert_ne!(suggestion.errors, 0);
    insta::assert_snapshot!(decision(&suggestion, "referencePrice"), @r#"$ is of several currencies, so each price with it is an error: write yours, as in `money("USD")`"#);
}

#[test]
fn an_object_of_an_amount_and_a_currency_is_a_price_wherever_it_lies() {
    let prices = [
        json!({"price": {"amount": "89000.00", "currency": "EUR"}}),
        json!({"fields": {"price": {"amount": 89000, "currency": "EUR"}}}),
        json!({"fields": {"askingPrice": {"amount": 89000, "currency": "EUR"}}}),
        json!({"specs": {"price": {"value": 89000.0, "currencyCode": "EUR"}}}),
        json!({"price_cents": 8_900_050, "currency": "EUR"}),
    ];
    let made = prices.map(|keys| {
        let (directory, export) = exported("a.json", publication::boats(&[keys]));
        let exports = [export];
        let suggestion = suggest(&exports, directory.path(), now()).unwrap();
        let outcome = check(&suggestion.text, &exports, directory.path()).unwrap();
        assert_eq!(outcome.findings.errors(), 0, "{}", suggestion.text);
        let report = outcome.report.unwrap();
        let fields = report.rules[0].fields.iter();
        let price = fields.filter(|field| field.field.starts_with("referencePrice"));
        let samples = price.map(|field| field.sample.clone().unwrap_or_default());
        samples.collect::<Vec<_>>().join(" ")
    });
    insta::assert_snapshot!(made.join("\n"), @r"
    89000 EUR €
    89000 EUR €
    89000 EUR €
    89000 EUR €
    89000.5 EUR €
    ");
}

#[test]
fn a_price_may_not_contradict_the_currency_of_its_record() {
    let sheet = |rows: &str| format!("id,maker,model,type,year,loa,currency,price\n{rows}\n");
    let (directory, export) = exported("a.csv", sheet("1,Volund,1,Ketch,2018,9,EUR,€ 9.000"));
    let suggestion = suggest(&[export], directory.path(), now()).unwrap();
    let (_directory, export) = exported("a.csv", sheet("1,Volund,1,Ketch,2018,9,GBP,€ 9.000"));
    let outcome = check(&suggestion.text, &[export], directory.path()).unwrap();
    assert_ne!(outcome.findings.errors(), 0, "{}", suggestion.text);
}

#[test]
fn a_currency_beside_a_price_does_not_change_the_one_that_its_name_says() {
    let of = |currency: &str, header: &str| {
        let row = format!("1,Volund,1,Ketch,2018,9,{currency},45000");
        let sheet = format!("id,maker,model,type,year,loa,currency,{header}\n{row}\n");
        let suggestion = suggested("a.csv", sheet).unwrap();
        let lines = boat_lines(&suggestion);
        let mut lines = lines.iter();
        let line = lines.find(|line| line.starts_with("referencePrice.currency.code"));
        let line = line.copied().unwrap_or_default().to_owned();
        (line, decision(&suggestion, "referencePrice"))
    };
    insta::assert_snapshot!(<[String; 2]>::from(of("GBP", "Price (EUR)")).join("\n"), @r#"
    referencePrice.currency.code = '."Price (EUR)" | money("EUR") | .currency'
    in EUR by the name of its key, though .currency (GBP) may be meant
    "#);
    let own = "referencePrice.currency.code = \".price | money($record.currency) | .currency\"";
    assert_eq!(
        of("GBP", "Price"),
        (own.replace(".price", ".Price"), String::new())
    );
    let own =
        r#"referencePrice.currency.code = '."Price (EUR)" | money($record.currency) | .currency'"#;
    assert_eq!(of("EUR", "Price (EUR)"), (own.to_owned(), String::new()));
}

#[test]
fn lengths_that_say_no_unit_are_metres_by_a_guess_or_left_to_a_person() {
    let sheet = |header: &str, lengths: &[&str]| {
        let rows = lengths.iter().enumerate();
        let rows =
            rows.map(|(row, loa)| format!("{row};Volund;{row};Ketch;2018;{loa};2,10;5000\n"));
        let rows: String = rows.collect();
        format!("id;maker;model;type;year;{header};beam (m);weight\n{rows}")
    };
    let said = |header: &str, lengths: &[&str]| {
        let suggestion = suggested("a.csv", sheet(header, lengths)).unwrap();
        let lines = boat_lines(&suggestion);
        let mut lines = lines.iter();
        let line = lines.find(|line| line.starts_with("unit")).copied();
        let why = decision(&suggestion, "unit");
        format!("{} {}: {why}", line.unwrap(), suggestion.is_open)
    };
    insta::assert_snapshot!([
        said("loa", &["9,5", "11", "30"]),
        said("loa", &["45", "42", "9"]),
        said("loa", &["1045", "940"]),
        said("loa (ft)", &["45", "42"]),
        said("loa", &["45 m", "42 m"]),
    ].join("\n"), @r#"
    unit = '"metric"'      # a guess: no length says its unit false: metric for every boat, a guess, as .loa (9,5) says no unit
    unit = '"?"'      # required true: required, as .loa (45) says no unit, and boats are hardly so long in metres: write `metric` or `imperial`, and the units in `definitions`
    unit = '"?"'      # required true: required, as .loa (1045) says no unit, and boats are hardly so long in metres: write `metric` or `imperial`, and the units in `definitions`
    unit = '"imperial"' false: imperial for every boat, by the names and values of lengths
    unit = '"metric"' false: metric for every boat, by the names and values of lengths
    "#);
    let (directory, export) = exported("a.csv", sheet("loa", &["45", "42"]));
    let exports = [export];
    let open = suggest(&exports, directory.path(), now()).unwrap().text;
    let outcome = check(&open, &exports, directory.path()).unwrap();
    assert_eq!(outcome.tally.boat.published, 0, "{open}");
    let decided = open.replace("\"?\"'", "\"imperial\"'");
    let decided = decided.replacen("measure(\"?\")", "measure(\"ft\")", 1);
    let decided = decided.replace("measure(\"?\")", "measure(\"lb\")");
    let outcome = check(&decided, &exports, directory.path()).unwrap();
    assert_eq!(outcome.findings.errors(), 0, "{decided}");
    let report = outcome.report.unwrap();
    let mut fields = report.rules[0].fields.iter();
    let beam = fields.find(|field| field.field == "dimensions.beamOverall");
    assert_eq!(beam.unwrap().sample.as_deref(), Some("6.89"), "{decided}");
}
