//! The form that a language model fills in.

use parquote::language::{Filter, from_model, schema};
use parquote::operation::Market;
use serde_json::{Value as Json, json};

use crate::grammar::fields;

fn leaf(changes: &Json) -> Json {
    let mut leaf =
        json!({"field":"pe","op":"<=","number":0,"upper":0,"texts":[],"flag":false,"negate":false});
    for (key, value) in changes.as_object().unwrap() {
        leaf[key] = value.clone();
    }
    leaf
}

fn answer(groups: &[Vec<Json>]) -> Json {
    let groups: Vec<Json> = groups.iter().map(|any| json!({ "any": any })).collect();
    json!({"groups": groups, "sort_field": "none", "sort_direction": "desc", "limit": 0, "not_understood": []})
}

#[test]
fn groups_become_a_filter() {
    let mut given = answer(&[
        vec![leaf(&json!({"number": 15}))],
        vec![
            leaf(&json!({"field":"roe","op":">=","number":20})),
            leaf(&json!({"field":"sector","op":"in","texts":["Power"]})),
        ],
        vec![leaf(&json!({"field":"sector","op":"in","texts":["Realty"],"negate":true}))],
        vec![leaf(&json!({"field":"above_sma_200","op":"is","flag":true}))],
        vec![leaf(&json!({"field":"roce","op":"between","number":10,"upper":20}))],
        vec![],
    ]);
    given["sort_field"] = json!("rs_rating");
    given["limit"] = json!(500);
    given["not_understood"] = json!(["honest"]);
    let screen = from_model(&given, &fields(Market::India)).unwrap();
    let expected: Filter = serde_json::from_value(json!({"all":[
        {"field":"pe","op":"<=","value":15},
        {"any":[{"field":"roe","op":">=","value":20},{"field":"sector","in":["Power"]}]},
        {"not":{"field":"sector","in":["Realty"]}},
        {"field":"above_sma_200","is":true},
        {"field":"roce","op":"between","from":10,"to":20},
    ]}))
    .unwrap();
    assert_eq!(screen.filter, expected);
    assert_eq!(serde_json::to_value(&screen.sort).unwrap(), json!({"field":"rs_rating","direction":"desc"}));
    assert_eq!((screen.limit, screen.not_understood[0].words.as_str()), (Some(50), "honest"));
}

#[test]
fn answers_that_do_not_fit_are_refused() {
    let fields = fields(Market::Us);
    let many =
        vec![vec![leaf(&json!({}))], (0..41).map(|number| leaf(&json!({ "number": number }))).collect()];
    for (given, said) in [
        (json!({"groups": "DROP TABLE"}), "does not have the requested form"),
        (answer(&[]), "neither a condition nor an order"),
        (answer(&[vec![leaf(&json!({"field":"password"}))]]), "is not a field of the us screen"),
        (answer(&[vec![leaf(&json!({"op":"in"}))]]), "is not a comparison for `pe`"),
        (
            answer(&[vec![leaf(&json!({"field":"sector","op":">"}))]]),
            "is not a comparison for `sector`; use in",
        ),
        (
            answer(&[vec![leaf(&json!({"field":"sector","op":"in","texts":["x' OR 1=1"]}))]]),
            "is no sector of this market",
        ),
        (answer(&many), "at most 40"),
    ] {
        let error = from_model(&given, &fields).unwrap_err().to_string();
        assert!(error.contains(said), "{given}: {error}");
    }
    let mut by_text = answer(&[vec![leaf(&json!({}))]]);
    by_text["sort_field"] = json!("sector");
    assert!(from_model(&by_text, &fields).is_err());
}

/// The schema fulfils the rules of the common providers' structured outputs: no references, every object closed, every
/// property required, only basic keywords.
#[test]
fn the_schema_is_plain() {
    fn walk(schema: &Json, levels: usize) {
        assert!(levels <= 5, "too deep");
        let object = schema.as_object().unwrap();
        for keyword in object.keys() {
            let plain =
                ["type", "properties", "required", "additionalProperties", "items", "enum", "description"];
            assert!(plain.contains(&keyword.as_str()), "{keyword}");
        }
        if let Some(properties) = object.get("properties").and_then(Json::as_object) {
            let names: Vec<&String> = properties.keys().collect();
            assert_eq!(object["required"], json!(names));
            assert_eq!(object["additionalProperties"], json!(false));
            properties.values().for_each(|property| walk(property, levels + 1));
        }
        if let Some(items) = object.get("items") {
            walk(items, levels);
        }
    }
    for market in Market::ALL {
        let schema = schema(&fields(market));
        walk(&schema, 0);
        assert!(schema.to_string().len() < 20_000);
        let leaf = &schema["properties"]["groups"]["items"]["properties"]["any"]["items"]["properties"];
        let named = leaf["field"]["enum"].as_array().unwrap();
        assert_eq!(named.contains(&json!("pledge_pct")), market == Market::India);
        assert!(leaf["texts"]["items"]["enum"].as_array().unwrap().contains(&json!("Utilities")));
    }
}
