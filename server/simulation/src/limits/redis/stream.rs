//! Streams to Redis, of which there are none here: lines lead to models.
