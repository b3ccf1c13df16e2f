//! The server's own scripts, run as Redis runs them, over as much of Redis as they use.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mlua::{Function, Lua, Value as LuaValue, Variadic};
use simulation::engine::{self, TEXTS};

/// A fault put in, to see that it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// Windows stay open where counts may be lost.
    NotClosed,
    /// Requests leave their window after half of its time.
    ShortMinute,
}

impl Fault {
    fn put_into(self, text: &str) -> String {
        let (from, to) = match self {
            Self::None => return text.to_owned(),
            Self::NotClosed => ("closed_until = now + MINUTE", "closed_until = now"),
            Self::ShortMinute => ("MINUTE = 60000000", "MINUTE = 30000000"),
        };
        text.replace(from, to)
    }
}

/// What is kept under one key.
#[derive(Clone, Debug)]
enum Value {
    Hash(BTreeMap<String, String>),
    List(VecDeque<String>),
}

/// Everything in a Redis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    values: BTreeMap<String, Value>,
    /// When a key expires, in milliseconds by the clock of the Redis.
    expiries: BTreeMap<String, i64>,
}

/// What a script works on: the data, and what the clock shows, in microseconds.
#[derive(Default)]
pub(crate) struct Scene {
    pub(crate) data: Data,
    pub(crate) now: i64,
}

/// The scripts, ready to run.
pub(crate) struct Interpreter {
    lua: Lua,
    scripts: BTreeMap<String, Function>,
    scene: Arc<Mutex<Scene>>,
}

impl Interpreter {
    pub(crate) fn new(fault: Fault) -> Self {
        let lua = Lua::new();
        let scene = Arc::<Mutex<Scene>>::default();
        let calls = Arc::clone(&scene);
        let call = move |lua: &Lua, arguments: Variadic<LuaValue>| {
            let arguments: Vec<_> = arguments.iter().map(text).collect();
            let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
            let mut scene = calls.lock().unwrap_or_else(PoisonError::into_inner);
            scene.call(&arguments).into_lua(lua)
        };
        let redis = lua.create_table().unwrap();
        redis
            .set("call", lua.create_function(call).unwrap())
            .unwrap();
        lua.globals().set("redis", redis).unwrap();
        let packs = lua.create_table().unwrap();
        let pack = lua.create_function(|lua, arguments: Variadic<LuaValue>| {
            let numbers = arguments
                .iter()
                .skip(1)
                .map(|number| text(number).parse::<i64>());
            let bytes: Vec<u8> = numbers
                .flat_map(|number| number.unwrap().to_be_bytes())
                .collect();
            lua.create_string(bytes)
        });
        packs.set("pack", pack.unwrap()).unwrap();
        lua.globals().set("struct", packs).unwrap();
        let scripts = TEXTS.map(|script| {
            let changed = fault.put_into(&script.concat());
            let function = lua.load(changed).into_function().unwrap();
            (engine::hash_of(script), function)
        });
        Self {
            lua,
            scripts: BTreeMap::from(scripts),
            scene,
        }
    }

    pub(crate) fn scene(&self) -> MutexGuard<'_, Scene> {
        self.scene.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a script as one step.
    pub(crate) fn run(&self, hash: &str, keys: &[String], arguments: &[String]) -> [i64; 6] {
        self.scene().expire();
        let globals = self.lua.globals();
        globals.set("KEYS", keys).unwrap();
        globals.set("ARGV", arguments).unwrap();
        let packed: mlua::LuaString = self.scripts[hash].call(()).unwrap();
        let bytes = packed.as_bytes();
        let mut numbers = bytes.chunks_exact(8);
        std::array::from_fn(|_| i64::from_be_bytes(numbers.next().unwrap().try_into().unwrap()))
    }
}

/// A number or a text, as Redis takes it.
fn text(value: &LuaValue) -> String {
    match value {
        LuaValue::String(text) => text.to_string_lossy(),
        LuaValue::Integer(number) => number.to_string(),
        LuaValue::Number(number) => format!("{number:.0}"),
        other => unreachable!("{other:?} is no argument"),
    }
}

/// What a command answers.
enum Answer {
    Nil,
    Number(i64),
    Text(String),
    Texts(Vec<Option<String>>),
}

impl Answer {
    fn into_lua(self, lua: &Lua) -> mlua::Result<LuaValue> {
        let text = |text: Option<String>| match text {
            // As Redis tells scripts that there is nothing.
            None => Ok(LuaValue::Boolean(false)),
            Some(text) => lua.create_string(text).map(LuaValue::String),
        };
        Ok(match self {
            Self::Nil => LuaValue::Boolean(false),
            #[expect(
                clippy::cast_precision_loss,
                reason = "as in Redis: its numbers are doubles"
            )]
            Self::Number(number) => LuaValue::Number(number as f64),
            Self::Text(one) => text(Some(one))?,
            Self::Texts(all) => {
                let all: Vec<_> = all.into_iter().map(text).collect::<mlua::Result<_>>()?;
                LuaValue::Table(lua.create_sequence_from(all)?)
            }
        })
    }
}

impl Scene {
    fn millis(&self) -> i64 {
        self.now.div_euclid(1000)
    }

    /// Removes what is over by the clock of the Redis.
    fn expire(&mut self) {
        let now = self.millis();
        let Data { values, expiries } = &mut self.data;
        expiries.retain(|key, at| {
            let is_left = now < *at;
            if !is_left {
                values.remove(key);
            }
            is_left
        });
    }

    fn hash(&mut self, key: &str) -> &mut BTreeMap<String, String> {
        let made = || Value::Hash(BTreeMap::new());
        match self.data.values.entry(key.to_owned()).or_insert_with(made) {
            Value::Hash(hash) => hash,
            Value::List(_) => unreachable!("{key} is a list"),
        }
    }

    /// What there is of a list.
    fn list(&mut self, key: &str) -> &mut VecDeque<String> {
        let made = || Value::List(VecDeque::new());
        match self.data.values.entry(key.to_owned()).or_insert_with(made) {
            Value::List(list) => list,
            Value::Hash(_) => unreachable!("{key} is a hash"),
        }
    }

    /// A list without anything is none.
    fn tidy(&mut self, key: &str) {
        let is_empty = match self.data.values.get(key) {
            Some(Value::List(list)) => list.is_empty(),
            Some(Value::Hash(hash)) => hash.is_empty(),
            None => true,
        };
        if is_empty {
            self.data.values.remove(key);
            self.data.expiries.remove(key);
        }
    }

    /// One command.
    fn call(&mut self, arguments: &[&str]) -> Answer {
        let answer = match arguments {
            ["TIME"] => {
                let (seconds, micros) = (
                    self.now.div_euclid(1_000_000),
                    self.now.rem_euclid(1_000_000),
                );
                return Answer::Texts(
                    [seconds, micros]
                        .map(|part| Some(part.to_string()))
                        .to_vec(),
                );
            }
            ["HMGET", key, fields @ ..] => {
                let hash = self.hash(key);
                let found = fields.iter().map(|field| hash.get(*field).cloned());
                Answer::Texts(found.collect())
            }
            ["HSET", key, pairs @ ..] => {
                for pair in pairs.chunks_exact(2) {
                    self.hash(key)
                        .insert(pair[0].to_owned(), pair[1].to_owned());
                }
                Answer::Number(1)
            }
            ["LLEN", key] => Answer::Number(length(self.list(key))),
            ["LINDEX", key, index] => {
                let list = self.list(key);
                let index = index_of(index, length(list));
                let found = usize::try_from(index)
                    .ok()
                    .and_then(|index| list.get(index));
                found.map_or(Answer::Nil, |text| Answer::Text(text.clone()))
            }
            ["LTRIM", key, start, stop] => {
                let list = self.list(key);
                let count = length(list);
                let start = usize::try_from(index_of(start, count)).unwrap_or(0);
                let end = usize::try_from(index_of(stop, count) + 1).unwrap_or(0);
                list.truncate(end);
                list.drain(..start.min(list.len()));
                Answer::Number(1)
            }
            ["RPUSH", key, text] => {
                let list = self.list(key);
                list.push_back((*text).to_owned());
                Answer::Number(length(list))
            }
            ["DEL", key] => {
                self.data.values.remove(*key);
                Answer::Number(1)
            }
            ["PTTL", key] => match self.data.expiries.get(*key) {
                Some(at) => Answer::Number(at - self.millis()),
                None => Answer::Number(-1),
            },
            ["PEXPIRE", key, millis] => {
                let at = self.millis() + millis.parse::<i64>().unwrap();
                self.data.expiries.insert((*key).to_owned(), at);
                Answer::Number(1)
            }
            other => unreachable!("{other:?} is not modelled"),
        };
        self.tidy(arguments[1]);
        answer
    }
}

fn length(list: &VecDeque<String>) -> i64 {
    i64::try_from(list.len()).unwrap()
}

/// Negative ones count from the end.
fn index_of(text: &str, count: i64) -> i64 {
    let index: i64 = text.parse().unwrap();
    if index < 0 { count + index } else { index }
}
