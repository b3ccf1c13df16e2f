//! The frame of every world: servers start, are killed and stand still; events happen between the
//! steps of threads; promises are checked after every step; in the end all faults stop.
//!
//! A world adds its events and its promises. Nothing here knows an engine.

use std::time::Duration;

use rand::Rng;
use simulation::turns::{self, Process, Ran, Turns};

use crate::seeds::Failure;

/// A server from its start to its end.
pub(crate) struct Server<P> {
    pub(crate) process: Process,
    /// What the world keeps of it.
    pub(crate) parts: P,
}

/// The servers of a run, and the threads of everything in it.
pub(crate) struct Frame<P> {
    pub(crate) servers: Vec<Server<P>>,
    processes: u32,
    /// Last, since servers end threads when they are dropped.
    pub(crate) turns: Turns,
}

impl<P> Frame<P> {
    fn new(seed: u64) -> Self {
        Self {
            servers: Vec::new(),
            processes: 0,
            turns: Turns::new(seed),
        }
    }

    /// A process that no other has been.
    pub(crate) fn next_process(&mut self) -> Process {
        self.processes += 1;
        Process(self.processes)
    }

    /// The place of some server.
    pub(crate) fn draw_place(&self) -> usize {
        turns::draw(|random| random.random_range(0..self.servers.len()))
    }

    /// Some server.
    pub(crate) fn draw_server(&self) -> &Server<P> {
        &self.servers[self.draw_place()]
    }

    /// The machine of some server stands still.
    pub(crate) fn pause(&self, most: Duration) {
        let process = self.draw_server().process;
        turns::pause(process, turns::some_time(most));
    }
}

/// Servers, engines and clients that a seed drives. It keeps its frame in its last field, since
/// what is dropped before may end threads.
pub(crate) trait World: Sized {
    /// What it keeps of each server.
    type Parts;

    /// Servers at a time.
    const SERVERS: usize;
    /// What happens in a run before all faults end.
    const EVENTS: usize;
    /// Between two events, fewer steps than this are taken.
    const STEPS: u32;
    /// How long after the end of all faults it may take until everything is as it should be.
    const SETTLES_WITHIN: Duration;

    fn frame(&mut self) -> &mut Frame<Self::Parts>;

    /// Starts a server on the machine of that place.
    fn start(&mut self, place: usize) -> Server<Self::Parts>;

    /// Something happens; `drawn` is a percentage that decides what.
    fn event(&mut self, drawn: u32) -> Result<(), String>;

    /// What holds after every step.
    fn check(&self) -> Result<(), String>;

    /// From now on every call gets a response soon.
    fn calm(&self);

    /// What holds once faults have ended.
    fn settle(&mut self) -> Result<(), String>;

    /// One thread runs until it waits.
    fn step(&mut self) -> Result<(), String> {
        self.frame().turns.step()?;
        self.check()
    }

    /// Steps until that time has passed.
    fn pass(&mut self, time: Duration) -> Result<(), String> {
        let until = turns::now() + time;
        while turns::now() < until {
            self.step()?;
        }
        Ok(())
    }

    /// A server is killed, and starts anew.
    fn crash(&mut self) -> Result<(), String> {
        let frame = self.frame();
        let place = frame.draw_place();
        let process = frame.servers[place].process;
        turns::note(|| format!("server {} is killed", process.0));
        frame.turns.kill(process)?;
        self.replace(place);
        Ok(())
    }

    /// A server starts in the place of another, which is returned.
    fn replace(&mut self, place: usize) -> Server<Self::Parts> {
        let server = self.start(place);
        std::mem::replace(&mut self.frame().servers[place], server)
    }
}

/// Runs one seed in the world that `make` fills the frame with.
pub(crate) fn run<W: World>(
    seed: u64,
    make: impl FnOnce(Frame<W::Parts>) -> W,
) -> Result<Ran, Failure> {
    let mut world = make(Frame::new(seed));
    for place in 0..W::SERVERS {
        let server = world.start(place);
        world.frame().servers.push(server);
    }
    let outcome = live(&mut world);
    let turns = &world.frame().turns;
    match outcome {
        Ok(()) => Ok(turns.ran()),
        Err(promise) => Err(Failure::new(seed, turns, promise)),
    }
}

fn live<W: World>(world: &mut W) -> Result<(), String> {
    for _event in 0..W::EVENTS {
        let drawn = turns::draw(|random| random.random_range(0..100));
        world.event(drawn)?;
        let steps = turns::draw(|random| random.random_range(0..W::STEPS));
        for _step in 0..steps {
            world.step()?;
        }
    }
    world.calm();
    world.pass(W::SETTLES_WITHIN)?;
    world.settle()
}
