//! `GET /v1/boats` and `GET /v1/boats/{idOrSlug}`.

use server::params::{
    BOATS, BOATS_OF_MANUFACTURER, FACETS, List, MANUFACTURERS, Parameter, Role, Values,
};

use crate::app::TestApp;

#[tokio::test]
async fn a_boat_is_found_by_id_and_by_slug_and_both_are_case_sensitive() {
    let app = TestApp::new();
    let by_slug = app.get("/v1/boats/zero.five").key("reader").send().await;
    let by_id = app.get("/v1/boats/b7").key("reader").send().await;
    let encoded = app.get("/v1/boats/zero%2Efive").key("reader").send().await;
    assert_eq!(by_slug.status, 200);
    assert_eq!(by_slug.body, by_id.body);
    assert_eq!(by_slug.body, encoded.body);
    for other in ["First-36", "B7", "zero-five", "m1"] {
        let answer = app
            .get(&format!("/v1/boats/{other}"))
            .key("reader")
            .send()
            .await;
        assert_eq!(answer.code(), "NOT_FOUND", "{other}");
    }
}

#[tokio::test]
async fn links_stand_where_there_is_such_a_page() {
    let app = TestApp::new();
    let table: [(&str, &[&str]); 6] = [
        ("/v1/boats", &["first", "last"]),
        ("/v1/boats?limit=7", &["first", "last"]),
        ("/v1/boats?limit=6", &["next", "first", "last"]),
        ("/v1/boats?type=sailing-yacht&limit=6", &["first", "last"]),
        ("/v1/boats?limit=6&offset=1", &["prev", "first", "last"]),
        ("/v1/boats?type=unknown", &[]),
    ];
    for (target, relations) in table {
        let answer = app.get(target).key("reader").send().await;
        let link = answer.header("link").unwrap_or_default();
        let found = link.split("rel=\"").skip(1);
        let found: Vec<&str> = found.filter_map(|rel| rel.split('"').next()).collect();
        assert_eq!(found, relations, "{target}");
    }
}

#[tokio::test]
async fn the_unit_of_the_bounds_does_not_change_the_rows() {
    let table = [
        ("", "lengthUnit=ft", 7),
        (
            "lengthMin=9&lengthMax=12",
            "lengthMin=29.52&lengthMax=39.4&lengthUnit=ft",
            5,
        ),
    ];
    // A new app each time, so that no response comes from the list cache.
    let ask = async |query: &str| {
        let target = format!("/v1/boats?{query}");
        TestApp::new().get(&target).key("reader").send().await
    };
    for (metres, feet, rows) in table {
        let (in_metres, in_feet) = (ask(metres).await, ask(feet).await);
        assert_eq!(in_metres.slugs().len(), rows, "{metres}");
        assert!(in_metres.slugs().contains(&"catalina-30".to_owned()));
        assert_eq!(in_metres.body, in_feet.body, "{feet}");
    }
}

/// Two values of a parameter, neither of them the default.
fn two_values(parameter: &Parameter) -> Vec<String> {
    match parameter.role.values() {
        Values::Slug | Values::Search => ["ab", "cd"]
            .map(|text| format!("{}={text}", parameter.name))
            .to_vec(),
        Values::Integer((_, max), _) => [max - 1, max]
            .map(|value| format!("{}={value}", parameter.name))
            .to_vec(),
        Values::Decimal((min, max)) => [format!("{min}.5"), max.to_string()]
            .map(|value| format!("{}={value}", parameter.name))
            .to_vec(),
        Values::Release => Vec::new(),
        Values::OneOf(words) => {
            let others = words.iter().skip(1);
            others
                .map(|word| format!("{}={word}", parameter.name))
                .collect()
        }
    }
}

#[tokio::test]
async fn no_two_values_of_any_parameter_share_a_remembered_answer() {
    let app = TestApp::new();
    let lists: [(&str, &List); 4] = [
        ("/v1/facets", &FACETS),
        ("/v1/boats", &BOATS),
        ("/v1/manufacturers/m1/boats", &BOATS_OF_MANUFACTURER),
        ("/v1/manufacturers", &MANUFACTURERS),
    ];
    for (path, list) in lists {
        let mut addresses = vec![path.to_owned()];
        for parameter in list.parameters {
            let beside = match parameter.role {
                // Without a bound, the unit has no effect.
                Role::LengthUnit => "&lengthMin=9",
                _ => "",
            };
            let values = two_values(parameter).into_iter();
            addresses.extend(values.map(|value| format!("{path}?{value}{beside}")));
        }
        for cache in ["MISS", "HIT"] {
            for address in &addresses {
                let answer = app.get(address).key("unlimited").send().await;
                assert_eq!(answer.status, 200, "{address}");
                assert_eq!(answer.header("x-cache"), Some(cache), "{address}");
            }
        }
    }
}
