//! How wide each column is: a pure function of what stands in them and of the terminal.

use super::{Fit, GAP};

/// How narrow a column may become whose texts are broken.
const WRAPPED_MIN: usize = 12;

/// The width of each column so that all of them fit into `terminal`, if there is one; `None` for
/// one that is left out. Where nothing more can be done, the terminal breaks the lines.
pub(super) fn fitted<const COLUMNS: usize>(
    fits: &[Fit; COLUMNS],
    natural: &[usize; COLUMNS],
    terminal: Option<usize>,
) -> [Option<usize>; COLUMNS] {
    let mut widths = natural.map(Some);
    let Some(terminal) = terminal else {
        for (width, fit) in widths.iter_mut().zip(fits) {
            width.take_if(|_width| matches!(fit, Fit::Extra(_)));
        }
        return widths;
    };
    let least = |place: usize, width: usize| match fits[place] {
        Fit::Wrapped => width.min(WRAPPED_MIN),
        Fit::Whole | Fit::Spare(_) | Fit::Extra(_) => width,
    };
    let needs = |widths: &[Option<usize>; COLUMNS], width: &dyn Fn(usize, usize) -> usize| {
        let kept = (0..)
            .zip(widths)
            .filter_map(|(place, w)| Some(width(place, (*w)?)));
        kept.map(|width| width + GAP)
            .sum::<usize>()
            .saturating_sub(GAP)
    };
    while terminal < needs(&widths, &least) {
        let spare = (0..COLUMNS).filter_map(|place| match (fits[place], widths[place]) {
            (Fit::Spare(number) | Fit::Extra(number), Some(_)) => Some((number, place)),
            _ => None,
        });
        let Some((_, place)) = spare.min() else { break };
        widths[place] = None;
    }
    while terminal < needs(&widths, &|_place, width| width) {
        let broken = (0..COLUMNS).filter(|&place| fits[place] == Fit::Wrapped);
        let broken = broken.filter_map(|place| Some((widths[place]?, place)));
        let Some((width, place)) = broken.max().filter(|(width, _)| WRAPPED_MIN < *width) else {
            break;
        };
        widths[place] = Some(width - 1);
    }
    widths
}
