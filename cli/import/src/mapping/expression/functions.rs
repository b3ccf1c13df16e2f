//! Binds the functions that mappings add to jq to their implementations.

use std::borrow::Cow;
use std::rc::Rc;

use jaq_core::box_iter::box_once;
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Ctx, Cv, Error, Native, RunPtr, ValR, ValXs};
use jaq_json::{Num, Val};

use super::eval_context::{Data, Language, Referred};
use super::multiply_guard::{PRODUCT, product};
use super::regexes::{Wanted, found};
use super::rewrite::{NEED, Need};
use super::values::{from_text, text, to_json};
use crate::finding::cut;
use crate::json::{self, InvalidJson};
use crate::mapping::bounds::DEPTH_MAX;
use crate::mapping::functions::list::list;
use crate::mapping::functions::measure::{
    Convention, DecimalMark, ReadNumber, Unit, measure, number, rounded,
};
use crate::mapping::functions::money::{Money, money};
use crate::mapping::functions::plain::looks_like_markdown;
use crate::mapping::functions::plain::markdown::markdown;
use crate::mapping::functions::quoted;
use crate::mapping::functions::slugify::slugify;
use crate::mapping::functions::time::time;
use crate::mapping::functions::year::year;

/// The function that returns the size of an image file.
pub(in crate::mapping) const IMAGE_SIZE: &str = "image_size";

/// The function that returns the time of the import.
pub(super) const NOW: &str = "now";

/// The functions that are not in jq, or not as jaq has them, with the numbers of their arguments.
/// Those that take fewer stand in the library, with null for what is left out.
const FUNCTIONS: &[(&str, usize, RunPtr<Language>)] = &[
    ("deref", 0, |cv| on_text(&cv, record)),
    ("pub", 0, |cv| on_text(&cv, public_id)),
    ("links", 1, |cv| with(cv, links)),
    ("links", 2, |cv| with(cv, links_from)),
    ("joined", 1, |cv| with(cv, joined)),
    ("many", 0, |cv| with(cv, many)),
    (IMAGE_SIZE, 1, |cv| with(cv, image_size)),
    ("lookup", 1, |cv| with(cv, lookup)),
    (NOW, 0, |cv| with(cv, now)),
    ("measure", 2, |cv| with(cv, measured)),
    ("number", 1, |cv| with(cv, number_of)),
    ("money", 2, |cv| with(cv, money_of)),
    ("list", 1, |cv| with(cv, listed)),
    ("fromjson", 0, |cv| on_text(&cv, parsed)),
    ("tonumber", 0, |cv| with(cv, to_number)),
    ("year", 0, |cv| on_text(&cv, year_of)),
    ("plain", 0, |cv| with(cv, plain_text)),
    ("markdown", 0, |cv| on_text(&cv, markdown_text)),
    ("slugify", 0, |cv| on_text(&cv, slug)),
    ("time", 2, |cv| with(cv, moment)),
    ("_matches", 2, |cv| {
        with(cv, |_, input, regex| found(input, regex, Wanted::Matches))
    }),
    ("_split_", 2, |cv| {
        with(cv, |_, input, regex| found(input, regex, Wanted::Rest))
    }),
    ("_split_matches", 2, |cv| {
        with(cv, |_, input, regex| found(input, regex, Wanted::Both))
    }),
    (PRODUCT, 2, |cv| {
        with(cv, |_, _, [left, right]| product(left, right))
    }),
];

/// All functions with their arities.
pub(super) fn all() -> impl Iterator<Item = Fun<Language>> {
    let functions = FUNCTIONS
        .iter()
        .map(|&(name, arguments, function)| run::<Language>((name, v(arguments), function)));
    // It passes its input on, and so it may stand in a path, which may be assigned to.
    let need = Native::new(|mut cv| {
        say_need(&mut cv.0, &cv.1);
        box_once(Ok(cv.1))
    });
    let need = need.with_paths(|mut cv| {
        say_need(&mut cv.0, &cv.1.0);
        box_once(Ok(cv.1))
    });
    let need = need.with_update(|mut cv, update| {
        say_need(&mut cv.0, &cv.1);
        update(cv.1)
    });
    functions.chain([(NEED, v(2), need)])
}

/// Tells the context what of a value is needed.
fn say_need(context: &mut Ctx<'_, Language>, of: &Val) {
    let key = context.pop_var();
    let need = match context.pop_var() {
        Val::Num(Num::Int(index)) => usize::try_from(index).ok(),
        _ => None,
    };
    let eval = context.data().eval;
    match need.and_then(|index| Need::ALL.get(index)) {
        Some(Need::Key) => eval.looked_up(of, text(&key), true),
        Some(Need::Presence) => eval.looked_up(of, text(&key), false),
        Some(Need::AllKeys) => eval.looked_up(of, None, false),
        Some(Need::Object) if !matches!(of, Val::Obj(_)) => {}
        Some(Need::Object | Need::Everything) | None => eval.read(of),
    }
}

/// Applies a function of its input and some arguments.
fn with<'a, const COUNT: usize>(
    mut cv: Cv<'a, Language>,
    function: fn(Data<'a>, &Val, [Val; COUNT]) -> ValR<Val>,
) -> ValXs<'a, Val> {
    // The last argument comes first.
    let mut arguments = [(); COUNT].map(|()| cv.0.pop_var());
    arguments.reverse();
    bome(function(*cv.0.data(), &cv.1, arguments))
}

/// Applies a function of a text; null stays null.
fn on_text<'a>(cv: &Cv<'a, Language>, function: fn(Data<'a>, &str) -> ValR<Val>) -> ValXs<'a, Val> {
    bome(match &cv.1 {
        Val::Null => Ok(Val::Null),
        value => worded(value).and_then(|text| function(*cv.0.data(), &text)),
    })
}

/// An argument that is a text.
fn text_argument(argument: &Val) -> Result<&str, Error<Val>> {
    text(argument).ok_or_else(|| Error::str("the argument must be a text"))
}

/// A text, or the spelling of a number.
fn worded(value: &Val) -> Result<Cow<'_, str>, Error<Val>> {
    match value {
        Val::Num(_) => Ok(Cow::Owned(value.to_string())),
        _ => text(value).map(Cow::Borrowed).ok_or_else(|| {
            Error::str(format!(
                "this needs a text, not {}",
                cut(&value.to_string())
            ))
        }),
    }
}

fn record(data: Data<'_>, key: &str) -> ValR<Val> {
    match data.eval.record(key) {
        Ok(Referred::Published(record)) => Ok(record),
        Ok(Referred::Unpublished) => Ok(Val::Null),
        Ok(Referred::Nowhere) => failed(format!("no record has the key {key}")),
        Err(error) => failed(error),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "functions have one signature")]
fn public_id(data: Data<'_>, key: &str) -> ValR<Val> {
    Ok(match data.eval.public_id(key) {
        Referred::Published(id) => Val::from(id),
        Referred::Unpublished => Val::Null,
        Referred::Nowhere => Val::from(key.to_owned()),
    })
}

fn parsed(_data: Data<'_>, json: &str) -> ValR<Val> {
    match from_text(json, DEPTH_MAX) {
        Err(InvalidJson::Syntax { reason, .. }) => {
            let given = quoted(json);
            failed(format!("could not read {given:?} as JSON: {reason}"))
        }
        parsed => parsed.or_else(failed),
    }
}

/// Converts a text that is a JSON number to a number.
fn to_number(_data: Data<'_>, input: &Val, []: [Val; 0]) -> ValR<Val> {
    if matches!(input, Val::Num(_)) {
        return Ok(input.clone());
    }
    let node = text(input).and_then(|text| json::parse(text, DEPTH_MAX).ok());
    match node.map(|node| node.value) {
        Some(json::Value::Number(spelled)) => Ok(super::values::number(spelled)),
        _ => failed(format!(
            "could not read {} as a number such as `1.5`; `number` reads `1,234.5` and `16,6`, \
             `measure(\"m\")` reads `1.5 m`",
            quoted(&input.to_string())
        )),
    }
}

fn links(data: Data<'_>, _input: &Val, [field]: [Val; 1]) -> ValR<Val> {
    let keys = data.eval.linked(None, text_argument(&field)?);
    Ok(keys.into_iter().map(Val::from).collect())
}

fn links_from(data: Data<'_>, _input: &Val, [key, field]: [Val; 2]) -> ValR<Val> {
    let field = text_argument(&field)?;
    let keys = match &key {
        Val::Null => Vec::new(),
        key => data.eval.linked(Some(&worded(key)?), field),
    };
    Ok(keys.into_iter().map(Val::from).collect())
}

fn joined(data: Data<'_>, key: &Val, [join]: [Val; 1]) -> ValR<Val> {
    let join = text_argument(&join)?;
    let records = match key {
        Val::Null => Vec::new(),
        key => {
            let records = data.eval.joined(join, &worded(key)?);
            records.map_err(Error::str)?
        }
    };
    Ok(Val::from_iter(records))
}

/// A list as it is, or any other value in a list.
#[expect(clippy::unnecessary_wraps, reason = "functions have one signature")]
fn many(_data: Data<'_>, input: &Val, []: [Val; 0]) -> ValR<Val> {
    Ok(match input {
        Val::Null => Val::Arr(Rc::default()),
        Val::Arr(_) => input.clone(),
        one => std::iter::once(one.clone()).collect(),
    })
}

fn image_size(data: Data<'_>, _input: &Val, [path]: [Val; 1]) -> ValR<Val> {
    if matches!(path, Val::Null) {
        return Ok(Val::Null);
    }
    let image = data.eval.image(&worded(&path)?);
    let Some(image) = image.map_err(Error::str)? else {
        return Ok(Val::Null);
    };
    let members = [
        ("width", Val::from(image.width as usize)),
        ("height", Val::from(image.height as usize)),
        ("format", Val::from(image.format.to_owned())),
    ];
    let members = members.map(|(name, value)| (Val::from(name.to_owned()), value));
    Ok(Val::obj(members.into_iter().collect()))
}

fn lookup(data: Data<'_>, input: &Val, [table]: [Val; 1]) -> ValR<Val> {
    let table = text_argument(&table)?;
    match input {
        Val::Null => Ok(Val::Null),
        input => {
            let word = worded(input)?;
            data.eval.lookup(table, &word).map_err(Error::str)
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "functions have one signature")]
fn now(data: Data<'_>, _input: &Val, []: [Val; 0]) -> ValR<Val> {
    Ok(super::values::number(&data.eval.now().to_string()))
}

/// What stands before decimals, if the mapping says so; null if it does not.
fn decimal_mark(mark: &Val) -> Result<Option<DecimalMark>, Error<Val>> {
    let known = text(mark).and_then(DecimalMark::parse);
    match (mark, known) {
        (Val::Null, _) => Ok(None),
        (_, Some(mark)) => Ok(Some(mark)),
        (_, None) => Err(Error::str(
            "what stands before decimals is \".\", \",\" or null",
        )),
    }
}

/// The value of a number that was read, which the context is told of.
fn told(data: Data<'_>, given: &str, number: &ReadNumber) -> Val {
    for convention in number.convention.into_iter().chain(number.unit) {
        data.eval.note_number(given, convention);
    }
    super::values::number(&number.spelled)
}

fn measured(data: Data<'_>, input: &Val, [unit, mark]: [Val; 2]) -> ValR<Val> {
    let unit = Unit::parse(text_argument(&unit)?).map_err(Error::str)?;
    if !matches!(input, Val::Num(_)) {
        return read_number(data, input, &mark, |given, mark| measure(given, unit, mark));
    }
    decimal_mark(&mark)?;
    let given = input.to_string();
    if *input != Val::from(0_usize) {
        data.eval.note_number(&given, Convention::NoUnit);
    }
    let rounded = rounded(&given, unit);
    Ok(rounded.map_or_else(|| input.clone(), |number| super::values::number(&number)))
}

fn number_of(data: Data<'_>, input: &Val, [mark]: [Val; 1]) -> ValR<Val> {
    read_number(data, input, &mark, number)
}

/// What is read in a text; a number and null stay what they are.
fn read_number(
    data: Data<'_>,
    input: &Val,
    mark: &Val,
    read: impl FnOnce(&str, Option<DecimalMark>) -> Result<Option<ReadNumber>, String>,
) -> ValR<Val> {
    let mark = decimal_mark(mark)?;
    if matches!(input, Val::Null | Val::Num(_)) {
        return Ok(input.clone());
    }
    let given = worded(input)?;
    let number = read(&given, mark).map_err(Error::str)?;
    Ok(number.map_or(Val::Null, |number| told(data, &given, &number)))
}

/// An amount and the code of its currency.
fn money_of(data: Data<'_>, input: &Val, [currency, mark]: [Val; 2]) -> ValR<Val> {
    let wanted = match &currency {
        Val::Null => None,
        other => match text(other) {
            Some(code) => Some(code),
            None => return failed("the currency must be a text or null"),
        },
    };
    let mark = decimal_mark(&mark)?;
    if matches!(input, Val::Null) {
        return Ok(Val::Null);
    }
    // A number of JSON needs no mark to be understood.
    let (given, mark) = match input {
        Val::Num(_) => (worded(input)?, Some(DecimalMark::POINT)),
        _ => (worded(input)?, mark),
    };
    let read = money(&given, wanted, mark).map_err(Error::str)?;
    let Some(Money { amount, currency }) = read else {
        return Ok(Val::Null);
    };
    let members = [
        ("amount", told(data, &given, &amount)),
        ("currency", currency.map_or(Val::Null, Val::from)),
    ];
    let members = members.map(|(name, value)| (Val::from(name.to_owned()), value));
    Ok(Val::obj(members.into_iter().collect()))
}

/// The members of a list in one text, or of a list, as texts.
fn listed(_data: Data<'_>, input: &Val, [separator]: [Val; 1]) -> ValR<Val> {
    let separator = text_argument(&separator)?;
    let members = match input {
        Val::Null => Vec::new(),
        Val::Arr(items) => {
            let items = items.iter().filter(|item| !matches!(item, Val::Null));
            let texts = items.map(|item| Ok(worded(item)?.trim().to_owned()));
            texts.collect::<Result<_, Error<Val>>>()?
        }
        one => list(&worded(one)?, separator).map_err(Error::str)?,
    };
    let members = members.into_iter().filter(|member| !member.is_empty());
    Ok(members.map(Val::from).collect())
}

fn year_of(_data: Data<'_>, given: &str) -> ValR<Val> {
    let year = year(given).map_err(Error::str)?;
    let year = year.and_then(|year| isize::try_from(year).ok());
    Ok(year.map_or(Val::Null, Val::from))
}

fn moment(_data: Data<'_>, input: &Val, [form, zone]: [Val; 2]) -> ValR<Val> {
    let (Some(form), Some(zone)) = (text(&form), text(&zone)) else {
        return failed("the arguments must be texts");
    };
    match input {
        Val::Null => Ok(Val::Null),
        input => time(&worded(input)?, form, zone)
            .map(Val::from)
            .map_err(Error::str),
    }
}

fn plain_text(data: Data<'_>, value: &Val, []: [Val; 0]) -> ValR<Val> {
    let json = to_json(value).map_err(Error::str)?;
    let plain = data.eval.rich_text().plain(&json).map_err(Error::str)?;
    for kind in &plain.unknown {
        data.eval.note_unknown_node(kind);
    }
    if json.as_str().is_some_and(looks_like_markdown) {
        data.eval.note_markdown();
    }
    Ok(plain.text.map_or(Val::Null, Val::from))
}

fn markdown_text(_data: Data<'_>, text: &str) -> ValR<Val> {
    let read = markdown(text).map_err(Error::str)?;
    Ok(read.map_or(Val::Null, Val::from))
}

fn slug(_data: Data<'_>, given: &str) -> ValR<Val> {
    slugify(given).map(Val::from).map_err(Error::str)
}

fn failed(message: impl ToString) -> ValR<Val> {
    Err(Error::str(message))
}
