//! The table of relations, and the page that has its bounds.

use super::*;

#[test]
fn the_page_has_the_bounds_of_every_relation() {
    let page = include_str!("../../../guides/findings.md");
    let named = |measure: &Measure| measure.name.split_once(' ').unwrap().1;
    for relation in &RELATIONS {
        let power = match relation.power {
            0.5 => "^½",
            0.667 => "^⅔",
            3.0 => "³",
            _ => "",
        };
        let (measure, beside) = (named(&relation.measure), named(&relation.beside));
        let (least, most) = (relation.least, relation.most);
        let row = format!("| {measure} / {beside}{power} | {least} to {most} |");
        assert!(page.contains(&row), "{row}");
    }
}
